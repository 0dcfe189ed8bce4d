type Notice = (text: string) => void;

/** Resolves to the result of shared work, and reports its progress. */
export type SharedTask<T> = (notice: Notice) => Promise<T>;

/** A task that finds a tool, or installs it. */
export type ToolTask<T> = SharedTask<T> & {
  /** Returns the folder that the task would install into; undefined if it would install nothing. */
  missing(): Promise<string | undefined>;
};

export interface SharedTaskOptions<T> {
  work(notice: Notice): Promise<T>;
  /** Whether an earlier result can be reused. */
  isValid(result: T): boolean;
  /** Called with the progress, in addition to the waiting callers. */
  onNotice?: Notice | undefined;
}

/**
 * Creates a task that runs once for all callers. Callers that arrive while it runs share it. The result is reused while it is
 * valid; a failure isn't.
 */
export function createSharedTask<T>({ work, isValid, onNotice }: SharedTaskOptions<T>): SharedTask<T> {
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
