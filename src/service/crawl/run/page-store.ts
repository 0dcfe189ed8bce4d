import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { isOutcomeUnknown } from '../../../storage/storage.ts';
import type { Caller } from '../../http/keys.ts';
import type { JobEvent } from '../../job-events.ts';
import type { NewPageVersion } from '../../scrape/changes/page-versions.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import type { Database } from '../../storage/storage.ts';
import type { Ledger } from '../../team/ledger.ts';
import type { Commit } from '../store/commits.ts';
import { type NewDocument, packDocument } from '../store/documents.ts';
import { type NewPage, pageStates, type SettledPage, type WaitingPage } from '../store/frontier.ts';
import { type Job, type JobCounts, type JobKind, RunOver } from '../store/job-table.ts';
import { jobEvent } from './job-event.ts';
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
  /** A waiting page turned out to be stored already, so it needs no fetch. */
  onDropped(page: number): void;
  /** Whether what was dropped could be stored. If not, the page waits again. */
  onDropStored(page: number, stored: boolean): void;
  /** What this run knows of the job may differ from what is stored: it stores nothing more. */
  onOutdated(): void;
}

/** Maximum number of pages kept beyond the limit, because some may turn out not to count. */
const maxSpare = 10_000;
/** Maximum number of pages disallowed by robots.txt that are kept; they don't count toward the capacity. */
const maxBlocked = 100_000;

export function createPageStore(
  job: Job,
  parts: Pick<RunParts, 'jobs' | 'frontier' | 'documents' | 'versions' | 'commits' | 'ledger' | 'events' | 'clock'>,
  options: PageStoreOptions,
): PageStore {
  const { jobs, frontier, documents, versions, ledger, events, clock } = parts;
  const caller = { team: job.team, keyLabel: job.key_label };
  const limit = job.kind === 'crawl' ? (job.options.limit ?? limits.crawlPages.default) : Number.POSITIVE_INFINITY;
  const capacity = limit + Math.min(maxSpare, limit * 10 + 100);

  /** How many more pages the job can use. */
  const room = () => Math.max(0, capacity - (job.added - Math.min(job.blocked, maxBlocked)));

  let outdated = false;

  const saveJob = (tx: Database) => jobs.save(job, tx);
  const chargeAll = (charges: Charge[], { tx }: Commit) => chargeTogether(charges, ledger, tx);
  const addDocuments = (rows: NewDocument[], { tx }: Commit) => documents.add(rows, tx);
  const storeVersions = (rows: NewPageVersion[], { tx }: Commit) => versions.store(rows, tx);
  const settleAll = (pages: SettledPage[], { tx }: Commit) => frontier.settle(pages, tx);
  const emitAll = (occurred: JobEvent[], { tx }: Commit) => events.emit(occurred, tx);

  /** Stores the changes of `work` to the frontier and the job, then passes on what they mean for the queues. */
  async function commit(work: (changes: Changes) => Promise<void>): Promise<void> {
    let changes: Changes | undefined;
    let before: JobCounts | undefined;
    await parts.commits.run(
      async (shared) => {
        changes = undefined;
        before = undefined;
        // A job that was canceled in the meantime stays unchanged.
        if (job.status !== 'scraping' || outdated) return;
        before = countsOf(job);
        changes = { ...shared, origins: new Set(), dropped: [] };
        await work(changes);
        shared.finally(job, saveJob);
      },
      (error) => {
        Object.assign(job, before);
        for (const page of changes?.dropped ?? []) options.onDropStored(page, false);
        const isOver = error instanceof RunOver && error.job === job.num;
        if (isOver || (changes && isOutcomeUnknown(error))) {
          outdated = true;
          options.onOutdated();
        }
      },
    );
    for (const page of changes?.dropped ?? []) options.onDropStored(page, true);
    for (const origin of changes?.origins ?? []) options.onAdded(origin);
  }

  /** Returns the place of a page that was just counted. */
  const nextPlace = () => job.completed + job.failed + job.blocked;

  function settlePage(page: SettledPage, { gather }: Commit): void {
    gather(frontier, page, settleAll);
  }

  function recordBlocked(id: number, url: string, error: string, commit: Commit): void {
    job.blocked++;
    const record = { place: nextPlace(), url };
    settlePage({ id, state: pageStates.blocked, at: clock.now(), record, failure: { error } }, commit);
  }

  function addPages(pages: readonly NewPage[], changes: Changes): void {
    if (pages.length > 0) changes.gather(addAll, { pages, changes }, addAll);
  }

  async function addAll(found: { pages: readonly NewPage[]; changes: Changes }[], commit: Commit): Promise<void> {
    const [first] = found;
    if (!first) return;
    const allowed: NewPage[] = [];
    const disallowed = new Map<string, { page: NewPage; reason: string }>();
    for (const page of found.flatMap(({ pages }) => pages)) {
      const reason = options.blockedBy(page);
      if (reason === undefined) allowed.push(page);
      else disallowed.set(page.identity, { page, reason });
    }
    // Pages that the job has already take no room, so there may be room for more of them.
    while (allowed.length > 0 && room() > 0) {
      const added = await frontier.add(job.num, allowed.splice(0, room()), commit.tx);
      job.added += added.length;
      for (const { page } of added) first.changes.origins.add(page.origin);
    }
    while (disallowed.size > 0 && job.blocked < maxBlocked) {
      const next = [...disallowed.values()].slice(0, maxBlocked - job.blocked);
      const added = await frontier.add(
        job.num,
        next.map(({ page }) => page),
        commit.tx,
      );
      job.added += added.length;
      for (const { id, page } of added)
        recordBlocked(id, page.url, disallowed.get(page.identity)?.reason ?? '', commit);
      for (const { page } of next) disallowed.delete(page.identity);
    }
  }

  /** Makes sure that the target of a redirect is stored once. Returns false if another page is already stored for it. */
  async function claim(page: WaitingPage, target: NewPage, changes: Changes): Promise<boolean> {
    const { tx, dropped } = changes;
    await changes.flush();
    const other = await frontier.known(job.num, target.identity, tx);
    if (other?.id === page.id) return true;
    if (other && (other.state !== pageStates.waiting || options.inFlight.has(other.id))) {
      return other.state === pageStates.failed || other.state === pageStates.blocked;
    }
    let claimed = other?.id;
    // At once, so that its fetch can't begin while this is stored.
    if (claimed !== undefined) options.onDropped(claimed);
    if (claimed === undefined) {
      const [added] = await frontier.add(job.num, [target], tx);
      claimed = added?.id;
      job.added++;
    }
    if (claimed !== undefined) {
      if (other) dropped.push(claimed);
      settlePage({ id: claimed, state: pageStates.passedOver, at: clock.now() }, changes);
    }
    job.passed_over++;
    return true;
  }

  function storeDocument({ id, url: asked }: WaitingPage, scraped: ScrapedPage, ready: Ready, changes: Changes): void {
    const { scrapeId, document, packed } = ready;
    job.completed++;
    job.credits += scraped.creditsUsed;
    const seq = job.completed;
    const row = { job: job.num, seq, scrape_id: scrapeId, ...packed, replay: JSON.stringify(scraped.replay) };
    changes.gather(documents, row, addDocuments);
    if (scraped.version) changes.gather(versions, scraped.version, storeVersions);
    const { url, title } = document.metadata;
    const { statusCode } = scraped;
    const record = { place: nextPlace(), url: url ?? asked, seq, title: title ?? undefined, statusCode };
    settlePage({ id, state: pageStates.done, at: clock.now(), record }, changes);
    changes.gather(ledger, { caller, kind: job.kind, credits: scraped.creditsUsed }, chargeAll);
    changes.gather(events, jobEvent(job, 'page', { data: [document] }), emitAll);
  }

  return {
    get full() {
      return room() === 0;
    },
    add: (pages) => commit(async (changes) => addPages(pages, changes)),
    async settle(page, outcome) {
      const ready = outcome.kind === 'document' ? await readyOf(outcome.scraped) : undefined;
      await commit(async (changes) => {
        if (outcome.kind === 'document' || outcome.kind === 'passed over') addPages(outcome.found, changes);
        switch (outcome.kind) {
          case 'document':
            if (ready && (!outcome.finalPage || (await claim(page, outcome.finalPage, changes))))
              return storeDocument(page, outcome.scraped, ready, changes);
            settlePage({ id: page.id, state: pageStates.repeated, at: clock.now() }, changes);
            job.repeated++;
            return;
          case 'passed over':
            settlePage({ id: page.id, state: pageStates.passedOver, at: clock.now() }, changes);
            job.passed_over++;
            return;
          case 'blocked':
            return recordBlocked(page.id, page.url, outcome.error, changes);
          case 'failed': {
            const { code, error, metadata } = outcome;
            job.failed++;
            const { url, title, statusCode } = metadata;
            const record = {
              ...{ place: nextPlace(), url: url ?? page.url },
              ...{ title: title ?? undefined, statusCode: statusCode ?? undefined },
            };
            const failure = { code, error };
            settlePage({ id: page.id, state: pageStates.failed, at: clock.now(), record, failure }, changes);
            changes.gather(events, jobEvent(job, 'page', { data: [{ metadata }], error }), emitAll);
          }
        }
      });
    },
  };
}

