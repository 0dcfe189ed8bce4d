import * as l10n from '@vscode/l10n';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { count, label } from './text.ts';

const reasons: Readonly<Record<string, () => string>> = {
  limit: () => l10n.t('beyond the limit'),
  depth: () => l10n.t('too deep'),
  include: () => l10n.t('not in includePaths'),
  exclude: () => l10n.t('in excludePaths'),
  robots: () => l10n.t('disallowed by robots.txt'),
  login: () => l10n.t('behind a login'),
  section: () => l10n.t('outside the path of the start URL'),
  host: () => l10n.t('on other websites'),
  trap: () => l10n.t('endless URLs that add nothing new'),
  duplicate: () => l10n.t('same content as another page'),
  notFound: () => l10n.t('not found, despite status 200'),
  file: () => l10n.t('files, such as archives and videos'),
  failure: () => l10n.t('failed'),
  unread: () => l10n.t('not read for links'),
};

/** Returns why pages were left out, in words; what the server says if it isn't known. */
export function leftOutReason({ reason }: LeftOutPages): string {
  return reasons[reason]?.() ?? label(reason, 60);
}

/** What a click on the row of a reason does to get its pages. */
const ways: Readonly<Record<string, () => string>> = {
  limit: () => l10n.t('Continue…'),
  depth: () => l10n.t('Crawl Deeper…'),
  include: () => l10n.t('Include Them…'),
  exclude: () => l10n.t('Include Them…'),
  robots: () => l10n.t('Ignore robots.txt…'),
  login: () => l10n.t('Crawl with a Profile…'),
  section: () => l10n.t('Crawl the Entire Site…'),
  host: () => l10n.t('Allow Other Websites…'),
  duplicate: () => l10n.t('Keep Duplicates…'),
  notFound: () => l10n.t('Include Them…'),
  file: () => l10n.t('Crawl from There…'),
  trap: () => l10n.t('Crawl from There…'),
  failure: () => l10n.t('Crawl Again'),
  unread: () => l10n.t('Crawl from There…'),
};

/** Returns the title of what gets pages that were left out; undefined if nothing does. */
export function leftOutWay({ reason }: LeftOutPages): string | undefined {
  return ways[reason]?.();
}

/** Returns how many pages were left out and why: `7 pages, too deep`. */
export function leftOutText(pages: LeftOutPages): string {
  return l10n.t('{0}, {1}', leftOutCount(pages), leftOutReason(pages));
}

/** Returns how many pages were left out: `at least 41 pages`. */
export function leftOutCount({ count: pages, atLeast }: Pick<LeftOutPages, 'count' | 'atLeast'>): string {
  const text = count(pages, 'page');
  return atLeast ? l10n.t('at least {0}', text) : text;
}

/** Returns the pages that a crawl left out because of its limit, if any. */
export function beyondLimit(leftOut: readonly LeftOutPages[] | null | undefined): LeftOutPages | undefined {
  return leftOut?.find(({ reason }) => reason === 'limit');
}
