import { parseUrl } from '../../../../contract/addresses.ts';
import { skipsTlsVerification } from '../../scrape/scrape-plan.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import type { Site } from '../site/robots-cache.ts';
import { filesForModels, walkSitemaps } from '../site/sitemaps.ts';
import type { Job } from '../store/job-table.ts';
import type { PageStore } from './page-store.ts';
import type { RunParts } from './run-parts.ts';

/** Pages stored per transaction. */
const chunk = 500;

/** Adds the URLs in a site's sitemaps to the frontier of a crawl, then marks the crawl as seeded. Safe to repeat. */
export async function seed(
  job: Job,
  parts: Pick<RunParts, 'robots' | 'fetcher' | 'jobs' | 'userAgent'>,
  filter: LinkFilter,
  store: PageStore,
  signal: AbortSignal,
): Promise<void> {
  if (job.options.sitemap !== 'skip') {
    const skipTlsVerification = skipsTlsVerification(job.scrapeOptions);
    const site = { origin: new URL(job.url).origin, skipTlsVerification };
    const sitemaps = await sitemapsOf(site, parts, signal);
    const files = job.options.sitemap === 'only' ? [] : await filesForModelsOf(site, parts, signal);
    // What a site names for language models comes first: a limit may leave out most of its sitemap.
    for await (const urls of walkSitemaps(parts.fetcher, [...files, ...sitemaps], signal, { skipTlsVerification })) {
      for (let index = 0; index < urls.length && !store.full; index += chunk) {
        const { pages } = await filter.pick(urls.slice(index, index + chunk), 0);
        await store.add(pages);
      }
      if (store.full) break;
    }
  }
  await parts.jobs.setSeeded(job);
  job.seeded = true;
}

/** Returns the sitemaps listed in a site's robots.txt, or the default one if none are. */
export async function sitemapsOf(
  site: Site,
  { robots, userAgent }: Pick<RunParts, 'robots' | 'userAgent'>,
  signal: AbortSignal,
): Promise<string[]> {
  const { sitemaps } = await robots.of(site, userAgent, signal);
  const named = sitemaps.flatMap((text) => {
    const url = parseUrl(text, site.origin);
    return url && /^https?:$/.test(url.protocol) ? [url.href] : [];
  });
  return named.length > 0 ? [...new Set(named)] : [`${site.origin}/sitemap.xml`];
}

/** Returns where a site may list its pages for language models, as far as its robots.txt allows. */
export async function filesForModelsOf(
  site: Site,
  { robots, userAgent }: Pick<RunParts, 'robots' | 'userAgent'>,
  signal: AbortSignal,
): Promise<string[]> {
  const rules = await robots.of(site, userAgent, signal);
  return filesForModels.filter((path) => rules.allows(path)).map((path) => site.origin + path);
}
