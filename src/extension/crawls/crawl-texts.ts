import { timeOfDay } from '../ui/dates.ts';
import { ago, count, cutMiddle, label, progress, shortAddress } from '../ui/text.ts';
import type { Crawl } from './crawls-store.ts';

/** The texts of a crawl's tree row. */
export interface CrawlTexts {
  label: string;
  description: string;
  tooltip: string;
  spoken: string;
}

export function crawlTexts(crawl: Crawl, now: number): CrawlTexts {
  const name = crawl.url ? shortAddress(crawl.url, 60) : `crawl ${crawl.shortId}`;
  const state = crawl.active ? activeState(crawl, now) : endedState(crawl, now);
  // A narrow view cuts the end of the row, so the name leaves room for the state.
  return {
    label: cutMiddle(name, 32),
    description: state,
    spoken: `Crawl of ${name}, ${state}`,
    tooltip: tooltip(crawl, now),
  };
}

/** Returns the rows below a crawl, before those of its pages: why it failed, then its options. A completed one has none. */
export function crawlLines({ status, error, active, optionLines }: Crawl): readonly string[] {
  if (active) return optionLines;
  if (status !== 'failed') return [];
  return [...(error ? [label(error, 300)] : []), ...optionLines];
}

function activeState(crawl: Crawl, now: number): string {
  const age = crawl.createdAt === undefined ? undefined : ago(now - crawl.createdAt).replace(/ ago$/, '');
  const status = crawl.status === 'scraping' ? undefined : label(crawl.status, 20);
  return [status, progress(crawl.completed, crawl.total), age].filter(Boolean).join(' · ') || 'running';
}

function endedState(crawl: Crawl, now: number): string {
  const pages = crawl.completed === undefined ? undefined : count(crawl.completed, 'page');
  const when = crawl.endedAt === undefined ? undefined : ago(now - crawl.endedAt);
  // The time before the count: a narrow view cuts the end.
  return [label(crawl.status, 20), when, pages].filter(Boolean).join(' · ');
}

function tooltip(crawl: Crawl, now: number): string {
  const lines = [
    crawl.url ? label(crawl.url, 300) : "The server didn't report the site.",
    `Crawl ${label(crawl.id, 100)}`,
    crawl.createdAt !== undefined && `Started ${ago(now - crawl.createdAt)}, at ${timeOfDay(crawl.createdAt)}`,
    crawl.completed !== undefined && `Pages: ${progress(crawl.completed, crawl.total)}`,
    !crawl.active && `State: ${label(crawl.status, 40)}`,
    crawl.error && `Error: ${label(crawl.error, 300)}`,
    ...crawl.optionLines,
  ];
  return lines.filter(Boolean).join('\n');
}
