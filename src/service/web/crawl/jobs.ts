import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { addScheme } from '../../../contract/addresses.ts';
import type { JobErrors, jobStatusQuery, StartBatchBody } from '../../../contract/crawl/crawl-jobs.ts';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import { isOutcomeUnknown, transaction } from '../../../storage/storage.ts';
import { inTurns } from '../../platform/async.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { purgeRegularly, removeInChunks } from '../../platform/job-upkeep.ts';
import type { Database, Unreadable } from '../../platform/storage/storage.ts';
import type { Activity } from '../../platform/team/activity.ts';
import type { StoredScrape } from '../scrape/scrape-table.ts';
import { errorsOf, stateOf } from './job-state.ts';
import { leftOutOf, noPagesReason, onePageReason } from './left-out.ts';
import { createRunningJobs, type RunningJobsParts } from './run/running-jobs.ts';
import { identityOf, identityRules, parseLink } from './scope/urls.ts';
import { whyNotRepeated } from './since.ts';
import { placeIds } from './store/found-on.ts';
import type { NewPage } from './store/frontier.ts';
import { type Job, type JobKind, jobEvent, limitOf, type NewJob } from './store/job-table.ts';
import { type JobStore, openStore } from './store/store.ts';

/** What a crawl is started with, with a new id by default. */
export type NewCrawl = Pick<NewJob, 'url' | 'options' | 'scrapeOptions' | 'webhook' | 'idempotencyKey' | 'warning'> &
  Partial<Pick<NewJob, 'id'>>;

/** Rows of an expired job that are removed at a time. */
const purgeChunk = 500;

export type Jobs = ReturnType<typeof createJobs>;

