import type { JobPage, PageMatch } from '../../../contract/crawl/pages.ts';

const maxMatches = 20;
const maxLineLength = 240;
/** Characters of a line that a list shows: the name of the page has room beside them. */
const shown = { all: 70, before: 24 };

/**
 * Searches a page for words and "phrases in quotes", without regard to case. Every one must be in its title, URL or text.
 * Returns the lines that contain one of them; undefined if the page doesn't match.
 */
export function matchesIn(
  page: Pick<JobPage, 'url' | 'title'>,
  markdown: string,
  query: string,
): { matches: PageMatch[]; moreMatches: boolean } | undefined {
  const terms = termsOf(query);
  if (terms.length === 0) return undefined;
  const text = markdown.toLowerCase();
  const about = `${page.title ?? ''}\n${page.url}`.toLowerCase();
  if (!terms.every((term) => text.includes(term) || about.includes(term))) return undefined;
  const matches: PageMatch[] = [];
  for (const [index, line] of markdown.split('\n').entries()) {
    const lower = line.toLowerCase();
    const [first] = terms
      .map((term) => ({ at: lower.indexOf(term), length: term.length }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => one.at - other.at);
    if (!first) continue;
    if (matches.length === maxMatches) return { matches, moreMatches: true };
    const start = Math.max(0, Math.min(first.at - maxLineLength / 4, line.length - maxLineLength));
    matches.push({
      line: index + 1,
      column: first.at + 1,
      length: first.length,
      text: line.slice(start, start + maxLineLength),
      textColumn: first.at - start + 1,
    });
  }
  return { matches, moreMatches: false };
}

/** Returns what a list shows of a line: the part with the match, from the start of a word. */
export function aroundMatch({ text, column, textColumn }: PageMatch): string {
  const at = textColumn - 1;
  const from = text.length <= shown.all ? 0 : Math.max(0, Math.min(at - shown.before, text.length - shown.all));
  const space = from === 0 ? -1 : text.indexOf(' ', from);
  const start = space >= 0 && space < at ? space + 1 : from;
  const end = start + shown.all;
  return `${start > 0 || column > textColumn ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function termsOf(query: string): string[] {
  return [...query.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)]
    .map(([, phrase, word]) => (phrase ?? word ?? '').trim())
    .filter((term) => term !== '' && term !== '"');
}
