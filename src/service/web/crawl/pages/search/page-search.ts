import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { orAborted } from '../../../../platform/async.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { ServiceError } from '../../../../platform/errors.ts';
import { startThread } from '../../../../platform/system/start-thread.ts';
import { createTurns } from '../../../../platform/turns.ts';
import type { SearchAnswer, SearchedJob, SearchMessage, SearchRequest, SearchTask, SearchThreadData } from './tasks.ts';

export type PageSearch = ReturnType<typeof createPageSearch>;

// In the built service `import.meta.dirname` is dist/, where the thread is bundled.
const program = import.meta.dirname.endsWith(join('pages', 'search'))
  ? join(import.meta.dirname, 'thread.ts')
  : join(import.meta.dirname, 'page-search.cjs');
/** A thread that has had nothing to do for this long is stopped. */
const idleMs = 60_000;
/** A search that takes longer is ended: others wait for it. */
const longestMs = 30_000;

interface Asked {
  team: string;
  task: SearchTask;
  resolve(answer: SearchAnswer): void;
  reject(error: unknown): void;
}

/** Searches the text of pages on a separate thread, which indexes them first. Teams take turns. */
export function createPageSearch(paths: SearchThreadData, clock: Clock) {
  let thread: Worker | undefined;
  let closed = false;
  /** What the thread works on. */
  let current: Asked | undefined;
  const waiting = createTurns<Asked>();
  /** Teams whose search was ended, until its thread has: SQLite can't be interrupted. */
  const ending = new Set<string>();
  let cancelIdle: () => void = () => undefined;
  let cancelDeadline: () => void = () => undefined;

  function start(): Worker {
    const worker = startThread(program, { workerData: paths });
    worker.unref();
    const lost = (error: Error) => {
      if (thread !== worker) return;
      thread = undefined;
      finish()?.reject(error);
      next();
    };
    worker.on('message', (message: SearchMessage) => {
      if (thread !== worker) return;
      if (message.kind === 'idle') {
        cancelIdle();
        cancelIdle = clock.after(idleMs, () => {
          if (!current) void stop();
        });
        return;
      }
      const asked = finish();
      if (message.kind === 'answer') asked?.resolve(message.answer);
      if (message.kind === 'failure') asked?.reject(new Error(`The pages could not be searched: ${message.message}`));
      next();
    });
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('The search thread stopped unexpectedly. Search again.')));
    return worker;
  }

  async function stop(): Promise<void> {
    cancelIdle();
    const worker = thread;
    thread = undefined;
    await worker?.terminate();
  }

  /** Gives the thread its next task. */
  function next(): void {
    if (current || closed) return;
    current = waiting.take((team) => !ending.has(team));
    if (!current) return;
    cancelIdle();
    if (current.task.kind === 'search') cancelDeadline = clock.after(longestMs, () => void giveUp());
    try {
      thread ??= start();
      thread.postMessage(current.task);
    } catch {
      fail(new Error("The system couldn't start a thread to search the pages. Search again."));
    }
  }

  function finish(): Asked | undefined {
    cancelDeadline();
    const asked = current;
    current = undefined;
    return asked;
  }

  /** Ends the search that takes too long, with its thread. */
  async function giveUp(): Promise<void> {
    const asked = finish();
    if (!asked) return;
    asked.reject(
      new ServiceError(
        400,
        `The search took more than ${longestMs / 1000} s. Search for fewer words, or in the pages of one job.`,
        { code: 'SEARCH_TOO_SLOW' },
      ),
    );
    ending.add(asked.team);
    const ended = stop();
    next();
    await ended;
    ending.delete(asked.team);
    next();
  }

  function fail(error: Error): void {
    for (const asked of [finish(), ...waiting.clear()]) asked?.reject(error);
  }

  /** What can't be indexed or removed now is left to the next search. */
  function inBackground(team: string, task: SearchTask): void {
    waiting.add(team, { team, task, resolve: () => undefined, reject: () => undefined });
    next();
  }

  return {
    /** Rejects with the signal's reason when it aborts; a search that hasn't begun then never does. */
    async search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
      signal.throwIfAborted();
      if (closed) throw new Error('The service is shutting down.');
      const { team } = request;
      const { promise, ...asked } = Promise.withResolvers<SearchAnswer>();
      const search: Asked = { ...asked, team, task: { kind: 'search', request } };
      waiting.add(team, search);
      next();
      return await orAborted(promise, signal).finally(() => waiting.remove(team, search));
    },
    /** Indexes a job in the background. */
    index: (team: string, job: SearchedJob): void => inBackground(team, { kind: 'index', team, jobs: [job] }),
    /** Removes jobs that no longer exist from the index. */
    sweep(): void {
      if (thread || existsSync(paths.index)) inBackground('', { kind: 'sweep' });
    },
    async close(): Promise<void> {
      closed = true;
      fail(new Error('The service is shutting down.'));
      await stop();
    },
  };
}
