import { Signal } from '../../ui/lifecycle.ts';
import { failureStatus, retryAfterMs } from '../failures.ts';

const firstWaitMs = 30_000;
const maxWaitMs = 60 * 60_000;
const maxFactor = 8;
/** Each period without a 429 halves the factor again. */
const recoveryMs = 2 * 60_000;

/** The rate limit that all views of a window share: a 429 to one slows all. */
export class RateLimit {
  readonly onChange = new Signal<void>();
  #now: () => number;
  #until = 0;
  #factor = 1;
  #lastHit = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** No view is read before; milliseconds since 1970. */
  get until(): number {
    return this.#until;
  }

  /** How many times as long the intervals of polling are. */
  get factor(): number {
    const recovered = Math.floor(Math.max(0, this.#now() - Math.max(this.#lastHit, this.#until)) / recoveryMs);
    return Math.max(1, this.#factor / 2 ** Math.min(recovered, 10));
  }

  /** True while the server's requested wait lasts. */
  get active(): boolean {
    return this.#now() < this.#until;
  }

  /** Records why a call failed, if that is a 429. */
  note(error: unknown): void {
    if (failureStatus(error) === 429) this.hit(retryAfterMs(error));
  }

  /** Records a 429; `retryAfterMs` if the server sent one. Several in one burst count once. */
  hit(retryAfterMs: number | undefined): void {
    const now = this.#now();
    const factor = this.active ? this.#factor : Math.min(this.factor * 2, maxFactor);
    const waitMs = Math.min(retryAfterMs ?? (firstWaitMs * factor) / 2, maxWaitMs);
    this.#factor = factor;
    this.#lastHit = now;
    this.#until = Math.max(this.#until, now + waitMs);
    this.onChange.fire();
  }

  /** Clears the limit, because the target has changed. */
  reset(): void {
    if (this.#until === 0 && this.#factor === 1) return;
    this.#until = 0;
    this.#factor = 1;
    this.#lastHit = 0;
    this.onChange.fire();
  }
}
