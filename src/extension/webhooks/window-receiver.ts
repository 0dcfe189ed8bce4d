import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isLoopback } from '../../contract/addresses.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { reportFailure, requireTrust, UserError } from '../ui/commands.ts';
import { exists } from '../ui/dialogs.ts';
import { commands, settings, settingsSection } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import { messageOf } from '../ui/text/text.ts';
import type { ReceiverSettings, StoredDelivery } from './receiver/deliveries.ts';
import { ReceiverError, type ReceiverThread, startReceiverThread } from './receiver/receiver.ts';
import { handlerKey, receivingKey, storedKey, storedWebhooks } from './stored-state.ts';
import { WebhookSecrets } from './verification/webhook-secrets.ts';
import { type ReceiverState, WebhooksStore } from './webhooks-store.ts';

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  context: vscode.ExtensionContext;
}

type Listening = Extract<ReceiverState, { kind: 'listening' }>;

const portKey = 'webdata.webhooks.port';
const refreshEveryMs = 200;
/** How many deliveries are kept, for how long, and how large they may be together. The oldest are deleted first. */
const storedBounds = { deliveries: 20_000, ageMs: 7 * 24 * 3600_000, bytes: 1024 ** 3 };

/** The webhook receiver of this window: owns its thread, settings and secrets, and updates the view's store. */
export class WindowReceiver extends Disposables {
  readonly store: WebhooksStore;
  readonly secrets: WebhookSecrets;
  #parts: Parts;
  #thread: Promise<ReceiverThread> | undefined;
  #refreshTimer: NodeJS.Timeout | undefined;
  #starting: Promise<Listening> | undefined;

