export interface Disposable {
  dispose(): unknown;
}

/** Things to end together, newest first. What is added after the end is ended at once. */
export class Disposables implements Disposable {
  #items: Disposable[] = [];
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  add<Item extends Disposable>(item: Item): Item {
    if (this.#ended) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#ended) return;
    this.#ended = true;
    const items = this.#items.reverse();
    this.#items = [];
    for (const item of items) item.dispose();
  }
}

/** An event without vscode, for what must be testable by itself. A listener that throws does not keep the others from hearing. */
export class Signal<Value = void> {
  #listeners = new Set<(value: Value) => void>();
  #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = reportLater) {
    this.#onError = onError;
  }

  on(listener: (value: Value) => void): Disposable {
    const own = (value: Value) => listener(value);
    this.#listeners.add(own);
    return { dispose: () => this.#listeners.delete(own) };
  }

  fire(value: Value): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function reportLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
