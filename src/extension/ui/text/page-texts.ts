import * as l10n from '@vscode/l10n';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { count, label } from './text.ts';

/** Returns how pages differ from those of the last time: `2 new, 1 removed`; `nothing changed` if all are the same. */
export function changesText(changes: { new: number; changed: number; removed: number }): string {
  const parts = [
    changes.new > 0 && l10n.t('{0} new', changes.new),
    changes.changed > 0 && l10n.t('{0} changed', changes.changed),
    changes.removed > 0 && l10n.t('{0} removed', changes.removed),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : l10n.t('nothing changed');
}

/** Returns how a page differs from the last time, in a word. */
export function changeWord(status: string): string {
  if (status === 'new') return l10n.t('new');
  if (status === 'changed') return l10n.t('changed');
  return status === 'removed' ? l10n.t('removed') : label(status, 40);
}

/** Why pages were left out, and what a click on the row of that reason does to get them; both fit into a row of the side bar. */
const reasons: Readonly<Record<string, () => readonly [why: string, way: string]>> = {
  limit: () => [l10n.t('beyond the limit'), l10n.t('Continue…')],
  depth: () => [l10n.t('too deep'), l10n.t('Go Deeper…')],
  include: () => [l10n.t('not in includePaths'), l10n.t('Include…')],
  exclude: () => [l10n.t('in excludePaths'), l10n.t('Include…')],
  robots: () => [l10n.t('blocked by robots.txt'), l10n.t('Ignore…')],
  login: () => [l10n.t('behind a login'), l10n.t('Use a Profile…')],
  section: () => [l10n.t('outside the start path'), l10n.t('Include…')],
  host: () => [l10n.t('on other websites'), l10n.t('Include…')],
  trap: () => [l10n.t('endless URLs'), l10n.t('Start There…')],
  duplicate: () => [l10n.t('duplicates'), l10n.t('Keep…')],
  query: () => [l10n.t('differ only in the query'), l10n.t('Keep…')],
  notFound: () => [l10n.t('not found (status 200)'), l10n.t('Include…')],
  file: () => [l10n.t('non-document files'), l10n.t('Start There…')],
  failure: () => [l10n.t('failed'), l10n.t('Crawl Again')],
  unread: () => [l10n.t('not read for links'), l10n.t('Start There…')],
};

/** Returns why pages were left out, in words; what the server says if it isn't known. */
export function leftOutReason({ reason }: LeftOutPages): string {
  return reasons[reason]?.()[0] ?? label(reason, 60);
}

/** Returns the title of what gets pages that were left out; undefined if nothing does. */
export function leftOutWay({ reason }: LeftOutPages): string | undefined {
  return reasons[reason]?.()[1];
}

/** Returns how many pages were left out and why: `7 pages, too deep`. */
export function leftOutText(pages: LeftOutPages): string {
  return l10n.t('{0}, {1}', leftOutCount(pages), leftOutReason(pages));
}

/** Returns how many pages were left out: `at least 41 pages`; `maybe more` if the limit kept the crawl from finding out. */
export function leftOutCount({ count: pages, atLeast }: Pick<LeftOutPages, 'count' | 'atLeast'>): string {
  const text = count(pages, 'page');
  if (pages === 0) return l10n.t('maybe more');
  return atLeast ? l10n.t('at least {0}', text) : text;
}

/** Returns how many pages were left out for all of these reasons. Those whose links weren't read have another reason, too. */
export function sumOf(leftOut: readonly LeftOutPages[]): Pick<LeftOutPages, 'count' | 'atLeast'> {
  const unread = leftOut.find(({ reason }) => reason === 'unread')?.count ?? 0;
  const others = leftOut.reduce((sum, { reason, count }) => sum + (reason === 'unread' ? 0 : count), 0);
  return { count: Math.max(others, unread), atLeast: leftOut.some(({ atLeast }) => atLeast) };
}

/** Returns how many more pages there are than those that are named or were read: `at least 1,041 more known`. */
export function moreKnown({ count: pages, atLeast }: Pick<LeftOutPages, 'count' | 'atLeast'>): string {
  const number = pages.toLocaleString('en-US');
  if (pages === 0) return l10n.t('maybe more');
  return atLeast ? l10n.t('at least {0} more known', number) : l10n.t('{0} more known', number);
}

/** Says that some pages of a job failed or were blocked. */
export function withoutContent(pages: number): string {
  if (pages === 1) return l10n.t('1 failed or blocked page has no content.');
  return l10n.t('{0} failed or blocked pages have no content.', pages.toLocaleString('en-US'));
}

/** Returns the pages that a crawl left out because of its limit, if any. */
export function beyondLimit(leftOut: readonly LeftOutPages[] | null | undefined): LeftOutPages | undefined {
  return leftOut?.find(({ reason }) => reason === 'limit');
}
