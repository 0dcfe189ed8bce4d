import type { JobState } from '../contract/crawl/crawl-jobs.ts';
import { leftOutReasons } from '../contract/crawl/left-out.ts';
import type { FoundPage, JobPage } from '../contract/crawl/pages.ts';
import type { ScrapeDocument } from '../contract/scrape/scrape.ts';
import type { ExecutionResult } from '../contract/sessions/execution.ts';

/** The formats in which a document can be read. */
export const documentFormats = ['markdown', 'html', 'links', 'images'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** Writes a document: where it is from, then its content. All of it may be what a page says. */
export function documentForModel(document: ScrapeDocument, format: DocumentFormat): string {
  const { metadata, warning } = document;
  const content = document[format];
  const text = Array.isArray(content) ? content.join('\n') : (content ?? '');
  const head = [
    [metadata?.title, metadata?.url ?? metadata?.sourceURL].filter(Boolean).join(' · '),
    ...((metadata?.statusCode ?? 200) >= 400 ? [`HTTP status ${metadata?.statusCode}`] : []),
    ...(warning ? [`Warning: ${warning}`] : []),
  ].filter((line) => line !== '');
  if (text.trim() === '') head.push('(no content)');
  return [...head, text].join('\n').trim();
}

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
  return `That page has no document: it ${state === 'blocked' ? 'is blocked by robots.txt' : 'failed'}.`;
}

/** Says how far a crawl is and, once it has ended, how many pages it left out and why. */
export function crawlText(id: string, { status, completed, total, readForLinks, leftOut }: JobState): string {
  const parts = [`Crawl ${id}: ${status}, ${completed ?? 0} of ${total ?? 0} pages`];
  if (readForLinks) parts.push(`${readForLinks} more read for their links`);
  // Nothing else that a server may send.
  const known = leftOutReasons.flatMap((reason) => leftOut?.find((pages) => pages.reason === reason) ?? []);
  const left = known.map(({ reason, count, atLeast }) =>
    count === 0 ? `maybe more (${reason})` : `${atLeast ? 'at least ' : ''}${count} (${reason})`,
  );
  return `${parts.join(', ')}.${left.length > 0 ? ` Pages left out: ${left.join(', ')}.` : ''}`;
}

/** How a run ended. Missing parts are undefined; an exit code that is null is unknown too. */
export type RunOutcome = Pick<
  ExecutionResult,
  'result' | 'stdout' | 'stderr' | 'error' | 'exitCode' | 'killed' | 'truncated'
>;

/** Writes the outcome of a run: how it ended, then its result, output and error, as far as there are any. */
export function describeRun(run: RunOutcome): { summary: string; text: string } {
  const summary = run.killed
    ? 'The run was stopped before it finished.'
    : run.error || run.exitCode !== 0
      ? `The run failed${typeof run.exitCode === 'number' ? ` (exit code ${run.exitCode})` : ''}.`
      : 'The run succeeded.';
  const parts: string[] = [];
  if (run.error) parts.push(`error: ${run.error}`);
  if (run.result) parts.push(run.result);
  if (run.stdout && run.stdout.trim() !== run.result?.trim()) parts.push(`stdout:\n${run.stdout.trimEnd()}`);
  if (run.stderr && !run.error?.includes(run.stderr.trim())) parts.push(`stderr:\n${run.stderr.trimEnd()}`);
  return { summary: run.truncated ? `${summary} Its output was cut at 1 MiB.` : summary, text: parts.join('\n\n') };
}
