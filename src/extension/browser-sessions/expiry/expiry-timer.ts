import type { Disposable } from '../../ui/lifecycle.ts';
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
export function warnBeforeExpiry({ store, now, after, warn }: ExpiryOptions): Disposable {
  /** The expiry that was warned of, by session. */
  const warned = new Map<string, number>();
  let waiting: { id: string; at: number; cancel: () => void } | undefined;

  function watch(): void {
    const session = nextWarning();
    if (!session) return stop();
    const { id, at } = session;
    if (waiting?.id === id && waiting.at === at) return;
    stop();
    waiting = { id, at, cancel: after(Math.max(0, at - now()), due) };
  }

  function stop(): void {
    waiting?.cancel();
    waiting = undefined;
  }

  function due(): void {
    waiting = undefined;
    const session = nextWarning();
    if (!session) return;
    // A timer can fire early, and late on a machine that slept.
    if (now() < session.at) return watch();
    warned.set(session.id, session.at + warnBeforeMs);
    warn(session.session);
  }

  /** Returns the current session if its warning is still to come. A session of a minute or less gets none. */
  function nextWarning(): { id: string; at: number; session: SessionInfo } | undefined {
    const session = store.current;
    if (session?.expiresAt === undefined || session.expiresAt <= now()) return undefined;
    const { id, expiresAt, createdAt } = session;
    const last = warned.get(id);
    if (last !== undefined && expiresAt < last + warnBeforeMs) return undefined;
    const isShort = createdAt !== undefined && expiresAt - createdAt <= warnBeforeMs;
    return isShort ? undefined : { id, at: expiresAt - warnBeforeMs, session };
  }

  const listening = store.onChange.on(watch);
  watch();
  return {
    dispose: () => {
      listening.dispose();
      stop();
    },
  };
}
