import { randomUUID } from 'node:crypto';
import { isOutcomeUnknown } from '../../../../storage/storage.ts';
import type { Caller } from '../../../platform/http/keys.ts';
import { type Database, packText } from '../../../platform/storage/storage.ts';
import type { Ledger } from '../../../platform/team/ledger.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { packDocument } from '../../scrape/stored-document.ts';
import type { FoundForm } from '../choice-pages.ts';
import type { Commit } from '../store/commits.ts';
import type { NewDocument } from '../store/documents.ts';
import { placeIds } from '../store/found-on.ts';
import { type NewPage, type PageCopy, pageStates, type SettledPage, type WaitingPage } from '../store/frontier.ts';
import { countsOf, type Job, type JobCounts, type JobKind, jobEvent, RunOver } from '../store/job-table.ts';
import { type Additions, asPage, createFoundPages } from './found-pages.ts';
import type { Outcome, RepeatedReason } from './outcome.ts';
import type { PageChange } from './repeat.ts';
import type { RunParts } from './run-parts.ts';
import { minLength } from './site-knowledge/page-texts.ts';
import type { SiteKnowledge } from './site-knowledge/site-knowledge.ts';

export interface PageStoreOptions {
  /** Ids of the pages being fetched. */
  inFlight: ReadonlySet<number>;
  /** What is known of earlier runs, too: see `SiteKnowledge`. */
  inPlaceOf: SiteKnowledge['inPlaceOf'];
  /** A page that was not known before waits to be read. */
  onAdded(page: NewPage): void;
  /** Returns why robots.txt blocks the page; undefined if it doesn't, or isn't known yet. */
  blockedBy(page: NewPage): string | undefined;
  /** A waiting page turned out to be stored already, so it needs no fetch. */
  onDropped(page: number): void;
  /** Whether what was dropped could be stored. If not, the page waits again. */
  onDropStored(page: number, stored: boolean): void;
  /** What this run knows of the job may differ from what is stored: it stores nothing more. */
  onOutdated(): void;
}

const doubtful =
  "The site shows the same for a URL in this folder that doesn't exist: it may not have this page, although it answered with status 200.";

export type PageStore = ReturnType<typeof createPageStore>;

