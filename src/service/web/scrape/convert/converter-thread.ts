import { shorten } from '../../../../contract/shorten.ts';
import { messageOf } from '../../../platform/errors.ts';
import { readLargeJson } from '../../../platform/read-large-json.ts';
import { startThread as startWorker } from '../../../platform/system/start-thread.ts';
import { heapBytes, limitOfWatched, processorMs, watchHeap } from '../../../platform/system/watch-heap.ts';
import type { Hunk } from '../changes/line-diff.ts';
import type { Claimable, CompareTask, ConvertResult, ConvertTask } from './tasks.ts';
import type { WorkerMessage } from './worker.ts';

export class ConversionError extends Error {
  /**
   * `selector`: a CSS selector in the request is invalid; `file`: the file is damaged, encrypted or not supported;
   * `timeout`: converting the page takes too much time or memory, or gives too much; `page`: it failed.
   */
  readonly kind: 'selector' | 'file' | 'timeout' | 'page';

  constructor(kind: ConversionError['kind'], message: string) {
    super(message);
    this.name = 'ConversionError';
    this.kind = kind;
  }
}

/** MiB of heap, with garbage, at which a thread is ended. */
const mostHeap = 400;
/** A small young generation is enough: a page's objects are garbage by the time the next page arrives. */
const heap = { maxOldGenerationSizeMb: limitOfWatched(mostHeap), maxYoungGenerationSizeMb: 16 };
/** Time limit for starting a thread. */
const startMs = 30_000;
const costMsPerMiB = 200;
/** How often a conversion that takes long is looked at. */
const lookMs = 100;
/** A thread that works on one page for longer than this counts as held up: other pages don't wait for it. */
export const heldUpMs = 250;
/** After this long, the page that waits behind the one that a thread works on is given to another thread. */
export const takenBackMs = 1000;
/** Threads idle for this long are stopped, except one: starting a thread takes longer than converting most pages. */
const idleMs = 30_000;
/** Threads with a larger heap, in bytes, end sooner, as it stays large. After ordinary pages, it has 25 to 36 MiB. */
const largeHeap = 40 * 1024 * 1024;
const largeIdleMs = 2000;

export interface Job {
  task: ConvertTask | CompareTask;
  team: string;
  keepsBody: boolean;
  timeoutMs: number;
  /** Monotonic milliseconds. */
  until: number;
  resolve(result: ConvertResult | Hunk[] | Promise<ConvertResult | Hunk[]>): void;
  reject(error: ConversionError): void;
  isGivenUp?: boolean;
}

export const lateReason = "The page wasn't converted within the timeout. Set a longer timeout.";
/** Which limit a page meets first depends on the machine: both are the same failure. */
const tooComplex = (cost: string) =>
  new ConversionError('timeout', `The page is too complex: converting it would take more than ${cost}.`);

export type Thread = ReturnType<typeof startThread>;

interface ThreadEvents {
  /** Called when the thread takes work of a team (1), and when it no longer has it (-1). */
  onRun(team: string, by: number): void;
  onDone(): void;
  /** @param unstarted pages that were assigned to it but not started */
  onEnd(unstarted: Job[]): void;
  isSpare(): boolean;
}

