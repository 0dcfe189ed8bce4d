import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callLater, Disposables } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text/text.ts';
import type { Access, Connection } from '../connection.ts';
import type { Target } from '../target.ts';
import { isAwaited, RefreshPolicy, type RefreshReason } from './refresh-policy.ts';
import { type ServerState, type ServerStore, serverStateOf } from './server-store.ts';

/** The part of a connection that polling uses. */
export type PolledConnection = Pick<
  Connection,
  'target' | 'serviceRuns' | 'rateLimit' | 'onDidChange' | 'onRefresh' | 'existingAccess' | 'viewAccess'
>;

/** Keeps one view's data up to date while the view is visible, and sets its state if that fails. */
export class ServerPoll<Store extends PolledStore = PolledStore> extends Disposables {
  readonly policy: RefreshPolicy;
  readonly store: Store;
  protected readonly now: () => number;
  #options: ServerPollOptions<Store>;
  #target: Target;

  constructor(options: ServerPollOptions<Store>) {
    super();
    this.#options = options;
    const { connection, store, now = Date.now, after = callLater } = options;
    this.#target = connection.target;
    this.store = store;
    this.now = now;
    this.policy = this.add(
      new RefreshPolicy({
        refresh: (reason) => this.#refresh(reason),
        after,
        now,
        limit: connection.rateLimit,
        ...(options.pollMs && { pollMs: options.pollMs }),
        ...(options.isNotified && { isNotified: options.isNotified }),
      }),
    );
    store.setState(this.#emptyState());
    this.add(connection.onDidChange.on(() => this.#connectionChanged()));
    this.add(connection.onRefresh.on(() => this.policy.refresh()));
    this.add(connection.rateLimit.onChange.on(() => this.#limitChanged()));
    this.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        store.clear(this.#emptyState());
        if (options.always || this.policy.active) this.policy.request('trust');
      }),
    );
  }

  /** Shows a failed call in the view, and slows all polling after a 429. */
  failed(error: unknown): void {
    const { store, connection, log, name, onFailure } = this.#options;
    connection.rateLimit.note(error);
    log.warn(`${name}: ${messageOf(error)}`);
    const { until } = connection.rateLimit;
    if (onFailure) return onFailure(error, until);
    const state = serverStateOf(error, until);
    if (state) store.setState(state);
  }

  #connectionChanged(): void {
    const { connection, store, always } = this.#options;
    const sameServer = connection.target === this.#target && connection.serviceRuns;
    this.#target = connection.target;
    if (!sameServer) {
      store.clear(this.#emptyState());
      this.policy.watch(0);
    }
    if (always || this.policy.active) this.policy.request('target');
  }

  /** Another view hit the rate limit: this one waits too, and shows it. */
  #limitChanged(): void {
    const { store, connection } = this.#options;
    const { active, until } = connection.rateLimit;
    if (!active || !['ready', 'loading', 'limited'].includes(store.state.kind)) return;
    store.setState({ kind: 'limited', message: l10n.t('The server is rate limiting requests.'), until });
  }

  #refresh(reason: RefreshReason): Promise<void> {
    const task = this.read(reason);
    if (reason === 'command' || this.#options.store.updatedAt === undefined) this.showProgress(task);
    return task;
  }

  /** Shows the progress bar of the view, if it has one, while the user waits for a read. */
  protected showProgress(task: Promise<void>): void {
    const { viewId } = this.#options;
    if (viewId) void vscode.window.withProgress({ location: { viewId } }, () => task);
  }

  /** Reads from the server, and sets the store's state if that fails. Never rejects. */
  async read(reason: RefreshReason): Promise<void> {
    const { connection, store, read } = this.#options;
    if (!vscode.workspace.isTrusted) return store.setState({ kind: 'restricted' });
    try {
      const access = await (isAwaited(reason) ? connection.viewAccess() : connection.existingAccess());
      if (!access) return store.clear(this.#emptyState());
      if (store.updatedAt === undefined) store.setState({ kind: 'loading' });
      const apply = await read(access, reason);
      if (access.target !== connection.target) return;
      this.policy.succeeded();
      apply();
    } catch (error) {
      this.policy.failed();
      this.failed(error);
    }
  }

  #emptyState(): ServerState {
    const { connection } = this.#options;
    if (!vscode.workspace.isTrusted) return { kind: 'restricted' };
    return connection.target.kind === 'embedded' && !connection.serviceRuns
      ? { kind: 'not-started' }
      : { kind: 'loading' };
  }
}

type PolledStore = Pick<ServerStore<unknown, { kind: string }>, 'updatedAt' | 'state' | 'setState' | 'clear'>;

export interface ServerPollOptions<Store extends PolledStore = PolledStore> {
  /** Name of the view, for the log. */
  name: string;
  connection: PolledConnection;
  /** The view's data. */
  store: Store;
  log: { warn(text: string): void };
  /** Reads from the server and returns a function that applies the result; it isn't called if the target has changed. */
  read(access: Access, reason: RefreshReason): Promise<() => void>;
  /** Milliseconds between two reads. */
  pollMs?: () => number;
  /** Whether the target reports changes itself, so that polling isn't needed. */
  isNotified?: () => boolean;
  /** Whether another target, and the user's trust, are read from while nobody looks, too. */
  always?: boolean;
  /** Sets the store's state after a failure, instead of what it says about the server. */
  onFailure?(error: unknown, limitedUntil: number): void;
  /** The view whose progress bar is shown for reads that the user waits for. */
  viewId?: string;
  now?: () => number;
  after?: (ms: number, callback: () => void) => () => void;
}
