type Notice = (text: string) => void;

/** Gives what some work came to, and tells meanwhile how it goes. */
export type SharedTask<T> = (notice: Notice) => Promise<T>;

export interface SharedTaskOptions<T> {
  work(notice: Notice): Promise<T>;
  /** Whether an earlier result still counts. */
  isValid(result: T): boolean;
  /** Told how it goes, whoever waits. */
  onNotice?: Notice | undefined;
}

/**
 * Work that is done once for all who ask: those who come while it goes on join it. What it came to is kept while it is
 * valid; a failure is not kept.
 */
export function createSharedTask<T>({ work, isValid, onNotice }: SharedTaskOptions<T>): SharedTask<T> {
  const listeners = new Set<Notice>();
  let last: string | undefined;
  let going: Promise<T> | undefined;
  let done: { result: T } | undefined;

  function tell(text: string): void {
    last = text;
    onNotice?.(text);
    for (const listener of listeners) listener(text);
  }

  return async (notice) => {
    if (done && isValid(done.result)) return done.result;
    done = undefined;
    listeners.add(notice);
    if (last !== undefined) notice(last);
    going ??= work(tell).finally(() => {
      going = undefined;
      last = undefined;
      listeners.clear();
    });
    const result = await going;
    done = { result };
    return result;
  };
}
