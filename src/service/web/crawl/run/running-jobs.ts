import { afterCommit, isOutcomeUnknown } from '../../../../storage/storage.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { SharedJobs } from '../../../platform/fleet/jobs/shared-jobs.ts';
import { noSignals } from '../../../platform/fleet/signals.ts';
import { type Claim, openJobQueue } from '../../../platform/job-queue.ts';
import { storeEnd } from '../../../platform/job-upkeep.ts';
import type { Database } from '../../../platform/storage/storage.ts';
import type { IdleMemory } from '../../../platform/system/idle-memory.ts';
import { type Job, jobEvent, RunOver } from '../store/job-table.ts';
import { type JobRun, runJob } from './job-run.ts';
import type { RunEnd } from './run-end/run-end.ts';
import type { RunParts } from './run-parts.ts';
import { createKeptKnowledge } from './site-knowledge/site-knowledge.ts';

type Ended = Exclude<RunEnd, { status: 'outdated' }>;
type Stored = 'ended' | 'had ended' | 'has more to do';

/** Maximum number of jobs that run at the same time; others wait, except for one of each team that has none. */
const jobsAtATime = 20;

export interface RunningJobsParts extends RunParts {
  database: Database;
  /** How the jobs are shared with other nodes; undefined: with none. */
  shared?: SharedJobs | undefined;
  /** Told when jobs run, and when none does. */
  memory?: IdleMemory;
}

/** The jobs that run in this service: takes them from the queue, stores their ends, and tells who follows them. */
export function createRunningJobs(parts: RunningJobsParts) {
  const { jobs, frontier, commits, clock, events, shared, log } = parts;
  const { signals = noSignals } = shared ?? {};
  const runs = new Map<string, JobRun>();
  const followers = new Map<string, Set<() => void>>();
  const kept = createKeptKnowledge();
  const queue = openJobQueue({ kind: 'crawl', stored: () => jobs.running(), maxRunning: jobsAtATime }, parts);
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

  async function run(id: string, claim: Claim, givenUp?: string): Promise<void> {
    if (givenUp !== undefined) {
      const job = await jobs.find(id);
      if (job) await finishWithRetries(job, { status: 'failed', error: givenUp });
      return;
    }
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
      if (end) kept.keep(jobRun.job, jobRun.knowledge);
      if (runs.get(id) === jobRun) runs.delete(id);
      if (runs.size === 0) parts.memory?.idle();
    }
  }

  /** Creates the run of a job, in turn with everything else that changes jobs. A job that can't be run ends. */
  async function begin(id: string, claim: Claim): Promise<JobRun | undefined> {
    let jobRun: JobRun | undefined;
    let failed: { job: Job; error: unknown } | undefined;
    await commits.runNow(async ({ tx }) => {
      jobRun = undefined;
      if (!(await claim.holds(tx))) return;
      const job = await jobs.begin(id, shared?.node, tx);
      if (!job) return;
      afterCommit(tx, () => {
        if (closing.signal.aborted) return;
        try {
          jobRun = runJob(job, parts, kept.take(job), {
            onStored: () => notifyFollowers(id),
            onFree: () => {
              for (const other of runs.values()) if (other !== jobRun) other.pump();
            },
          });
          runs.set(id, jobRun);
        } catch (error) {
          failed = { job, error };
        }
      });
    });
    if (failed) {
      const { job, error } = failed as { job: Job; error: unknown };
      log.error({ job: id, reason: messageOf(error) }, 'a job could not be run');
      await finishWithRetries(job, { status: 'failed', error: `The job can't be run: ${messageOf(error)}` });
    }
    return jobRun;
  }

  /** Stores the end of a job. Returns false if it has more to do. */
  async function finishWithRetries(job: Job, end: Ended): Promise<boolean> {
    const store = () => finish(job, end.status, 'error' in end ? end.error : undefined);
    return (await storeEnd(job.id, store, upkeep)) !== 'has more to do';
  }

  /** Stores the end of a job. Pages may have been added to a batch since it completed, and another request may have canceled it. */
  async function finish(job: Job, status: Ended['status'] | 'cancelled', error: string | undefined): Promise<Stored> {
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
  ): Promise<Stored> {
    let job: Job | undefined;
    let result: Stored = 'had ended';
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
        gather(events, jobEvent(job, status, { error }), events.emit);
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
    queue,
    signals,
    /** Aborts when this service gives up its jobs. */
    closing: closing.signal,
    find: (id: string): JobRun | undefined => runs.get(id),
    all: (): Iterable<JobRun> => runs.values(),
    finish,
    notifyFollowers,
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
    resume: () => queue.consume(run),
    giveUp,
  };
}
