import * as l10n from '@vscode/l10n';
import { shorten } from '../../contract/shorten.ts';
import { dateAndTime, timeOfDay, timeWithinWeek } from '../ui/text/dates.ts';
import { beyondLimit, changesText, leftOutText, moreKnown, sumOf } from '../ui/text/page-texts.ts';
import {
  age,
  ago,
  count,
  label,
  progress,
  type RowTexts,
  sentences,
  shortAddress,
  stateWord,
  warningLines,
  withWarnings,
} from '../ui/text/text.ts';
import type { Crawl } from './crawls-store.ts';

/** @param others crawls that are listed with it: what sets it apart from those of the same site is shown */
export function crawlTexts(crawl: Crawl, now: number, others: readonly Crawl[] = []): RowTexts {
  const name = crawl.url ? shortAddress(crawl.url, 60) : l10n.t('crawl {0}', crawl.shortId);
  const [most, ...rest] = crawl.active ? activeState(crawl, now) : endedState(crawl, now);
  // Of a crawl that its limit or its end cut, how much is missing.
  const pages = crawl.active ? undefined : shortPages(crawl);
  const spokenPages = crawl.status === 'completed' ? most : (pages ?? most);
  // The icon of a completed crawl says so: its time and count have the room.
  const status = crawl.active ? undefined : stateWord(crawl.status);
  const shownStatus = crawl.status === 'completed' ? undefined : status;
  // A narrow view cuts the end of the row, so the name leaves room for the state.
  return {
    label: shorten(name, 32),
    description: [shownStatus, pages ?? most, mark(crawl, others), ...rest].filter(Boolean).join(' · '),
    spoken: l10n.t('Crawl of {0}, {1}', name, [status, spokenPages, ...rest].filter(Boolean).join(' · ')),
    tooltip: tooltip(crawl, now),
  };
}

/** Returns an option that no other crawl of the same site has; undefined if there is no such crawl or option. */
function mark(crawl: Crawl, others: readonly Crawl[]): string | undefined {
  const twins = others.filter(({ id, url }) => id !== crawl.id && url !== undefined && url === crawl.url);
  if (twins.length === 0) return undefined;
  const own = crawl.optionLines.find((line) => !twins.some(({ optionLines }) => optionLines.includes(line)));
  return own === undefined ? undefined : label(own, 40);
}

/**
 * Returns the rows below a crawl, before those of its pages: why it failed, its warnings, then its options, unless it
 * has pages and went well.
 */
export function crawlLines(crawl: Crawl): readonly string[] {
  const { status, error, warning, active, optionLines } = crawl;
  const failed = status === 'failed' && !active;
  return [
    ...(failed && error ? [label(error, 300)] : []),
    ...warningLines(warning),
    ...(active || failed || isEmpty(crawl) ? optionLines : []),
  ];
}

/** Whether a crawl completed without any page. */
export function isEmpty({ status, completed }: Crawl): boolean {
  return status === 'completed' && completed === 0;
}

function activeState(crawl: Crawl, now: number): string[] {
  const since = crawl.createdAt === undefined ? undefined : now - crawl.createdAt;
  const runsFor = since === undefined ? undefined : since < 60_000 ? ago(since) : age(since);
  const status = crawl.status === 'scraping' ? undefined : stateWord(crawl.status);
  const pages = [progress(crawl.completed, crawl.total), linksText(crawl)].filter(Boolean).join(', ');
  const known = [status, pages, crawl.warning && l10n.t('warning'), runsFor].flatMap((text) => text || []);
  return known.length > 0 ? known : [l10n.t('running')];
}

/** Returns what is known of a crawl that has ended, what matters most first: a narrow view cuts the end. */
function endedState(crawl: Crawl, now: number): string[] {
  const pages = pagesText(crawl);
  const kept =
    crawl.expiresAt === undefined ? undefined : l10n.t('kept until {0}', timeWithinWeek(crawl.expiresAt, now));
  const when = crawl.endedAt === undefined ? undefined : ago(now - crawl.endedAt);
  const rendered = crawl.readAs && crawl.readAs.rendered > 0 && l10n.t('{0} rendered', crawl.readAs.rendered);
  const warned = crawl.warned && l10n.t('{0} with a warning', crawl.warned);
  const changes = crawl.changes && changesText(crawl.changes);
  const failed = failedText(crawl.leftOut);
  return [pages, failed, changes, crawl.warning && l10n.t('warning'), warned, when, rendered, kept].flatMap(
    (text) => text || [],
  );
}

