export interface Disposable {
  dispose(): unknown;
}

/** Disposables that are disposed together, newest first. Items added after that are disposed immediately. */
export class Disposables implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  add<Item extends Disposable>(item: Item): Item {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const items = this.#items.reverse();
    this.#items = [];
    for (const item of items) item.dispose();
  }
}

/** An event that doesn't need vscode, so that its users can be tested without it. A throwing listener doesn't stop the others. */
export class Signal<Value = void> {
  #listeners = new Set<(value: Value) => void>();

  on(listener: (value: Value) => void): Disposable {
    // A wrapper, so that the same listener can be added twice.
    const entry = (value: Value) => listener(value);
    this.#listeners.add(entry);
    return { dispose: () => this.#listeners.delete(entry) };
  }

  fire(value: Value): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** Removes the entries of a map that were added first, until it has at most so many. */
export function keepNewest(map: Map<string, unknown>, most: number): void {
  let surplus = map.size - most;
  for (const key of map.keys()) {
    if (surplus-- <= 0) return;
    map.delete(key);
  }
}

/** Calls back after some time. Returns what cancels it. */
export function callLater(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Waits for a promise, and rejects as soon as the signal aborts. What the promise is of goes on. */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
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