/** All crawls and batches of the service. Methods for a job throw 404 if it doesn't exist and 403 if it belongs to another team. */
export function createJobs(
  given: Omit<RunningJobsParts, keyof JobStore> & {
    database: Database;
    unreadable: Unreadable;
    activity: Activity;
    /** Throws when the URL's address is blocked. */
    checkTarget(url: URL): void;
    /** Called when expired jobs were removed. */
    onRemoved?(): void;
  },
) {
  const { database, unreadable } = given;
  const parts = { ...given, ...openStore(database, unreadable) };
  const { jobs, frontier, leftOut, documents, commits, clock, events, log } = parts;
  const running = createRunningJobs(parts);
  const { queue, closing } = running;
  async function insert(
    caller: Caller,
    { id = randomUUID(), ...fields }: NewCrawl & Pick<NewJob, 'kind' | 'since'>,
    pages: NewPage[],
  ): Promise<Job> {
    if (fields.webhook) parts.checkTarget(new URL(fields.webhook.url));
    const job = await transaction(database, async (tx) => {
      await parts.ledger.require(caller.team, 1, tx);
      const added = await jobs.insert(
        { ...fields, id, team: caller.team, key_label: caller.keyLabel, createdAt: clock.now() },
        tx,
      );
      if (!added) throw new ServiceError(409, 'Idempotency key already used', { code: 'IDEMPOTENCY_KEY_USED' });
      await addPages(added, pages, tx);
      if (!added.options.zeroDataRetention)
        await parts.activity.record({ id, team: caller.team, endpoint: added.kind, target: added.url }, tx);
      await events.emit([jobEvent(added, 'started')], tx);
      await queue.push(added, tx);
      return added;
    }).catch((error: unknown) => {
      // It may have been stored nevertheless: then it runs.
      if (isOutcomeUnknown(error)) void queue.push({ id, team: caller.team }, database).catch(() => undefined);
      throw error;
    });
    return job;
  }

  async function addPages(job: Job, pages: NewPage[], tx: Database): Promise<void> {
    const { length } = await frontier.add(job.num, pages, tx);
    job.added += length;
    await jobs.grow(job.num, length, tx);
  }

  async function find(caller: Caller, kind: JobKind, id: string): Promise<Job> {
    const stored = await jobs.find(id);
    if (stored?.kind !== kind) throw new ServiceError(404, 'Job not found.');
    return checked(caller, stored);
  }

  function checked(caller: Caller, stored: Job | undefined): Job {
    if (!stored) throw new ServiceError(404, 'Job not found.');
    if (stored.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
    if (stored.status !== 'scraping' && stored.expires_at <= clock.now()) throw new ServiceError(404, 'Job expired.');
    return stored;
  }

  /** Returns the number of the crawl that another one repeats. Throws 400 if they can't be compared. */
  async function repeated(caller: Caller, id: string, crawl: NewCrawl): Promise<number> {
    const earlier = await jobs.find(id);
    const problem = whyNotRepeated(earlier, caller.team, crawl, clock.now());
    if (!earlier || problem !== undefined) throw new ServiceError(400, `since: ${problem}`);
    return earlier.num;
  }

  async function append(caller: Caller, id: string, pages: NewPage[]): Promise<Job> {
    const stored = await find(caller, 'batch_scrape', id);
    let job = stored;
    let before = 0;
    await commits.runNow(
      async ({ tx }) => {
        const current = (await jobs.lock(id, tx)) ?? stored;
        // A run has its own copy of the job.
        const own = running.find(id)?.job;
        job = own?.runs === current.runs ? own : current;
        before = job.added;
        if (job.status !== 'scraping' || current.status !== 'scraping') {
          job = current;
          return;
        }
        await addPages(job, pages, tx);
        if (job !== own) await running.signals.send('crawl-changed', id, tx);
      },
      (failure) => {
        job.added = before;
        if (isOutcomeUnknown(failure)) running.find(id)?.outdate();
      },
    );
    if (job.status !== 'scraping') throw new ServiceError(409, 'Batch scrape is already completed');
    running.find(id)?.noteAdded(new Set(pages.map(({ origin }) => origin)));
    return job;
  }

  /** Throws 409 when the job has already ended. */
  async function cancel(caller: Caller, kind: JobKind, id: string): Promise<void> {
    const stored = await find(caller, kind, id);
    if (stored.status === 'scraping' && (await running.finish(stored, 'cancelled', undefined)) === 'ended') {
      running.find(id)?.stop();
      return;
    }
    const { status } = await find(caller, kind, id);
    throw new ServiceError(409, `${kind === 'crawl' ? 'Crawl' : 'Batch scrape'} is already ${status}`);
  }

  /**
   * Lets a crawl that ended at its limit go on, with a higher one: twice the old one by default. Throws 409 if it hasn't
   * completed or found no more pages, 400 if the limit isn't higher.
   */
  async function continueCrawl(caller: Caller, id: string, asked: number | undefined): Promise<Job> {
    const before = limitOf(await find(caller, 'crawl', id));
    const limit = asked ?? Math.min(2 * before, limits.crawlPages.max);
    if (limit <= before) throw new ServiceError(400, `limit: expected more than the crawl's limit of ${before}`);
    await commits.runNow(async ({ tx }) => {
      const job = await jobs.lock(id, tx);
      if (job?.status !== 'completed')
        throw new ServiceError(409, `The crawl is ${job?.status ?? 'gone'}. Only a completed crawl can continue.`);
      await parts.ledger.require(caller.team, 1, tx);
      job.added += (await frontier.takeUp(job.num, tx)).length;
      if (!(await frontier.isWaiting(job.num, tx)))
        throw new ServiceError(409, 'The crawl found no more pages. Start a new one to look again.');
      await jobs.reopen({ ...job, options: { ...job.options, limit } }, tx);
      if (!(await queue.pushAgain(job, tx)))
        throw new ServiceError(409, 'The crawl is about to end. Try again in a moment.');
      parts.log.info({ job: id, limit }, 'a crawl goes on with a higher limit');
    });
    running.notifyFollowers(id);
    return await find(caller, 'crawl', id);
  }

  /** Removes what has expired. Returns the milliseconds until the next job expires, if there is one. */
  async function purge(): Promise<number | undefined> {
    await removeInChunks(() => parts.activity.prune(purgeChunk), closing);
    const expired = await jobs.expired(clock.now());
    for (const { num } of expired) {
      await removeInChunks(() => frontier.remove(num, purgeChunk), closing);
      await removeInChunks(() => documents.remove(num, purgeChunk), closing);
      await leftOut.remove(num);
      if (closing.aborted) return undefined;
      await jobs.remove(num);
    }
    if (expired.length > 0) parts.onRemoved?.();
    const next = await jobs.nextExpiry();
    return next === undefined ? undefined : next - clock.now();
  }

  return {
    async startCrawl(caller: Caller, { url, options, ...rest }: NewCrawl): Promise<Job> {
      const since =
        options.since === undefined ? undefined : await repeated(caller, options.since, { url, options, ...rest });
      const start = parseLink(url);
      if (!start) throw new ServiceError(400, 'url: expected an http or https URL without a user name and password');
      parts.checkTarget(start);
      const page = { ...pageAt(start, identityOf(start, identityRules(options))), foundOn: placeIds.start };
      const pages = options.sitemap === 'only' ? [] : [page];
      return await insert(caller, { ...rest, kind: 'crawl', url: start.href, options, since }, pages);
    },
    /** Starts a batch, or adds to one. Throws 400 for an invalid URL unless those are ignored, 409 if the batch has ended. */
    async startBatch(
      caller: Caller,
      body: StartBatchBody,
      idempotencyKey: string | undefined,
    ): Promise<{ job: Job; invalidUrls: string[] }> {
      const { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, zeroDataRetention, ...rest } = body;
      const { origin: _origin, integration: _integration, ...pageOptions } = rest;
      const scrapeOptions = zeroDataRetention ? { ...pageOptions, storeInCache: false } : pageOptions;
      const pages: NewPage[] = [];
      const invalidUrls: string[] = [];
      await inTurns(urls, (text) => {
        const url = batchUrl(text);
        if (url) pages.push(batchPage(url));
        else invalidUrls.push(text.slice(0, limits.url));
      });
      if (invalidUrls.length > 0 && !ignoreInvalidURLs)
        throw new ServiceError(400, `urls: "${shorten(invalidUrls[0] ?? '')}" isn't a valid http or https URL`);
      if (appendToId !== undefined) {
        const isRetained = !(await find(caller, 'batch_scrape', appendToId)).options.zeroDataRetention;
        if (zeroDataRetention && isRetained)
          throw new ServiceError(
            400,
            'zeroDataRetention: the batch in appendToId was started without it; start a new batch',
          );
        return { job: await append(caller, appendToId, pages), invalidUrls };
      }
      const fields = {
        kind: 'batch_scrape' as const,
        url: pages[0]?.url ?? '',
        options: {
          ...(maxConcurrency !== undefined && { maxConcurrency }),
          ...(zeroDataRetention && { zeroDataRetention }),
        },
        scrapeOptions,
        webhook,
        idempotencyKey,
      };
      return { job: await insert(caller, fields, pages), invalidUrls };
    },
    find,
    ofTeam: jobs.ofTeam,
    /** Returns a job of any kind. */
    findAny: async (caller: Caller, id: string): Promise<Job> => checked(caller, await jobs.find(id)),
    /** @param jobUrl URL of the job, for `next` */
    async state(
      caller: Caller,
      kind: JobKind,
      id: string,
      { skip = 0, limit = limits.documentsPage.default, onlyChanges = false }: z.output<typeof jobStatusQuery>,
      jobUrl: string,
    ) {
      const stored = await find(caller, kind, id);
      const { bytes } = limits.documentsPage;
      const { texts, last } = await documents.read(stored.num, { after: skip, count: limit, bytes, onlyChanges });
      const read = onlyChanges ? (last ?? stored.completed) - skip : texts.length;
      const state = stateOf(stored, { skip, read, limit, onlyChanges, jobUrl, now: clock.now() });
      // Pages of documents that follow don't repeat it.
      if (kind !== 'crawl' || stored.status === 'scraping' || skip > 0) return { state, documents: texts };
      const leftOut = await leftOutOf(stored, parts);
      const isEmpty = stored.status === 'completed' && stored.completed === 0;
      const why = isEmpty ? noPagesReason(stored, leftOut) : onePageReason(stored, leftOut);
      const warning = [state.warning, why].filter(Boolean).join('\n');
      return { state: { ...state, ...(warning !== '' && { warning }), leftOut }, documents: texts };
    },
    async errors(caller: Caller, kind: JobKind, id: string): Promise<JobErrors> {
      const { num } = await find(caller, kind, id);
      return errorsOf(await frontier.failures(num), await frontier.blocked(num));
    },
    cancel,
    continueCrawl,
    running: (caller: Caller): Promise<Job[]> => jobs.runningOf(caller.team),
    follow: running.follow,
    /** Returns the JSON of documents of a job after its first `after` ones, long ones in UTF-8, at most `count` and about `bytes` of them. */
    texts: async (job: Job, after: number, count: number, bytes: number) =>
      (await documents.read(job.num, { after, count, bytes })).texts,
    /** Returns such documents. */
    documents: async (job: Job, after: number, count: number, bytes: number) =>
      (await documents.read(job.num, { after, count, bytes })).texts.map(
        (text) => JSON.parse(text.toString()) as ScrapeDocument,
      ),
    async counts({ team }: Caller) {
      const all = await jobs.runningOf(team);
      const teamRuns = [...running.all()].filter(({ job }) => job.team === team);
      return {
        jobs: all.length,
        waiting: all.filter(({ id, runner }) => queue.waits(id, runner)).length,
        pages: teamRuns.reduce((sum, { active }) => sum + active, 0),
        lastSuccess: await jobs.lastSuccess(team),
      };
    },
    /** Returns a page of a crawl or batch by its scrape id. */
    findScrape: (scrapeId: string): Promise<StoredScrape | undefined> => documents.find(scrapeId),
    /** Whether a job is running or waiting to run, or it isn't known yet. */
    busy: (): boolean => queue.busy(),
    /** Resumes the jobs that were running when the service last stopped. */
    resume(): void {
      void purgeRegularly(purge, { clock, log, closing });
      running.resume();
    },
    /** Stops all runs, which another service may resume. Jobs can still be changed. */
    giveUp: running.giveUp,
    /** Stops all runs; the next service resumes them. */
    async close(): Promise<void> {
      await running.giveUp();
      await commits.close();
    },
  };
}

function pageAt({ href, origin }: URL, identity: string): NewPage {
  return { url: href, origin, identity, depth: 0 };
}

/** Parses a URL of a batch, with or without a scheme. Keeps the fragment, because a single-page application may route by it. */
function batchUrl(text: string): URL | undefined {
  const url = addScheme(text);
  return parseLink(url) && new URL(url);
}

/** Returns the page of a URL of a batch: a URL that is given twice is scraped twice, as on other servers. */
function batchPage(url: URL): NewPage {
  return pageAt(url, `${url.href} ${randomUUID()}`);
}