/** Returns how many of the pages that it knows of a crawl has that its limit or its end cut: `100 of 141 pages`. */
function shortPages({ completed, total = 0, status, leftOut }: Crawl): string | undefined {
  if (completed === undefined) return undefined;
  // One that was canceled or failed didn't get to the links of the others.
  const isEnded = status === 'cancelled' || status === 'failed';
  const cut = isEnded && total > completed ? { count: total - completed, atLeast: true } : undefined;
  const beyond = beyondLimit(leftOut) ?? cut;
  if (!beyond) return undefined;
  const some = completed.toLocaleString('en-US');
  const all = (completed + beyond.count).toLocaleString('en-US');
  return beyond.atLeast ? l10n.t('{0} of {1}+ pages', some, all) : l10n.t('{0} of {1} pages', some, all);
}

/** Returns how many pages an ended crawl has, and how many more it knows of or read: `100 pages, at least 41 more known`. */
export function pagesText(crawl: Crawl): string | undefined {
  if (crawl.completed === undefined) return undefined;
  const beyond = beyondLimit(crawl.leftOut);
  return [count(crawl.completed, 'page'), beyond ? moreKnown(beyond) : linksText(crawl)].filter(Boolean).join(', ');
}

/** Returns how many pages of an ended crawl failed, and how many were left out for other reasons than its limit. */
export function missingText({ leftOut }: Crawl): string | undefined {
  const others = leftOut.filter(({ reason }) => reason !== 'failure' && reason !== 'limit');
  const { count, atLeast } = sumOf(others);
  const sum = count.toLocaleString('en-US');
  const texts = [
    failedText(leftOut),
    count > 0 && (atLeast ? l10n.t('at least {0} left out', sum) : l10n.t('{0} left out', sum)),
  ];
  return texts.filter(Boolean).join(', ') || undefined;
}

function failedText(leftOut: Crawl['leftOut']): string | undefined {
  const failed = leftOut.find(({ reason }) => reason === 'failure')?.count;
  return failed ? l10n.t('{0} failed', failed.toLocaleString('en-US')) : undefined;
}

/** Returns what is said when a crawl of a site has ended: its pages, those that are missing, and its warnings. */
export function endedText(site: string, crawl: Crawl): string {
  if (!isEmpty(crawl)) return withWarnings(outcomeText(site, crawl), crawl.warning);
  const warnings = label(sentences(warningLines(crawl.warning)), 400);
  return l10n.t('Web Data: Crawl of {0} found no pages. {1}', site, warnings || l10n.t('No reason was given.'));
}

function outcomeText(site: string, crawl: Crawl): string {
  const pages = pagesText(crawl);
  if (crawl.status === 'failed') {
    return pages === undefined
      ? l10n.t('Web Data: Crawl of {0} failed.', site)
      : l10n.t('Web Data: Crawl of {0} failed: {1}.', site, pages);
  }
  const text = [pages, missingText(crawl)].filter(Boolean).join(', ');
  return text === ''
    ? l10n.t('Web Data: Crawl of {0} completed.', site)
    : l10n.t('Web Data: Crawl of {0} completed: {1}.', site, text);
}

function linksText({ readForLinks }: Crawl): string | undefined {
  return readForLinks ? l10n.t('{0} more read for their links', readForLinks) : undefined;
}

function tooltip(crawl: Crawl, now: number): string {
  const lines = [
    crawl.url ? label(crawl.url, 300) : l10n.t("The server didn't report the crawl's URL."),
    l10n.t('Crawl {0}', label(crawl.id, 100)),
    crawl.createdAt !== undefined &&
      l10n.t('Started {0}, at {1}', ago(now - crawl.createdAt), timeOfDay(crawl.createdAt)),
    crawl.completed !== undefined && l10n.t('Pages: {0}', progress(crawl.completed, crawl.total) ?? '—'),
    crawl.readAs && l10n.t('{0} fetched, {1} rendered', crawl.readAs.fetched, crawl.readAs.rendered),
    !crawl.active && l10n.t('State: {0}', stateWord(crawl.status, 40)),
    crawl.error && l10n.t('Error: {0}', label(crawl.error, 300)),
    ...warningLines(crawl.warning),
    crawl.warned && l10n.t('With a warning: {0}', count(crawl.warned, 'page')),
    crawl.readForLinks && l10n.t('Read only for their links: {0}', count(crawl.readForLinks, 'page')),
    ...crawl.leftOut.map((pages) => l10n.t('Left out: {0}', leftOutText(pages))),
    crawl.expiresAt !== undefined && l10n.t('Pages are kept until {0}', dateAndTime(crawl.expiresAt)),
    ...crawl.optionLines,
  ];
  return lines.filter(Boolean).join('\n');
}