  constructor(parts: Parts) {
    super();
    this.#parts = parts;
    const { context, connection, log } = parts;
    const stored = storedWebhooks(context.workspaceState);
    this.store = new WebhooksStore(stored.hasDeliveries);
    this.secrets = new WebhookSecrets(context.secrets, (text) => log.warn(text));
    this.store.setHandler(stored.handler, stored.forwardsNew);
    this.add(this.secrets.onDidChange(() => this.#inBackground(this.secretsChanged())));
    this.add(connection.onServiceLinked.on(() => this.#inBackground(this.#shareSecret())));
    this.add(onSettingChanged(['webhooksPublicUrl'], () => this.#inBackground(this.#publicUrlChanged())));
    this.add({ dispose: () => clearTimeout(this.#refreshTimer) });
    this.#inBackground(this.secretsChanged());
  }

  /** Starts the receiver after a reload if this window was listening before. Failures appear only in the view and the log. */
  async resume(): Promise<void> {
    if (!vscode.workspace.isTrusted || !storedWebhooks(this.#parts.context.workspaceState).receiving) return;
    await this.start().catch((error: unknown) => this.#parts.log.warn(`Webhook receiver: ${messageOf(error)}`));
  }

  /** Shows the recorded deliveries without listening. Starts nothing if none were recorded. */
  async load(): Promise<void> {
    if (this.#thread || !vscode.workspace.isTrusted) return;
    const file = vscode.Uri.joinPath(this.directory, 'deliveries.sqlite');
    if (await exists(file)) await this.refresh();
  }

  /** Starts listening; on the same port as last time, unless the setting names one. */
  async start(): Promise<Listening> {
    requireTrust();
    const { state } = this.store.shown;
    if (state.kind === 'listening' && !this.#starting) return state;
    // Concurrent callers share one start: a second one would take the port from the first.
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return await this.#starting;
  }

  async #start(): Promise<Listening> {
    this.store.setState({ kind: 'starting' });
    try {
      await this.#createFirstSecret();
      const port = await this.#listen();
      const url = `http://127.0.0.1:${port}/webhooks`;
      const listening = { kind: 'listening', port, url, publicUrl: await this.#findPublicUrl(url) } as const;
      const { workspaceState } = this.#parts.context;
      await Promise.all([workspaceState.update(receivingKey, true), workspaceState.update(portKey, port)]);
      this.store.setState(listening);
      await this.#configure();
      this.#parts.log.info(`The webhook receiver is listening on port ${port}.`);
      await this.refresh();
      return listening;
    } catch (error) {
      const failure = asUserError(error);
      this.store.setState({ kind: 'failed', message: failure.message });
      throw failure;
    }
  }

  /** The URL that the target can reach while the receiver is listening: the local one for the embedded service, the public one for a server. */
  get currentUrl(): string | undefined {
    const { state } = this.store.shown;
    if (state.kind !== 'listening') return undefined;
    return this.#parts.connection.target.kind === 'embedded' ? state.url : (state.publicUrl ?? state.url);
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await this.#parts.context.workspaceState.update(receivingKey, false);
    if (this.#thread) await (await this.#thread).call('stopListening', undefined);
    this.store.setState({ kind: 'stopped' });
  }

  /** Returns the receiver's thread with its store open, starting it if necessary. */
  thread(): Promise<ReceiverThread> {
    requireTrust();
    this.#thread ??= this.#open().catch((error: unknown) => {
      this.#thread = undefined;
      throw error;
    });
    return this.#thread;
  }

  /** Returns a delivery with its body. Throws a UserError if it is no longer stored. */
  async delivery(num: number): Promise<StoredDelivery> {
    const delivery = await (await this.thread()).call('get', { num });
    if (!delivery) throw new UserError(l10n.t('This delivery is no longer stored.'));
    return delivery;
  }

  async refresh(): Promise<void> {
    const thread = await this.thread();
    const { jobId, limit } = this.store.shown;
    this.store.setList(await thread.call('list', { jobId, limit }));
    const { workspaceState } = this.#parts.context;
    const { hasDeliveries } = this.store.shown;
    if (workspaceState.get(storedKey) !== hasDeliveries) await workspaceState.update(storedKey, hasDeliveries);
  }

  /** Sets the URL of the user's handler, and whether new deliveries are forwarded to it automatically. */
  async setHandler(url: string | undefined, forwardsNew: boolean): Promise<void> {
    await this.#parts.context.workspaceState.update(handlerKey, url && { url, forwardsNew });
    this.store.setHandler(url, forwardsNew);
    await this.#configure();
  }

  /** Passes the current secrets to the receiver and the embedded service. */
  async secretsChanged(): Promise<void> {
    const { current, old } = await this.secrets.get();
    this.store.setSecretUse(current === undefined ? 'none' : old === undefined ? 'one' : 'two');
    await Promise.all([this.#configure(), this.#shareSecret()]);
  }

  override dispose(): void {
    super.dispose();
    void this.#thread?.then((thread) => thread.dispose()).catch(() => undefined);
  }

  /** Where deliveries and edited bodies are stored. */
  get directory(): vscode.Uri {
    const { storageUri, globalStorageUri } = this.#parts.context;
    return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'webhooks');
  }

  async #open(): Promise<ReceiverThread> {
    const { context, log } = this.#parts;
    const thread = startReceiverThread(context.asAbsolutePath('dist/webhook-receiver.cjs'));
    thread.onUpdate.on((update) => {
      for (const id of update.conflicts)
        log.warn(`Delivery ${id} was received again with a different body. The first one was kept.`);
      for (const failure of update.failures) log.warn(`Webhook receiver: automatic forwarding: ${failure}`);
      this.store.applyUpdate(update);
      this.#refreshSoon();
    });
    thread.onEnded.on((message) => {
      log.error(message);
      this.#thread = undefined;
      this.store.setState({ kind: 'failed', message });
    });
    const directory = this.directory.fsPath;
    const { movedAside } = await thread.call('open', { directory, settings: await this.#settings() });
    if (movedAside) log.error(`Couldn't read the recorded deliveries. Their file was moved to ${movedAside}.`);
    return thread;
  }

  async #listen(): Promise<number> {
    const thread = await this.thread();
    const configured = readSetting('webhooksPort');
    const last = this.#parts.context.workspaceState.get<number>(portKey) ?? 0;
    try {
      return (await thread.call('listen', { port: configured || last })).port;
    } catch (error) {
      if (configured || !last || (error as ReceiverError).code !== 'EADDRINUSE') throw error;
      return (await thread.call('listen', { port: 0 })).port;
    }
  }

  /** Generates a secret for the embedded service, so that its deliveries are verified from the start. */
  async #createFirstSecret(): Promise<void> {
    const { current, declined } = await this.secrets.get();
    if (current !== undefined || declined || this.#parts.connection.target.kind !== 'embedded') return;
    const { randomBytes } = await import('node:crypto');
    await this.secrets.replace(randomBytes(32).toString('base64url'));
    await this.secretsChanged();
  }

  /** Returns the URL at which others reach this port: the configured one, or that of a port forwarded by VS Code. */
  async #findPublicUrl(url: string): Promise<string | undefined> {
    const configured = readSetting('webhooksPublicUrl').trim();
    if (configured !== '') return configured;
    if (vscode.env.remoteName === undefined) return undefined;
    const uri = await vscode.env.asExternalUri(vscode.Uri.parse(url, true)).then(undefined, (error: unknown) => {
      this.#parts.log.warn(`Webhook receiver: no public URL: ${messageOf(error)}`);
    });
    if (!uri) return undefined;
    // A loopback URL is useless to others.
    return isLoopback(new URL(uri.toString(true)).hostname) ? undefined : uri.toString(true);
  }

  /** Follows work that nobody waits for. A failure is shown: the receiver would go on with old secrets or settings. */
  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.disposed) reportFailure('Webhook receiver', error, this.#parts.log);
    });
  }

  async #shareSecret(): Promise<void> {
    const { current } = await this.secrets.get();
    this.#parts.connection.sendToService({ type: 'webhook-secret', secret: current ?? null });
  }

  async #publicUrlChanged(): Promise<void> {
    const { state } = this.store.shown;
    if (state.kind !== 'listening') return;
    this.store.setState({ ...state, publicUrl: await this.#findPublicUrl(state.url) });
    await this.#configure();
  }

  async #configure(): Promise<void> {
    await (await this.#thread)?.call('configure', await this.#settings());
  }

  async #settings(): Promise<ReceiverSettings> {
    const { current, old } = await this.secrets.get();
    const { handler, forwardsNew, state } = this.store.shown;
    const host = state.kind === 'listening' && URL.parse(state.publicUrl ?? '')?.host;
    return {
      secrets: [current, current && old].filter((secret) => typeof secret === 'string'),
      publicHosts: host ? [host] : [],
      bounds: storedBounds,
      forwardTo: forwardsNew ? handler : undefined,
    };
  }

  #refreshSoon(): void {
    this.#refreshTimer ??= setTimeout(() => {
      this.#refreshTimer = undefined;
      this.refresh().catch((error: unknown) => this.#parts.log.warn(messageOf(error)));
    }, refreshEveryMs);
  }
}

function asUserError(error: unknown): Error {
  if (!(error instanceof ReceiverError)) return error instanceof Error ? error : new Error(String(error));
  const setting = { title: l10n.t('Change Port'), command: 'workbench.action.openSettings' as const };
  const args = [`${settingsSection}.${settings.webhooksPort}`];
  if (error.code === 'EADDRINUSE') {
    return new UserError(l10n.t("The webhook receiver's port is already in use, possibly by another window."), [
      { ...setting, args },
      { title: l10n.t('Try Again'), command: commands.startWebhookReceiver },
    ]);
  }
  if (error.code === 'EACCES') {
    return new UserError(
      l10n.t("You don't have permission to use the webhook receiver's port. Choose a port above 1023."),
      [{ ...setting, args }],
    );
  }
  return new UserError(l10n.t("The webhook receiver couldn't start: {0}", messageOf(error)));
}
