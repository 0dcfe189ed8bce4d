import { enteredAddress, parseUrl } from '../../../../contract/addresses.ts';
import { type ScrapeOptions, scrapeOptions } from '../../../../contract/scrape/scrape.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { messageOf, ServiceError } from '../../../platform/errors.ts';
import type { Caller } from '../../../platform/http/keys.ts';
import { type AddressPolicy, portOf, RefusedTarget } from '../../../platform/network/address-policy/address-policy.ts';
import { publicOrNamed } from '../../../platform/network/public-or-named.ts';
import type { Ledger } from '../../../platform/team/ledger.ts';
import type { MappedLink } from '../../../web/crawl/map/known-site.ts';
import type { MapRequest } from '../../../web/crawl/map/map.ts';
import type { ScrapedPage, Scraper } from '../../../web/scrape/scrape.ts';
import type { AgentJob, JobRequest } from '../store/job-table.ts';
import type { ReadPage } from '../store/steps.ts';
import type { Browse } from './browse.ts';
import { type Cost, JobFailed } from './run.ts';

/** Lists the pages of a site. */
export type MapSite = (
  request: Pick<MapRequest, 'url' | 'team' | 'limit' | 'includeSubdomains' | 'signal' | 'policy'>,
) => Promise<MappedLink[]>;

/** Searches the web. Missing where there is no engine. */
export type SearchWeb = (query: string, options: { limit: number; signal: AbortSignal }) => Promise<MappedLink[]>;

export interface WebParts {
  scraper: Pick<Scraper, 'scrape'>;
  mapSite: MapSite;
  /** Returns the search that a team can use, if there is one. */
  searchFor(team: string): SearchWeb | undefined;
  browse: Browse;
  /** Returns why a site's robots.txt forbids that a page is read; undefined if it doesn't. */
  robotsAgainst(url: URL, policy: AddressPolicy, signal: AbortSignal): Promise<string | undefined>;
  ledger: Ledger;
  /** Which targets the service's requests can reach. */
  policy: AddressPolicy;
}

/** Something that couldn't be done. The job goes on. */
export class NotDone extends Error {
  /** What it cost nevertheless. */
  readonly cost: Cost;

  constructor(message: string, cost: Cost = {}) {
    super(message);
    this.cost = cost;
  }
}

/** Maximum number of characters of a page that are kept, and milliseconds for a page. */
const maxContent = 200_000;
const pageTimeoutMs = 60_000;

/** What a job can do on the web, within its limits. */
export type Web = ReturnType<typeof webFor>;

/** @param signal stops what is in progress */
export function webFor(job: AgentJob, parts: WebParts, signal: AbortSignal) {
  const { request, team } = job;
  const given = new Set(request.urls.map(withoutFragment));
  const policy = jobPolicy(request, parts.policy);
  const search = request.strict ? undefined : parts.searchFor(team);

  /** The same, without robots.txt: for what is done in a browser. */
  function checkAddress(url: URL): void {
    if (!/^https?:$/.test(url.protocol)) throw new NotDone('Only http and https URLs can be opened.');
    if (request.strict && !given.has(withoutFragment(url.href))) {
      throw new NotDone('The task allows only the given URLs.');
    }
    try {
      policy.checkUrl(url);
    } catch (error) {
      throw new NotDone(messageOf(error));
    }
  }

  async function checkHost(url: URL): Promise<void> {
    try {
      await policy.checkHost(url.hostname, portOf(url));
    } catch (error) {
      // A name that can't be resolved is a reason that the request itself fails with.
      if (error instanceof RefusedTarget) throw new NotDone(messageOf(error));
    }
  }

  /** Throws a NotDone if the job may not open a URL. */
  async function check(url: URL): Promise<void> {
    checkAddress(url);
    await checkHost(url);
    if (given.has(withoutFragment(url.href))) return;
    const reason = await parts.robotsAgainst(url, policy, signal);
    if (reason !== undefined) throw new NotDone(reason);
  }

  /** Checks where a page was read: it may be from the cache. */
  async function checkReached(url: URL, credits: number): Promise<void> {
    try {
      policy.checkUrl(url);
      await checkHost(url);
    } catch (error) {
      throw new NotDone(messageOf(error), { credits });
    }
  }

  async function attempt<Result>(work: () => Promise<Result>, stop: AbortSignal = signal): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      stop.throwIfAborted();
      if (error instanceof NotDone || error instanceof JobFailed) throw error;
      throw new NotDone(messageOf(error));
    }
  }

  return {
    canSearch: search !== undefined,
    check,
    checkAddress,
    /** Checks every request that is made for the job. */
    policy,
    /** Throws a JobFailed if the team has fewer credits left. */
    async require(credits: number): Promise<void> {
      try {
        await parts.ledger.require(team, credits);
      } catch (error) {
        if (error instanceof ServiceError) throw new JobFailed(error.message, { cause: error });
        throw error;
      }
    },
    /**
     * Throws a NotDone if the page can't be read.
     * @param mostPages pages of a PDF
     * @param stop stops only this
     */
    read(url: URL, mostPages: number, stop?: AbortSignal) {
      const either = stop ? AbortSignal.any([signal, stop]) : signal;
      return attempt(async () => {
        await check(url);
        const scraped = await parts.scraper.scrape({
          url: url.href,
          team,
          signal: either,
          allLinks: true,
          job: job.id,
          policy,
          options: optionsOf(request, mostPages),
        });
        const { creditsUsed: credits, finalUrl, statusCode, links } = scraped;
        await checkReached(new URL(finalUrl), credits);
        if (statusCode >= 400) throw new NotDone(`The page returned status ${statusCode}.`, { credits });
        return { page: pageOf(scraped), links, credits };
      }, either);
    },
    map: (url: URL, includeSubdomains: boolean, limit: number): Promise<MappedLink[]> =>
      attempt(async () => {
        await check(url);
        return await parts.mapSite({ url, team, limit, includeSubdomains, signal, policy });
      }),
    search: (query: string, limit: number): Promise<MappedLink[]> =>
      attempt(async () => {
        if (!search) throw new NotDone('There is no search engine.');
        return await search(query, { limit, signal });
      }),
  };
}

