import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { requireTrust, UserError } from '../ui/commands.ts';
import { commands, settings, settingsSection } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import { messageOf } from '../ui/text.ts';
import { isLoopback } from '../ui/web-page.ts';
import type { ReceiverSettings } from './receiver/messages.ts';
import { ReceiverError, type ReceiverThread, startReceiverThread } from './receiver/receiver.ts';
import { WebhookSecrets } from './verification/webhook-secrets.ts';
import { WebhooksStore } from './webhooks-store.ts';

interface Parts {
  context: vscode.ExtensionContext;
  connection: Connection;
  log: vscode.LogOutputChannel;
}

/** Where the receiver is reached. */
interface ReceiverAddress {
  url: string;
  publicUrl: string | undefined;
}

const receivingKey = 'webdata.webhooks.receiving';
const portKey = 'webdata.webhooks.port';
const handlerKey = 'webdata.webhooks.handler';
const refreshEveryMs = 200;
const mostBytes = 1024 ** 3;

/** The receiver of this window: its thread, what it is told, and what it tells the store of the view. */
export class Webhooks implements vscode.Disposable {
  readonly store = new WebhooksStore();
  readonly secrets: WebhookSecrets;
  #parts: Parts;
  #thread: Promise<ReceiverThread> | undefined;
  #disposables = new Disposables();
  #refreshTimer: NodeJS.Timeout | undefined;
  #publicUrl: string | undefined;
  #starting: Promise<ReceiverAddress> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { context, connection, log } = parts;
    this.secrets = new WebhookSecrets(context.secrets, (text) => log.warn(text));
    this.store.setHandler(...this.#handler());
    this.#disposables.add(this.secrets.onDidChange(() => void this.secretsChanged()));
    this.#disposables.add(connection.onServiceLinked.on(() => void this.#giveSecret()));
    this.#disposables.add(
      onSettingChanged(
        ['webhooksPublicUrl', 'webhooksKeepDeliveries', 'webhooksKeepDays'],
        () => void this.#configure(),
      ),
    );
    this.#disposables.add({ dispose: () => clearTimeout(this.#refreshTimer) });
    void this.secretsChanged();
  }

  /** Listens again after a reload, if this window was listening; says nothing when that fails but in the view. */
  async resume(): Promise<void> {
    if (!vscode.workspace.isTrusted || !this.#parts.context.workspaceState.get<boolean>(receivingKey)) return;
    await this.start().catch((error: unknown) => this.#parts.log.warn(`The webhook receiver: ${messageOf(error)}`));
  }

  /** Shows what was recorded, without listening. Starts nothing where nothing was recorded. */
  async load(): Promise<void> {
    if (this.#thread || !vscode.workspace.isTrusted) return;
    const file = vscode.Uri.joinPath(this.#directory, 'deliveries.sqlite');
    const there = await vscode.workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
    if (there) await this.refresh();
  }

  /** Listens; the same port as the last time where the setting leaves it open. */
  async start(): Promise<ReceiverAddress> {
    requireTrust();
    const { state } = this.store;
    if (state.kind === 'listening') return { url: state.url, publicUrl: state.publicUrl };
    // Whoever asks while it starts waits for the same start: a second one would take its port away.
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return await this.#starting;
  }

  async #start(): Promise<ReceiverAddress> {
    this.store.setState({ kind: 'starting' });
    try {
      await this.#firstSecret();
      const port = await this.#listen();
      const url = `http://127.0.0.1:${port}/webhooks`;
      this.#publicUrl = await this.#findPublicUrl(url);
      const { workspaceState } = this.#parts.context;
      await Promise.all([workspaceState.update(receivingKey, true), workspaceState.update(portKey, port)]);
      await this.#configure();
      this.store.setState({ kind: 'listening', port, url, publicUrl: this.#publicUrl });
      this.#parts.log.info(`The webhook receiver listens on port ${port}.`);
      await this.refresh();
      return { url, publicUrl: this.#publicUrl };
    } catch (error) {
      const failure = asUserError(error);
      this.store.setState({ kind: 'failed', message: failure.message });
      throw failure;
    }
  }

  /** The URL that the target's crawls can reach: the embedded service runs on this machine, a server does not. */
  async urlForTarget(): Promise<string> {
    const { url, publicUrl } = await this.start();
    return this.#parts.connection.target.kind === 'embedded' ? url : (publicUrl ?? url);
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await this.#parts.context.workspaceState.update(receivingKey, false);
    if (this.#thread) await (await this.#thread).call('stopListening', undefined);
    this.store.setState({ kind: 'stopped' });
  }

  /** The thread with its store open. */
  thread(): Promise<ReceiverThread> {
    requireTrust();
    this.#thread ??= this.#open().catch((error: unknown) => {
      this.#thread = undefined;
      throw error;
    });
    return this.#thread;
  }

  async refresh(): Promise<void> {
    const thread = await this.thread();
    const { jobId, limit } = this.store;
    this.store.setList(await thread.call('list', { jobId, limit }));
  }

  /** Where the developer's handler listens, and whether new deliveries go there by themselves. */
  async setHandler(url: string | undefined, forwardsNew: boolean): Promise<void> {
    await this.#parts.context.workspaceState.update(handlerKey, url && { url, forwardsNew });
    this.store.setHandler(url, forwardsNew);
    await this.#configure();
  }

  /** Tells the receiver and the embedded service what the secrets are now. */
  async secretsChanged(): Promise<void> {
    const { current, old } = await this.secrets.get();
    this.store.setSecretUse(current === undefined ? 'none' : old === undefined ? 'one' : 'two');
    await Promise.all([this.#configure(), this.#giveSecret()]);
  }

  dispose(): void {
    this.#disposables.dispose();
    void this.#thread?.then((thread) => thread.dispose()).catch(() => undefined);
  }

  get #directory(): vscode.Uri {
    const { storageUri, globalStorageUri } = this.#parts.context;
    return vscode.Uri.joinPath(storageUri ?? globalStorageUri, 'webhooks');
  }

  async #open(): Promise<ReceiverThread> {
    const { context, log } = this.#parts;
    const thread = startReceiverThread(context.asAbsolutePath('dist/webhook-receiver.cjs'));
    thread.onNews.on((news) => {
      for (const id of news.conflicts) log.warn(`Delivery ${id} came again with another body; the first one was kept.`);
      this.store.hear(news);
      this.#refreshSoon();
    });
    thread.onEnded.on((why) => {
      log.error(why);
      this.#thread = undefined;
      this.store.setState({ kind: 'failed', message: why });
    });
    const directory = this.#directory.fsPath;
    const { movedAside } = await thread.call('open', { directory, settings: await this.#settings() });
    if (movedAside) log.error(`The recorded deliveries could not be read; they were moved to ${movedAside}.`);
    return thread;
  }

  async #listen(): Promise<number> {
    const thread = await this.thread();
    const wanted = readSetting('webhooksPort');
    const last = this.#parts.context.workspaceState.get<number>(portKey) ?? 0;
    try {
      return (await thread.call('listen', { port: wanted || last })).port;
    } catch (error) {
      if (wanted || !last || (error as ReceiverError).code !== 'EADDRINUSE') throw error;
      return (await thread.call('listen', { port: 0 })).port;
    }
  }

  /** The embedded service signs with a secret of our own making, so that its deliveries are verified from the first. */
  async #firstSecret(): Promise<void> {
    const { current, declined } = await this.secrets.get();
    if (current !== undefined || declined || this.#parts.connection.target.kind !== 'embedded') return;
    const { randomBytes } = await import('node:crypto');
    await this.secrets.replace(randomBytes(32).toString('base64url'));
    await this.secretsChanged();
  }

  /** The URL that others reach this port by: the person's own, or that of a port which VS Code forwards. */
  async #findPublicUrl(url: string): Promise<string | undefined> {
    const own = readSetting('webhooksPublicUrl').trim();
    if (own !== '') return own;
    if (vscode.env.remoteName === undefined) return undefined;
    const uri = await vscode.env.asExternalUri(vscode.Uri.parse(url, true));
    // One that leads back to this machine is of use to nobody else.
    return isLoopback(new URL(uri.toString(true))) ? undefined : uri.toString(true);
  }

  async #giveSecret(): Promise<void> {
    const { current } = await this.secrets.get();
    this.#parts.connection.giveWebhookSecret(current);
  }

  async #configure(): Promise<void> {
    if (!this.#thread) return;
    const { state } = this.store;
    if (state.kind === 'listening') {
      this.#publicUrl = await this.#findPublicUrl(state.url);
      this.store.setState({ ...state, publicUrl: this.#publicUrl });
    }
    await (await this.#thread).call('configure', await this.#settings());
  }

  async #settings(): Promise<ReceiverSettings> {
    const { current, old } = await this.secrets.get();
    const { handler, forwardsNew } = this.store;
    const host = this.#publicUrl && URL.canParse(this.#publicUrl) ? new URL(this.#publicUrl).host : undefined;
    return {
      secrets: [current, current && old].filter((secret) => typeof secret === 'string'),
      publicHosts: host === undefined ? [] : [host],
      bounds: {
        deliveries: readSetting('webhooksKeepDeliveries'),
        ageMs: readSetting('webhooksKeepDays') * 24 * 3600_000,
        bytes: mostBytes,
      },
      forwardTo: forwardsNew ? handler : undefined,
    };
  }

  #handler(): [string | undefined, boolean] {
    const kept = this.#parts.context.workspaceState.get<{ url?: unknown; forwardsNew?: unknown }>(handlerKey);
    const url = typeof kept?.url === 'string' ? kept.url : undefined;
    return [url, kept?.forwardsNew === true];
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
  const setting = { title: 'Change the Port', command: 'workbench.action.openSettings' as const };
  const args = [`${settingsSection}.${settings.webhooksPort}`];
  if (error.code === 'EADDRINUSE') {
    return new UserError('The port of the webhook receiver is taken, perhaps by another window.', [
      { ...setting, args },
      { title: 'Try Again', command: commands.startWebhookReceiver },
    ]);
  }
  if (error.code === 'EACCES') {
    return new UserError('The port of the webhook receiver needs rights that you lack; take one above 1023.', [
      { ...setting, args },
    ]);
  }
  return new UserError(`The webhook receiver did not start: ${error.message}`);
}
