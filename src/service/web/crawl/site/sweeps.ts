import { limits } from '../../../../contract/limits.ts';
import { orAborted, within } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf, ServiceError } from '../../../platform/errors.ts';
import { keepLast } from '../../../platform/maps.ts';
import { type KnownSite, unknownSite } from '../map/known-site.ts';
import { type MapParts, type MappedSite, mapSite } from '../map/map.ts';

/** A look at a site. */
export interface SweepRequest {
  /** Where to start. */
  url: URL;
  team: string;
  signal: AbortSignal;
  /** Whether URLs on subdomains are found too. */
  allowSubdomains?: boolean | undefined;
}

export interface SweptSite {
  site: KnownSite;
  /** Whether nothing was left to read. */
  isComplete: boolean;
}

/** How long what is known of a site is used: a crawl's options are edited many times. */
const keptMs = 10 * 60_000;
const maxKept = 20;
/** Pages that are read of a site, and from each further start. */
const readPages = { first: 40, more: 10 };
const timeoutMs = 20_000;

interface Sweep {
  site: KnownSite;
  at: number;
  /** The looks from each start. */
  looks: Map<string, Promise<MappedSite>>;
  /** The last look: they take turns, so that no page is read twice. */
  last: Promise<unknown>;
}

export type Sweeps = ReturnType<typeof createSweeps>;

/** Looks at sites: at their sitemaps, and some of their pages. What is known of a site is used again for some minutes. */
export function createSweeps(parts: MapParts & { clock: Pick<Clock, 'monotonic'> }) {
  const sweeps = new Map<string, Sweep>();
  const closing = new AbortController();

  function sweepOf({ url, team, allowSubdomains }: SweepRequest, again = false): Sweep {
    const key = JSON.stringify([team, url.origin, allowSubdomains === true]);
    const now = parts.clock.monotonic();
    const known = sweeps.get(key);
    const isUsable = known && !again && now - known.at < keptMs;
    const sweep = isUsable ? known : { site: unknownSite(), at: now, looks: new Map(), last: Promise.resolve() };
    keepLast(sweeps, key, sweep, maxKept);
    return sweep;
  }

  /** Reads pages of a site after the looks that were asked for before. */
  function map(sweep: Sweep, { url, team, allowSubdomains = false }: SweepRequest, urls: readonly string[] = []) {
    const isFirst = sweep.looks.size === 0;
    const most = urls.length > 0 ? urls.length : isFirst ? readPages.first : readPages.more;
    const mapped = sweep.last.then(() =>
      mapSite(
        {
          url,
          team,
          known: sweep.site,
          alsoRead: urls,
          readPages: most,
          wholeDomain: true,
          includeSubdomains: allowSubdomains,
          ignoreQueryParameters: false,
          location: undefined,
          sitemap: isFirst ? 'include' : 'skip',
          limit: limits.mapLinks.default,
          // Whoever asked first may be gone while others wait.
          signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
        },
        parts,
      ),
    );
    sweep.last = mapped.catch(() => undefined);
    return mapped;
  }

  function begin(request: SweepRequest, again?: boolean): { sweep: Sweep; mapped: Promise<MappedSite> } {
    const sweep = sweepOf(request, again);
    const { href } = request.url;
    const mapped = sweep.looks.get(href) ?? map(sweep, request);
    sweep.looks.set(href, mapped);
    // What can't be read now may be readable the next time.
    const forget = () => sweep.looks.delete(href);
    mapped.then(({ failure }) => failure === undefined || forget(), forget);
    return { sweep, mapped };
  }

  return {
    /**
     * Returns what is known of a site. Throws if it can't be read.
     * @param again whether to look again, whatever is known
     */
    async look(request: SweepRequest, again?: boolean): Promise<SweptSite> {
      const { sweep, mapped } = begin(request, again);
      const { links, failure } = await orAborted(mapped, request.signal);
      if (links.length === 0 && failure !== undefined)
        throw new ServiceError(500, messageOf(failure), { code: 'MAP_FAILED' });
      const all = await orAborted(Promise.all(sweep.looks.values()), request.signal);
      return { site: sweep.site, isComplete: all.every(({ stopped }) => stopped === 'complete') };
    },
    /** The same, but returns what is known after some milliseconds, be it nothing. */
    async glance(request: SweepRequest, ms: number): Promise<KnownSite> {
      const { sweep, mapped } = begin(request);
      await within(ms, orAborted(mapped, request.signal)).catch(() => undefined);
      request.signal.throwIfAborted();
      return sweep.site;
    },
    /** Reads some more pages of a site, unless they are known. */
    async read(urls: readonly string[], request: SweepRequest): Promise<KnownSite> {
      const sweep = sweepOf(request);
      const unread = urls.filter((url) => !sweep.site.pages.has(url));
      if (unread.length > 0) await orAborted(map(sweep, request, unread), request.signal).catch(() => undefined);
      request.signal.throwIfAborted();
      return sweep.site;
    },
    /** Ends all looks. */
    close: () => closing.abort(new Error('The service is closing.')),
  };
}
