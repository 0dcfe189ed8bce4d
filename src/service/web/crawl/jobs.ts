import { randomUUID } from 'node:crypto';
import { addScheme } from '../../../contract/addresses.ts';
import type { CrawlOptions, JobErrors, JobState, StartBatchBody } from '../../../contract/crawl/crawl-jobs.ts';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { WebhookConfig } from '../../../contract/webhooks/webhooks.ts';
import { afterCommit, isOutcomeUnknown, transaction } from '../../../storage/storage.ts';
import { inTurns } from '../../platform/async.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { SharedJobs } from '../../platform/fleet/jobs/shared-jobs.ts';
import { noSignals } from '../../platform/fleet/signals.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { type Claim, type CreateJobQueue, createJobQueue } from '../../platform/job-queue.ts';
import { purgeRegularly, removeInChunks, storeEnd } from '../../platform/job-upkeep.ts';
import type { Database } from '../../platform/storage/storage.ts';
import type { IdleMemory } from '../../platform/system/idle-memory.ts';
import type { Activity } from '../../platform/team/activity.ts';
import type { StoredScrape } from '../scrape/scrape-table.ts';
import { errorsOf, stateOf } from './job-state.ts';
import { leftOutOf, noPagesReason, onlyStartReason } from './left-out.ts';
import { type JobRun, runJob } from './run/job-run.ts';
import type { RunEnd } from './run/run-end.ts';
import type { RunParts } from './run/run-parts.ts';
import { identityOf, identityRules, parseLink, type UrlIdentity } from './scope/urls.ts';
import { whyNotRepeated } from './since.ts';
import type { NewPage } from './store/frontier.ts';
import { type Job, type JobKind, jobEvent, type NewJob, RunOver } from './store/job-table.ts';

/** What a crawl is started with. */
export interface NewCrawl {
  /** A new one by default. */
  id?: string | undefined;
  url: string;
  options: CrawlOptions;
  scrapeOptions: ScrapeOptions;
  webhook: WebhookConfig | undefined;
  idempotencyKey: string | undefined;
  warning?: string | undefined;
}

/** A range of a job's documents. */
export interface DocumentRange {
  skip?: number | undefined;
  limit?: number | undefined;
  onlyChanges?: boolean | undefined;
}

/** A job's state without its documents, which stay as they are stored. */
export interface StoredState {
  state: JobState;
  /** JSON of the documents for `data`. */
  documents: (string | Buffer)[];
}

type Ended = Exclude<RunEnd, { status: 'outdated' }>;

/** Maximum number of jobs that run at the same time; others wait, except for one of each team that has none. */
export const jobsAtATime = 20;
/** Rows of an expired job that are removed at a time. */
const purgeChunk = 500;

export type Jobs = ReturnType<typeof createJobs>;

