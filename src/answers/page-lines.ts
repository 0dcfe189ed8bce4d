import type { FoundPage, JobPage } from '../contract/crawl/pages.ts';

/** Maximum number of matching lines of a page that are shown. */
const shownMatches = 3;

/** Writes pages that match a search: title and URL of each, then some of its matching lines. */
export function foundLines(results: readonly Pick<FoundPage, 'page' | 'matches'>[]): string[] {
  return results.map(({ page, matches }) =>
    [
      `${page.title ?? ''} ${page.url}`.trim(),
      ...matches.slice(0, shownMatches).map(({ text }) => `  ${text.trim()}`),
    ].join('\n'),
  );
}

/** Writes the pages of a crawl, each on a line with its URL, its title, and why it has no document. */
export function pageLines(pages: readonly Pick<JobPage, 'url' | 'title' | 'state' | 'reason'>[]): string[] {
  return pages.map(({ url, title, state, reason }) =>
    [url, title, ...(state === 'ok' ? [] : [`${state}: ${reason ?? 'no reason given'}`])].filter(Boolean).join(' · '),
  );
}

/** Says that not all pages have been searched yet; empty if they have. */
export function partlySearched({ pages, total }: { pages: number; total: number }): string {
  return pages < total ? ` Only ${pages} of ${total} pages have been searched so far: search again soon.` : '';
}

/** Says why a page of a crawl has no document. */
export function noDocument({ state }: Pick<JobPage, 'state'>): string {
  return `That page has no document: it ${state === 'blocked' ? 'is disallowed by robots.txt' : 'failed'}.`;
}
