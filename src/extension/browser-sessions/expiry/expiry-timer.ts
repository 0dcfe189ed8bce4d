import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import type { SessionInfo } from '../session-info.ts';
import type { SessionsStore } from '../sessions-store.ts';

/** How long before its end a session is warned of, in milliseconds. */
export const warnBeforeMs = 60_000;

/** Tells once of every current session that it ends in a minute. Sessions that are not the current one end without a word. */
export class ExpiryWarning implements Disposable {
  #store: SessionsStore;
  #now: () => number;
  #after: (ms: number, callback: () => void) => () => void;
  #warn: (session: SessionInfo) => void;
  #told = new Set<string>();
  #waiting: { id: string; at: number; cancel: () => void } | undefined;
  #disposables = new Disposables();

  constructor(options: {
    store: SessionsStore;
    /** Milliseconds since 1970. */
    now(): number;
    /** Calls back after some milliseconds, unless it is cancelled before. */
    after(ms: number, callback: () => void): () => void;
    warn(session: SessionInfo): void;
  }) {
    this.#store = options.store;
    this.#now = options.now;
    this.#after = options.after;
    this.#warn = options.warn;
    this.#disposables.add(options.store.onChange.on(() => this.#watch()));
    this.#disposables.add({ dispose: () => this.#stop() });
    this.#watch();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #watch(): void {
    const session = this.#toWarnOf();
    if (!session) return this.#stop();
    const { id, at } = session;
    if (this.#waiting?.id === id && this.#waiting.at === at) return;
    this.#stop();
    this.#waiting = { id, at, cancel: this.#after(Math.max(0, at - this.#now()), () => this.#due()) };
  }

  #stop(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }

  #due(): void {
    this.#waiting = undefined;
    const session = this.#toWarnOf();
    if (!session) return;
    // A timer may come early, and one of a machine that slept comes late.
    if (this.#now() < session.at) return this.#watch();
    this.#told.add(session.id);
    this.#warn(session.session);
  }

  /** The current session, if it has a warning to come. One that lives a minute or less is known to be short. */
  #toWarnOf(): { id: string; at: number; session: SessionInfo } | undefined {
    const session = this.#store.current;
    if (session?.expiresAt === undefined || this.#told.has(session.id) || session.expiresAt <= this.#now())
      return undefined;
    const { id, expiresAt, createdAt } = session;
    const isShort = createdAt !== undefined && expiresAt - createdAt <= warnBeforeMs;
    return isShort ? undefined : { id, at: expiresAt - warnBeforeMs, session };
  }
}