/** Stores what a job finds; each outcome is stored as a whole or not at all. */
export function createPageStore(
  job: Job,
  parts: Pick<
    RunParts,
    'jobs' | 'frontier' | 'leftOut' | 'documents' | 'versions' | 'commits' | 'ledger' | 'events' | 'clock'
  >,
  options: PageStoreOptions,
) {
  const { jobs, frontier, leftOut, documents, versions, ledger, events, clock } = parts;
  const caller = { team: job.team, keyLabel: job.key_label };
  const foundPages = createFoundPages(job, parts, { blockedBy: options.blockedBy, recordBlocked, commit });
  let outdated = false;

  const chargeAll = (charges: Charge[], tx: Database) => chargeTogether(charges, ledger, tx);

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
        changes = { ...shared, dropped: [], added: [] };
        await work(changes);
        shared.finally(job, (tx) => jobs.save(job, tx));
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
    for (const page of changes?.added ?? []) options.onAdded(page);
  }

  /** Returns the place of a page that was just counted. */
  const nextPlace = () => job.completed + job.failed + job.blocked;

  function settlePage(page: Omit<SettledPage, 'at'>, { gather }: Commit): void {
    gather(frontier, { ...page, at: clock.now() }, frontier.settle);
  }

  function recordBlocked(id: number, url: string, error: string, commit: Commit): void {
    job.blocked++;
    const record = { place: nextPlace(), url };
    settlePage({ id, state: pageStates.blocked, record, failure: { error } }, commit);
  }

  /** Makes sure that the target of a redirect is stored once. Returns false if another page is already stored for it. */
  async function claim(page: WaitingPage, target: NewPage, scraped: ScrapedPage, changes: Changes): Promise<boolean> {
    const { tx, dropped } = changes;
    await changes.flush();
    const other = await frontier.known(job.num, target.identity, tx);
    if (other?.id === page.id) return true;
    const isOpen = other?.state === pageStates.waiting || other?.state === pageStates.beyond;
    if (other && (!isOpen || options.inFlight.has(other.id))) {
      // As robots.txt disallows it, others are stored for it, unless it is a login in their place. The start page was asked for.
      if (other.state === pageStates.blocked)
        return page.found_on === placeIds.start || !scraped.isLogin || !scraped.asksToLogIn;
      // The reason for which it failed may have passed.
      const { inPlaceOf } = options;
      if (other.state === pageStates.failed && !inPlaceOf.has(other.id)) inPlaceOf.set(other.id, page.id);
      return inPlaceOf.get(other.id) === page.id;
    }
    if (other) {
      // At once, so that its fetch can't begin while this is stored.
      options.onDropped(other.id);
      dropped.push(other.id);
    }
    const claimed = other?.id ?? (await frontier.add(job.num, [target], tx))[0]?.id;
    if (other?.state !== pageStates.waiting) job.added++;
    if (claimed !== undefined) settlePage({ id: claimed, state: pageStates.passedOver }, changes);
    job.passed_over++;
    return true;
  }

  function storeDocument(
    { id, url: asked }: WaitingPage,
    scraped: ScrapedPage,
    { scrapeId, document, packed, source }: Ready,
    change: PageChange | undefined,
    changes: Changes,
  ): void {
    job.completed++;
    if (scraped.rendered) job.rendered++;
    if (document.warning) job.warned++;
    job.credits += scraped.creditsUsed;
    const seq = job.completed;
    const row = { job: job.num, seq, scrape_id: scrapeId, ...packed, source, replay: JSON.stringify(scraped.replay) };
    changes.gather(documents, row, documents.add);
    if (scraped.version) changes.gather(versions, scraped.version, versions.store);
    const { url, title, readBecause } = document.metadata;
    const record = {
      place: nextPlace(),
      url: url ?? asked,
      seq,
      title: title ?? null,
      status_code: scraped.statusCode,
      read_because: readBecause ?? null,
      warning: document.warning ?? null,
      change: change?.status ?? null,
      digest: (scraped.wording?.length ?? 0) < minLength ? undefined : scraped.wording?.digest,
    };
    if (change) job[`${change.status}_pages`]++;
    const failure = change?.reason === undefined ? undefined : { error: change.reason };
    settlePage({ id, state: pageStates.done, record, failure }, changes);
    changes.gather(ledger, { caller, kind: job.kind, credits: scraped.creditsUsed }, chargeAll);
    changes.gather(events, jobEvent(job, 'page', { data: [document] }), events.emit);
  }

  function settleRepeated(page: WaitingPage, reason: RepeatedReason, changes: Changes, copy?: PageCopy): void {
    settlePage({ id: page.id, state: pageStates.repeated, copy }, changes);
    job.repeated++;
    foundPages.leaveOut({ ...page, identity: `repeated ${page.identity}` }, reason, changes);
  }

  /** Says of pages that are stored that the site may not have them. */
  async function doubt(identities: readonly string[], { flush, tx }: Commit): Promise<void> {
    if (identities.length === 0) return;
    await flush();
    const doubted = await frontier.warn(job.num, identities, doubtful, tx);
    await documents.warn(job.num, doubted, doubtful, tx);
    job.warned += doubted.length;
  }

  /** Settles a page that was found only to be read for its links: it is no page of the job, even if it failed. */
  function settleLinkPage({ id, identity, url }: WaitingPage, outcome: Outcome, changes: Changes): void {
    if (outcome.kind === 'failed') {
      const { code, error } = outcome;
      return settlePage({ id, state: pageStates.failed, failure: { code, error } }, changes);
    }
    if (outcome.kind === 'blocked') foundPages.leaveOut(asPage({ identity, url }), 'robots', changes);
    if (outcome.kind === 'read for links' && outcome.read) job.link_reads++;
    settlePage({ id, state: pageStates.passedOver }, changes);
  }

  return {
    /** Whether the frontier has as many pages as the job can use. */
    get full() {
      return foundPages.room() === 0;
    },
    /** Adds pages to the frontier. */
    async add(pages: readonly NewPage[]): Promise<void> {
      const judged = await foundPages.judged(pages);
      await commit(async (changes) => foundPages.add(judged, changes));
    },
    /** Keeps a form for a run that goes on with the job: what only it leads to is known at the end. */
    keepForm: (found: FoundForm): Promise<void> =>
      commit(async ({ tx }) => {
        await leftOut.addForm(job.num, found, tx);
      }),
    takeUp: foundPages.takeUp,
    /** Settles pages that are not read for their links after all. */
    async leaveUnread(pages: readonly WaitingPage[]): Promise<void> {
      if (pages.length > 0)
        await commit(async (changes) => {
          for (const { id, identity, url } of pages) {
            settlePage({ id, state: pageStates.passedOver }, changes);
            foundPages.leaveOut({ identity: `unread ${identity}`, url }, 'unread', changes);
          }
        });
    },
    /** Stores the outcome of a page. Rejects when it could not be stored; then none of it counts. */
    async settle(page: WaitingPage, outcome: Outcome): Promise<void> {
      const ready = outcome.kind === 'document' ? await readyOf(outcome.scraped, job.kind === 'crawl') : undefined;
      const found = 'found' in outcome ? outcome.found.map((each) => foundFrom(page, each)) : [];
      const judged = await foundPages.judged(found);
      await commit(async (changes) => {
        foundPages.add(judged, changes);
        if (page.for_links === 1) return settleLinkPage(page, outcome, changes);
        switch (outcome.kind) {
          case 'document': {
            if (!ready) return;
            const { scraped, finalPage, change } = outcome;
            if (!finalPage || (await claim(page, finalPage, scraped, changes)))
              return storeDocument(page, scraped, ready, change, changes);
            return settleRepeated(page, scraped.asksToLogIn ? 'login' : 'duplicate', changes);
          }
          case 'repeated':
            await doubt(outcome.earlier ?? [], changes);
            return settleRepeated(page, outcome.reason, changes, outcome.copy);
          case 'trap':
          case 'passed over':
          case 'read for links':
            settlePage({ id: page.id, state: pageStates.passedOver }, changes);
            job.passed_over++;
            if (outcome.kind === 'trap')
              foundPages.leaveOut({ ...page, identity: `trap ${page.identity}` }, 'trap', changes);
            return;
          case 'blocked':
            return recordBlocked(page.id, page.url, outcome.error, changes);
          case 'failed': {
            const { code, error, metadata } = outcome;
            job.failed++;
            const { url, title, statusCode } = metadata;
            const found = { title: title ?? null, status_code: statusCode ?? null };
            const record = { place: nextPlace(), url: url ?? page.url, ...found };
            const failure = { code, error };
            settlePage({ id: page.id, state: pageStates.failed, record, failure }, changes);
            changes.gather(events, jobEvent(job, 'page', { data: [{ metadata }], error }), events.emit);
          }
        }
      });
    },
  };
}

/** What a work changes, besides the job. */
interface Changes extends Additions {
  dropped: number[];
}

/** Returns a page with where it was found: on the page that was read, or where that was if it is the same one. */
function foundFrom({ id, url, found_on }: WaitingPage, found: NewPage): NewPage {
  const place = found.foundOn ?? (found.url === url ? found_on : id);
  return place === null ? found : { ...found, foundOn: place };
}

/** A document with its id, as it will be stored. */
interface Ready {
  scrapeId: string;
  document: ScrapedPage['document'];
  packed: Pick<NewDocument, 'document' | 'packed'>;
  source: Uint8Array | null;
}

/** @param isCrawl whether another crawl may compare with it */
async function readyOf({ document: scraped, source, links }: ScrapedPage, isCrawl: boolean): Promise<Ready> {
  const scrapeId = randomUUID();
  const document = { ...scraped, metadata: { ...scraped.metadata, scrapeId } };
  return {
    scrapeId,
    document,
    packed: await packDocument(document),
    source: isCrawl && source ? (source.packed ?? (await packText(JSON.stringify({ ...source, links })))) : null,
  };
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
