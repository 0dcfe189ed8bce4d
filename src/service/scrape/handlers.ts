import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ScrapeDocument } from '../../contract/scrape.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Handlers } from '../http/bind.ts';
import { transaction } from '../storage/storage.ts';
import type { Activity } from '../team/activity.ts';
import type { Ledger } from '../team/ledger.ts';
import type { Scraper } from './scrape.ts';
import { jsonCredits } from './scrape-plan.ts';
import type { ScrapeTable } from './scrape-table.ts';

/** Finds a page of a crawl or batch job by its scrape id. */
export type FindDocument = (id: string) => { team: string; document: ScrapeDocument } | undefined;

export interface ScrapeHandlerParts {
  scraper: Pick<Scraper, 'scrape'>;
  scrapes: ScrapeTable;
  database: DatabaseSync;
  activity: Activity;
  ledger: Ledger;
  clock: Clock;
  /** Finds scrapes that belong to crawl and batch jobs. */
  findElsewhere?: FindDocument;
}

/** Number of scrapes between deletions of expired ones. */
const pruneEvery = 500;

/** Creates the handlers for POST /v2/scrape and GET /v2/scrape/{id}. */
export function scrapeHandlers(parts: ScrapeHandlerParts): Pick<Handlers, 'scrape' | 'getScrape'> {
  const { scraper, scrapes, database, activity, ledger, clock, findElsewhere } = parts;
  scrapes.prune(clock.now());
  let sincePrune = 0;
  return {
    async scrape({ body }, { caller, signal }) {
      const { url, origin: _origin, integration: _integration, zeroDataRetention: _retention, ...options } = body;
      ledger.require(caller.team, options.formats.some(({ type }) => type === 'json') ? 1 + jsonCredits : 1);
      const page = await scraper.scrape({ url, options, team: caller.team, signal });
      const id = randomUUID();
      const document = { ...page.document, metadata: { ...page.document.metadata, scrapeId: id } };
      // Stored before the response: a caller that has the id can retrieve the scrape and interact with it.
      transaction(database, () => {
        const { team, keyLabel } = caller;
        scrapes.insert({ id, team, keyLabel, url, document, replay: page.replay, createdAt: clock.now() });
        activity.record({ id, team, endpoint: 'scrape', target: url });
        ledger.charge(caller, 'scrape', page.creditsUsed);
      });
      if (++sincePrune % pruneEvery === 0) scrapes.prune(clock.now());
      return { success: true, data: document };
    },
    getScrape({ params }, { caller }) {
      const found = scrapes.find(params.jobId) ?? findElsewhere?.(params.jobId);
      if (!found) throw new ServiceError(404, 'Job not found.');
      if (found.team !== caller.team) throw new ServiceError(403, 'You are not allowed to access this resource.');
      return { success: true, data: found.document };
    },
  };
}
