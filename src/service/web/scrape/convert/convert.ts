import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createHoldings, createTurns } from '../../../platform/turns.ts';
import { type Hunk, hunksOf } from '../changes/line-diff.ts';
import { createConverterProcess } from './converter-process.ts';
import {
  ConversionError,
  heldUpMs,
  type Job,
  lateReason,
  release,
  startThread,
  type Thread,
  takenBackMs,
} from './converter-thread.ts';
import type { CompareTask, ConvertResult, ConvertTask } from './tasks.ts';

export { ConversionError };

/** Converts pages on worker threads, so that a page can neither block nor crash the service. */
export type Converters = ReturnType<typeof createConverters>;

export interface ConversionOptions {
  /** Teams take turns. */
  team: string;
  /** Milliseconds that the conversion itself may take; then the page's thread is terminated. */
  timeoutMs: number;
  /** Milliseconds until the conversion has to be done, including the wait for a thread. */
  deadlineMs: number;
  /** Whether the caller needs the body afterwards. */
  keepsBody?: boolean;
  signal: AbortSignal;
}

export interface ConvertersOptions {
  /** Maximum number of threads, which are started as needed. */
  threads?: number;
  /** Additional threads, started when slow pages block the others. */
  reserve?: number;
  /** The program that threads run. */
  program?: string;
  /** Milliseconds of processor time that a conversion may take, and more for each MiB of a file. Each further page of a PDF has as much to be read, and to be laid out. */
  costMs?: number;
}

// In the built service `import.meta.dirname` is dist/, where the worker is bundled.
const worker = import.meta.dirname.endsWith(join('scrape', 'convert'))
  ? join(import.meta.dirname, 'worker.ts')
  : join(import.meta.dirname, 'page-converter.cjs');
/** Longer texts than these together are compared in a thread: the time grows with the square of the lines that differ. */
const comparedAtOnce = { characters: 16 * 1024, lines: 200 };
const comparisonMs = 30_000;
/** Threads in addition to all others, one for each team that has none. */
const shares = 2;

/** Bytes of a page from which on its conversion can take much memory, as that of any file can. */
const largePage = 8 * 1024 * 1024;

/** Opens the converters of the service: threads, and a process for what can take much memory. */
export function openConverters(apart = createConverterProcess(), threads = createConverters()): Converters {
  return {
    convert(task, options) {
      const isPage = task.kind === 'html' || task.kind === 'text';
      return (isPage && task.body.byteLength < largePage ? threads : apart).convert(task, options);
    },
    async compare(previous, current, options) {
      return areShort(previous, current)
        ? hunksOf(previous, current)
        : await threads.compare(previous, current, options);
    },
    async close() {
      await Promise.all([threads.close(), apart.close()]);
    },
  };
}

