import { emptyValueField, type Place, sizesField } from '../../../contract/embedded.ts';
import type { ExecuteBody, ExecutionResult } from '../../../contract/sessions/execution.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { createPool } from '../../platform/pool.ts';
import { openPlace } from '../runners/place.ts';
import type { OutputStream, WholeParts } from '../runners/runner.ts';
import type { BrowserHost } from './host.ts';
import type { SessionOptions } from './session.ts';

export interface ExecuteOptions {
  signal: AbortSignal;
  /** ID of the run in its events; without it, no events are sent. */
  runId?: string;
  /** Where the code is from. */
  place?: Place | undefined;
  /** Returns the target ID of the tab that becomes `page`, when the turn has come; undefined if none was chosen. */
  tab?: (() => string | undefined) | undefined;
  /** Instead of the body's `timeout`, in milliseconds; Infinity for no limit. */
  timeoutMs?: number;
  /** Is given the whole result and output, if the outcome has only their beginning. */
  onWhole?: (whole: WholeParts) => Promise<void>;
  /** Is given the run when its turn has come. */
  whileRunning?: <Result>(run: () => Promise<Result>, host: BrowserHost) => Promise<Result>;
}

type TurnEvent = { kind: 'notice'; text: string } | { kind: 'output'; stream: 'stdout' | 'stderr'; text: string };

/** One turn in a session's queue. */
export interface Turn {
  /** Aborts when the caller disconnects or the session ends. */
  signal: AbortSignal;
  host: BrowserHost;
  /** Sends an event to the windows that follow the run. */
  emit(event: TurnEvent): void;
}

/** Runs tasks one at a time, in order. */
export function createRunQueue() {
  const turns = createPool(1, 0);
  let size = 0;
  return {
    /** Number of running and waiting tasks. */
    get size(): number {
      return size;
    },
    /** Runs `task` when its turn comes. If the signal aborts first, rejects with the signal's reason and doesn't run it. */
    async add<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
      size++;
      try {
        const endTurn = await turns.acquire('', signal);
        try {
          return await task();
        } finally {
          endTurn();
        }
      } finally {
        size--;
      }
    },
  };
}

/** The runs of a session, and what else takes turns on its browser with them. @param ended aborts when the session ends */
export function createRuns(
  { id, caller, host, clock, onRunEvent }: Pick<SessionOptions, 'id' | 'caller' | 'host' | 'clock' | 'onRunEvent'>,
  ended: AbortSignal,
  touch: () => void,
) {
  const queue = createRunQueue();

  /** Runs `work` on the session's browser when its turn comes, in the same queue as code. */
  async function inTurn<Result>({ signal, runId }: ExecuteOptions, work: (turn: Turn) => Promise<Result>) {
    const emit = (event: TurnEvent | { kind: 'queued' | 'started' | 'finished' }) => {
      if (runId !== undefined) onRunEvent(caller.team, { ...event, runId, sessionId: id });
    };
    touch();
    if (queue.size > 0) emit({ kind: 'queued' });
    const either = AbortSignal.any([signal, ended]);
    return await queue.add(async () => {
      emit({ kind: 'started' });
      try {
        return await work({ signal: either, host, emit });
      } finally {
        touch();
        // Sessions are named by the title of their page, which a script may have set. Nothing waits for it.
        if (!ended.aborted) host.tabs.refresh().catch(() => undefined);
        emit({ kind: 'finished' });
      }
    }, either);
  }

  /** Runs code when its turn comes. `signal` aborts when the caller disconnects. */
  async function execute(body: ExecuteBody, where: ExecuteOptions): Promise<ExecutionResult> {
    const runner = host.runner(body.language);
    return await inTurn(where, async ({ signal, emit }) => {
      const onNotice = (text: string) => emit({ kind: 'notice', text });
      if (where.place && host.isolated)
        onNotice('This service isolates code: it runs in a folder of the session, without files of the machine.');
      const place = where.place && !host.isolated ? await openPlace(where.place, onNotice, signal) : undefined;
      const batch = createOutputBatch(clock, (stream, text) => emit({ kind: 'output', stream, text }));
      const run = () =>
        runner.run({
          code: body.code,
          ...(place && { place }),
          tab: where.tab?.(),
          timeoutMs: where.timeoutMs ?? body.timeout * 1000,
          keepWhole: where.onWhole !== undefined && !host.isolated,
          signal,
          onOutput: batch.push,
          onNotice,
        });
      const { sizes, whole, emptyValue, ...outcome } = await (where.whileRunning
        ? where.whileRunning(run, host)
        : run()
      ).finally(batch.flush);
      if (whole !== undefined) await where.onWhole?.(whole);
      const more = { ...(sizes && { [sizesField]: sizes }), ...(emptyValue && { [emptyValueField]: emptyValue }) };
      const own = where.runId === undefined ? {} : more;
      if (ended.aborted) return { success: true, ...outcome, ...own, error: messageOf(ended.reason) };
      return { success: true, ...outcome, ...own };
    });
  }

  return {
    /** Whether one has its turn or waits for it. */
    areOpen: (): boolean => queue.size > 0,
    execute,
    inTurn,
  };
}

/** Milliseconds between two messages with the output of a run. */
const intervalMs = 30;

/** Joins the output of a run, so that thousands of small writes become few messages. */
export function createOutputBatch(clock: Clock, send: (stream: OutputStream, text: string) => void) {
  let waiting: { stream: OutputStream; texts: string[] }[] = [];
  let cancelTimer: (() => void) | undefined;

  function sendWaiting(): void {
    const batch = waiting;
    waiting = [];
    for (const { stream, texts } of batch) send(stream, texts.join(''));
  }

  function tick(): void {
    cancelTimer = undefined;
    if (waiting.length === 0) return;
    sendWaiting();
    cancelTimer = clock.after(intervalMs, tick);
  }

  return {
    /** Sends the first text at once, and later texts together. */
    push(stream: OutputStream, text: string): void {
      const last = waiting.at(-1);
      if (last?.stream === stream) last.texts.push(text);
      else waiting.push({ stream, texts: [text] });
      if (cancelTimer) return;
      sendWaiting();
      cancelTimer = clock.after(intervalMs, tick);
    },
    /** Sends everything that is waiting. */
    flush(): void {
      cancelTimer?.();
      cancelTimer = undefined;
      sendWaiting();
    },
  };
}
