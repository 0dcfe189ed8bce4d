import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { transaction } from '../../../storage/storage.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Handlers, JsonText } from '../../platform/http/bind.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { purgeRegularly, removeInChunks } from '../../platform/job-upkeep.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PageVersions } from './changes/page-versions.ts';
import { defaultMaxAge } from './default-max-age.ts';
import type { ScrapeRequest, Scraper } from './scrape.ts';
import { ScrapeError } from './scrape-errors.ts';
import { modelCredits, needsModel, unstoredCredits } from './scrape-plan.ts';
import type { ScrapeTable, StoredScrape } from './scrape-table.ts';
import { packDocument } from './stored-document.ts';

export interface ScrapeKeeperParts extends Pick<Platform, 'database' | 'clock' | 'log' | 'ledger' | 'activity'> {
  scraper: Pick<Scraper, 'scrape'>;
  scrapes: ScrapeTable;
  versions: Pick<PageVersions, 'store'>;
  /** Aborts when the service stops. */
  closing: AbortSignal;
}

export interface ScrapeHandlerParts extends Pick<ScrapeKeeperParts, 'scraper' | 'ledger'> {
  keep: KeepScrape;
  scrapes: Pick<ScrapeTable, 'find'>;
  /** Finds a page of a crawl or batch job by its scrape id. */
  findElsewhere?(id: string): Promise<Pick<StoredScrape, 'team' | 'document'> | undefined>;
}

/** Expired scrapes that are removed at a time. */
const purgeChunk = 200;
/** How often expired scrapes are looked for, in milliseconds. */
const purgeEveryMs = 10 * 60_000;

/** Scrapes a page or reads a file, and keeps the document. `listed` (default true): whether the activity lists it. */
export type KeepScrape = (request: ScrapeRequest, caller: Caller, listed?: boolean) => Promise<ScrapeDocument>;

/** Creates what scrapes pages and keeps their documents for retrieval and interact. */
export function scrapeKeeper(parts: ScrapeKeeperParts): KeepScrape {
  const { scraper, scrapes, versions, database, activity, ledger, clock, log, closing } = parts;
  const purge = async () => {
    await removeInChunks(() => scrapes.prune(clock.now(), purgeChunk), closing);
    return purgeEveryMs;
  };
  void purgeRegularly(purge, { clock, log, closing });
  return async function run(request, caller, listed = true) {
    const { url, options, team } = request;
    await ledger.require(team, needsModel(options.formats) ? 1 + modelCredits : 1);
    const page = await scraper.scrape(request);
    const id = randomUUID();
    const document = { ...page.document, metadata: { ...page.document.metadata, scrapeId: id } };
    // An uploaded file has no page that could be opened again.
    const replay = request.file ? undefined : page.replay;
    // Most are short and soon forgotten: they aren't worth the time to compress them.
    const packed = await packDocument(document, Number.POSITIVE_INFINITY);
    // Stored before the response: a caller that has the id can retrieve the scrape and interact with it.
    await transaction(database, async (tx) => {
      const { keyLabel } = caller;
      await scrapes.insert({ id, team, keyLabel, url, document: packed, replay, createdAt: clock.now() }, tx);
      if (page.version) await versions.store([page.version], tx);
      const { statusCode } = page;
      if (listed) await activity.record({ id, team, endpoint: 'scrape', target: url, statusCode }, tx);
      await ledger.charge(caller, 'scrape', page.creditsUsed, tx);
    });
    return document;
  };
}

/** Creates the handlers for POST /v2/scrape, POST /v2/parse and GET /v2/scrape/{id}. */
export function scrapeHandlers(parts: ScrapeHandlerParts): Pick<Handlers, 'scrape' | 'parseFile' | 'getScrape'> {
  const { keep, scraper, scrapes, ledger, findElsewhere } = parts;

  /** Scrapes a page or reads a file, and stores nothing but what it costs. Errors are not logged. */
  async function scrapeUnstored(request: ScrapeRequest, caller: Caller): Promise<ScrapeDocument> {
    try {
      const options = { ...request.options, storeInCache: false };
      await ledger.require(request.team, 1 + unstoredCredits + (needsModel(options.formats) ? modelCredits : 0));
      const { document, creditsUsed } = await scraper.scrape({ ...request, options, unstored: true });
      await ledger.charge(caller, 'scrape', creditsUsed);
      return document;
    } catch (error) {
      if (error instanceof ServiceError) error.unlogged = true;
      throw error;
    }
  }

  return {
    async scrape({ body }, { caller, signal }) {
      const { url, origin: _origin, integration: _integration, zeroDataRetention, ...rest } = body;
      const options = { ...rest, maxAge: rest.maxAge ?? defaultMaxAge(body) };
      const scrape = zeroDataRetention ? scrapeUnstored : keep;
      return { success: true, data: await scrape({ url, options, team: caller.team, signal }, caller) };
    },
    async parseFile({ body, file }, { caller, signal }) {
      const { url, origin: _origin, integration: _integration, zeroDataRetention, ...options } = body;
      const target = file?.name ?? url;
      if (target === undefined) throw new ServiceError(400, 'expected a file or "url"', { code: 'BAD_REQUEST' });
      if (file && url !== undefined) {
        throw new ServiceError(400, 'expected either a file or "url", not both', { code: 'BAD_REQUEST' });
      }
      const request = { url: target, options, team: caller.team, signal, maxBytes: limits.parsedFile };
      const parse = zeroDataRetention ? scrapeUnstored : keep;
      const data = await parse({ ...request, ...(file && { file }) }, caller).catch((error: unknown) => {
        // A problem with a file is an error of the caller, unlike a problem with a site.
        if (!(error instanceof ScrapeError) || error.code !== 'SCRAPE_UNSUPPORTED_FILE_ERROR') throw error;
        throw new ServiceError(400, error.message, { code: error.code, cause: error });
      });
      return { success: true, data };
    },
    async getScrape({ params }, { caller }) {
      const found = (await scrapes.find(params.jobId)) ?? (await findElsewhere?.(params.jobId));
      if (!found) throw new ServiceError(404, 'Job not found.');
      if (found.team !== caller.team) throw new ServiceError(403, 'You are not allowed to access this resource.');
      return new JsonText(['{"success":true,"data":', found.document, '}']);
    },
  };
}
