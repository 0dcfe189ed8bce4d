import { anchorOf, createAnchors } from '../../../contract/docs-search/docs-anchors.ts';

/** A heading of a markdown document. */
export interface Heading {
  /** Without markup. */
  text: string;
  /** Its link anchor: lower case, hyphens for spaces; repeated ones get -1, -2, … */
  anchor: string;
  /** Zero-based. */
  line: number;
}

/** Returns the headings of a markdown document in order, ignoring code blocks. */
export function headingsOf(markdown: string): Heading[] {
  const headings: Heading[] = [];
  const nextAnchor = createAnchors();
  let fence: string | undefined;
  for (const [line, content] of markdown.split(/\r?\n/).entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(content)?.[1];
    if (mark && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined;
    const raw = fence === undefined ? /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(content)?.[1] : undefined;
    if (raw === undefined) continue;
    const text = raw.replace(/`|\*\*|\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    headings.push({ text, anchor: nextAnchor(text), line });
  }
  return headings;
}

/** Returns the zero-based line of a heading of reStructuredText, or of what a directive describes; 0 if there is none. */
export function headingLineOf(restructuredText: string, anchor: string): number {
  const plain = (line: string) =>
    line
      .replace(/^\s*\.\. [\w:-]+:: /, '')
      .replace(/:[\w:+.-]+:(?=`)/g, '')
      .replace(/`~[^`]*\.([^`.]*)`/g, '$1');
  if (anchor === '') return 0;
  const lines = restructuredText.split(/\r?\n/);
  const linesOf = (wanted: string) =>
    lines.flatMap((line, at) => (anchorOf(plain(line).trim()) === wanted ? [at] : []));
  const [, base = '', nth] = /^(.+)-(\d+)$/.exec(anchor) ?? [];
  return linesOf(anchor)[0] ?? linesOf(base)[Number(nth)] ?? 0;
}
