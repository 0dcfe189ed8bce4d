import type { ChangeTrackingFormat } from '../../../../contract/scrape/formats.ts';
import type { PageVersions } from '../../scrape/changes/page-versions.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import type { EarlierPages } from '../store/earlier-pages.ts';
import type { Frontier } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';
import type { PageStore } from './page-store.ts';

/** URLs that are read and stored at a time. */
const chunk = 500;

/**
 * Adds pages of the site that this crawl hasn't found, as far as they belong to it. Safe to repeat.
 * @param next returns so many URLs after a position, each with its own
 * @param hidden whether no page links to them
 */
async function addPages<Position>(
  start: Position,
  next: (after: Position, count: number) => Promise<{ url: string; at: Position }[]>,
  { filter, store, hidden }: { filter: LinkFilter; store: PageStore; hidden: boolean },
): Promise<void> {
  for (let after = start; !store.full; ) {
    const found = await next(after, chunk);
    const { pages } = await filter.pick(
      found.map(({ url }) => url),
      0,
    );
    await store.add(pages.filter(({ role }) => role === undefined).map((page) => ({ ...page, hidden })));
    after = found.at(-1)?.at ?? start;
    if (found.length < chunk) return;
  }
}

/** Returns the changeTracking format of a crawl, if its pages are compared and it follows all links of the site. */
export function trackedFormat({ kind, options, scrapeOptions }: Job): ChangeTrackingFormat | undefined {
  if (kind !== 'crawl' || options.maxDiscoveryDepth !== undefined || options.sitemap === 'only') return undefined;
  return scrapeOptions.formats.find((format): format is ChangeTrackingFormat => format.type === 'changeTracking');
}

/** Failures of pages that have no links to follow: those that are gone, aren't part of the crawl, or are no documents. */
const withoutLinks = new Set<string | null>([
  'HTTP_404',
  'HTTP_410',
  'REDIRECT_OUT_OF_SCOPE',
  'SCRAPE_UNSUPPORTED_FILE_ERROR',
]);

/** Whether the crawl doesn't know the links of some page, because the page failed. */
export async function missesLinks(job: Job, frontier: Pick<Frontier, 'failures'>): Promise<boolean> {
  if (job.failed === 0) return false;
  const listed = await frontier.failures(job.num);
  if (listed.length < job.failed) return true;
  return [...listed, ...(await frontier.failures(job.num, true))].some(({ code }) => !withoutLinks.has(code));
}

/** Adds the pages of the site that have an earlier version but that the crawl found no link to. */
export async function addHiddenPages(
  { found_at, url, team }: Job,
  { tag }: ChangeTrackingFormat,
  versions: Pick<PageVersions, 'urls'>,
  how: { filter: LinkFilter; store: PageStore },
): Promise<void> {
  const site = { team, tag: tag ?? undefined, origin: new URL(found_at ?? url).origin };
  const next = async (after: string, count: number) =>
    (await versions.urls(site, after, count)).map((each) => ({ url: each, at: each }));
  await addPages('', next, { ...how, hidden: true });
}

/** Adds the pages of the crawl that this one repeats and that it hasn't found. @param hidden whether no page links to them */
export async function addMissingPages(
  { num }: Job,
  since: number,
  earlier: EarlierPages,
  how: { filter: LinkFilter; store: PageStore; hidden: boolean },
): Promise<void> {
  const next = async (after: number, count: number) =>
    (await earlier.missing(since, num, after, count)).map(({ id, url }) => ({ url, at: id }));
  await addPages(0, next, how);
}
