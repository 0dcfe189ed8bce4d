import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { addScheme } from '../../contract/addresses.ts';
import type { CrawlOptions, JobErrors, JobState, StartBatchBody } from '../../contract/crawl-jobs.ts';
import { limits } from '../../contract/limits.ts';
import type { ScrapeDocument, ScrapeOptions } from '../../contract/scrape.ts';
import type { WebhookConfig } from '../../contract/webhooks.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Caller } from '../http/keys.ts';
import type { StoredScrape } from '../scrape/scrape-table.ts';
import { transaction } from '../storage/storage.ts';
import type { Activity } from '../team/activity.ts';
import { createJobQueue } from './job-queue.ts';
import { jobEvent } from './run/job-events.ts';
import { type JobRun, runJob } from './run/job-run.ts';
import type { RunParts } from './run/run-parts.ts';
import { identityOf, parseLink } from './scope/urls.ts';
import type { FailedPage, NewPage } from './store/frontier.ts';
import type { Job, JobKind, NewJob } from './store/job-table.ts';

/** What a crawl is started with. */
export interface NewCrawl {
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
}

/** All crawls and batches of the service. Methods for a job throw 404 if it doesn't exist and 403 if it belongs to another team. */
export interface Jobs {
  startCrawl(caller: Caller, crawl: NewCrawl): Job;
  /** Starts a batch, or adds to one. Throws 400 for an invalid URL unless those are ignored, 409 if the batch has ended. */
  startBatch(
    caller: Caller,
    body: StartBatchBody,
    idempotencyKey: string | undefined,
  ): { job: Job; invalidUrls: string[] };
  /** @param jobUrl URL of the job, for `next` */
  state(caller: Caller, kind: JobKind, id: string, range: DocumentRange, jobUrl: string): JobState;
  errors(caller: Caller, kind: JobKind, id: string): JobErrors;
  /** Throws 409 when the job has already ended. */
  cancel(caller: Caller, kind: JobKind, id: string): void;
  running(caller: Caller): Job[];
  find(caller: Caller, kind: JobKind, id: string): Job;
  /** Returns a job of any kind. */
  findAny(caller: Caller, id: string): Job;
  /** Calls `listener` whenever progress of the job is stored, and when it ends. Returns a function that stops this. */
  follow(id: string, listener: () => void): () => void;
  /** Returns documents of a job after its first `after` ones, at most `count` and about `bytes` of them. */
  documents(job: Job, after: number, count: number, bytes: number): ScrapeDocument[];
  counts(caller: Caller): { jobs: number; waiting: number; pages: number; lastSuccess: number | undefined };
  /** Returns a page of a crawl or batch by its scrape id. */
  findScrape(scrapeId: string): StoredScrape | undefined;
  /** Resumes the jobs that were running when the service last stopped. */
  resume(): void;
  /** Stops all runs; the next service resumes them. */
  close(): void;
}

/** Most jobs that run at the same time; others wait. */
export const jobsAtATime = 20;
const purgeIntervalMs = 60 * 60 * 1000;
const purgeChunk = 500;
const storeRetryMs = 30_000;

