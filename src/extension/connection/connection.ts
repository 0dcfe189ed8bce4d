import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client, EmbeddedClient } from '../../client/client.ts';
import type { FromService, FromWindow, RunEvent } from '../../contract/embedded.ts';
import type { AgentRun } from '../../contract/mcp/agent-sessions.ts';
import { shorten } from '../../contract/shorten.ts';
import { requireTrust, setContextKey, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables, Signal } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import type { EmbeddedService, LinkedService } from './embedded/embedded.ts';
import { dataDirectory, serviceMayRun, serviceTuning } from './embedded/service-settings.ts';
import type { ApiKeys } from './keys.ts';
import { RateLimit } from './polling/rate-limit.ts';
import { embeddedInstead } from './remedies/remedies.ts';
import { type Target, targetOf } from './target.ts';

/** A way to call the target, and what it offers. */
export interface Access {
  readonly target: Target;
  readonly baseUrl: string;
  readonly client: Client;
  /** Set only for the embedded service. */
  readonly embedded?: EmbeddedClient;
}
export type EmbeddedAccess = Access & Required<Pick<Access, 'embedded'>>;

/** Why the target can't be used: the server doesn't answer, or the embedded service stopped by itself. */
export type Trouble = 'unreachable' | 'stopped';

export interface ServiceStop {
  expected: boolean;
  /** Why it stopped, or the last lines of its log. */
  reason: string;
}

