type Notice = (text: string) => void;

/** Resolves to the result of shared work, and reports its progress. */
export type SharedTask<T> = (notice: Notice) => Promise<T>;

/**
 * Creates a task that runs once for all callers. Callers that arrive while it runs share it. The result is reused while it is
 * valid; a failure isn't.
 * @param onNotice called with the progress, in addition to the waiting callers
 */
export function createSharedTask<T>(
  work: (notice: Notice) => Promise<T>,
  isValid = (_result: T) => true,
  onNotice?: Notice,
): SharedTask<T> {
  const listeners = new Set<Notice>();
  let lastNotice: string | undefined;
  let running: Promise<T> | undefined;
  let done: { result: T } | undefined;

  function notify(text: string): void {
    lastNotice = text;
    onNotice?.(text);
    for (const listener of listeners) listener(text);
  }

  return async (notice) => {
    if (done && isValid(done.result)) return done.result;
    done = undefined;
    listeners.add(notice);
    if (lastNotice !== undefined) notice(lastNotice);
    running ??= work(notify).finally(() => {
      running = undefined;
      lastNotice = undefined;
      listeners.clear();
    });
    const result = await running;
    done = { result };
    return result;
  };
}
