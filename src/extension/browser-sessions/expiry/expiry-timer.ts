import { Disposables } from '../../ui/lifecycle.ts';
import type { SessionInfo, SessionsStore } from '../sessions-store.ts';

/** How long before a session expires to warn, in milliseconds. */
export const warnBeforeMs = 60_000;

interface ExpiryOptions {
  store: SessionsStore;
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
  warn(session: SessionInfo): void;
}

/** Warns a minute before the current session expires: once, and again if it was extended. Other sessions expire silently. */
export class ExpiryTimer extends Disposables {
  #options: ExpiryOptions;
  /** The expiry that was warned of, by session. */
  #warned = new Map<string, number>();
  #waiting: { id: string; at: number; cancel: () => void } | undefined;

  constructor(options: ExpiryOptions) {
    super();
    this.#options = options;
    this.add(options.store.onChange.on(() => this.#watch()));
    this.add({ dispose: () => this.#stop() });
    this.#watch();
  }

  #watch(): void {
    const session = this.#nextWarning();
    if (!session) return this.#stop();
    const { id, at } = session;
    if (this.#waiting?.id === id && this.#waiting.at === at) return;
    this.#stop();
    this.#waiting = { id, at, cancel: this.#options.after(Math.max(0, at - this.#options.now()), () => this.#due()) };
  }

  #stop(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }

  #due(): void {
    this.#waiting = undefined;
    const session = this.#nextWarning();
    if (!session) return;
    // A timer can fire early, and late on a machine that slept.
    if (this.#options.now() < session.at) return this.#watch();
    this.#warned.set(session.id, session.at + warnBeforeMs);
    this.#options.warn(session.session);
  }

  /** Returns the current session if its warning is still to come. A session of a minute or less gets none. */
  #nextWarning(): { id: string; at: number; session: SessionInfo } | undefined {
    const session = this.#options.store.current;
    if (session?.expiresAt === undefined || session.expiresAt <= this.#options.now()) return undefined;
    const { id, expiresAt, createdAt } = session;
    const warned = this.#warned.get(id);
    if (warned !== undefined && expiresAt < warned + warnBeforeMs) return undefined;
    const isShort = createdAt !== undefined && expiresAt - createdAt <= warnBeforeMs;
    return isShort ? undefined : { id, at: expiresAt - warnBeforeMs, session };
  }
}
