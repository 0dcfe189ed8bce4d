import type { CdpMessage } from '../messages.ts';

/** A client that may want new pages to wait for it. */
export interface StartClient {
  /** Whether it is the service itself: a page that it has to check first waits for as long as that takes. */
  isService?: boolean;
}

/** A new page that waits for the clients that asked for that. */
interface NewPage {
  targetId: string;
  /** Clients that haven't been told of it yet, but will be. */
  untold: Set<StartClient>;
  /** The CDP sessions that haven't let it start. */
  waiting: Map<string, StartClient>;
  /** What lets it start, and answers the clients that have let it. */
  held: (() => void)[];
  timer?: NodeJS.Timeout;
}

/** Whether a command to the browser itself asks that new pages are attached and wait; undefined if it is about something else. */
export function attachesPages({ method, params }: CdpMessage): boolean | undefined {
  if (method !== 'Target.setAutoAttach') return undefined;
  // With a filter, it may not be told of pages.
  return params?.autoAttach === true && params.waitForDebuggerOnStart === true && params.filter === undefined;
}

/**
 * Lets new pages start once every client has let them that asked for them to wait. Chrome starts them with the first, so
 * that the others miss requests, don't check them, or meet frames of a page that they know nothing of yet.
 */
export class Starts {
  /** Clients that all new pages are attached to, and wait for. */
  #attaching = new Set<StartClient>();
  /** Clients that let a page wait for too long, and have sent nothing since. */
  #silent = new Set<StartClient>();
  #pages = new Map<string, NewPage>();
  #pageOf = new Map<string, NewPage>();
  #maxWaitMs: number;

  /** @param maxWaitMs how long a page waits for clients, in milliseconds: one that stands at a breakpoint doesn't answer */
  constructor(maxWaitMs = 5_000) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** A client that sends commands answers again. */
  command(client: StartClient): void {
    this.#silent.delete(client);
  }

  /** Notes whether the browser now attaches new pages to a client. */
  answered(client: StartClient, waits: boolean): void {
    if (waits) this.#attaching.add(client);
    else this.#attaching.delete(client);
  }

  attached(client: StartClient, params: Record<string, unknown> | undefined): void {
    const { type, targetId } = (params?.targetInfo ?? {}) as { type?: unknown; targetId?: unknown };
    const isNewPage = type === 'page' && params?.waitingForDebugger === true;
    if (!isNewPage || typeof targetId !== 'string') return;
    const sessionId = String(params.sessionId);
    const page = this.#pages.get(targetId) ?? this.#created(targetId);
    page.untold.delete(client);
    if (!this.#silent.has(client)) page.waiting.set(sessionId, client);
    this.#pageOf.set(sessionId, page);
  }

  detached(sessionId: string): void {
    const page = this.#pageOf.get(sessionId);
    if (!page) return;
    this.#pageOf.delete(sessionId);
    page.waiting.delete(sessionId);
    this.#settle(page);
  }

  left(client: StartClient): void {
    this.#attaching.delete(client);
    this.#silent.delete(client);
    for (const page of this.#pages.values()) if (page.untold.delete(client)) this.#settle(page);
  }

  /**
   * Passes on that a client lets a target start, once all have. For a page that waited, `started` has to answer the client
   * too: Chrome may not, as the page starts with the first and may stand in a dialog then.
   */
  start(sessionId: string, forward: () => void, started: () => void): void {
    const page = this.#pageOf.get(sessionId);
    if (!page) return forward();
    this.#pageOf.delete(sessionId);
    page.held.push(started);
    page.waiting.delete(sessionId);
    this.#settle(page);
  }

  #created(targetId: string): NewPage {
    const page: NewPage = {
      targetId,
      untold: new Set([...this.#attaching].filter((client) => !this.#silent.has(client))),
      waiting: new Map(),
      held: [],
    };
    page.timer = setTimeout(() => this.#giveUp(page), this.#maxWaitMs).unref();
    this.#pages.set(targetId, page);
    return page;
  }

  #giveUp(page: NewPage): void {
    for (const [sessionId, client] of page.waiting) {
      if (client.isService) continue;
      page.waiting.delete(sessionId);
      this.#silent.add(client);
    }
    page.untold.clear();
    this.#settle(page);
  }

  #settle(page: NewPage): void {
    if (page.waiting.size > 0 || page.untold.size > 0) return;
    clearTimeout(page.timer);
    if (this.#pages.get(page.targetId) === page) this.#pages.delete(page.targetId);
    for (const started of page.held.splice(0)) started();
  }
}
