import type { ChangeTrackingFormat } from '../../../../contract/scrape/formats.ts';
import type { PageVersions } from '../../scrape/changes/page-versions.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import type { Frontier } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';
import type { PageStore } from './page-store.ts';

/** URLs that are read and stored at a time. */
const chunk = 500;

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

/** Adds the pages of the site that have an earlier version but that the crawl found no link to. Safe to repeat. */
export async function addHiddenPages(
  job: Job,
  { tag }: ChangeTrackingFormat,
  versions: Pick<PageVersions, 'urls'>,
  filter: LinkFilter,
  store: PageStore,
): Promise<void> {
  const { origin } = new URL(job.found_at ?? job.url);
  for (let after = ''; !store.full; ) {
    const urls = await versions.urls({ team: job.team, tag: tag ?? undefined, origin }, after, chunk);
    const { pages } = await filter.pick(urls, 0);
    await store.add(pages.filter(({ role }) => role === undefined).map((page) => ({ ...page, hidden: true })));
    after = urls.at(-1) ?? '';
    if (urls.length < chunk) return;
  }
}