/** The caller whom a job's work is for. */
export function callerOf({ team, key_label }: AgentJob): Caller {
  return { team, keyLabel: key_label };
}

/** Returns a URL without the stars at its end, which stand for all pages below it. */
export function withoutStars(url: string): string {
  return url.replace(/(?<!\*)\*+$/, '');
}

/** Returns the http or https URL that a request or a model means, with a scheme added where it is missing. Throws a NotDone. */
export function urlOf(text: string): URL {
  const url = enteredAddress(text);
  if (!url) throw new NotDone(`"${shorten(text)}" isn't an http or https URL.`);
  if (url.username || url.password) throw new NotDone("URLs with a user name or password can't be opened.");
  return url;
}

function optionsOf({ extract }: JobRequest, mostPages: number): ScrapeOptions {
  const options = extract?.scrapeOptions ?? scrapeOptions.parse({ timeout: pageTimeoutMs });
  const parsers = options.parsers.map((parser) => ({
    ...parser,
    maxPages: Math.min(parser.maxPages ?? Number.POSITIVE_INFINITY, Math.max(1, mostPages)),
  }));
  return { ...options, parsers, formats: [{ type: 'markdown' }] };
}

function pageOf({ document, finalUrl }: ScrapedPage): ReadPage {
  const { title } = document.metadata;
  return { url: finalUrl, ...(title && { title }), content: (document.markdown ?? '').slice(0, maxContent) };
}

/** Returns a URL without its fragment, which doesn't belong to the page's address. */
export function withoutFragment(url: string): string {
  const parsed = parseUrl(url);
  if (!parsed) return url;
  parsed.hash = '';
  return parsed.href;
}

/** Narrows the service's address policy to what a job may reach: public addresses, and the hosts that its task names. */
export function jobPolicy(request: JobRequest, policy: AddressPolicy): AddressPolicy {
  const named = hostsIn(request);
  const isNamed = (host: string, port: number) => named.has(hostKey(host, port));
  return publicOrNamed(policy, isNamed, "it is a private address that the task doesn't name");
}

/** Returns the hosts that a request names, in its URLs or its prompt. */
function hostsIn({ urls, prompt = '' }: JobRequest): Set<string> {
  const texts = [...urls, ...(prompt.match(/https?:\/\/[^\s"'<>)\]]+/gi) ?? [])];
  const found = texts.flatMap((text) => parseUrl(withoutStars(text)) ?? []);
  return new Set(found.map((url) => hostKey(url.hostname, portOf(url))));
}

/** A host that is named may be reached over http and https. */
function hostKey(host: string, port: number): string {
  return port === 80 || port === 443 ? host : `${host}:${port}`;
}