/** What a work changes, besides the job. */
interface Changes extends Commit {
  origins: Set<string>;
  dropped: number[];
}

/** A document with its id, as it will be stored. */
interface Ready {
  scrapeId: string;
  document: ScrapedPage['document'];
  packed: Pick<NewDocument, 'document' | 'packed'>;
}

async function readyOf({ document: scraped }: ScrapedPage): Promise<Ready> {
  const scrapeId = randomUUID();
  const document = { ...scraped, metadata: { ...scraped.metadata, scrapeId } };
  return { scrapeId, document, packed: await packDocument(document) };
}

interface Charge {
  caller: Caller;
  kind: JobKind;
  credits: number;
}

/** Charges what the jobs of a transaction cost, in the same order on every node: none waits for one that waits for it. */
async function chargeTogether(charges: readonly Charge[], ledger: Ledger, tx: Database): Promise<void> {
  const accounts = Map.groupBy(charges, ({ caller, kind }) => JSON.stringify([caller.team, caller.keyLabel, kind]));
  for (const [, items] of [...accounts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [first] = items;
    const sum = items.reduce((total, { credits }) => total + credits, 0);
    if (first) await ledger.charge(first.caller, first.kind, sum, tx, items.length);
  }
}

function countsOf({ added, completed, failed, blocked, repeated, passed_over, credits }: Job): JobCounts {
  return { added, completed, failed, blocked, repeated, passed_over, credits };
}
