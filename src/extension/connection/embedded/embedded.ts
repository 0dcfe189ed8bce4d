import { setTimeout as sleep } from 'node:timers/promises';
import type { FromService } from '../../../contract/embedded.ts';
import { Signal } from '../../ui/lifecycle.ts';
import { type FoundService, findService } from './discovery.ts';
import { ServiceLink } from './link.ts';
import { lastWords, type StartOptions, startService } from './process.ts';

export interface EmbeddedOptions extends Omit<StartOptions, 'timeoutMs'> {
  /** Version of this extension; a running service of another version is joined all the same, and noted. */
  version: string;
  /** Name of this window, for the service's log. */
  window: string;
  log: { info(text: string): void; warn(text: string): void };
}

const startTimeoutMs = 30_000;
/** How long to wait for another service that holds the data dir: one that starts in another window, or one that ends. */
const otherServiceMs = 15_000;

/** A service that this window is linked to. */
export interface LinkedService extends FoundService {
  link: ServiceLink;
}

/** The embedded service as one window sees it: found or started, linked, lost. */
export class EmbeddedService {
  readonly onMessage = new Signal<FromService>();
  readonly onLinked = new Signal<LinkedService>();
  /** The service is gone: `reason` when it said goodbye, else its last words. */
  readonly onEnded = new Signal<{ expected: boolean; words: string }>();
  readonly options: EmbeddedOptions;
  #linked: LinkedService | undefined;
  #opening: Promise<LinkedService | undefined> | undefined;
  #askedToEnd: string | undefined;
  #disposed = false;

  constructor(options: EmbeddedOptions) {
    this.options = options;
  }

  get linked(): LinkedService | undefined {
    return this.#linked;
  }

  /** Joins a service that runs; undefined when there is none. Never starts one. */
  async join(): Promise<LinkedService | undefined> {
    return this.#linked ?? (await this.#once(() => this.#findAndLink()));
  }

  /** The running service, started first if there is none. */
  async start(): Promise<LinkedService> {
    const found = await this.join();
    const service = found ?? this.#linked ?? (await this.#once(() => this.#startAndLink()));
    if (!service) throw new Error('The embedded service did not start; its log says why.');
    return service;
  }

  /** Ends the service that this window is linked to and waits until it is gone. */
  async stop(): Promise<void> {
    const service = this.#linked;
    if (!service) return;
    const gone = new Promise<void>((resolve) => service.link.onLost.on(() => resolve()));
    this.#askedToEnd = 'it was asked to end';
    try {
      // The pid comes from the service itself, over a link that it has proved to own.
      process.kill(service.link.pid, 'SIGTERM');
    } catch {
      return;
    }
    await Promise.race([gone, sleep(10_000, undefined, { ref: false })]);
  }

  dispose(): void {
    this.#disposed = true;
    this.#linked?.link.close();
    this.#linked = undefined;
  }

  /** Two callers at once share one attempt. */
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
      if (found.reason) log.info(`No running embedded service: ${found.reason}`);
      return undefined;
    }
    if (found.service.version !== version) {
      log.info(`Joining an embedded service of version ${found.service.version}; this extension is ${version}.`);
    }
    return await this.#link(found.service);
  }

  async #startAndLink(): Promise<LinkedService | undefined> {
    const { log, dataDirectory } = this.options;
    for (const end = Date.now() + otherServiceMs; ; await sleep(200)) {
      const started = await startService({ ...this.options, timeoutMs: startTimeoutMs });
      if (started.listening) log.info(`Started the embedded service on port ${started.port}.`);
      const service = await this.#findAndLink();
      if (service) return service;
      if (started.listening) {
        throw new Error('The embedded service started, but its discovery file could not be used; the log says why.');
      }
      // Another window was faster, or the service before this one has not let go of the data dir yet.
      const dataDirIsInUse = started.exitCode === 1 && /another service/i.test(started.lastWords);
      if (dataDirIsInUse && Date.now() < end) continue;
      const words = started.lastWords || `see the log in ${dataDirectory}`;
      throw new Error(`The embedded service ended as it started (exit code ${started.exitCode}): ${words}`);
    }
  }

  async #link(service: FoundService): Promise<LinkedService> {
    const { port, apiKey } = service;
    const link = await ServiceLink.open({ port, apiKey, window: this.options.window });
    if (this.#disposed) {
      link.close();
      throw new Error('The window is closing.');
    }
    const linked = { ...service, link };
    this.#linked = linked;
    this.#askedToEnd = undefined;
    link.onMessage.on((message) => {
      if (message.type === 'goodbye') link.end(message.reason);
      else this.onMessage.fire(message);
    });
    link.onLost.on(async ({ reason }) => {
      if (this.#linked === linked) this.#linked = undefined;
      const expected = reason ?? this.#askedToEnd;
      const words = expected ?? (await lastWords(this.options.dataDirectory));
      if (!this.#disposed) this.onEnded.fire({ expected: expected !== undefined, words });
    });
    this.onLinked.fire(linked);
    return linked;
  }
}
