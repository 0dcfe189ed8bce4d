/** What decides which clients hear of a page's JavaScript dialogs. */
export interface DialogClient {
  /** While this returns true, dialogs are reported to this client only. */
  claimsDialogs?(): boolean;
  /** While this returns true, dialogs of pages that other clients drive aren't reported to this one. */
  isIdle?(): boolean;
  /** Whether it fits pages to what their viewers see: the sizes that it sets aren't those of code, and it doesn't drive them. */
  fitsPages?: boolean;
}

/** What a client has answered that may be its default, because nobody listens there. */
interface Held {
  forward(): void;
  /** Tells the client that the dialog has been answered. */
  done(): void;
}

/** A dialog that is open. */
interface Open {
  type: unknown;
  /** The CDP sessions that have heard of it. */
  heard: Set<string>;
  held: Map<string, Held>;
  since: number;
  timer?: NodeJS.Timeout;
}

/** How long an answer waits that may be a client's default, while others have heard of the dialog too. */
const maxHeldMs = 1000;
/** How long Chrome may take to tell all clients of a page of a dialog. */
const tellingMs = 100;

interface Session {
  client: DialogClient;
  targetId: string;
  /** Whether the client asked for the page's events. */
  isEnabled: boolean;
  /** Counts up with each command of a client that isn't idle. */
  lastUse: number;
}

const effects: ReadonlyMap<unknown, boolean> = new Map([
  ['Page.enable', true],
  ['Page.disable', false],
]);

/** Decides which clients hear of a JavaScript dialog, and whose answer counts. */
export class DialogArbiter {
  #sessions = new Map<string, Session>();
  /** Dialogs that idle clients haven't heard of, by CDP session. */
  #unheard = new Map<string, () => void>();
  /** Open dialogs, by the target ID of their page. */
  #open = new Map<string, Open>();
  /** CDP sessions whose answer to a dialog that another client has answered may still come: it isn't meant for the next one. */
  #late = new Set<string>();
  #uses = 0;

  attached(sessionId: string, targetId: string, client: DialogClient): void {
    this.#sessions.set(sessionId, { client, targetId, isEnabled: false, lastUse: 0 });
  }

  detached(sessionId: string): void {
    const open = this.#openOf(sessionId);
    open?.heard.delete(sessionId);
    open?.held.delete(sessionId);
    this.#sessions.delete(sessionId);
    this.#late.delete(sessionId);
    if (open) this.#settle(open);
    this.#unheard.delete(sessionId);
    this.#report();
  }

  command(sessionId: string, method: string): void {
    const session = this.#sessions.get(sessionId);
    const isEnabled = effects.get(method);
    if (session && isEnabled !== undefined) session.isEnabled = isEnabled;
    if (session && !session.client.isIdle?.()) session.lastUse = ++this.#uses;
    // A client that isn't idle any longer would wait for its page forever.
    this.#report();
  }

  /** Returns whether a client hears of a dialog now. Otherwise `report` is called once it has to. */
  hears(client: DialogClient, sessionId: string, report: () => void, type?: unknown): boolean {
    for (const { client: other } of this.#sessions.values()) if (other.claimsDialogs?.()) return other === client;
    if (!this.#isLeftToOthers(sessionId)) {
      this.#heard(sessionId, type);
      return true;
    }
    this.#unheard.set(sessionId, () => {
      this.#heard(sessionId, type);
      report();
    });
    return false;
  }

  /**
   * Passes an answer on. One that clients give by themselves where nobody listens waits for what the others say who have heard
   * of the dialog, unless they say the same.
   */
  answer(sessionId: string, params: Record<string, unknown> | undefined, answer: Held): void {
    const open = this.#openOf(sessionId);
    const isLate = this.#late.delete(sessionId);
    const isDefault = params?.promptText === undefined && params?.accept === (open?.type === 'beforeunload');
    if (isLate && !open?.heard.has(sessionId)) return answer.done();
    if (!open || !isDefault) {
      answer.forward();
      if (open) this.#end(open, sessionId);
      return;
    }
    open.held.get(sessionId)?.done();
    open.held.set(sessionId, answer);
    this.#settle(open);
  }

  closed(sessionId: string): void {
    this.#unheard.delete(sessionId);
    const open = this.#openOf(sessionId);
    // Another one may be open already, which this client hasn't heard of.
    if (open?.heard.has(sessionId)) this.#end(open);
  }

  #openOf(sessionId: string): Open | undefined {
    return this.#open.get(this.#sessions.get(sessionId)?.targetId ?? '');
  }

  #heard(sessionId: string, type: unknown): void {
    const targetId = this.#sessions.get(sessionId)?.targetId;
    if (targetId === undefined) return;
    const open = this.#open.get(targetId) ?? { type, heard: new Set(), held: new Map(), since: performance.now() };
    this.#open.set(targetId, open);
    open.heard.add(sessionId);
  }

  /** Passes an answer on that is held, once nobody else can have another one. */
  #settle(open: Open): void {
    const [[sessionId, first] = []] = open.held;
    if (sessionId === undefined || !first) return;
    const isComplete = open.held.size >= open.heard.size;
    const leftMs =
      (isComplete ? (this.#isShared(sessionId) ? tellingMs : 0) : maxHeldMs) - (performance.now() - open.since);
    clearTimeout(open.timer);
    if (leftMs > 0) {
      // What Chrome has sent in the meantime is read first.
      open.timer = setTimeout(() => setImmediate(() => this.#settle(open)), leftMs).unref();
      return;
    }
    open.held.delete(sessionId);
    first.forward();
    this.#end(open, sessionId);
  }

  /** Whether other clients may hear of a dialog of the same page. */
  #isShared(sessionId: string): boolean {
    const targetId = this.#sessions.get(sessionId)?.targetId;
    return [...this.#sessions].some(
      ([other, session]) => other !== sessionId && session.targetId === targetId && session.isEnabled,
    );
  }

  /** @param answered the CDP session whose answer counts */
  #end(open: Open, answered?: string): void {
    clearTimeout(open.timer);
    for (const [targetId, other] of this.#open) if (other === open) this.#open.delete(targetId);
    for (const sessionId of open.heard)
      if (sessionId !== answered && !open.held.has(sessionId)) this.#late.add(sessionId);
    for (const { done } of open.held.values()) done();
    open.held.clear();
  }

  /** Whether other clients drive the page of an idle one. */
  #isLeftToOthers(sessionId: string, driven = this.#driven()): boolean {
    const own = this.#sessions.get(sessionId);
    return own?.client.isIdle?.() === true && (driven.get(own.targetId) ?? 0) > own.lastUse;
  }

  /** Returns when pages were driven last, by target ID. Of clients that are all idle, the last to drive one may have left a listener in it. */
  #driven(): ReadonlyMap<string, number> {
    const driven = new Map<string, number>();
    for (const { client, targetId, isEnabled, lastUse } of this.#sessions.values()) {
      if (!isEnabled || client.fitsPages) continue;
      const used = client.isIdle?.() ? lastUse : Number.POSITIVE_INFINITY;
      driven.set(targetId, Math.max(driven.get(targetId) ?? 0, used));
    }
    return driven;
  }

  #report(): void {
    if (this.#unheard.size === 0) return;
    const driven = this.#driven();
    for (const [sessionId, report] of this.#unheard) {
      if (this.#isLeftToOthers(sessionId, driven)) continue;
      this.#unheard.delete(sessionId);
      report();
    }
  }
}
