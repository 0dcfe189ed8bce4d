import { parseUrl } from '../../../../contract/addresses.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { skipsTlsVerification } from '../../scrape/scrape-plan.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import type { Site } from '../site/robots-cache.ts';
import { filesForModels, walkSitemaps } from '../site/sitemaps.ts';
import type { Job } from '../store/job-table.ts';
import type { PageStore } from './page-store.ts';
import type { RunParts } from './run-parts.ts';

/** Pages stored per transaction. */
const chunk = 500;

/**
 * Adds the URLs in a site's sitemaps to the frontier of a crawl. Safe to repeat.
 * @param onAdded called after some were added
 * @param say called with a warning about files that could not be read as a whole
 */
export async function seed(
  job: Job,
  origin: string,
  parts: Pick<RunParts, 'robots' | 'fetcher' | 'userAgent'>,
  {
    filter,
    store,
    onAdded,
    say,
  }: { filter: LinkFilter; store: PageStore; onAdded(): void; say(warning: string): void },
  signal: AbortSignal,
): Promise<void> {
  if (job.options.sitemap === 'skip') return;
  const skipTlsVerification = skipsTlsVerification(job.scrapeOptions);
  const { sitemaps, forModels, guessed } = await listsOf({ origin, skipTlsVerification }, parts, signal);
  // What a site names for language models comes first: a limit may leave out most of its sitemap.
  const files = job.options.sitemap === 'only' ? sitemaps : [...forModels, ...sitemaps];
  const lacking: string[] = [];
  const onLacking = (url: string, why: string) => lacking.push(`${shorten(url)}: ${why}`);
  const how = { skipTlsVerification, guessed, onLacking };
  for await (const urls of walkSitemaps(parts.fetcher, files, signal, how)) {
    for (let index = 0; index < urls.length && !store.full; index += chunk) {
      const { pages } = await filter.pick(urls.slice(index, index + chunk), 0);
      await store.add(pages);
      onAdded();
    }
    if (store.full) break;
  }
  const [first, ...others] = lacking;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  say(`A sitemap could not be read as a whole, so pages may be missing: ${first}${more}`);
}

/**
 * Returns the files in which a site may list its pages: the sitemaps that its robots.txt names, or else the default one, and
 * those for language models, as far as it allows them. `guessed` are those that it doesn't name.
 */
export async function listsOf(
  site: Site,
  { robots, userAgent }: Pick<RunParts, 'robots' | 'userAgent'>,
  signal: AbortSignal,
): Promise<{ sitemaps: string[]; forModels: string[]; guessed: ReadonlySet<string> }> {
  const rules = await robots.of(site, userAgent, signal);
  const named = rules.sitemaps.flatMap((text) => {
    const url = parseUrl(text, site.origin);
    return url && /^https?:$/.test(url.protocol) ? [url.href] : [];
  });
  const forModels = filesForModels.filter((path) => rules.allows(path)).map((path) => site.origin + path);
  const usual = `${site.origin}/sitemap.xml`;
  const sitemaps = named.length > 0 ? [...new Set(named)] : [usual];
  return { sitemaps, forModels, guessed: new Set(named.length > 0 ? forModels : [...forModels, usual]) };
}
