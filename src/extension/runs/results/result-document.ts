import { stripVTControlCharacters } from 'node:util';

/** Returns a part of a run as a document: JSON indented, other text without terminal control sequences. */
export function documentFor(part: string, text: string): { name: string; content: string } {
  const json = part === 'result' ? indentedJson(text) : undefined;
  return json === undefined
    ? { name: `${part}.txt`, content: stripControls(text) }
    : { name: `${part}.json`, content: json };
}

function indentedJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

const otherControls = /[^\P{Cc}\t\n\r]/gu;

/** Removes terminal control sequences and control characters. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replace(otherControls, '');
}
