import { stripVTControlCharacters } from 'node:util';

/** A part of a run as a document: JSON laid out, terminal control sequences left out. */
export function documentFor(part: string, text: string): { name: string; content: string } {
  const json = part === 'result' ? laidOut(text) : undefined;
  return json === undefined
    ? { name: `${part}.txt`, content: withoutControls(text) }
    : { name: `${part}.json`, content: json };
}

function laidOut(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

const otherControls = /[^\P{Cc}\t\n\r]/gu;

/** A text without what only a terminal understands. */
export function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replace(otherControls, '');
}
