import { parseUrl } from '../../../../contract/addresses.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { storageProblem } from '../../../../storage/storage.ts';
import { messageOf } from '../../../platform/errors.ts';
import { skipsTlsVerification } from '../../scrape/scrape-plan.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import type { Site } from '../site/robots-cache.ts';
import { filesForModels, walkSitemaps } from '../site/sitemaps.ts';
import { placeIds } from '../store/found-on.ts';
import type { Job, Say } from '../store/job-table.ts';
import type { PageStore } from './page-store.ts';
import type { RunParts } from './run-parts.ts';

/** Pages stored per transaction. */
const chunk = 500;

interface SeedUses {
  filter: LinkFilter;
  store: PageStore;
  onChange(): void;
  /** Called when they could not be stored. Returns milliseconds until they may be. */
  pauseAfter(error: unknown, what: string): number;
  say: Say;
}

export type Seeds = ReturnType<typeof createSeeds>;

/** How long the pages of a crawl that goes only so deep wait for the sitemaps. */
const waitMs = 60_000;

/**
 * Has the pages that the sitemaps of a crawl's site list added, while the pages that links lead to are read.
 * @param onChange called when pages were added, or need not wait any longer
 */
export function createSeeds(
  job: Job,
  parts: Pick<RunParts, 'robots' | 'fetcher' | 'jobs' | 'clock' | 'log'>,
  { filter, store, onChange, pauseAfter, say }: SeedUses,
  signal: AbortSignal,
) {
  // What an earlier run could not read is read again: it may be there by now.
  let isOpen = !job.seeded || job.warnings['sitemap parts'] !== undefined;
  /** Whether pages wait for the sitemaps: what these list is near. */
  let holdsUp = isOpen && job.options.maxDiscoveryDepth !== undefined;
  /** Whether the start page may have led to another site, whose sitemaps weren't read. */
  let mayHaveMoved = true;
  /** The files that could not be read as a whole, and why: the sitemaps of one site may be those of another one too. */
  const lacking = new Map<string, string>();

  /** Adds the URLs in a site's sitemaps to the frontier. Safe to repeat. */
  async function addFrom(origin: string): Promise<void> {
    if (job.options.sitemap === 'skip') return;
    const skipTlsVerification = skipsTlsVerification(job.scrapeOptions);
    const { sitemaps, forModels, guessed } = await listsOf({ origin, skipTlsVerification }, parts, signal);
    // What a site names for language models comes first: a limit may leave out most of its sitemap.
    const lists = [
      { files: job.options.sitemap === 'only' ? [] : forModels, foundOn: placeIds.llmsTxt },
      { files: sitemaps, foundOn: placeIds.sitemap },
    ];
    const how = {
      skipTlsVerification,
      guessed,
      onLoaded: (url: string) => void lacking.delete(url),
      onLacking: (url: string, why: string) => void lacking.set(url, why),
    };
    for (const { files, foundOn } of lists)
      for await (const urls of walkSitemaps(parts.fetcher, store.full ? [] : files, signal, how)) {
        for (let index = 0; index < urls.length && !store.full; index += chunk) {
          const pages = await filter.pick(urls.slice(index, index + chunk), 0);
          await store.add(pages.map((page) => ({ ...page, foundOn })));
          onChange();
        }
        if (store.full) break;
      }
    const [first, ...others] = lacking;
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    const text =
      first &&
      `A sitemap could not be read as a whole, so pages may be missing: ${shorten(first[0])}: ${first[1]}${more}`;
    // What an earlier run said of files that this one hasn't read stays.
    const isRest = store.full || (mayHaveMoved && new URL(job.found_at ?? job.url).origin !== origin);
    if (text !== undefined || !isRest) say('sitemap parts', text);
  }

  /** Lets pages be fetched before all sitemaps are read. */
  function goOn(): void {
    if (!holdsUp) return;
    holdsUp = false;
    const seconds = waitMs / 1000;
    say(
      'sitemap time',
      `The sitemaps were not read within ${seconds} seconds, so pages may be missing: those that they list may count as deeper, and what those link to as too deep`,
    );
    onChange();
  }

  async function add(): Promise<void> {
    if (signal.aborted || !isOpen) return;
    const cancelWait = parts.clock.after(waitMs, goOn);
    try {
      await addFrom(new URL(job.url).origin);
      say('sitemaps', undefined);
      await parts.jobs.setSeeded(job);
      job.seeded = true;
    } catch (error) {
      if (signal.aborted) return;
      if (storageProblem(error) !== undefined) {
        parts.clock.after(pauseAfter(error, 'the sitemaps of a crawl could not be stored'), () => void add());
        return;
      }
      say('sitemaps', `The sitemaps could not be read: ${messageOf(error)}`);
      parts.log.warn({ job: job.id, reason: messageOf(error) }, 'the sitemaps of a crawl could not be read');
    } finally {
      cancelWait();
    }
    isOpen = holdsUp = false;
    onChange();
  }

  return {
    /** Whether the sitemaps are still read, so that the crawl doesn't end. */
    get areOpen() {
      return isOpen;
    },
    /** Whether no page may be fetched yet. */
    get holdUp() {
      return holdsUp;
    },
    /** Reads the sitemaps of the start URL's site, unless an earlier run has. */
    add,
    /** Reads those of the site that the start page led to, if that is another one: once. */
    async addOfNewSite(): Promise<void> {
      if (!mayHaveMoved) return;
      mayHaveMoved = false;
      const { origin } = new URL(job.found_at ?? job.url);
      if (origin !== new URL(job.url).origin) await addFrom(origin);
    },
  };
}

/**
 * Returns the files in which a site may list its pages: the sitemaps that its robots.txt names, or else the default one, and
 * those for language models, as far as it allows them. `guessed` are those that it doesn't name.
 */
export async function listsOf(
  site: Site,
  { robots }: Pick<RunParts, 'robots'>,
  signal: AbortSignal,
): Promise<{ sitemaps: string[]; forModels: string[]; guessed: ReadonlySet<string> }> {
  const rules = await robots.of(site, signal);
  const named = rules.sitemaps.flatMap((text) => {
    const url = parseUrl(text, site.origin);
    return url && /^https?:$/.test(url.protocol) ? [url.href] : [];
  });
  const forModels = filesForModels.filter((path) => rules.allows(path)).map((path) => site.origin + path);
  const usual = `${site.origin}/sitemap.xml`;
  const sitemaps = named.length > 0 ? [...new Set(named)] : [usual];
  return { sitemaps, forModels, guessed: new Set(named.length > 0 ? forModels : [...forModels, usual]) };
}