/** The server this window talks to. Starts nothing until `access()` is called. */
export class Connection extends Disposables {
  /** The target or its key changed, or the embedded service started or stopped: data read before may be out of date. */
  readonly onDidChange = new Signal<void>();
  readonly onRunEvent = new Signal<RunEvent>();
  /** What agents do, or what they wait to be allowed, has changed. */
  readonly onAgents = new Signal<Extract<FromService, { type: 'agents' }>>();
  readonly onAgentRun = new Signal<AgentRun>();
  readonly onSessionsChanged = new Signal<{ sessionId: string; reason: string }>();
  /** This window linked to an embedded service, possibly a different one than before. */
  readonly onServiceLinked = new Signal<void>();
  readonly onServiceStopped = new Signal<ServiceStop>();
  readonly onActivityChanged = new Signal<void>();
  /** A server that the user entered accepted its key. */
  readonly onServerConnected = new Signal<void>();
  /** The user asked for new data: visible views read theirs again. */
  readonly onRefresh = new Signal<void>();
  readonly onModelMessage = new Signal<Extract<FromService, { type: 'model-request' | 'model-cancel' }>>();
  /** The target's rate limit, shared by the polling of all views. */
  readonly rateLimit = new RateLimit();
  /** The language model that the embedded service may use, for display; undefined if there is none. */
  languageModel: string | undefined;
  readonly keys: ApiKeys;
  #context: vscode.ExtensionContext;
  #log: vscode.LogOutputChannel;
  #target: Target;
  #service: EmbeddedService | undefined;
  #access: Access | undefined;
  #activity: string | undefined;
  #trouble: Trouble | undefined;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, keys: ApiKeys) {
    super();
    this.#context = context;
    this.#log = log;
    this.keys = keys;
    this.#target = targetOf(readSetting('serverBaseUrl'));
    setContextKey('target', this.#target.kind);
    this.add(onSettingChanged(['serverBaseUrl'], () => this.#retarget()));
    this.add(onSettingChanged(['dataDirectory'], () => this.#disconnectService()));
    this.add(
      keys.onDidChange((origin) => {
        if (this.#target.kind === 'server' && this.#target.origin === origin) this.#changed();
      }),
    );
  }

  get target(): Target {
    return this.#target;
  }

  /** True while this window is linked to the embedded service. */
  get serviceRuns(): boolean {
    return this.#service?.linked !== undefined;
  }

  /** Sends a message to the embedded service over the link; does nothing without one. */
  sendToService(message: FromWindow): void {
    this.#service?.linked?.link.send(message);
  }

  /** What the user is waiting for, such as the start of the service. */
  get activity(): string | undefined {
    return this.#activity;
  }

  /** Why the target can't be used, as far as the last call showed. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** Reaches for the target again. The outcome is in `trouble`. */
  async retry(): Promise<void> {
    const { client } = await this.access();
    await client.listBrowserSessions({}, { retries: 0 });
  }

  get dataDirectory(): string {
    return dataDirectory(this.#context);
  }

  /** Returns access to the target. Starts the embedded service if it is the target and isn't running. */
  async access(): Promise<Access> {
    requireTrust();
    if (this.#target.kind === 'server') return await this.#serverAccess(this.#target);
    const linked =
      this.#service?.linked ?? (await this.#withStartActivity(async () => (await this.#embeddedService()).start()));
    return await this.#embeddedAccess(linked);
  }

  /**
   * Returns access to the embedded service. With another target, throws a `UserError` that says why, with a button that switches.
   * @param repeats whether the button does again what failed: it concerns nothing that only the other server has
   */
  async embedded(why: string, repeats = false): Promise<EmbeddedAccess> {
    const access = this.#target.kind === 'embedded' ? await this.access() : undefined;
    if (access?.embedded) return { ...access, embedded: access.embedded };
    throw new UserError(why, [{ ...embeddedInstead, repeats }]);
  }

  /** Returns access to the target without starting anything; undefined if the embedded service isn't running. */
  async existingAccess(): Promise<Access | undefined> {
    if (!vscode.workspace.isTrusted) return undefined;
    if (this.#target.kind === 'server') return await this.#serverAccess(this.#target);
    const linked = this.#service?.linked ?? (await this.#joinIfRunning());
    return linked && (await this.#embeddedAccess(linked));
  }

  /** Returns access for a view that became visible. Starts the embedded service unless a setting turns that off. */
  async viewAccess(): Promise<Access | undefined> {
    const starts = vscode.workspace.isTrusted && readSetting('startWithViews');
    return await (starts ? this.access() : this.existingAccess());
  }

  /** Returns the keys that the target is called with. No text that goes elsewhere may contain them. */
  async knownKeys(): Promise<string[]> {
    const target = this.#target;
    const key = target.kind === 'server' ? await this.keys.get(target.origin) : this.#service?.linked?.apiKey;
    return key ? [key] : [];
  }

  /** Stops the embedded service with all its sessions, and starts a new one. */
  async restartService(): Promise<void> {
    requireTrust();
    await this.#service?.stop();
    this.#disconnectService();
    await this.access();
    this.onDidChange.fire();
  }

  override dispose(): void {
    this.#service?.dispose();
    super.dispose();
  }

  async #serverAccess(target: Target & { kind: 'server' }): Promise<Access> {
    if (this.#access?.target === target) return this.#access;
    const apiKey = await this.keys.get(target.origin);
    if (!apiKey) {
      throw new UserError(l10n.t('No API key for {0}.', target.host), [
        { title: l10n.t('Connect to Server…'), command: commands.connectToServer },
        // What was meant for this server may name what only it has.
        { ...embeddedInstead, repeats: false },
      ]);
    }
    const { createServerClient } = await import('./clients.ts');
    const onReached = (answered: boolean) => {
      if (this.#target === target) this.#setTrouble(answered ? undefined : 'unreachable');
    };
    const access = { target, baseUrl: target.baseUrl, client: createServerClient(target.baseUrl, apiKey, onReached) };
    if (this.#target === target) this.#access = access;
    return access;
  }

  async #embeddedAccess(service: LinkedService): Promise<Access> {
    if (this.#access?.baseUrl === service.baseUrl && this.#access.embedded) return this.#access;
    const { createEmbeddedClients } = await import('./clients.ts');
    const access = { target: this.#target, baseUrl: service.baseUrl, ...createEmbeddedClients(service) };
    if (this.#target.kind === 'embedded') this.#access = access;
    return access;
  }

  async #joinIfRunning(): Promise<LinkedService | undefined> {
    // Cheap check first: most windows find no file and needn't load the code that reads it.
    return (await serviceMayRun(this.dataDirectory)) ? await (await this.#embeddedService()).join() : undefined;
  }

  async #embeddedService(): Promise<EmbeddedService> {
    const { EmbeddedService } = await import('./embedded/embedded.ts');
    const tuning = serviceTuning();
    if (this.#service) {
      this.#service.options.tuning = tuning;
      return this.#service;
    }
    const service = new EmbeddedService({
      execPath: process.execPath,
      program: this.#context.asAbsolutePath('dist/service.cjs'),
      dataDirectory: this.dataDirectory,
      tuning,
      environment: process.env,
      version: String(this.#context.extension.packageJSON.version),
      window: vscode.workspace.name ?? 'window without a folder',
      log: this.#log,
    });
    this.#service = service;
    service.onMessage.on((message) => {
      if (message.type === 'run') this.onRunEvent.fire(message.event);
      if (message.type === 'agents') this.onAgents.fire(message);
      if (message.type === 'agent-run') this.onAgentRun.fire(message.run);
      if (message.type === 'sessions-changed') this.onSessionsChanged.fire(message);
      if (message.type === 'model-request' || message.type === 'model-cancel') this.onModelMessage.fire(message);
    });
    service.onLinked.on(() => {
      this.onServiceLinked.fire();
      if (this.#target.kind !== 'embedded') return;
      this.#setTrouble(undefined);
      this.#changed();
    });
    service.onStopped.on((stop) => {
      this.#log.warn(`The embedded service stopped: ${shorten(stop.reason || 'no reason given', 500)}`);
      if (this.#target.kind !== 'embedded') return;
      this.#setTrouble(stop.expected ? undefined : 'stopped');
      this.onServiceStopped.fire(stop);
      this.#changed();
    });
    return service;
  }

  async #withStartActivity(start: () => Promise<LinkedService>): Promise<LinkedService> {
    this.#setActivity(l10n.t('starting the service'));
    try {
      return await start();
    } finally {
      this.#setActivity(undefined);
    }
  }

  #setTrouble(trouble: Trouble | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.onActivityChanged.fire();
  }

  #setActivity(activity: string | undefined): void {
    this.#activity = activity;
    this.onActivityChanged.fire();
  }

  #retarget(): void {
    const target = targetOf(readSetting('serverBaseUrl'));
    if (JSON.stringify(target) === JSON.stringify(this.#target)) return;
    this.#target = target;
    setContextKey('target', target.kind);
    this.#setTrouble(undefined);
    this.rateLimit.reset();
    this.#changed();
  }

  #disconnectService(): void {
    this.#service?.dispose();
    this.#service = undefined;
    this.#changed();
  }

  #changed(): void {
    this.#access = undefined;
    this.onDidChange.fire();
  }
}

/** What most features are made of. */
export interface FeatureParts {
  connection: Connection;
  documents: VirtualDocuments;
  log: vscode.LogOutputChannel;
}
