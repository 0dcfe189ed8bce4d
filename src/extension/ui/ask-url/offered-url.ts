import { siteAddress } from '../../../contract/addresses.ts';

const maxLength = 2_000;
const inText = /\bhttps?:\/\/[^\s"'`<>\\^{|}]+/gi;

/** Returns the URL to offer, if there is one: that which is selected, or else that under the cursor. */
export function offeredUrl(found: { line: string; character: number; selection: string }): string | undefined {
  return asUrl(found.selection) ?? asUrl(urlAt(found.line, found.character));
}

function asUrl(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed.length > maxLength || !/^https?:\/\/\S+$/i.test(trimmed)) return undefined;
  return siteAddress(trimmed)?.href;
}

function urlAt(line: string, character: number): string | undefined {
  for (const match of line.matchAll(inText)) {
    if (match[0].length > maxLength) continue;
    const url = withoutTail(match[0]);
    if (character >= match.index && character <= match.index + url.length) return url;
  }
  return undefined;
}

/** Removes the punctuation of the surrounding sentence from a URL. */
function withoutTail(url: string): string {
  let cut = url.replace(/(?<![.,;:!?])[.,;:!?]+$/, '');
  while (/[)\]]$/.test(cut) && !balanced(cut)) cut = cut.slice(0, -1).replace(/(?<![.,;:!?])[.,;:!?]+$/, '');
  return cut;
}

function balanced(text: string): boolean {
  const times = (character: string) => text.split(character).length - 1;
  return times('(') >= times(')') && times('[') >= times(']');
}
