import type { Gesture } from './input.ts';

export interface GestureQueueOptions {
  apply(gesture: Gesture): void;
  /** Whether a gesture is handled elsewhere instead; what is still to be found out holds the gestures after it. */
  takes(gesture: Gesture): boolean | Promise<boolean>;
  after(ms: number, callback: () => void): () => void;
}

/** How long a gesture is held: a page that is busy gets it anyway, as it would have without the question. */
const maxHoldMs = 1_000;

/** Applies gestures in their order. */
export class GestureQueue {
  #options: GestureQueueOptions;
  #waiting: Gesture[] = [];
  #isHolding = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(options: GestureQueueOptions) {
    this.#options = options;
  }

  /** Resolves when no gesture is held. */
  get idle(): Promise<void> {
    return this.#isHolding ? this.#idle.then(() => this.idle) : this.#idle;
  }

  add(gesture: Gesture): void {
    if (this.#isHolding) {
      this.#waiting.push(gesture);
      return;
    }
    const taken = this.#options.takes(gesture);
    if (taken === false) this.#options.apply(gesture);
    else if (taken !== true) this.#idle = this.#hold(gesture, taken);
  }

  async #hold(gesture: Gesture, taken: Promise<boolean>): Promise<void> {
    this.#isHolding = true;
    const isTaken = await withinAfter(
      this.#options.after,
      maxHoldMs,
      taken.catch(() => false),
    );
    if (!isTaken) this.#options.apply(gesture);
    this.#isHolding = false;
    for (const next of this.#waiting.splice(0)) this.add(next);
  }
}

/** Resolves to the result of something that a page takes part in, or to undefined: a page that is busy isn't waited for. */
export async function withinAfter<Result>(
  after: GestureQueueOptions['after'],
  ms: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancel = after(ms, () => resolve(undefined));
  return await Promise.race([work, late]).finally(cancel);
}
