import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../contract/scrape.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { type NewPage, pageStates, type WaitingPage } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';
import { jobEvent } from './job-events.ts';
import type { RunParts } from './run-parts.ts';

/** The outcome of a page. */
export type Outcome =
  | { kind: 'document'; scraped: ScrapedPage; found: NewPage[]; finalPage: NewPage | undefined }
  /** Fetched only for its links. */
  | { kind: 'passed over'; found: NewPage[] }
  | { kind: 'failed'; code: string; error: string; metadata: NonNullable<ScrapeDocument['metadata']> }
  /** Disallowed by robots.txt. */
  | { kind: 'blocked'; error: string };

/** Stores what a job finds; each outcome is stored as a whole or not at all. */
export interface PageStore {
  /** Stores the outcome of a page. Rejects when it could not be stored; then none of it counts. */
  settle(page: WaitingPage, outcome: Outcome): Promise<void>;
  /** Adds pages to the frontier. */
  add(pages: readonly NewPage[]): Promise<void>;
  /** Whether the frontier has as many pages as the job can use. */
  readonly full: boolean;
}

export interface PageStoreOptions {
  /** Ids of the pages being fetched. */
  inFlight: ReadonlySet<number>;
  onAdded(origin: string): void;
  /** Returns why robots.txt blocks the page; undefined if it doesn't, or isn't known yet. */
  blockedBy(page: NewPage): string | undefined;
  /** A waiting page turned out to be stored already. */
  onDropped(page: number): void;
}

/** Most pages kept beyond the limit, because some may turn out not to count. */
const maxSpare = 10_000;
/** Most pages disallowed by robots.txt that are kept; they don't count toward the capacity. */
const maxBlocked = 100_000;

export function createPageStore(
  job: Job,
  parts: Pick<RunParts, 'jobs' | 'frontier' | 'documents' | 'commits' | 'ledger' | 'events' | 'clock'>,
  options: PageStoreOptions,
): PageStore {
  const { jobs, frontier, documents, ledger, events, clock } = parts;
  const caller = { team: job.team, keyLabel: job.key_label };
  const limit = job.kind === 'crawl' ? (job.options.limit ?? limits.crawlPages.default) : Number.POSITIVE_INFINITY;
  const capacity = limit + Math.min(maxSpare, limit * 10 + 100);

  const isFull = () => job.added - Math.min(job.blocked, maxBlocked) >= capacity;

  const reload = () => {
    const stored = jobs.find(job.id);
    if (!stored) return;
    const { added, completed, failed, blocked, repeated, passed_over, credits } = stored;
    Object.assign(job, { added, completed, failed, blocked, repeated, passed_over, credits });
  };

  /** Stores the changes of `work` to the frontier and the job, then passes on what they mean for the queues. */
  async function commit(work: (changes: QueueChanges) => void): Promise<void> {
    let changes = noChanges();
    await parts.commits.run(() => {
      // A job that was cancelled in the meantime stays unchanged.
      if (job.status !== 'scraping') return;
      changes = noChanges();
      work(changes);
      jobs.save(job);
    }, reload);
    for (const page of changes.dropped) options.onDropped(page);
    for (const origin of changes.origins) options.onAdded(origin);
  }

  /** Returns the place of a page that was just counted. */
  const nextPlace = () => job.completed + job.failed + job.blocked;

  function recordBlocked(page: number, url: string, error: string): void {
    job.blocked++;
    frontier.record(page, pageStates.blocked, clock.now(), { place: nextPlace(), url }, { error });
  }

  function addPages(pages: readonly NewPage[], changes: QueueChanges): void {
    for (const page of pages) {
      const reason = options.blockedBy(page);
      if (reason !== undefined ? job.blocked >= maxBlocked : isFull()) continue;
      if (!frontier.add(job.num, page)) continue;
      job.added++;
      if (reason !== undefined) {
        const added = frontier.known(job.num, page.identity);
        if (added) recordBlocked(added.id, page.url, reason);
      } else changes.origins.add(page.origin);
    }
  }

  /** Makes sure that the target of a redirect is stored once. Returns false if another page is already stored for it. */
  function claim(page: WaitingPage, target: NewPage, changes: QueueChanges): boolean {
    const other = frontier.known(job.num, target.identity);
    if (other?.id === page.id) return true;
    if (other && (other.state !== pageStates.waiting || options.inFlight.has(other.id))) {
      return other.state === pageStates.failed || other.state === pageStates.blocked;
    }
    if (!other) {
      frontier.add(job.num, target);
      job.added++;
    }
    const claimed = other ?? frontier.known(job.num, target.identity);
    if (claimed) {
      frontier.settle(claimed.id, pageStates.passedOver, clock.now());
      changes.dropped.push(claimed.id);
    }
    job.passed_over++;
    return true;
  }

  function storeDocument(page: WaitingPage, scraped: ScrapedPage): void {
    const scrapeId = randomUUID();
    const document = { ...scraped.document, metadata: { ...scraped.document.metadata, scrapeId } };
    job.completed++;
    job.credits += scraped.creditsUsed;
    documents.add(job.num, job.completed, scrapeId, document, scraped.replay);
    const { url = page.url, title } = document.metadata;
    const { statusCode } = scraped;
    frontier.record(page.id, pageStates.done, clock.now(), {
      place: nextPlace(),
      url: url ?? page.url,
      seq: job.completed,
      title: title ?? undefined,
      statusCode,
    });
    ledger.charge(caller, job.kind, scraped.creditsUsed);
    events.emit(jobEvent(job, 'page', { data: [document] }));
  }

  return {
    get full() {
      return isFull();
    },
    add: (pages) => commit((changes) => addPages(pages, changes)),
    settle: (page, outcome) =>
      commit((changes) => {
        if (outcome.kind === 'document' || outcome.kind === 'passed over') addPages(outcome.found, changes);
        switch (outcome.kind) {
          case 'document':
            if (!outcome.finalPage || claim(page, outcome.finalPage, changes))
              return storeDocument(page, outcome.scraped);
            frontier.settle(page.id, pageStates.repeated, clock.now());
            job.repeated++;
            return;
          case 'passed over':
            frontier.settle(page.id, pageStates.passedOver, clock.now());
            job.passed_over++;
            return;
          case 'blocked':
            return recordBlocked(page.id, page.url, outcome.error);
          case 'failed': {
            const { code, error, metadata } = outcome;
            job.failed++;
            const { url, title, statusCode } = metadata;
            frontier.record(
              page.id,
              pageStates.failed,
              clock.now(),
              {
                place: nextPlace(),
                url: url ?? page.url,
                title: title ?? undefined,
                statusCode: statusCode ?? undefined,
              },
              { code, error },
            );
            events.emit(jobEvent(job, 'page', { data: [{ metadata }], error }));
          }
        }
      }),
  };
}

interface QueueChanges {
  origins: Set<string>;
  dropped: number[];
}

function noChanges(): QueueChanges {
  return { origins: new Set(), dropped: [] };
}
