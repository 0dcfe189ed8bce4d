import type { RenewedLife } from '../../../contract/embedded.ts';
import { renewedActivityTtl } from '../../../contract/limits.ts';
import { Disposables, keepNewest } from '../../ui/lifecycle.ts';
import type { SessionOptions } from '../session-options.ts';
import type { SessionInfo, SessionsStore } from '../sessions-store.ts';

/** How often sessions are renewed, in milliseconds. */
const everyMs = 60_000;
/** How long a renewed session lives without another renewal, in seconds: longer than it may be idle, so that a laptop can sleep. */
const ttl = { min: 900, max: 3600 } as const;
/** How many sessions that this window created are remembered across reloads. */
const maxRemembered = 50;

/** Options that were chosen for a session, instead of left to this window. */
export type ChosenLife = Pick<SessionOptions, 'ttl' | 'activityTtl'>;

/** `activityTtl` undefined leaves it as it is. */
export type Life = Pick<RenewedLife, 'ttl' | 'activityTtl'>;

export interface RenewalOptions {
  store: SessionsStore;
  /** Renews a session; undefined if the server can't. */
  renew(id: string, life: Life): Promise<{ expiresAt: string; activityTtl: number } | undefined>;
  /** How long a session may be idle, in seconds; 0 for no limit. */
  idleSeconds(): number;
  /** Sessions that this window created earlier, by ID. */
  remembered: ReadonlyMap<string, ChosenLife>;
  remember(created: ReadonlyMap<string, ChosenLife>): void;
  /** Called when a session couldn't be renewed. */
  onFailure(session: SessionInfo, error: unknown): void;
  /** Milliseconds since 1970. */
  now(): number;
  after(ms: number, callback: () => void): () => void;
}

/**
 * Keeps the sessions that this window created or uses open while the window is: they end when they are idle.
 * A session created with a `ttl` of its own isn't renewed.
 */
export class Renewal extends Disposables {
  #options: RenewalOptions;
  #created: Map<string, ChosenLife>;
  /** When each session was last renewed, or the attempt failed. */
  #renewedAt = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: RenewalOptions) {
    super();
    this.#options = options;
    this.#created = new Map(options.remembered);
    this.add(options.store.onChange.on(() => this.#check()));
    this.add({ dispose: () => this.#cancelTimer?.() });
    this.#check();
  }

  /** Records a session that this window created, with the options that were chosen for it, before the store lists it. */
  created(id: string, { ttl, activityTtl }: ChosenLife): void {
    this.#created.set(id, { ...(ttl !== undefined && { ttl }), ...(activityTtl !== undefined && { activityTtl }) });
    keepNewest(this.#created, maxRemembered);
    this.#options.remember(this.#created);
  }

  /** Returns the options that were chosen for a session, as far as this window knows. */
  chosen(id: string): ChosenLife {
    return this.#created.get(id) ?? {};
  }

  /** Renews all sessions now, as after the idle time has changed. */
  renewAll(): void {
    this.#renewedAt.clear();
    this.#check();
  }

  #held(): SessionInfo[] {
    const { store } = this.#options;
    return store.active.filter(({ id }) => {
      if (this.chosen(id).ttl !== undefined) return false;
      return this.#created.has(id) || store.current?.id === id;
    });
  }

  #check(): void {
    const held = this.#held();
    const now = this.#options.now();
    for (const session of held) {
      const last = this.#renewedAt.get(session.id);
      if (last !== undefined && Math.abs(now - last) < everyMs) continue;
      this.#renewedAt.set(session.id, now);
      void this.#renew(session);
    }
    if (held.length === 0) {
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
    } else
      this.#cancelTimer ??= this.#options.after(everyMs, () => {
        this.#cancelTimer = undefined;
        this.#check();
      });
  }

  async #renew(session: SessionInfo): Promise<void> {
    const { store, renew, idleSeconds, onFailure } = this.#options;
    const { id } = session;
    const idle = this.chosen(id).activityTtl ?? (idleSeconds() || renewedActivityTtl.max);
    try {
      const life = await renew(id, {
        ttl: Math.min(Math.max(idle + 120, ttl.min), ttl.max),
        ...(this.#created.has(id) && { activityTtl: idle }),
      });
      if (life) store.setLife(id, life);
    } catch (error) {
      onFailure(session, error);
    }
  }
}

/** Returns the sessions in a stored value; those that aren't valid are left out. */
export function storedSessions(value: unknown): Map<string, ChosenLife> {
  const entries = Array.isArray(value) ? value : [];
  return new Map(
    entries.flatMap((entry: unknown) => {
      const [id, chosen] = Array.isArray(entry) ? (entry as unknown[]) : [];
      return typeof id === 'string' && typeof chosen === 'object' && chosen !== null
        ? [[id, chosen as ChosenLife] as const]
        : [];
    }),
  );
}
