import * as l10n from '@vscode/l10n';
import { timeOfDay } from '../ui/text/dates.ts';
import { age, ago, count, cutMiddle, label, progress, shortAddress, stateWord } from '../ui/text/text.ts';
import type { Crawl } from './crawls-store.ts';

/** The texts of a crawl's tree row. */
export interface CrawlTexts {
  label: string;
  description: string;
  tooltip: string;
  spoken: string;
}

export function crawlTexts(crawl: Crawl, now: number): CrawlTexts {
  const name = crawl.url ? shortAddress(crawl.url, 60) : l10n.t('crawl {0}', crawl.shortId);
  const state = crawl.active ? activeState(crawl, now) : endedState(crawl, now);
  // The icon of a completed crawl says so: its time and count have the room.
  const status = endStatus(crawl);
  const shownStatus = crawl.status === 'completed' ? undefined : status;
  // A narrow view cuts the end of the row, so the name leaves room for the state.
  return {
    label: cutMiddle(name, 32),
    description: [shownStatus, state].filter(Boolean).join(' · '),
    spoken: l10n.t('Crawl of {0}, {1}', name, [status, state].filter(Boolean).join(' · ')),
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
  const since = crawl.createdAt === undefined ? undefined : now - crawl.createdAt;
  const runsFor = since === undefined ? undefined : since < 60_000 ? ago(since) : age(since);
  const status = crawl.status === 'scraping' ? undefined : stateWord(crawl.status);
  return [status, progress(crawl.completed, crawl.total), runsFor].filter(Boolean).join(' · ') || l10n.t('running');
}

function endedState(crawl: Crawl, now: number): string {
  const pages = crawl.completed === undefined ? undefined : count(crawl.completed, 'page');
  const when = crawl.endedAt === undefined ? undefined : ago(now - crawl.endedAt);
  // The time before the count: a narrow view cuts the end.
  return [when, pages].filter(Boolean).join(' · ');
}

/** Returns how a crawl ended; undefined while it is running. */
function endStatus({ active, status }: Crawl): string | undefined {
  return active ? undefined : stateWord(status);
}

function tooltip(crawl: Crawl, now: number): string {
  const lines = [
    crawl.url ? label(crawl.url, 300) : l10n.t("The server didn't report the site."),
    l10n.t('Crawl {0}', label(crawl.id, 100)),
    crawl.createdAt !== undefined &&
      l10n.t('Started {0}, at {1}', ago(now - crawl.createdAt), timeOfDay(crawl.createdAt)),
    crawl.completed !== undefined && l10n.t('Pages: {0}', progress(crawl.completed, crawl.total) ?? '—'),
    !crawl.active && l10n.t('State: {0}', stateWord(crawl.status, 40)),
    crawl.error && l10n.t('Error: {0}', label(crawl.error, 300)),
    ...crawl.optionLines,
  ];
  return lines.filter(Boolean).join('\n');
}
