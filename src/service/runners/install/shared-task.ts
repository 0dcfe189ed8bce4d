type Notice = (text: string) => void;

/**
 * Work that is done once for all who ask: those who come while it goes on join it, and hear what it has to say. What
 * it came to is kept while it is still valid; a failure is not kept.
 */
export function createSharedTask<T>(
  work: (notice: Notice) => Promise<T>,
  isValid: (result: T) => boolean | Promise<boolean>,
): (notice: Notice) => Promise<T> {
  const listeners = new Set<Notice>();
  let last: string | undefined;
  let going: Promise<T> | undefined;
  let done: { result: T } | undefined;

  function tell(text: string): void {
    last = text;
    for (const listener of listeners) listener(text);
  }

  return async (notice) => {
    if (done && (await isValid(done.result))) return done.result;
    done = undefined;
    listeners.add(notice);
    if (going && last !== undefined) notice(last);
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
