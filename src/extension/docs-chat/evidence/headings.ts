import { createAnchors } from '../../../contract/docs-anchors.ts';

/** A heading of a markdown text. */
export interface Heading {
  /** Without its marks. */
  text: string;
  /** As links name it: lower case, hyphens for spaces; repeated ones get -1, -2, … */
  anchor: string;
  /** From 0. */
  line: number;
}

/** The headings of a markdown text in their order; lines within blocks of code are none. */
export function headingsOf(markdown: string): Heading[] {
  const headings: Heading[] = [];
  const anchorOf = createAnchors();
  let fence: string | undefined;
  for (const [line, content] of markdown.split(/\r?\n/).entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(content)?.[1];
    if (mark && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined;
    const raw = fence === undefined ? /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(content)?.[1] : undefined;
    if (raw === undefined) continue;
    const text = raw.replace(/`|\*\*|\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    headings.push({ text, anchor: anchorOf(text), line });
  }
  return headings;
}
