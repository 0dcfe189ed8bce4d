import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { scrapeOptions } from '../../../../contract/scrape/scrape.ts';
import { shorten } from '../../../../contract/shorten.ts';
import type { ScrapedPage, Scraper } from '../../scrape/scrape.ts';
import { createTemplates } from '../../scrape/templates.ts';
import { mayPass } from '../run/waiting-pages/second-tries.ts';
import { routeOfPage } from '../scope/routes.ts';
import type { MapRequest } from './map.ts';

const pagesAtATime = 5;
/** The wait before pages are read once more, unless their site asks for a longer one, and the longest one. */
const againMs = { usual: 1000, most: 5000 };
/** Pages that are read once more. */
const maxReadAgain = 20;
/** Pages with these have no links. */
const goneStatuses = new Set([404, 410]);

export interface PageReadingUses {
  scraper: Pick<Scraper, 'scrape'>;
  /** Called with each page that answered, also with an error. */
  onAnswer(url: string, page: ScrapedPage): void;
  /** Called with each page that may have links. */
  onPage(url: string, page: ScrapedPage): Promise<void>;
  /** Called with a page that won't be read any more, and why. */
  onFailed(url: string, error: unknown): void;
}

/** Reads pages of a site for their links, as a browser shows them. Those that fail for a reason that may pass are read once more. */
export function createPageReading(request: MapRequest, { scraper, onAnswer, onPage, onFailed }: PageReadingUses) {
  const { fastMode, waitFor, headers, location, profile, known, policy, signal, team } = request;
  const options = scrapeOptions.parse({
    formats: ['links'],
    storeInCache: false,
    fastMode,
    waitFor,
    headers,
    location,
    // Several pages are read at a time, and only one browser may save to a profile.
    profile: profile && { ...profile, saveChanges: false },
  });
  const job = randomUUID();
  const templates = createTemplates();
  /** Pages that failed for a reason that may pass, with that reason. */
  const later = new Map<string, unknown>();
  let failure: unknown;

  const scrape = (url: string) =>
    scraper.scrape({
      url,
      options,
      team,
      allLinks: true,
      wording: known !== undefined,
      subjects: known !== undefined,
      listed: known === undefined,
      job,
      templates,
      signal,
      policy,
    });

  async function readOnce(url: string): Promise<void> {
    const scraped = await scrape(url);
    const [finalUrl] = scraped.finalUrl.split('#');
    const page = { ...scraped, finalUrl: finalUrl + routeOfPage(scraped) };
    onAnswer(url, page);
    if (goneStatuses.has(page.statusCode) && url !== request.url.href) return;
    if (page.statusCode >= 400) throw new PageFailure(url, page);
    await onPage(url, page);
  }

  async function read(url: string, isAgain = false): Promise<void> {
    const isStart = url === request.url.href;
    try {
      await readOnce(url);
      if (isStart) failure = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (isStart) failure = error;
      const { code } = error as { code?: unknown };
      const isSoon = !(error instanceof PageFailure) || (error.retryAfterMs ?? 0) <= againMs.most;
      const isPassing = code === 'HTTP_429' || mayPass(String(code));
      if (!isAgain && isPassing && isSoon && later.size < maxReadAgain) later.set(url, error);
      else onFailed(url, error);
    }
  }

  return {
    options,
    /** Reads a page. If it fails for a reason that may pass, it waits to be read once more. */
    read: (url: string) => read(url),
    /** Whether a URL is that of a page that is there. */
    isPage: (url: string): Promise<boolean> =>
      scrape(url).then(
        ({ statusCode }) => statusCode < 400,
        () => false,
      ),
    /** Why the start page failed, if it did. */
    get failure(): unknown {
      return failure;
    },
    /** Reads the pages that wait once more. Returns whether there were any. @param isOver whether no more are wanted */
    async readAgain(isOver: () => boolean): Promise<boolean> {
      if (later.size === 0 || isOver()) return false;
      const asked = [...later.values()].map((error) => (error instanceof PageFailure && error.retryAfterMs) || 0);
      await wait(Math.max(againMs.usual, ...asked), undefined, { signal, ref: false });
      const urls = [...later.keys()];
      await atATime(async () => {
        for (let url = urls.shift(); url !== undefined && !isOver(); url = urls.shift()) {
          later.delete(url);
          await read(url, true);
        }
      });
      return true;
    },
    /** Gives up the pages that still wait. */
    end(): void {
      for (const [url, error] of later) onFailed(url, error);
    },
  };
}

/** Runs as many of a worker as pages may be read at a time. */
export async function atATime(worker: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: pagesAtATime }, worker));
}

/** A page that its site answered with an error. */
class PageFailure extends Error {
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(url: string, { statusCode, retryAfterMs }: ScrapedPage) {
    super(`${shorten(url)} returned status ${statusCode}.`);
    this.code = `HTTP_${statusCode}`;
    this.retryAfterMs = retryAfterMs;
  }
}
