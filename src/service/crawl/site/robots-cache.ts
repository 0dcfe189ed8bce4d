import type { Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import { FetchError, type Fetcher } from '../../fetch/fetch.ts';
import { allowAll, disallowAll, parseRobots, type Robots, robotsLimit } from './robots.ts';

/** The robots.txt of a site as it stands, and why where it could not be read. */
export interface SiteRobots extends Robots {
  /** Why nothing is allowed, for a person; undefined when the site's own rules say what is. */
  unreachable?: string;
}

/** Each site's robots.txt, fetched once a day at most. */
export interface RobotsCache {
  /** The rules of an origin for a user agent. Never rejects: a site that cannot say is taken to forbid (RFC 9309, 2.3.1.4). */
  of(origin: string, userAgent: string, signal: AbortSignal): Promise<SiteRobots>;
}

interface Entry {
  loaded: Promise<{ text: string | undefined; fixed?: SiteRobots }>;
  /** Monotonic milliseconds. */
  staleAt: number;
  parsed: Map<string, SiteRobots>;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A site that was down may be back soon. */
const retryMs = 5 * 60 * 1000;
const remembered = 2000;
const timeoutMs = 15_000;
const followed = 5;

export function createRobotsCache(fetcher: Pick<Fetcher, 'fetch'>, clock: Clock): RobotsCache {
  const entries = new Map<string, Entry>();

  function entryOf(origin: string): Entry {
    const known = entries.get(origin);
    if (known && known.staleAt > clock.monotonic()) return known;
    const entry: Entry = { loaded: load(origin), staleAt: clock.monotonic() + dayMs, parsed: new Map() };
    void entry.loaded.then(({ fixed }) => {
      if (fixed?.unreachable !== undefined) entry.staleAt = clock.monotonic() + retryMs;
    });
    entries.delete(origin);
    entries.set(origin, entry);
    const [oldest] = entries.keys();
    if (entries.size > remembered && oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  async function load(origin: string): Promise<{ text: string | undefined; fixed?: SiteRobots }> {
    try {
      const { status, body, truncated } = await fetcher.fetch(`${origin}/robots.txt`, {
        // Shared by everybody who asks: no single caller's end ends it.
        signal: new AbortController().signal,
        timeoutMs,
        maxBytes: robotsLimit,
        onOverflow: 'truncate',
        maxRedirects: followed,
      });
      if (status >= 200 && status < 300) {
        const text = new TextDecoder().decode(body);
        // The rule that was cut in two would forbid more than the site does.
        return { text: truncated ? text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1) : text };
      }
      if (status < 500) return { text: undefined, fixed: allowAll };
      return { text: undefined, fixed: { ...disallowAll, unreachable: `its robots.txt answers ${status}` } };
    } catch (error) {
      if (error instanceof FetchError && error.reason === 'too many redirects')
        return { text: undefined, fixed: allowAll };
      return {
        text: undefined,
        fixed: { ...disallowAll, unreachable: `its robots.txt cannot be read: ${messageOf(error)}` },
      };
    }
  }

  return {
    async of(origin, userAgent, signal) {
      const entry = entryOf(origin);
      const { text, fixed } = await raceAbort(entry.loaded, signal);
      if (text === undefined) return fixed ?? allowAll;
      const known = entry.parsed.get(userAgent);
      if (known) return known;
      const robots = parseRobots(text, userAgent);
      if (entry.parsed.size < 20) entry.parsed.set(userAgent, robots);
      return robots;
    },
  };
}

async function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
