/** A session as a run needs it. */
export interface RunSession {
  id: string;
  shortId: string;
  name: string | undefined;
  /** The scrape job whose page it is; runs then go by way of the job, which makes the session when there is none. */
  jobId?: string;
}

/** Where runs get their session from. */
export interface SessionSource {
  /** The current session, created if there is none. */
  ensure(): Promise<RunSession>;
  /** A session in place of one that has ended. */
  replace(endedId: string): Promise<RunSession>;
  /** Code has run in a session: its page may be another one now. */
  ranIn(sessionId: string): void;
  /** The session in which the page of a scrape lives is known. */
  begun(jobId: string, sessionId: string): void;
}

/** Keeps the runs of one session in order; those of different sessions do not wait for each other. */
export class Turns {
  #last = new Map<string, Promise<void>>();

  /** True when a run of that session would have to wait. */
  isTaken(sessionId: string): boolean {
    return this.#last.has(sessionId);
  }

  /** Runs `task` when those before it in its session are done. One whose signal aborts first never runs. */
  async take<Result>(sessionId: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(sessionId) ?? Promise.resolve();
    const done = Promise.withResolvers<void>();
    const mine = before.then(() => done.promise);
    this.#last.set(sessionId, mine);
    void mine.then(() => {
      if (this.#last.get(sessionId) === mine) this.#last.delete(sessionId);
    });
    try {
      await orAborted(before, signal);
      return await task();
    } finally {
      done.resolve();
    }
  }
}

/** The promise's value, or a rejection as soon as the signal aborts. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