/** Starts a thread that runs a program. Throws an error if the system has no memory for it. */
export function startThread(program: string, costMs: number, events: ThreadEvents) {
  const worker = startWorker(program, { resourceLimits: heap });
  const jobs: Job[] = [];
  let lastClaim: Claimable['claim'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let costTimer: NodeJS.Timeout | undefined;
  let endWatch = () => {};
  let startedAt = 0;
  let ready = false;
  let ended = false;

  const hasTaken = (ms: number) => jobs.length > 0 && performance.now() - startedAt > ms;
  function rest(): void {
    worker.unref();
    const resting = setTimeout(async () => {
      const isLarge = (await heapBytes(worker)) > largeHeap;
      if (timer !== resting) return;
      if (isLarge) void end();
      else timer = setTimeout(endIfSpare, idleMs - largeIdleMs).unref();
    }, largeIdleMs).unref();
    timer = resting;
  }
  function endIfSpare(): void {
    if (events.isSpare()) void end();
    else timer = setTimeout(endIfSpare, idleMs).unref();
  }
  function begin(job: Job): void {
    startedAt = performance.now();
    // Starting a thread can be slow on a busy machine, and doesn't count against the page's timeout.
    const timeoutMs = ready ? Math.min(job.timeoutMs, Math.max(1, job.until - startedAt)) : startMs;
    timer = setTimeout(() => {
      const seconds = Math.ceil(timeoutMs) / 1000;
      finish()?.reject(new ConversionError('timeout', `The page couldn't be converted within ${seconds} s.`));
      void end();
    }, timeoutMs);
    if (!ready) return;
    limitCost(job);
    endWatch = watchHeap(worker, mostHeap, () => {
      finish()?.reject(tooComplex(`${mostHeap} MB of memory`));
      void end();
    });
  }
  /** Ends the thread when a conversion takes more of the processor than any ordinary page. What waits costs nothing. */
  function limitCost(job: Job): void {
    clearTimeout(costTimer);
    const { kind, body } = job.task;
    const most = costMs + (kind === 'html' || kind === 'text' ? 0 : (body.byteLength / 1024 / 1024) * costMsPerMiB);
    const before = processorMs(worker);
    const look = async () => {
      const [from, now] = await Promise.all([before, processorMs(worker)]);
      if (jobs[0] !== job || timed !== costTimer) return;
      const left = most - (now - from);
      if (left > 0) {
        timed = costTimer = setTimeout(look, Math.max(lookMs, left)).unref();
        return;
      }
      finish()?.reject(tooComplex(`${Math.round(most / 100) / 10} s of processor time`));
      void end();
    };
    let timed = setTimeout(look, most).unref();
    costTimer = timed;
  }
  function finish(): Job | undefined {
    clearTimeout(timer);
    clearTimeout(costTimer);
    endWatch();
    const job = jobs.shift();
    if (job) events.onRun(job.team, -1);
    return job;
  }
  async function end(): Promise<void> {
    clearTimeout(timer);
    clearTimeout(costTimer);
    endWatch();
    if (!ended) {
      ended = true;
      for (const { team } of jobs) events.onRun(team, -1);
      events.onEnd(jobs.splice(0));
    }
    await worker.terminate();
  }
  worker.on('message', (message: WorkerMessage) => {
    if ('ready' in message) {
      ready = true;
      clearTimeout(timer);
      if (jobs[0]) begin(jobs[0]);
      return;
    }
    if ('progress' in message) {
      if (jobs[0]) limitCost(jobs[0]);
      return;
    }
    const job = finish();
    if ('result' in message) job?.resolve(message.result);
    else if ('json' in message) {
      const { json, wording } = message;
      const result = readLargeJson([Buffer.from(json.buffer)]) as Promise<ConvertResult | Hunk[]>;
      job?.resolve(wording ? result.then((read) => ({ ...(read as ConvertResult), wording })) : result);
    } else {
      const { kind, message: reason } = message.failure;
      const text = kind === 'page' ? `The page couldn't be converted: ${shorten(reason, 300)}` : reason;
      job?.reject(new ConversionError(kind, text));
    }
    if (ended) return;
    const [next] = jobs;
    if (next) begin(next);
    else rest();
    events.onDone();
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    // Out of memory, or a crash in a parser: the page fails, not the service.
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const reason = `The page couldn't be converted: ${messageOf(error)}`;
    finish()?.reject(isTooLarge ? tooComplex(`${mostHeap} MB of memory`) : new ConversionError('page', reason));
    void end();
  });

  return {
    /** Pages assigned to it: the current one, and one queued behind it. */
    get load(): number {
      return jobs.length;
    },
    /** Returns whether it has been working on one page for too long. */
    isHeldUp: (): boolean => hasTaken(heldUpMs),
    /** The page that waits behind the current one. */
    get next(): Job | undefined {
      return jobs[1];
    },
    /** Returns the page that waits behind one that takes longer than some milliseconds: another thread may be free for it sooner. */
    takeBack(ms: number): Job | undefined {
      const mayTake = ready && jobs.length > 1 && hasTaken(ms);
      if (!mayTake || !lastClaim || Atomics.exchange(lastClaim, 0, 1) === 1) return undefined;
      const job = jobs.pop();
      if (job) events.onRun(job.team, -1);
      return job;
    },
    run(job: Job): void {
      jobs.push(job);
      events.onRun(job.team, 1);
      if (jobs.length === 1) {
        clearTimeout(timer);
        worker.ref();
        begin(job);
      }
      // A waiting page is copied: if this thread ends, another one gets the page.
      const moves = jobs.length === 1 && ready && !job.keepsBody && fillsBuffer(job.task.body);
      lastClaim = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const sent: Job['task'] & Claimable = { ...job.task, claim: lastClaim };
      worker.postMessage(sent, moves ? [job.task.body.buffer as ArrayBuffer] : []);
    },
    end,
  };
}

/** Whether a buffer holds nothing else, so that it can be moved to another thread. */
export function fillsBuffer({ buffer, byteLength }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}

/** Frees memory at once that would stay until garbage is collected: bodies are most of what a crawl allocates. */
export function release(body: Uint8Array): void {
  const { buffer } = body;
  if (fillsBuffer(body) && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