/** All crawls and batches of the service. Methods for a job throw 404 if it doesn't exist and 403 if it belongs to another team. */
export function createJobs(
  database: Database,
  parts: RunParts & {
    activity: Activity;
    /** Throws when the URL's address is blocked. */
    checkTarget(url: URL): void;
    /** Called when expired jobs were removed. */
    onRemoved?(): void;
    /** How the jobs are shared with other nodes; undefined: with none. */
    shared?: SharedJobs | undefined;
    /** Told when jobs run, and when none does. */
    memory?: IdleMemory;
  },
) {
  const { jobs, frontier, leftOut, documents, commits, clock, events, shared, log } = parts;
  const { signals = noSignals } = shared ?? {};
  const createQueue: CreateJobQueue = shared?.createJobQueue ?? ((given) => createJobQueue(given, { clock, log }));
  const runs = new Map<string, JobRun>();
  const followers = new Map<string, Set<() => void>>();
  const queue = createQueue({
    kind: 'crawl',
    stored: () => jobs.running(),
    maxRunning: jobsAtATime,
  });
  const closing = new AbortController();
  const upkeep = { clock, log: parts.log, closing: closing.signal };

  const tellFollowers = (id: string) => {
    for (const listener of followers.get(id) ?? []) listener();
  };
  /** Tells the followers here, and soon those on other nodes. */
  const notifyFollowers = (id: string) => {
    tellFollowers(id);
    signals.sendSoon('crawl-progress', id);
  };

  parts.gates.onChange(() => {
    for (const each of runs.values()) each.pump();
  });
  signals.on('crawl-progress', tellFollowers);
  signals.on('crawl-changed', (id) => void lookAgain(id));
  signals.onGap(() => {
    for (const id of followers.keys()) tellFollowers(id);
    for (const id of runs.keys()) void lookAgain(id);
  });

  /** Takes up what another node changed of a job that runs here. Never rejects. */
  async function lookAgain(id: string): Promise<void> {
    const running = runs.get(id);
    if (!running) return;
    try {
      const job = await jobs.find(id);
      if (job?.status !== 'scraping' || job.runs !== running.job.runs) return running.outdate();
      const origins = new Set<string>();
      await frontier.eachOrigin(job.num, (origin) => origins.add(origin));
      running.noteAdded(origins);
    } catch (error) {
      // What the run stores next tells it.
      log.debug({ job: id, reason: messageOf(error) }, 'a change of a job could not be read');
    }
  }

  async function run(id: string, claim: Claim): Promise<void> {
    for (let again = true; again && !closing.signal.aborted && !claim.signal.aborted; ) {
      const jobRun = await begin(id, claim);
      if (!jobRun) return;
      const onLost = () => jobRun.stop();
      claim.signal.addEventListener('abort', onLost, { once: true });
      if (claim.signal.aborted) onLost();
      parts.memory?.busy();
      jobRun.pump();
      const end = await jobRun.ended;
      claim.signal.removeEventListener('abort', onLost);
      if (end?.status === 'outdated') again = true;
      else again = end !== undefined && !(await finishWithRetries(jobRun.job, end));
      if (runs.get(id) === jobRun) runs.delete(id);
      if (runs.size === 0) parts.memory?.idle(jobRun.job.completed);
    }
  }

  /** Creates the run of a job, in turn with everything else that changes jobs. */
  async function begin(id: string, claim: Claim): Promise<JobRun | undefined> {
    let jobRun: JobRun | undefined;
    await commits.runNow(async ({ tx }) => {
      jobRun = undefined;
      if (!(await claim.holds(tx))) return;
      const job = await jobs.begin(id, shared?.node, tx);
      if (!job) return;
      afterCommit(tx, () => {
        if (closing.signal.aborted) return;
        jobRun = runJob(job, parts, {
          onStored: () => notifyFollowers(id),
          onFree: () => {
            for (const other of runs.values()) if (other !== jobRun) other.pump();
          },
        });
        runs.set(id, jobRun);
      });
    });
    return jobRun;
  }

  /** Stores the end of a job. Returns false if it has more to do. */
  async function finishWithRetries(job: Job, end: Ended): Promise<boolean> {
    const store = () => finish(job, end.status, 'error' in end ? end.error : undefined);
    return (await storeEnd(job.id, store, upkeep)) !== 'has more to do';
  }

  /** Stores the end of a job. Pages may have been added to a batch since it completed, and another request may have canceled it. */
  async function finish(
    job: Job,
    status: Ended['status'] | 'cancelled',
    error: string | undefined,
  ): Promise<'ended' | 'had ended' | 'has more to do'> {
    try {
      return await storeFinish(job, status, error);
    } catch (failure) {
      if (!(failure instanceof RunOver)) throw failure;
      // Another node runs the job, or has ended it: the one here is over.
      const outdated = runs.get(job.id);
      outdated?.outdate();
      runs.delete(job.id);
      return status === 'cancelled' ? await finish(job, status, error) : 'has more to do';
    }
  }

  async function storeFinish(
    { id, num, kind }: Job,
    status: Ended['status'] | 'cancelled',
    error: string | undefined,
  ): Promise<'ended' | 'had ended' | 'has more to do'> {
    let job: Job | undefined;
    let result: 'ended' | 'had ended' | 'has more to do' = 'had ended';
    await commits.runNow(
      async (commit) => {
        const { tx, gather, flush } = commit;
        result = 'had ended';
        await flush();
        // A run has its own copy of the job.
        const own = runs.get(id)?.job;
        job = own ?? (await jobs.lock(id, tx));
        if (job?.status !== 'scraping') return;
        if (own) {
          // First, so that no other node adds pages meanwhile; what else this transaction stores of the job is in it.
          await jobs.save(own, tx);
          commit.finally(own, async () => undefined);
        }
        if (status === 'completed' && kind === 'batch_scrape' && (await frontier.isWaiting(num, tx))) {
          result = 'has more to do';
          return;
        }
        // Its end may have been stored although an earlier attempt failed.
        if (!(await jobs.end(job, status, error ?? null, clock.now(), tx))) return;
        if (!own) await signals.send('crawl-changed', id, tx);
        gather(events, jobEvent(job, status, { error }), (items, commit) => events.emit(items, commit.tx));
        job.status = status;
        result = 'ended';
      },
      (failure) => {
        if (job && result === 'ended') job.status = 'scraping';
        if (isOutcomeUnknown(failure)) runs.get(id)?.outdate();
      },
    );
    if ((result as string) !== 'ended' || !job) return result;
    parts.log.info({ job: id, status, pages: job.completed }, 'a job ended');
    notifyFollowers(id);
    return result;
  }

  async function insert(
    caller: Caller,
    {
      id = randomUUID(),
      ...fields
    }: Omit<NewJob, 'team' | 'key_label' | 'id' | 'createdAt'> & { id?: string | undefined },
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
        const own = runs.get(id)?.job;
        job = own?.runs === current.runs ? own : current;
        before = job.added;
        if (job.status !== 'scraping' || current.status !== 'scraping') {
          job = current;
          return;
        }
        await addPages(job, pages, tx);
        if (job !== own) await signals.send('crawl-changed', id, tx);
      },
      (failure) => {
        job.added = before;
        if (isOutcomeUnknown(failure)) runs.get(id)?.outdate();
      },
    );
    if (job.status !== 'scraping') throw new ServiceError(409, 'Batch scrape is already completed');
    runs.get(id)?.noteAdded(new Set(pages.map(({ origin }) => origin)));
    return job;
  }

  /** Throws 409 when the job has already ended. */
  async function cancel(caller: Caller, kind: JobKind, id: string): Promise<void> {
    const stored = await find(caller, kind, id);
    if (stored.status === 'scraping' && (await finish(stored, 'cancelled', undefined)) === 'ended') {
      runs.get(id)?.stop();
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
    const { options, num } = await find(caller, 'crawl', id);
    const before = options.limit ?? limits.crawlPages.default;
    const limit = asked ?? Math.min(2 * before, limits.crawlPages.max);
    if (limit <= before) throw new ServiceError(400, `limit: expected more than the crawl's limit of ${before}`);
    await commits.runNow(async ({ tx }) => {
      const job = await jobs.lock(id, tx);
      if (job?.status !== 'completed')
        throw new ServiceError(409, `The crawl is ${job?.status ?? 'gone'}. Only a completed crawl can continue.`);
      await parts.ledger.require(caller.team, 1, tx);
      job.added += (await frontier.takeUp(num, tx)).length;
      if (!(await frontier.isWaiting(num, tx)))
        throw new ServiceError(409, 'The crawl found no more pages. Start a new one to look again.');
      await jobs.reopen({ ...job, options: { ...options, limit } }, tx);
      if (!(await queue.pushAgain(job, tx)))
        throw new ServiceError(409, 'The crawl is about to end. Try again in a moment.');
      parts.log.info({ job: id, limit }, 'a crawl goes on with a higher limit');
    });
    notifyFollowers(id);
    return await find(caller, 'crawl', id);
  }

  /** Removes what has expired. Returns the milliseconds until the next job expires, if there is one. */
  async function purge(): Promise<number | undefined> {
    await removeInChunks(() => parts.activity.prune(purgeChunk), closing.signal);
    const expired = await jobs.expired(clock.now());
    for (const { num } of expired) {
      await removeInChunks(() => frontier.remove(num, purgeChunk), closing.signal);
      await removeInChunks(() => documents.remove(num, purgeChunk), closing.signal);
      await leftOut.remove(num);
      if (closing.signal.aborted) return undefined;
      await jobs.remove(num);
    }
    if (expired.length > 0) parts.onRemoved?.();
    const next = await jobs.nextExpiry();
    return next === undefined ? undefined : next - clock.now();
  }

  /** Stops all runs, which another service may resume. Jobs can still be changed. */
  async function giveUp(): Promise<void> {
    closing.abort();
    queue.close();
    for (const running of runs.values()) running.stop();
    await commits.finish();
    if (shared) await jobs.leave(shared.node).catch(() => undefined);
    await queue.giveBack();
  }

  return {
    async startCrawl(caller: Caller, { url, options, ...rest }: NewCrawl): Promise<Job> {
      const since =
        options.since === undefined ? undefined : await repeated(caller, options.since, { url, options, ...rest });
      const start = parseLink(url);
      if (!start) throw new ServiceError(400, 'url: expected an http or https URL without a user name and password');
      parts.checkTarget(start);
      const pages = options.sitemap === 'only' ? [] : [newPage(start, identityRules(options))];
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
    /** Returns a job of any kind. */
    findAny: async (caller: Caller, id: string): Promise<Job> => checked(caller, await jobs.find(id)),
    /** @param jobUrl URL of the job, for `next` */
    async state(
      caller: Caller,
      kind: JobKind,
      id: string,
      { skip = 0, limit = limits.documentsPage.default, onlyChanges = false }: DocumentRange,
      jobUrl: string,
    ): Promise<StoredState> {
      const stored = await find(caller, kind, id);
      const range = { skip, limit, onlyChanges, jobUrl, now: clock.now(), read: 0 };
      let texts: (string | Buffer)[];
      if (onlyChanges) {
        const changes = await documents.changes(stored.num, skip, limit, limits.documentsPage.bytes);
        texts = changes.texts;
        range.read = (changes.last ?? stored.completed) - skip;
      } else {
        texts = await documents.texts(stored.num, skip, limit, limits.documentsPage.bytes);
        range.read = texts.length;
      }
      const state = stateOf(stored, [], range);
      // Pages of documents that follow don't repeat it.
      if (kind !== 'crawl' || stored.status === 'scraping' || skip > 0) return { state, documents: texts };
      const leftOut = await leftOutOf(stored, parts);
      const isEmpty = stored.status === 'completed' && stored.completed === 0;
      const why = isEmpty ? noPagesReason(stored, leftOut) : onlyStartReason(stored, leftOut);
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
    /** Calls `listener` whenever progress of the job is stored, and when it ends. Returns a function that stops this. */
    follow(id: string, listener: () => void): () => void {
      const listeners = followers.get(id) ?? new Set();
      followers.set(id, listeners);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && followers.get(id) === listeners) followers.delete(id);
      };
    },
    /** Returns documents of a job after its first `after` ones, at most `count` and about `bytes` of them. */
    documents: (job: Job, after: number, count: number, bytes: number) => documents.page(job.num, after, count, bytes),
    /** Returns the JSON of such documents, long ones in UTF-8. */
    texts: (job: Job, after: number, count: number, bytes: number) => documents.texts(job.num, after, count, bytes),
    async counts({ team }: Caller) {
      const all = await jobs.runningOf(team);
      const teamRuns = [...runs.values()].filter(({ job }) => job.team === team);
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
      void purgeRegularly(purge, upkeep);
      queue.consume(run);
    },
    giveUp,
    /** Stops all runs; the next service resumes them. */
    async close(): Promise<void> {
      await giveUp();
      await commits.close();
    },
  };
}

function newPage(url: URL, rules: UrlIdentity): NewPage {
  return { url: url.href, origin: url.origin, identity: identityOf(url, rules), depth: 0 };
}

/** Parses a URL of a batch, with or without a scheme. Keeps the fragment, because a single-page application may route by it. */
function batchUrl(text: string): URL | undefined {
  const url = addScheme(text);
  return parseLink(url) && new URL(url);
}

/** Returns the page of a URL of a batch: a URL that is given twice is scraped twice, as on other servers. */
function batchPage(url: URL): NewPage {
  return { url: url.href, origin: url.origin, identity: `${url.href} ${randomUUID()}`, depth: 0 };
}
