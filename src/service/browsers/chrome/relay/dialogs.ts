/** What decides which clients hear of a page's JavaScript dialogs. */
export interface DialogClient {
  /** While this returns true, dialogs are reported to this client only. */
  claimsDialogs?(): boolean;
  /** While this returns true, dialogs of pages that other clients drive aren't reported to this one. */
  isIdle?(): boolean;
  /** Whether it shows pages to viewers instead of driving them. */
  fitsPages?: boolean;
}

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

/** Reports JavaScript dialogs to the clients that drive the page. */
export class Dialogs {
  #sessions = new Map<string, Session>();
  /** Dialogs that idle clients haven't heard of, by CDP session. */
  #unheard = new Map<string, () => void>();
  #uses = 0;

  attached(sessionId: string, targetId: string, client: DialogClient): void {
    this.#sessions.set(sessionId, { client, targetId, isEnabled: false, lastUse: 0 });
  }

  detached(sessionId: string): void {
    this.#sessions.delete(sessionId);
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
  hears(client: DialogClient, sessionId: string, report: () => void): boolean {
    for (const { client: other } of this.#sessions.values()) if (other.claimsDialogs?.()) return other === client;
    if (!this.#isLeftToOthers(sessionId)) return true;
    this.#unheard.set(sessionId, report);
    return false;
  }

  closed(sessionId: string): void {
    this.#unheard.delete(sessionId);
  }

  #isLeftToOthers(sessionId: string): boolean {
    const own = this.#sessions.get(sessionId);
    if (!own?.client.isIdle?.()) return false;
    // Of clients that are all idle, the last to drive the page may have left a listener in it.
    for (const { client, targetId, isEnabled, lastUse } of this.#sessions.values()) {
      const drives = isEnabled && !client.fitsPages && (!client.isIdle?.() || lastUse > own.lastUse);
      if (drives && targetId === own.targetId) return true;
    }
    return false;
  }

  #report(): void {
    for (const [sessionId, report] of this.#unheard) {
      if (this.#isLeftToOthers(sessionId)) continue;
      this.#unheard.delete(sessionId);
      report();
    }
  }
}
