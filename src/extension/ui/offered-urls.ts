import { siteAddress } from './web-page.ts';

const longest = 2_000;
const inText = /\bhttps?:\/\/[^\s"'`<>\\^{|}]+/gi;

/** Web addresses to offer, the likeliest first: what is selected or under the cursor, then what is in the clipboard. */
export function offeredUrls(found: {
  line: string;
  character: number;
  selection: string;
  clipboard: string;
}): { url: string; from: string }[] {
  const cursor = asUrl(found.selection) ?? asUrl(urlAt(found.line, found.character));
  const clipboard = asUrl(found.clipboard);
  const offered = [];
  if (cursor) offered.push({ url: cursor, from: 'under the cursor' });
  if (clipboard && clipboard !== cursor) offered.push({ url: clipboard, from: 'in the clipboard' });
  return offered;
}

/** The address that a typed text means; `https://` is added where no scheme is given. */
export function typedUrl(text: string): string | undefined {
  if (text.length > longest || /\s/.test(text)) return undefined;
  if (/^https?:\/\//i.test(text)) return siteAddress(text)?.href;
  // A host, perhaps with a port and a path: never another scheme.
  if (!/^(?:localhost|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#].*)?$/iu.test(text))
    return undefined;
  return siteAddress(`https://${text}`)?.href;
}

function asUrl(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed.length > longest || !/^https?:\/\/\S+$/i.test(trimmed)) return undefined;
  return siteAddress(trimmed)?.href;
}

function urlAt(line: string, character: number): string | undefined {
  for (const match of line.matchAll(inText)) {
    const url = withoutTail(match[0]);
    if (character >= match.index && character <= match.index + url.length) return url;
  }
  return undefined;
}

/** An address without the punctuation of the sentence around it. */
function withoutTail(url: string): string {
  let cut = url.replace(/[.,;:!?]+$/, '');
  while (/[)\]]$/.test(cut) && !balanced(cut)) cut = cut.slice(0, -1).replace(/[.,;:!?]+$/, '');
  return cut;
}

function balanced(text: string): boolean {
  const times = (character: string) => text.split(character).length - 1;
  return times('(') >= times(')') && times('[') >= times(']');
}
