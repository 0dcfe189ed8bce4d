import * as vscode from 'vscode';
import type { Client, EmbeddedClient } from '../../client/client.ts';
import type { FromService, FromWindow, RunEvent } from '../../contract/embedded.ts';
import { requireTrust, setContextKey, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables, Signal } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import type { EmbeddedService, LinkedService } from './embedded/embedded.ts';
import { serviceTuning } from './embedded/tuning.ts';
import type { ApiKeys } from './keys.ts';
import { RateLimit } from './polling/rate-limit.ts';
import { type Target, targetOf } from './target.ts';

/** A way to call the target, and what it offers. */
export interface Access {
  readonly target: Target;
  readonly baseUrl: string;
  readonly client: Client;
  /** Present on the embedded service alone. */
  readonly embedded?: EmbeddedClient;
}

export interface ServiceEnd {
  expected: boolean;
  /** Why it ended, or the last lines of its log. */
  words: string;
}

/** Which server the window talks to. Nothing is started before somebody asks for access. */
export class Connection implements vscode.Disposable {
  /** Another target, another key, or the service came or went: what was read before is no longer sure. */
  readonly onDidChange = new Signal<void>();
  readonly onRunEvent = new Signal<RunEvent>();
  readonly onSessionsChanged = new Signal<{ sessionId: string; reason: string }>();
  /** This window is linked to an embedded service, perhaps to another one than before. */
  readonly onServiceLinked = new Signal<void>();
  readonly onServiceEnded = new Signal<ServiceEnd>();
  readonly onActivityChanged = new Signal<void>();
  readonly onModelMessage = new Signal<Extract<FromService, { type: 'model-request' | 'model-cancel' }>>();
  /** What the target lets the polling of all views do. */
  readonly rateLimit = new RateLimit();
  readonly keys: ApiKeys;
  #context: vscode.ExtensionContext;
  #log: vscode.LogOutputChannel;
  #target: Target;
  #service: EmbeddedService | undefined;
  #access: Access | undefined;
  #activity: string | undefined;
  #disposables = new Disposables();

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, keys: ApiKeys) {
    this.#context = context;
    this.#log = log;
    this.keys = keys;
    this.#target = targetOf(readSetting('serverBaseUrl'));
    setContextKey('target', this.#target.kind);
    this.#disposables.add(onSettingChanged(['serverBaseUrl'], () => this.#retarget()));
    this.#disposables.add(onSettingChanged(['dataDirectory'], () => this.#leaveService()));
    this.#disposables.add(
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

  /** Says something to the embedded service over the link; nothing happens while there is none. */
  tellService(message: FromWindow): void {
    this.#service?.linked?.link.send(message);
  }

  /** What the person waits for, such as the start of the service. */
  get activity(): string | undefined {
    return this.#activity;
  }

  get dataDirectory(): string {
    return readSetting('dataDirectory') || vscode.Uri.joinPath(this.#context.globalStorageUri, 'service').fsPath;
  }

  /** A way to call the target; starts the embedded service if that is the target and none runs. */
  async access(): Promise<Access> {
    requireTrust();
    if (this.#target.kind === 'server') return await this.#serverAccess(this.#target);
    const linked =
      this.#service?.linked ?? (await this.#whileStarting(async () => (await this.#embeddedService()).start()));
    return await this.#embeddedAccess(linked);
  }

  /** The same, but starts nothing: undefined when the target is the embedded service and none runs. */
  async existingAccess(): Promise<Access | undefined> {
    if (!vscode.workspace.isTrusted) return undefined;
    if (this.#target.kind === 'server') return await this.#serverAccess(this.#target);
    const linked = this.#service?.linked ?? (await this.#joinIfThere());
    return linked && (await this.#embeddedAccess(linked));
  }

  /** Tells the embedded service what to sign webhook deliveries with, while this window is linked to it. */
  giveWebhookSecret(secret: string | undefined): void {
    this.#service?.linked?.link.send({ type: 'webhook-secret', secret: secret ?? null });
  }

  /** Ends the embedded service, with all its sessions, and starts a new one. */
  async restartService(): Promise<void> {
    requireTrust();
    await this.#service?.stop();
    this.#leaveService();
    await this.access();
    this.onDidChange.fire();
  }

  dispose(): void {
    this.#service?.dispose();
    this.#disposables.dispose();
  }

  async #serverAccess(target: Target & { kind: 'server' }): Promise<Access> {
    if (this.#access?.target === target) return this.#access;
    const apiKey = await this.keys.get(target.origin);
    if (!apiKey) {
      throw new UserError(`There is no API key for ${target.host}.`, [
        { title: 'Connect to Server…', command: commands.connectToServer },
        { title: 'Use Embedded Service', command: commands.useEmbeddedService },
      ]);
    }
    const { createServerClient } = await import('./clients.ts');
    const access = { target, baseUrl: target.baseUrl, client: createServerClient(target.baseUrl, apiKey) };
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

  async #joinIfThere(): Promise<LinkedService | undefined> {
    // Cheap first: most windows find no file, and need none of what reads it.
    const file = vscode.Uri.joinPath(vscode.Uri.file(this.dataDirectory), 'service.json');
    const there = await vscode.workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
    return there ? await (await this.#embeddedService()).join() : undefined;
  }

  async #embeddedService(): Promise<EmbeddedService> {
    const { EmbeddedService } = await import('./embedded/embedded.ts');
    const dataDirectory = this.dataDirectory;
    const chromePath = readSetting('chromePath');
    if (this.#service) {
      this.#service.options.chromePath = chromePath;
      this.#service.options.tuning = serviceTuning();
      return this.#service;
    }
    const service = new EmbeddedService({
      execPath: process.execPath,
      program: this.#context.asAbsolutePath('dist/service.cjs'),
      dataDirectory,
      chromePath,
      tuning: serviceTuning(),
      environment: process.env,
      version: String(this.#context.extension.packageJSON.version),
      window: vscode.workspace.name ?? 'window without a folder',
      log: this.#log,
    });
    this.#service = service;
    service.onMessage.on((message) => {
      if (message.type === 'run') this.onRunEvent.fire(message.event);
      if (message.type === 'sessions-changed') this.onSessionsChanged.fire(message);
      if (message.type === 'model-request' || message.type === 'model-cancel') this.onModelMessage.fire(message);
    });
    service.onLinked.on(() => {
      this.onServiceLinked.fire();
      if (this.#target.kind === 'embedded') this.#changed();
    });
    service.onEnded.on((end) => {
      this.#log.warn(`The embedded service ended: ${end.words || 'it left no word'}`);
      if (this.#target.kind !== 'embedded') return;
      this.onServiceEnded.fire(end);
      this.#changed();
    });
    return service;
  }

  async #whileStarting(start: () => Promise<LinkedService>): Promise<LinkedService> {
    this.#setActivity('starting the service');
    try {
      return await start();
    } finally {
      this.#setActivity(undefined);
    }
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
    this.rateLimit.reset();
    this.#changed();
  }

  #leaveService(): void {
    this.#service?.dispose();
    this.#service = undefined;
    this.#changed();
  }

  #changed(): void {
    this.#access = undefined;
    this.onDidChange.fire();
  }
}
