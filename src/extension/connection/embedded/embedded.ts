import { setTimeout as sleep } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type { FromService } from '../../../contract/embedded.ts';
import { shorten } from '../../../contract/shorten.ts';
import { isNewerVersion } from '../../../contract/versions.ts';
import { type FoundService, findService } from '../../../discovery/discovery.ts';
import { Signal } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text/text.ts';
import { ServiceLink } from './link.ts';
import { logTail, type StartOptions, startService } from './process.ts';

export interface EmbeddedOptions extends Omit<StartOptions, 'timeoutMs'> {
  /** Version of this extension. A running service of another version is joined; an older one stops for this one when it is idle. */
  version: string;
  /** Name of this window, for the service's log. */
  window: string;
  log: { info(text: string): void; warn(text: string): void };
}

const startTimeoutMs = 30_000;
/** How long to wait for another service on the data dir: one that starts in another window, or one that is stopping. */
const otherServiceTimeoutMs = 15_000;

/** How long a service may take to stop. */
const stopTimeoutMs = 10_000;

/** A running service with this window's link to it. */
export interface LinkedService extends FoundService {
  link: ServiceLink;
}

/** One window's embedded service: finds or starts it, links to it, and reports when it stops. */
export class EmbeddedService {
  readonly onMessage = new Signal<FromService>();
  readonly onLinked = new Signal<LinkedService>();
  /** The service stopped. `reason` is its own if it said goodbye, otherwise the end of its log. */
  readonly onStopped = new Signal<{ expected: boolean; reason: string }>();
  readonly options: EmbeddedOptions;
  #linked: LinkedService | undefined;
  #opening: Promise<LinkedService | undefined> | undefined;
  #stopReason: string | undefined;
  #disposed = false;

  constructor(options: EmbeddedOptions) {
    this.options = options;
  }

  get linked(): LinkedService | undefined {
    return this.#linked;
  }

  /** Links to a running service; undefined if none is running. Never starts one. */
  async join(): Promise<LinkedService | undefined> {
    return this.#linked ?? (await this.#once(() => this.#findAndLink()));
  }

  /** Links to the running service, and starts it first if needed. */
  async start(): Promise<LinkedService> {
    const found = await this.join();
    const service = found ?? this.#linked ?? (await this.#once(() => this.#startAndLink()));
    if (!service) throw new Error(l10n.t("The embedded service didn't start. See its log for details."));
    return service;
  }

  /** Stops the linked service and waits until it has exited. */
  async stop(): Promise<void> {
    const service = this.#linked;
    if (!service) return;
    const gone = new Promise<void>((resolve) => service.link.onLost.on(() => resolve()));
    this.#stopReason = 'requested by this window';
    try {
      // Over the link and not with a signal: on Windows signals end a process before it can save profiles.
      service.link.send({ type: 'stop' });
      if (await endsWithin(gone, stopTimeoutMs)) return;
      // One that was started by hand, or is older or hangs, stops only on a signal. The pid comes from itself, over an authenticated link.
      process.kill(service.link.pid, 'SIGTERM');
    } catch {
      return;
    }
    await endsWithin(gone, 2 * stopTimeoutMs);
  }

  dispose(): void {
    this.#disposed = true;
    this.#linked?.link.close();
    this.#linked = undefined;
  }

  /** Runs one attempt at a time: concurrent callers share it. */
  #once(attempt: () => Promise<LinkedService | undefined>): Promise<LinkedService | undefined> {
    this.#opening ??= attempt().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #findAndLink(): Promise<LinkedService | undefined> {
    const { log, dataDirectory, version } = this.options;
    const found = await findService(dataDirectory);
    if (!found.service) {
      if (found.reason) log.info(`No running embedded service found: ${shorten(found.reason, 500)}`);
      return undefined;
    }
    if (found.service.version !== version) {
      log.info(
        `Joining an embedded service of version ${found.service.version}. This extension has version ${version}.`,
      );
    }
    return await this.#link(found.service);
  }

  async #startAndLink(): Promise<LinkedService | undefined> {
    const { log, dataDirectory } = this.options;
    for (const end = Date.now() + otherServiceTimeoutMs; ; await sleep(200)) {
      const started = await startService({ ...this.options, timeoutMs: startTimeoutMs });
      if (started.listening) log.info(`Started the embedded service on port ${started.port}.`);
      const service = await this.#findAndLink();
      if (service) return service;
      if (started.listening) {
        throw new Error(
          l10n.t("The embedded service started, but its discovery file isn't usable. See the log for details."),
        );
      }
      // Another window was faster, or the previous service still holds the data dir.
      const dataDirIsInUse = started.exitCode === 1 && /another service/i.test(started.logTail);
      if (dataDirIsInUse && Date.now() < end) continue;
      const details = started.logTail || l10n.t('see the log in {0}', dataDirectory);
      throw new Error(
        l10n.t('The embedded service exited on startup (exit code {0}): {1}', String(started.exitCode), details),
      );
    }
  }

  /**
   * Links to the service that takes over. A window of its version starts it; an older window waits for it, so that it does not
   * start its own older service in between.
   */
  async #follow(from: string, successor: string): Promise<void> {
    const starts = !isNewerVersion(successor, this.options.version);
    this.options.log.info(`The embedded service of version ${from} stopped. Version ${successor} takes over.`);
    const attempt = async () => {
      if (starts) return await this.#startAndLink();
      for (const end = Date.now() + otherServiceTimeoutMs; Date.now() < end && !this.#disposed; await sleep(200)) {
        const service = await this.#findAndLink().catch(() => undefined);
        if (service) return service;
      }
      return undefined;
    };
    await this.#once(attempt).catch((error: unknown) => this.options.log.warn(messageOf(error)));
  }

  async #link(service: FoundService): Promise<LinkedService> {
    const { port, apiKey } = service;
    const link = await ServiceLink.open({ port, apiKey, window: this.options.window, version: this.options.version });
    if (this.#disposed) {
      link.close();
      throw new Error(l10n.t('The window is closing.'));
    }
    const linked = { ...service, link };
    this.#linked = linked;
    this.#stopReason = undefined;
    link.onMessage.on((message) => {
      if (message.type !== 'goodbye') return this.onMessage.fire(message);
      link.end(message.reason);
      if (message.successor && !this.#disposed) void this.#follow(service.version, message.successor);
    });
    link.onLost.on(async ({ reason }) => {
      if (this.#linked === linked) this.#linked = undefined;
      const known = reason ?? this.#stopReason;
      const stop = { expected: known !== undefined, reason: known ?? (await logTail(this.options.dataDirectory)) };
      if (!this.#disposed) this.onStopped.fire(stop);
    });
    this.onLinked.fire(linked);
    return linked;
  }
}

async function endsWithin(gone: Promise<void>, ms: number): Promise<boolean> {
  return await Promise.race([gone.then(() => true), sleep(ms, false, { ref: false })]);
}
