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
  /** Threads at most; they are started as they are needed. */
  threads?: number;
}

// In the built service `import.meta.dirname` is dist/, where the worker is bundled.
const program = import.meta.dirname.endsWith(join('scrape', 'convert'))
  ? join(import.meta.dirname, 'worker.ts')
  : join(import.meta.dirname, 'page-converter.cjs');
const heapMegabytes = 512;
/** Threads that have had nothing to do for so long end, all but one: starting one costs more than converting most pages. */
const idleMs = 30_000;

interface Job {
  task: ConvertTask;
  timeoutMs: number;
  resolve(result: ConvertResult): void;
  reject(error: ConversionError): void;
}

export function createConverters({ threads = defaultThreads() }: ConvertersOptions = {}): Converters {
  const waiting: Job[] = [];
  const idle: Thread[] = [];
  const all = new Set<Thread>();
  let closed = false;

  function dispatch(): void {
    while (waiting.length > 0) {
      const thread = idle.pop() ?? (all.size < threads ? start() : undefined);
      if (!thread) return;
      const job = waiting.shift();
      if (job) thread.run(job);
    }
  }

  function start(): Thread {
    const thread = startThread({
      isSpare: () => all.size > 1,
      onIdle: () => {
        idle.push(thread);
        dispatch();
      },
      onEnd: () => {
        all.delete(thread);
        const index = idle.indexOf(thread);
        if (index !== -1) idle.splice(index, 1);
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
        if (index === -1) return;
        waiting.splice(index, 1);
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
      for (const job of waiting.splice(0)) job.reject(new ConversionError('page', 'The service is ending.'));
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

function defaultThreads(): number {
  return Math.min(4, Math.max(2, availableParallelism() - 1));
}

interface Thread {
  run(job: Job): void;
  end(): Promise<void>;
}

function startThread(events: { onIdle(): void; onEnd(): void; isSpare(): boolean }): Thread {
  const worker = new Worker(program, {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  let current: Job | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const endIfSpare = () => {
    if (events.isSpare()) void end();
    else timer = setTimeout(endIfSpare, idleMs).unref();
  };
  const finish = (): Job | undefined => {
    clearTimeout(timer);
    const job = current;
    current = undefined;
    return job;
  };
  const end = async () => {
    if (!ended) {
      ended = true;
      events.onEnd();
    }
    finish()?.reject(new ConversionError('page', 'The service is ending.'));
    await worker.terminate();
  };
  worker.on('message', (answer: WorkerAnswer) => {
    const job = finish();
    if ('result' in answer) job?.resolve(answer.result);
    else job?.reject(new ConversionError(answer.failure.kind, answer.failure.message));
    timer = setTimeout(endIfSpare, idleMs).unref();
    worker.unref();
    if (!ended) events.onIdle();
  });
  worker.on('error', (error) => {
    // Out of memory, or a fault of a parser: the page's, not the service's.
    finish()?.reject(new ConversionError('page', `The page could not be converted: ${messageOf(error)}`));
    void end();
  });

  return {
    run(job) {
      clearTimeout(timer);
      worker.ref();
      current = job;
      timer = setTimeout(() => {
        const seconds = job.timeoutMs / 1000;
        finish()?.reject(new ConversionError('timeout', `The page could not be converted within ${seconds} s.`));
        void end();
      }, job.timeoutMs);
      worker.postMessage(job.task);
    },
    end,
  };
}
