import { currentAsker } from '../../../platform/asker.ts';
import { orAborted } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/errors.ts';
import { keepLast } from '../../../platform/maps.ts';
import type { AddressPolicy } from '../../../platform/network/address-policy/address-policy.ts';
import { FetchError, type Fetcher, type FetchFailure } from '../../../platform/network/fetch.ts';
import { toScrapeError } from '../../scrape/scrape-errors.ts';
import { allowAll, disallowAll, parseRobots, type Robots, robotsLimit } from './robots.ts';

/** The service's product token in robots.txt. */
const robotsName = 'WebData';

/** The robots.txt of a site, or why it could not be read. */
export interface SiteRobots extends Robots {
  /** Why nothing is allowed, as a message to show; undefined if the site's rules could be read. */
  unreachable?: string;
  /** Error code, if no page of the site can be fetched either. */
  down?: string;
  /** Whether the site said that there is none. */
  isMissing?: boolean;
}

export type RobotsCache = ReturnType<typeof createRobotsCache>;

/** A site, and how its robots.txt and sitemaps are fetched. */
export interface Site {
  origin: string;
  /** Accept any certificate. */
  skipTlsVerification: boolean;
  /** Checks the requests, in addition to the service's own policy. */
  policy?: AddressPolicy | undefined;
}

/** What a site answered: the rules of each crawler, or the same for all. */
interface Answer {
  /** Characters. */
  length: number;
  isUnreachable?: boolean;
  rulesFor(userAgent: string): SiteRobots;
}

interface Entry {
  loaded: Promise<Answer>;
  /** What it was loaded as, once it is. */
  answer?: Answer;
  /** Monotonic milliseconds. */
  staleAt: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A site that was down may be back soon. */
const retryMs = 5 * 60 * 1000;
const maxSites = 2000;
/** Characters of the texts of all sites. */
const maxLength = 16 * 1024 * 1024;
/** Failures that other pages of the site would share. */
const downReasons: ReadonlySet<FetchFailure> = new Set(['dns', 'tls', 'unreachable', 'refused']);
const timeoutMs = 15_000;
const maxRedirects = 5;

/** The robots.txt of each site, fetched at most once a day for each team. */
export function createRobotsCache(fetcher: Pick<Fetcher, 'fetch'>, clock: Clock) {
  const shared = new Map<string, Entry>();
  /** What is refused under a narrower policy may be allowed to others. */
  const narrower = new WeakMap<AddressPolicy, typeof shared>();

  function entriesUnder(policy: AddressPolicy | undefined): typeof shared {
    if (!policy) return shared;
    const entries = narrower.get(policy) ?? new Map();
    narrower.set(policy, entries);
    return entries;
  }

  function knownOf(site: Site): Entry | undefined {
    const known = entriesUnder(site.policy).get(keyOf(site));
    return known && known.staleAt > clock.monotonic() ? known : undefined;
  }

  function entryOf(site: Site): Entry {
    const known = knownOf(site);
    if (known) return known;
    const entries = entriesUnder(site.policy);
    const entry: Entry = { loaded: load(site), staleAt: clock.monotonic() + dayMs };
    void entry.loaded.then((answer) => {
      if (answer.isUnreachable) entry.staleAt = clock.monotonic() + retryMs;
      entry.answer = answer;
      let length = 0;
      for (const [known, each] of [...entries].reverse()) {
        length += each.answer?.length ?? 0;
        if (length > maxLength) entries.delete(known);
      }
    });
    keepLast(entries, keyOf(site), entry, maxSites);
    return entry;
  }

  async function load({ origin, skipTlsVerification, policy }: Site): Promise<Answer> {
    try {
      const {
        status,
        body,
        truncated,
        doubt = '',
      } = await fetcher.fetch(`${origin}/robots.txt`, {
        // Shared by all callers of a team, so no single caller can abort it.
        signal: new AbortController().signal,
        timeoutMs,
        maxBytes: robotsLimit,
        onOverflow: 'truncate',
        maxRedirects,
        skipTlsVerification,
        policy,
      });
      if (status >= 200 && status < 300) {
        const whole = new TextDecoder().decode(body);
        // A rule that was cut off could disallow more than the site does.
        const lines = Math.max(whole.lastIndexOf('\n'), whole.lastIndexOf('\r')) + 1;
        const text = truncated ? whole.slice(0, lines) : whole;
        return { length: text.length, rulesFor: await parseRobots(text) };
      }
      const isMissing = status === 404 || status === 410;
      if (status < 500) return sameForAll(isMissing ? { ...allowAll, isMissing } : allowAll);
      return sameForAll({ ...disallowAll, unreachable: `Its robots.txt returned status ${status}. ${doubt}`.trim() });
    } catch (error) {
      if (error instanceof FetchError && error.reason === 'too many redirects') return sameForAll(allowAll);
      return sameForAll({ ...disallowAll, ...problemOf(error) });
    }
  }

  return {
    /** Returns the rules of a site for a user agent, by default the service; an unreachable robots.txt disallows everything (RFC 9309, 2.3.1.4). Rejects only when `signal` aborts. */
    async of(site: Site, signal: AbortSignal, userAgent = robotsName): Promise<SiteRobots> {
      return (await orAborted(entryOf(site).loaded, signal)).rulesFor(userAgent);
    },
    /** Returns the rules of a site whose robots.txt was read already. */
    known: (site: Site): SiteRobots | undefined => knownOf(site)?.answer?.rulesFor(robotsName),
  };
}

/** A team that uses up its look-ups and connections can't read the file, but others can. */
function keyOf({ origin, skipTlsVerification }: Site): string {
  return `${origin} ${skipTlsVerification} ${currentAsker()?.team ?? ''}`;
}

function sameForAll(rules: SiteRobots): Answer {
  return { length: 0, isUnreachable: rules.unreachable !== undefined, rulesFor: () => rules };
}

/** Returns why a page is blocked, as a message to show. */
export function blockedReason({ unreachable = 'The site disallows it in its robots.txt.' }: SiteRobots): string {
  return unreachable;
}

/** Returns why none of a site's pages could be crawled, as a message to show. */
export function blockedCrawl({ unreachable = 'Its robots.txt disallows it.' }: Partial<SiteRobots> = {}): string {
  return `The site doesn't allow crawling. ${unreachable} If you have permission to crawl it, set ignoreRobotsTxt.`;
}

function problemOf(error: unknown): Pick<SiteRobots, 'unreachable' | 'down'> {
  const unreachable = messageOf(error);
  if (!(error instanceof FetchError) || !downReasons.has(error.reason)) {
    return { unreachable: `Its robots.txt couldn't be read. ${unreachable}` };
  }
  return { unreachable, down: toScrapeError(error).code };
}
