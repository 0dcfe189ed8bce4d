import { abortable } from '../../ui/lifecycle.ts';

/** Runs the tasks of each session one at a time, in order. Sessions don't wait for each other. */
export class RunQueue {
  #last = new Map<string, Promise<void>>();

  /** Whether a new run of the session has to wait. */
  isBusy(sessionId: string): boolean {
    return this.#last.has(sessionId);
  }

  /** Runs `task` after the session's earlier tasks. If the signal aborts first, rejects without running it. */
  async run<Result>(sessionId: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    const previous = this.#last.get(sessionId) ?? Promise.resolve();
    const done = Promise.withResolvers<void>();
    const current = previous.then(() => done.promise);
    this.#last.set(sessionId, current);
    void current.then(() => {
      if (this.#last.get(sessionId) === current) this.#last.delete(sessionId);
    });
    try {
      await abortable(previous, signal);
      return await task();
    } finally {
      done.resolve();
    }
  }
}