export function createJobs(
  database: DatabaseSync,
  parts: RunParts & {
    activity: Activity;
    /** Throws when the URL's address is blocked. */
    checkTarget(url: URL): void;
    /** Called when expired jobs were removed. */
    onRemoved?(): void;
  },
): Jobs {
  const { jobs, frontier, documents, commits, clock, events } = parts;
  const runs = new Map<string, JobRun>();
  const followers = new Map<string, Set<() => void>>();
  const queue = createJobQueue(() => jobs.running().map(({ id }) => id), jobsAtATime);
  let closed = false;
  let cancelPurge: () => void = () => undefined;

  const notifyFollowers = (id: string) => {
    for (const listener of followers.get(id) ?? []) listener();
  };

  async function run(id: string): Promise<void> {
    const job = jobs.find(id);
    if (job?.status !== 'scraping' || closed) return;
    const jobRun = runJob(job, parts, {
      onStored: () => notifyFollowers(id),
      onFree: () => {
        for (const other of runs.values()) if (other !== jobRun) other.pump();
      },
    });
    runs.set(id, jobRun);
    jobRun.pump();
    const end = await jobRun.ended;
    runs.delete(id);
    if (end) await finishWithRetries(job, end.status, 'error' in end ? end.error : undefined);
  }

  /** Retries until the end of the job is stored: a full disk may have room again. */
  async function finishWithRetries(job: Job, status: 'completed' | 'failed', error: string | undefined): Promise<void> {
    while (!closed) {
      try {
        return finish(job, status, error);
      } catch (failure) {
        parts.log.error({ job: job.id, reason: messageOf(failure) }, 'the end of a job could not be stored');
        await new Promise<void>((resolve) => clock.after(storeRetryMs, resolve));
      }
    }
  }

  function finish(job: Job, status: 'completed' | 'failed' | 'cancelled', error: string | undefined): void {
    commits.flush();
    transaction(database, () => {
      jobs.save(job);
      jobs.end(job.num, status, error ?? null, clock.now());
      events.emit(jobEvent(job, status, { error }));
    });
    job.status = status;
    parts.log.info({ job: job.id, status, pages: job.completed }, 'a job ended');
    notifyFollowers(job.id);
  }

  function insert(
    caller: Caller,
    fields: Omit<NewJob, 'team' | 'key_label' | 'id' | 'createdAt'>,
    pages: NewPage[],
  ): Job {
    parts.ledger.require(caller.team, 1);
    if (fields.webhook) parts.checkTarget(new URL(fields.webhook.url));
    const { idempotencyKey } = fields;
    if (idempotencyKey !== undefined && jobs.hasKey(caller.team, idempotencyKey))
      throw new ServiceError(409, 'Idempotency key already used', { code: 'IDEMPOTENCY_KEY_USED' });
    const job = transaction(database, () => {
      const id = randomUUID();
      const added = jobs.insert({
        ...fields,
        id,
        team: caller.team,
        key_label: caller.keyLabel,
        createdAt: clock.now(),
      });
      addPages(added, pages);
      parts.activity.record({ id, team: caller.team, endpoint: added.kind, target: added.url });
      events.emit(jobEvent(added, 'started'));
      return added;
    });
    queue.push(job.id);
    return job;
  }

  function addPages(job: Job, pages: NewPage[]): void {
    for (const page of pages) if (frontier.add(job.num, page)) job.added++;
    jobs.save(job);
  }

  function find(caller: Caller, kind: JobKind, id: string): Job {
    if (jobs.find(id)?.kind !== kind) throw new ServiceError(404, 'Job not found.');
    return findAny(caller, id);
  }

  function findAny(caller: Caller, id: string): Job {
    const stored = jobs.find(id);
    if (!stored) throw new ServiceError(404, 'Job not found.');
    if (stored.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
    if (stored.status !== 'scraping' && stored.expires_at <= clock.now()) throw new ServiceError(404, 'Job expired.');
    return stored;
  }

  function append(caller: Caller, id: string, pages: NewPage[]): Job {
    const job = find(caller, 'batch_scrape', id);
    const running = runs.get(id);
    if (job.status !== 'scraping') throw new ServiceError(409, 'Batch scrape is already completed');
    commits.flush();
    const current = running?.job ?? job;
    transaction(database, () => addPages(current, pages));
    running?.noteAdded(new Set(pages.map(({ origin }) => origin)));
    return current;
  }

  async function purge(): Promise<void> {
    parts.activity.prune();
    const expired = jobs.expired(clock.now());
    for (const { num } of expired) {
      while (!closed && (frontier.remove(num, purgeChunk) > 0 || documents.remove(num, purgeChunk) > 0)) {
        await new Promise(setImmediate);
      }
      if (closed) return;
      jobs.remove(num);
    }
    if (expired.length > 0) parts.onRemoved?.();
    cancelPurge = clock.after(purgeIntervalMs, () => void purge());
  }

  return {
    startCrawl(caller, { url, options, ...rest }) {
      const start = parseLink(url);
      if (!start) throw new ServiceError(400, 'url: expected an http or https URL without a user name and password');
      parts.checkTarget(start);
      const identity = identityOf(start, {
        ignoreQueryParameters: options.ignoreQueryParameters === true,
        deduplicateSimilarURLs: options.deduplicateSimilarURLs !== false,
      });
      const pages = options.sitemap === 'only' ? [] : [{ url: start.href, origin: start.origin, identity, depth: 0 }];
      return insert(caller, { ...rest, kind: 'crawl', url: start.href, options }, pages);
    },
    startBatch(caller, body, idempotencyKey) {
      const { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, zeroDataRetention, ...rest } = body;
      const { origin: _origin, integration: _integration, ...scrapeOptions } = rest;
      const parsed = urls.map((text) => ({ text, url: batchUrl(text) }));
      const invalidUrls = parsed.filter(({ url }) => !url).map(({ text }) => text.slice(0, 8192));
      if (invalidUrls.length > 0 && !ignoreInvalidURLs)
        throw new ServiceError(400, `urls: "${invalidUrls[0]?.slice(0, 200)}" isn't a valid http or https URL`);
      const pages = parsed.flatMap(({ url }) =>
        url ? [{ url: url.href, origin: url.origin, identity: url.href, depth: 0 }] : [],
      );
      if (appendToId !== undefined) return { job: append(caller, appendToId, pages), invalidUrls };
      const fields = {
        kind: 'batch_scrape' as const,
        url: pages[0]?.url ?? '',
        options: { ...(maxConcurrency !== undefined && { maxConcurrency }) },
        scrapeOptions,
        webhook,
        idempotencyKey,
      };
      return { job: insert(caller, fields, pages), invalidUrls };
    },
    find,
    findAny,
    state(caller, kind, id, { skip = 0, limit = limits.documentsPage.default }, jobUrl) {
      const stored = find(caller, kind, id);
      const data = documents.page(stored.num, skip, limit, limits.documentsPage.bytes);
      return stateOf(stored, data, { skip, limit, jobUrl, now: clock.now() });
    },
    errors(caller, kind, id) {
      const { num } = find(caller, kind, id);
      return errorsOf(frontier.failures(num), frontier.blocked(num));
    },
    cancel(caller, kind, id) {
      const stored = find(caller, kind, id);
      if (stored.status !== 'scraping') {
        const what = kind === 'crawl' ? 'Crawl' : 'Batch scrape';
        throw new ServiceError(409, `${what} is already ${stored.status}`);
      }
      const running = runs.get(id);
      finish(running?.job ?? stored, 'cancelled', undefined);
      running?.stop();
    },
    running: (caller) => jobs.runningOf(caller.team),
    follow(id, listener) {
      const listeners = followers.get(id) ?? new Set();
      followers.set(id, listeners);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && followers.get(id) === listeners) followers.delete(id);
      };
    },
    documents: (job, after, count, bytes) => documents.page(job.num, after, count, bytes),
    counts({ team }) {
      const all = jobs.runningOf(team);
      const teamRuns = [...runs.values()].filter(({ job }) => job.team === team);
      return {
        jobs: all.length,
        waiting: all.length - teamRuns.length,
        pages: teamRuns.reduce((sum, { active }) => sum + active, 0),
        lastSuccess: jobs.lastSuccess(team),
      };
    },
    findScrape: (scrapeId) => documents.find(scrapeId),
    resume() {
      void purge();
      queue.consume(run);
    },
    close() {
      closed = true;
      cancelPurge();
      queue.close();
      for (const running of runs.values()) running.stop();
      commits.close();
    },
  };
}