export function createConverters({
  threads = defaultThreads(),
  reserve = 2,
  program = worker,
  costMs = 2000,
}: ConvertersOptions = {}) {
  const waiting = createTurns<Job>();
  const running = createHoldings();
  const all = new Set<Thread>();
  let closed = false;
  let overdue: NodeJS.Timeout | undefined;

  function dispatch(): void {
    clearTimeout(overdue);
    let places = idleThreads() + Math.max(0, mayRun() - all.size);
    for (const thread of [...all]) {
      const isAlone = isOnly(thread.next);
      const job = places > 0 || isAlone ? thread.takeBack(isAlone ? heldUpMs : takenBackMs) : undefined;
      if (!job) continue;
      const own = places-- > 0 || job.isGivenUp ? undefined : start();
      if (own) own.run(job);
      else putBack(job);
    }
    while (waiting.size > 0) {
      const thread = choose();
      const job = thread ? waiting.take() : waiting.take((team) => running.of(team) === 0 && all.size < most + shares);
      if (!job) {
        overdue = setTimeout(dispatch, heldUpMs).unref();
        return;
      }
      const chosen = thread ?? start();
      if (chosen) {
        chosen.run(job);
      } else if (all.size > 0) {
        waiting.putBack(job.team, job);
        overdue = setTimeout(dispatch, heldUpMs).unref();
        return;
      } else {
        job.reject(new ConversionError('page', "The system couldn't start a thread to convert the page. Try again."));
      }
    }
    if ([...all].some(({ next }) => next)) overdue = setTimeout(dispatch, heldUpMs).unref();
  }

  /** Whether a page may have one of the threads for teams that have no other. */
  const isOnly = (job: Job | undefined) => job !== undefined && running.of(job.team) === 1 && all.size < most + shares;
  const idleThreads = () => [...all].filter(({ load }) => load === 0).length;
  /** Returns how many threads there may be now. */
  const mayRun = () => threads + Math.min([...all].filter((thread) => thread.isHeldUp()).length, reserve);

  /** Gives a page back to its team, unless nobody waits for it any more. */
  function putBack(job: Job): void {
    if (!job.isGivenUp) waiting.putBack(job.team, job);
  }

  /** Returns an idle thread, a new one, or one that will be idle soon. */
  function choose(): Thread | undefined {
    const live = [...all];
    const idle = live.find((thread) => thread.load === 0);
    if (idle) return idle;
    const another = live.length < mayRun() ? start() : undefined;
    return another ?? live.find((thread) => thread.load === 1 && !thread.isHeldUp());
  }

  const most = threads + reserve;

  /** Starts a thread, unless the system has no memory for it. */
  function start(): Thread | undefined {
    let thread: Thread;
    try {
      thread = startThread(program, costMs, {
        isSpare: () => all.size > 1,
        onRun: (team, by) => running.change(team, by),
        onDone: dispatch,
        onEnd: (unstarted) => {
          all.delete(thread);
          for (const job of unstarted.toReversed()) putBack(job);
          if (!closed) dispatch();
        },
      });
    } catch {
      return undefined;
    }
    all.add(thread);
    return thread;
  }

  async function run<Result extends ConvertResult | Hunk[]>(
    task: Job['task'],
    { team, timeoutMs, deadlineMs, keepsBody = true, signal }: ConversionOptions,
  ): Promise<Result> {
    signal.throwIfAborted();
    if (closed) throw new ConversionError('page', 'The service is shutting down.');
    const { promise, resolve, reject } = Promise.withResolvers<ConvertResult | Hunk[]>();
    const until = performance.now() + deadlineMs;
    const job: Job = { task, team, keepsBody, timeoutMs, until, resolve, reject };
    waiting.add(team, job);
    const giveUp = (reason: string) => {
      waiting.remove(team, job);
      job.isGivenUp = true;
      // If a thread already has the page, its result is ignored.
      reject(new ConversionError('timeout', reason));
    };
    const cancel = () => giveUp('The conversion was canceled.');
    const timer = setTimeout(giveUp, deadlineMs, lateReason);
    signal.addEventListener('abort', cancel, { once: true });
    dispatch();
    try {
      const result = await promise;
      if (!keepsBody) release(task.body);
      return result as Result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }

  return {
    /** Throws a ConversionError. */
    convert: (task: ConvertTask, options: ConversionOptions) => run<ConvertResult>(task, options),
    /** Returns where two texts differ. Throws a ConversionError. */
    async compare(previous: string, current: string, { team, signal }: { team: string; signal(): AbortSignal }) {
      const limits = { timeoutMs: comparisonMs, deadlineMs: comparisonMs };
      const task: CompareTask = { kind: 'compare', previous, current, body: new Uint8Array() };
      return run<Hunk[]>(task, { team, ...limits, signal: signal() });
    },
    async close() {
      closed = true;
      clearTimeout(overdue);
      const ends = [...all].map((thread) => thread.end());
      for (const job of waiting.clear()) job.reject(new ConversionError('page', 'The service is shutting down.'));
      await Promise.all(ends);
    },
  };
}

function areShort(...texts: string[]): boolean {
  const { characters, lines } = comparedAtOnce;
  if (texts.reduce((sum, { length }) => sum + length, 0) > characters) return false;
  return texts.reduce((sum, text) => sum + text.split('\n').length, 0) <= lines;
}

function defaultThreads(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}
