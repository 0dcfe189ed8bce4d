import type { ChangeTrackingFormat } from '../../../../../contract/scrape/formats.ts';
import type { LinkFilter } from '../../scope/link-filter.ts';
import { placeIds } from '../../store/found-on.ts';
import type { Frontier } from '../../store/frontier.ts';
import type { Job, Say } from '../../store/job-table.ts';
import type { PageStore } from '../page-store.ts';
import type { RunParts } from '../run-parts.ts';

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
    const pages = await filter.pick(
      found.map(({ url }) => url),
      0,
    );
    const missing = pages.filter(({ role }) => role === undefined);
    await store.add(missing.map((page) => ({ ...page, hidden, foundOn: placeIds.earlier })));
    after = found.at(-1)?.at ?? start;
    if (found.length < chunk) return;
  }
}

/** Returns the changeTracking format of a crawl, if its pages are compared and it follows all links of the site. */
function trackedFormat({ kind, options, scrapeOptions }: Job): ChangeTrackingFormat | undefined {
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
async function missesLinks(job: Job, frontier: Pick<Frontier, 'failures'>): Promise<boolean> {
  if (job.failed === 0) return false;
  const listed = await frontier.failures(job.num);
  if (listed.length < job.failed) return true;
  return [...listed, ...(await frontier.failures(job.num, true))].some(({ code }) => !withoutLinks.has(code));
}

/**
 * Finds pages of the site that this crawl found no link to: those that have an earlier version, if the crawl compares with these,
 * and those of the crawl that it repeats.
 */
export function createHiddenPages(
  job: Job,
  { frontier, versions, earlier }: Pick<RunParts, 'frontier' | 'versions' | 'earlier'>,
  { filter, store, say }: { filter: LinkFilter; store: PageStore; say: Say },
) {
  /** The format whose earlier versions may name such pages, until they were added. */
  let tracked = trackedFormat(job);
  /** The crawl that this one repeats, until its pages were added. */
  let since = job.since ?? undefined;

  async function addTracked({ tag }: ChangeTrackingFormat): Promise<void> {
    if (await missesLinks(job, frontier))
      return say(
        'pages no longer linked',
        'Pages that are no longer linked were not looked for: pages that failed may link to them.',
      );
    const site = { team: job.team, tag: tag ?? undefined, origin: new URL(job.found_at ?? job.url).origin };
    const next = async (after: string, count: number) =>
      (await versions.urls(site, after, count)).map((each) => ({ url: each, at: each }));
    await addPages('', next, { filter, store, hidden: true });
  }

  async function addEarlier(crawl: number): Promise<void> {
    const hidden = !(await missesLinks(job, frontier));
    const next = async (after: number, count: number) =>
      (await earlier.missing(crawl, job.num, after, count)).map(({ id, url }) => ({ url, at: id }));
    await addPages(0, next, { filter, store, hidden });
  }

  return {
    /** Adds them, as long as there is room. */
    async add(hasRoom: () => boolean): Promise<void> {
      if (job.completed === 0) return;
      if (tracked && hasRoom()) {
        await addTracked(tracked);
        tracked = undefined;
      }
      if (since !== undefined && hasRoom()) {
        await addEarlier(since);
        since = undefined;
      }
    },
  };
}
