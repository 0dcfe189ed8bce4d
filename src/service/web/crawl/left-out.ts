import {
  type LeftOutPages,
  type LeftOutReason,
  leftOutLimits,
  leftOutReasons,
} from '../../../contract/crawl/left-out.ts';
import { shorten } from '../../../contract/shorten.ts';
import { type CountedPages, type Frontier, pageStates } from './store/frontier.ts';
import { countedOf, type Job, limitOf } from './store/job-table.ts';
import type { LeftOut } from './store/left-out.ts';

/** Returns which pages a crawl that has ended found and left out, by reason. */
export async function leftOutOf(
  job: Job,
  { frontier, leftOut }: { frontier: Pick<Frontier, 'countOf'>; leftOut: Pick<LeftOut, 'counts'> },
): Promise<LeftOutPages[]> {
  const { counted, examples } = leftOutLimits;
  const stored = await leftOut.counts(job.num);
  const count = (state: (typeof pageStates)[keyof typeof pageStates], forLinks = false) =>
    frontier.countOf(job.num, state, forLinks);
  const atMost = (pages: CountedPages) => ({ ...pages, atLeast: pages.count >= counted });
  /** @param total how many there are, of which some are stored */
  const exactly = (total: number, ...pages: (CountedPages | undefined)[]) => ({
    count: total,
    atLeast: false,
    examples: pages.flatMap((each) => each?.examples ?? []).slice(0, examples),
  });

  const waiting = await count(pageStates.waiting);
  const lists = await count(pageStates.waiting, true);
  const unread = sum(lists, await count(pageStates.failed, true));
  const robots = stored.get('robots');
  const found = new Map<LeftOutReason, ReturnType<typeof atMost>>();
  for (const [reason, pages] of stored) found.set(reason, atMost(pages));
  const beyond = sum(waiting, await count(pageStates.beyond));
  if (job.status === 'completed') {
    // Pages that were not read may lead to others. At the limit, that is why they were not read.
    const isCut = beyond.count > 0 || (lists.count > 0 && countedOf(job) >= limitOf(job));
    const follows = job.kind === 'crawl' && job.options.sitemap !== 'only' && (job.options.maxDiscoveryDepth ?? 2) > 1;
    const mayLead = unread.count > 0 || (beyond.count > 0 && follows);
    if (isCut) found.set('limit', { ...beyond, atLeast: beyond.count >= counted || mayLead });
    // Those that were left because similar ones led nowhere are stored.
    const inVain = stored.get('unread');
    if (unread.count > 0 && beyond.count === 0) found.set('unread', atMost(inVain ? sum(unread, inVain) : unread));
  }
  if (job.failed > 0) found.set('failure', exactly(job.failed, await count(pageStates.failed)));
  const trap = stored.get('trap');
  if (trap) found.set('trap', { ...trap, atLeast: true });
  const duplicates = job.repeated - (stored.get('login')?.count ?? 0) - (stored.get('notFound')?.count ?? 0);
  if (duplicates > 0) found.set('duplicate', exactly(duplicates, stored.get('duplicate')));
  if (job.blocked > 0)
    found.set('robots', {
      ...exactly(job.blocked + (robots?.count ?? 0), await count(pageStates.blocked), robots),
      atLeast: (robots?.count ?? 0) >= counted,
    });
  return leftOutReasons.flatMap((reason) => {
    const pages = found.get(reason);
    return pages ? { reason, ...pages } : [];
  });
}

function sum(one: CountedPages, other: CountedPages): CountedPages {
  return {
    count: Math.min(one.count + other.count, leftOutLimits.counted),
    examples: [...one.examples, ...other.examples].slice(0, leftOutLimits.examples),
  };
}

