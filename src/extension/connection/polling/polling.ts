import { type Disposable, Disposables, type Signal } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text.ts';
import type { Access } from '../connection.ts';
import type { Target } from '../target.ts';
import type { RateLimit } from './rate-limit.ts';
import { RefreshPolicy, type RefreshReason } from './refresh-policy.ts';
import { limitOf, type ServerState, serverStateOf } from './server-state.ts';

/** What polling needs of a connection. */
export interface PolledConnection {
  readonly target: Target;
  readonly serviceRuns: boolean;
  readonly rateLimit: RateLimit;
  readonly onDidChange: Signal<void>;
  existingAccess(): Promise<Access | undefined>;
}

/** Where the data of a view is kept. */
export interface PolledStore {
  /** When it was last read; undefined before that. */
  readonly updatedAt: number | undefined;
  readonly state: ServerState;
  setState(state: ServerState): void;
  clear(state: ServerState): void;
}

export interface Trust {
  isTrusted(): boolean;
  onGranted(listener: () => void): Disposable;
}

/** Keeps what one view shows of the target up to date, as far as somebody looks, and says what stands in the way. */
export class ServerPoll implements Disposable {
  readonly policy: RefreshPolicy;
  #options: ServerPollOptions;
  #target: Target;
  #disposables = new Disposables();

  constructor(options: ServerPollOptions) {
    this.#options = options;
    const { connection, store, trust, now = Date.now, after = afterTimeout } = options;
    this.#target = connection.target;
    this.policy = this.#disposables.add(
      new RefreshPolicy({
        refresh: (reason) => this.#refresh(reason),
        after,
        now,
        limit: connection.rateLimit,
        ...(options.pollMs && { pollMs: options.pollMs }),
      }),
    );
    store.setState(this.#emptyState());
    this.#disposables.add(connection.onDidChange.on(() => this.#connectionChanged()));
    this.#disposables.add(connection.rateLimit.onChange.on(() => this.#limitChanged()));
    this.#disposables.add(
      trust.onGranted(() => {
        store.clear(this.#emptyState());
        if (this.policy.looking) this.policy.request('trust');
      }),
    );
  }

  /** Shows a failure of a call in the view itself, and slows all polling where it was a 429. */
  failed(error: unknown): void {
    const { store, connection, log, name } = this.#options;
    this.noteLimit(error);
    log.warn(`${name}: ${messageOf(error)}`);
    const state = serverStateOf(error, connection.rateLimit.until);
    if (state) store.setState(state);
  }

  /** Slows all polling where a failure was a 429; no state changes. */
  noteLimit(error: unknown): void {
    const limit = limitOf(error);
    if (limit) this.#options.connection.rateLimit.hit(limit.retryAfterMs);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #connectionChanged(): void {
    const { connection, store } = this.#options;
    const sameServer = connection.target === this.#target && connection.serviceRuns;
    this.#target = connection.target;
    if (!sameServer) {
      store.clear(this.#emptyState());
      this.policy.watch(0);
    }
    if (this.policy.looking) this.policy.request('target');
  }

  /** Another view met a limit: this one waits as well, and says so. */
  #limitChanged(): void {
    const { store, connection } = this.#options;
    const { active, until } = connection.rateLimit;
    if (!active || !['ready', 'loading', 'limited'].includes(store.state.kind)) return;
    store.setState({ kind: 'limited', message: 'The server asks to wait.', until });
  }

  #refresh(reason: RefreshReason): Promise<void> {
    const reading = this.#read(reason);
    const { store, showProgress } = this.#options;
    if (reason === 'command' || store.updatedAt === undefined) showProgress?.(reading);
    return reading;
  }

  async #read(reason: RefreshReason): Promise<void> {
    const { connection, store, trust, read } = this.#options;
    if (!trust.isTrusted()) return store.setState({ kind: 'restricted' });
    try {
      const access = await connection.existingAccess();
      if (!access) return store.clear(this.#emptyState());
      if (store.updatedAt === undefined) store.setState({ kind: 'loading' });
      const apply = await read(access, reason);
      if (access.target !== connection.target) return;
      this.policy.succeeded();
      apply();
    } catch (error) {
      this.policy.failed(undefined);
      this.failed(error);
    }
  }

  #emptyState(): ServerState {
    const { connection, trust } = this.#options;
    if (!trust.isTrusted()) return { kind: 'restricted' };
    return connection.target.kind === 'embedded' && !connection.serviceRuns
      ? { kind: 'not-started' }
      : { kind: 'loading' };
  }
}

export interface ServerPollOptions {
  /** Name of the view, for the log. */
  name: string;
  connection: PolledConnection;
  store: PolledStore;
  trust: Trust;
  log: { warn(text: string): void };
  /** Reads from the server; what it returns puts the answer in place, and is left out when another target was chosen meanwhile. */
  read(access: Access, reason: RefreshReason): Promise<() => void>;
  /** Milliseconds between two readings. */
  pollMs?: () => number;
  /** Shows that something is being read, for readings that the person waits for. */
  showProgress?(task: Promise<void>): void;
  now?: () => number;
  after?: (ms: number, callback: () => void) => () => void;
}

function afterTimeout(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
