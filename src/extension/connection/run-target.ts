import { Signal } from '../ui/lifecycle.ts';

/** A scrape whose page receives runs and prompts. */
export interface ScrapeTarget {
  jobId: string;
  /** Host of the page, for display. */
  name: string;
  /** The session that holds the page. */
  sessionId: string;
}

/** The scraped page that the current session holds, if any: prompts and runs go to it. */
export class RunTarget {
  readonly onDidChange = new Signal<void>();
  #scrape: ScrapeTarget | undefined;
  /** The scrapes that this window has interacted with, by their sessions. */
  #known = new Map<string, ScrapeTarget>();

  get scrape(): ScrapeTarget | undefined {
    return this.#scrape;
  }

  /** Returns the scrape whose page a session holds, if this window has interacted with it. */
  of(sessionId: string): ScrapeTarget | undefined {
    return this.#known.get(sessionId);
  }

  use(scrape: ScrapeTarget): void {
    this.#known.set(scrape.sessionId, scrape);
    this.#scrape = scrape;
    this.onDidChange.fire();
  }

  /** Follows the choice of a session: to the scrape whose page it holds, or away from one. */
  follow(sessionId: string | undefined): void {
    if (this.#scrape?.sessionId === sessionId) return;
    const scrape = sessionId === undefined ? undefined : this.#known.get(sessionId);
    if (scrape === this.#scrape) return;
    this.#scrape = scrape;
    this.onDidChange.fire();
  }

  /** Records the session that now holds the page of the scrape. */
  setSession(jobId: string, sessionId: string): void {
    if (this.#scrape?.jobId !== jobId || this.#scrape.sessionId === sessionId) return;
    this.#known.delete(this.#scrape.sessionId);
    this.use({ ...this.#scrape, sessionId });
  }

  /** Leaves the scrape of a session for good, by default the current one: its browser has closed. */
  clear(sessionId = this.#scrape?.sessionId): void {
    if (sessionId !== undefined) this.#known.delete(sessionId);
    if (!this.#scrape || this.#scrape.sessionId !== sessionId) return;
    this.#scrape = undefined;
    this.onDidChange.fire();
  }
}
