import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { ConvertResult, ConvertTask } from './tasks.ts';
import type { WorkerAnswer } from './worker.ts';

/** Converts pages on threads of their own, so that a page can neither block nor crash the service. */
export interface Converters {
  /** Throws a ConversionError; a page that takes longer than `timeoutMs` is given up, whatever it does. */
  convert(task: ConvertTask, limits: { timeoutMs: number; signal: AbortSignal }): Promise<ConvertResult>;
  close(): Promise<void>;
}

export class ConversionError extends Error {
  /** `selector`: what was asked for is wrong; `timeout` and `page`: the page is. */
  readonly kind: 'selector' | 'timeout' | 'page';

  constructor(kind: 'selector' | 'timeout' | 'page', message: string) {
    super(message);
    this.name = 'ConversionError';
    this.kind = kind;
  }
}

export interface ConvertersOptions {
  /** Threads that are started as they are needed. */
  threads?: number;
  /** Threads beyond those, started when pages hold all of them up. */
  reserve?: number;
}

// In the built service `import.meta.dirname` is dist/, where the worker is bundled.
const program = import.meta.dirname.endsWith(join('scrape', 'convert'))
  ? join(import.meta.dirname, 'worker.ts')
  : join(import.meta.dirname, 'page-converter.cjs');
/** A small young generation: what a page leaves behind is dead by the time that the next one comes. */
const heap = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };
/** How long a thread may take to start. */
const startMs = 30_000;
/** A page that takes longer than this holds its thread up: others are not to wait for it. */
const heldUpMs = 250;
/** Threads that have had nothing to do for so long end, all but one: starting one costs more than converting most pages. */
const idleMs = 30_000;

interface Job {
  task: ConvertTask;
  timeoutMs: number;
  resolve(result: ConvertResult): void;
  reject(error: ConversionError): void;
}

export function createConverters({ threads = defaultThreads(), reserve = 2 }: ConvertersOptions = {}): Converters {
  const waiting: Job[] = [];
  const all = new Set<Thread>();
  let closed = false;
  let overdue: NodeJS.Timeout | undefined;

  function dispatch(): void {
    clearTimeout(overdue);
    while (waiting.length > 0) {
      const thread = choose();
      if (!thread) {
        overdue = setTimeout(dispatch, heldUpMs).unref();
        return;
      }
      const job = waiting.shift();
      if (job) thread.run(job);
    }
  }

  /** An idle thread, a new one, or one that will have nothing to do before long. */
  function choose(): Thread | undefined {
    const living = [...all];
    const idle = living.find((thread) => thread.load === 0);
    if (idle) return idle;
    const heldUp = living.filter((thread) => thread.isHeldUp()).length;
    if (living.length < threads + Math.min(heldUp, reserve)) return start();
    return living.find((thread) => thread.load === 1 && !thread.isHeldUp());
  }

  function start(): Thread {
    const thread = startThread({
      isSpare: () => all.size > 1,
      onDone: dispatch,
      onEnd: (undone) => {
        all.delete(thread);
        waiting.unshift(...undone);
        if (!closed) dispatch();
      },
    });
    all.add(thread);
    return thread;
  }

  return {
    async convert(task, { timeoutMs, signal }) {
      signal.throwIfAborted();
      if (closed) throw new ConversionError('page', 'The service is ending.');
      const { promise, resolve, reject } = Promise.withResolvers<ConvertResult>();
      const job: Job = { task, timeoutMs, resolve, reject };
      waiting.push(job);
      const leave = () => {
        const index = waiting.indexOf(job);
        if (index !== -1) waiting.splice(index, 1);
        // Of a page that a thread has already, what it makes of it is dropped.
        reject(new ConversionError('timeout', 'The conversion was given up.'));
      };
      signal.addEventListener('abort', leave, { once: true });
      dispatch();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    async close() {
      closed = true;
      clearTimeout(overdue);
      const ends = [...all].map((thread) => thread.end());
      for (const job of waiting.splice(0)) job.reject(new ConversionError('page', 'The service is ending.'));
      await Promise.all(ends);
    },
  };
}

function defaultThreads(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

interface Thread {
  /** Pages it has been given: the one it is at, and one that it goes on with at once. */
  readonly load: number;
  /** Whether it has been at one page for long. */
  isHeldUp(): boolean;
  run(job: Job): void;
  end(): Promise<void>;
}

interface ThreadEvents {
  onDone(): void;
  /** @param undone pages that it had been given and did not begin with */
  onEnd(undone: Job[]): void;
  isSpare(): boolean;
}

function startThread(events: ThreadEvents): Thread {
  const worker = new Worker(program, {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: heap,
  });
  const jobs: Job[] = [];
  let timer: NodeJS.Timeout | undefined;
  let beganAt = 0;
  let ready = false;
  let ended = false;

  const endIfSpare = () => {
    if (events.isSpare()) void end();
    else rest();
  };
  function rest(): void {
    worker.unref();
    timer = setTimeout(endIfSpare, idleMs).unref();
  }
  function begin(job: Job): void {
    beganAt = performance.now();
    // A busy machine takes its time to start a thread: that is not the page's.
    const timeoutMs = ready ? job.timeoutMs : startMs;
    timer = setTimeout(() => {
      const seconds = timeoutMs / 1000;
      finish()?.reject(new ConversionError('timeout', `The page could not be converted within ${seconds} s.`));
      void end();
    }, timeoutMs);
  }
  function finish(): Job | undefined {
    clearTimeout(timer);
    return jobs.shift();
  }
  async function end(): Promise<void> {
    clearTimeout(timer);
    if (!ended) {
      ended = true;
      events.onEnd(jobs.splice(0));
    }
    await worker.terminate();
  }
  worker.on('message', (answer: WorkerAnswer) => {
    if ('ready' in answer) {
      ready = true;
      clearTimeout(timer);
      if (jobs[0]) begin(jobs[0]);
      return;
    }
    const job = finish();
    if ('result' in answer) job?.resolve(answer.result);
    else job?.reject(new ConversionError(answer.failure.kind, answer.failure.message));
    if (ended) return;
    const [next] = jobs;
    if (next) begin(next);
    else rest();
    events.onDone();
  });
  worker.on('error', (error) => {
    // Out of memory, or a fault of a parser: the page's, not the service's.
    finish()?.reject(new ConversionError('page', `The page could not be converted: ${messageOf(error)}`));
    void end();
  });

  return {
    get load() {
      return jobs.length;
    },
    isHeldUp: () => jobs.length > 0 && performance.now() - beganAt > heldUpMs,
    run(job) {
      jobs.push(job);
      if (jobs.length === 1) {
        clearTimeout(timer);
        worker.ref();
        begin(job);
      }
      worker.postMessage(job.task);
    },
    end,
  };
}
