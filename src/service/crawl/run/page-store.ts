import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../contract/scrape.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { type NewPage, pageStates, type WaitingPage } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';
import { jobEvent } from './job-events.ts';
import type { RunParts } from './run-parts.ts';

/** What became of a page. */
export type Outcome =
  | { kind: 'document'; scraped: ScrapedPage; found: NewPage[]; finalPage: NewPage | undefined }
  /** Fetched for its links alone. */
  | { kind: 'passed over'; found: NewPage[] }
  | { kind: 'failed'; code: string; error: string; metadata: NonNullable<ScrapeDocument['metadata']> }
  /** By robots.txt. */
  | { kind: 'blocked' };

/** Writes what a job finds, each outcome whole or not at all. */
export interface PageStore {
  /** Rejects when it could not be written; then nothing of it counts. */
  settle(page: WaitingPage, outcome: Outcome): Promise<void>;
  /** Adds pages to the frontier. */
  add(pages: readonly NewPage[]): Promise<void>;
  /** Whether the frontier has all that the job could want. */
  readonly full: boolean;
}

export interface PageStoreOptions {
  /** Pages that are being fetched, by id. */
  inFlight: ReadonlySet<number>;
  onAdded(origin: string): void;
  /** A page that waits turned out to be one that is stored already. */
  onDropped(page: number): void;
}

/** Pages kept beyond the limit, because some may turn out not to count. */
const mostSpare = 10_000;

export function createPageStore(
  job: Job,
  parts: Pick<RunParts, 'jobs' | 'frontier' | 'documents' | 'commits' | 'ledger' | 'events' | 'clock'>,
  options: PageStoreOptions,
): PageStore {
  const { jobs, frontier, documents, ledger, events, clock } = parts;
  const caller = { team: job.team, keyLabel: job.key_label };
  const limit = job.kind === 'crawl' ? (job.options.limit ?? limits.crawlPages.default) : Number.POSITIVE_INFINITY;
  const capacity = limit + Math.min(mostSpare, limit * 10 + 100);

  const reload = () => {
    const stored = jobs.find(job.id);
    if (!stored) return;
    const { added, completed, failed, blocked, repeated, passed_over, credits } = stored;
    Object.assign(job, { added, completed, failed, blocked, repeated, passed_over, credits });
  };

  /** Stores what `work` does to the frontier and the job; what follows from it is told once it is stored. */
  async function commit(work: (news: News) => void): Promise<void> {
    let news = freshNews();
    await parts.commits.run(() => {
      // A job that was cancelled meanwhile stays as it ended.
      if (job.status !== 'scraping') return;
      news = freshNews();
      work(news);
      jobs.save(job);
    }, reload);
    for (const page of news.dropped) options.onDropped(page);
    for (const origin of news.origins) options.onAdded(origin);
  }

  function addPages(pages: readonly NewPage[], news: News): void {
    for (const page of pages) {
      if (job.added >= capacity) return;
      if (!frontier.add(job.num, page)) continue;
      job.added++;
      news.origins.add(page.origin);
    }
  }

  /** Makes sure that what a redirect led to is stored once. False when another page is it already. */
  function claim(page: WaitingPage, target: NewPage, news: News): boolean {
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
      news.dropped.push(claimed.id);
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
    frontier.settle(page.id, pageStates.done, clock.now());
    ledger.charge(caller, job.kind, scraped.creditsUsed);
    events.emit(jobEvent(job, 'page', { data: [document] }));
  }

  return {
    get full() {
      return job.added >= capacity;
    },
    add: (pages) => commit((news) => addPages(pages, news)),
    settle: (page, outcome) =>
      commit((news) => {
        if (outcome.kind === 'document' || outcome.kind === 'passed over') addPages(outcome.found, news);
        switch (outcome.kind) {
          case 'document':
            if (!outcome.finalPage || claim(page, outcome.finalPage, news)) return storeDocument(page, outcome.scraped);
            frontier.settle(page.id, pageStates.repeated, clock.now());
            job.repeated++;
            return;
          case 'passed over':
            frontier.settle(page.id, pageStates.passedOver, clock.now());
            job.passed_over++;
            return;
          case 'blocked':
            frontier.settle(page.id, pageStates.blocked, clock.now());
            job.blocked++;
            return;
          case 'failed': {
            const { code, error, metadata } = outcome;
            frontier.settle(page.id, pageStates.failed, clock.now(), { code, error });
            job.failed++;
            events.emit(jobEvent(job, 'page', { data: [{ metadata }], error }));
          }
        }
      }),
  };
}

interface News {
  origins: Set<string>;
  dropped: number[];
}

function freshNews(): News {
  return { origins: new Set(), dropped: [] };
}