/** Parses a URL of a batch, with or without a scheme. Keeps the fragment, because a single-page application may route by it. */
function batchUrl(text: string): URL | undefined {
  const url = addScheme(text);
  return parseLink(url) && new URL(url);
}

/** Returns how many documents a job has, or is expected to have in the end. */
export function totalOf(job: Job): number {
  if (job.status === 'completed') return job.completed;
  const fetched = job.completed + job.failed + job.repeated;
  const waiting = job.added - fetched - job.blocked - job.passed_over;
  const limit = job.kind === 'crawl' ? (job.options.limit ?? limits.crawlPages.default) : Number.POSITIVE_INFINITY;
  return job.completed + Math.max(0, Math.min(waiting, limit - fetched));
}

/** Returns the state of a job for a response, with some of its documents. */
export function stateOf(
  job: Job,
  data: ScrapeDocument[],
  { skip, limit, jobUrl, now }: { skip: number; limit: number; jobUrl: string; now: number },
): JobState {
  const read = skip + data.length;
  const query = new URLSearchParams({
    skip: String(read),
    ...(limit !== limits.documentsPage.default && { limit: String(limit) }),
  });
  return {
    // The request succeeded, whatever the job did: published clients retry forever if a status response says otherwise.
    success: true,
    status: job.status,
    completed: job.completed,
    total: totalOf(job),
    creditsUsed: job.credits,
    createdAt: date(job.created_at),
    ...(job.ended_at !== null && { completedAt: date(job.ended_at) }),
    expiresAt: date(job.expires_at),
    duration: Math.max(0, Math.round(((job.ended_at ?? now) - job.created_at) / 1000)),
    // Published clients follow `next` immediately, so it is set only when there is more to read.
    ...(read < job.completed && { next: `${jobUrl}?${query}` }),
    data,
    ...(job.error !== null && { error: job.error }),
    ...(job.warning !== null && { warning: job.warning }),
  };
}

/** Returns the failed and blocked pages of a job for a response. */
export function errorsOf(failures: FailedPage[], robotsBlocked: string[]): JobErrors {
  return {
    errors: failures.map(({ id, url, code, error, ended_at }) => ({
      id: String(id),
      timestamp: date(ended_at),
      url,
      code: code ?? 'UNKNOWN_ERROR',
      error: error ?? '',
    })),
    robotsBlocked,
  };
}

function date(at: number): string {
  return new Date(at).toISOString();
}