const causes: Readonly<Partial<Record<LeftOutReason, (pages: string) => string>>> = {
  limit: (pages) => `${pages} beyond the limit`,
  depth: (pages) => `${pages} too deep for maxDepth or maxDiscoveryDepth`,
  include: (pages) => `${pages} that includePaths doesn't match`,
  exclude: (pages) => `${pages} that excludePaths matches`,
  robots: (pages) => `${pages} that robots.txt disallows`,
  login: (pages) => `${pages} behind a login, which a profile that is logged in gets`,
  query: (pages) => `${pages} that differ from others only in their query, which ignoreQueryParameters ignores`,
  notFound: (pages) => `${pages} that the site shows for any URL`,
  section: (pages) =>
    `${pages} outside the path of the start URL, which a start URL higher up or crawlEntireDomain would include`,
  file: (pages) => `${pages} with the name of a file`,
  trap: (pages) => `${pages} of an endless number of URLs that add nothing new`,
  failure: (pages) => `${pages} that could not be read`,
  host: (pages) => `${pages} on other websites, which allowExternalLinks would include`,
};

/** Returns why a crawl has one page, if pages outside its path were found; undefined if no more was asked for. */
export function onePageReason(job: Job, leftOut: readonly LeftOutPages[]): string | undefined {
  const { url, found_at, status, completed, options } = job;
  const outside = leftOut.find(({ reason }) => reason === 'section')?.count ?? 0;
  // One that was canceled didn't get to the others.
  if (status !== 'completed' || completed !== 1 || outside === 0) return undefined;
  if (limitOf(job) === 1 || options.maxDiscoveryDepth === 0) return undefined;
  // Otherwise, it may be another page, or there are more reasons than the path.
  const isStart = options.sitemap !== 'only' && !options.includePaths?.length;
  if (isStart && leftOut.every(({ reason }) => reason === 'section' || reason === 'host' || reason === 'file')) {
    const instead = startInstead(url, found_at ?? url, outside);
    return instead && onlyStartText(instead, 'crawled', outside);
  }
  return `Only 1 page was crawled. The crawl found and left out ${causesOf(leftOut)}.`;
}

/**
 * Returns the folder to start in instead if pages that were found are outside the path of the start page.
 * @param asked the start URL
 * @param start where it led
 */
export function startInstead(asked: string, start: string, outside: number): string | undefined {
  const parent = parentOf(start);
  // The start URL itself would lead here again, as to a login.
  return outside === 0 || parent === asked ? undefined : parent;
}

/** Says where to start instead, if anywhere, when nothing but the start page was crawled or found. */
export function onlyStartText(instead: string | undefined, what: 'crawled' | 'found', outside: number): string {
  const pages = outside === 1 ? '1 other page that was found is' : `${outside} other pages that were found are`;
  const only = `Only the start page was ${what}: ${pages} outside its path.`;
  if (instead === undefined) return only;
  return `${only} To get those beside it, start at ${shorten(instead)}.`;
}

/** Returns the folder above a page, or undefined if it is at the top of its site. */
export function parentOf(url: string): string | undefined {
  const { pathname } = new URL(url);
  const parent = new URL(pathname.endsWith('/') ? '..' : '.', url);
  return parent.pathname === pathname ? undefined : parent.href;
}

/** Returns why a crawl has no page. */
export function noPagesReason({ options }: Job, leftOut: readonly LeftOutPages[]): string {
  const found = causesOf(leftOut);
  if (found) return `No page was crawled. The crawl found and left out ${found}.`;
  return options.sitemap === 'only'
    ? 'No page was crawled: the sitemaps list no pages of this crawl. Set `sitemap` to "include" to follow links too.'
    : 'No page was crawled: the start page is not part of the crawl, and has no links.';
}

function causesOf(leftOut: readonly LeftOutPages[]): string {
  const parts = leftOut.flatMap(({ reason, count, atLeast, examples: [example] }) => {
    const pages = `${atLeast ? 'at least ' : ''}${count} ${count === 1 ? 'page' : 'pages'}`;
    const text = count === 0 ? undefined : causes[reason as LeftOutReason]?.(pages);
    return text === undefined ? [] : `${text}${example === undefined ? '' : `, such as ${shorten(example)}`}`;
  });
  return parts.join('; ');
}
