import { Signal } from '../ui/lifecycle.ts';

/** A scrape whose page receives runs and prompts. */
export interface ScrapeTarget {
  jobId: string;
  /** Host of the page, for display. */
  name: string;
  /** The session that holds the page, once it has started. */
  sessionId?: string;
}

/** The scraped page that runs of this window go to instead of the current browser session, if any. */
export class RunTarget {
  readonly onDidChange = new Signal<void>();
  #scrape: ScrapeTarget | undefined;

  get scrape(): ScrapeTarget | undefined {
    return this.#scrape;
  }

  use(scrape: ScrapeTarget): void {
    this.#scrape = scrape;
    this.onDidChange.fire();
  }

  /** Records the session that now holds the page of the scrape. */
  setSession(jobId: string, sessionId: string): void {
    if (this.#scrape?.jobId !== jobId || this.#scrape.sessionId === sessionId) return;
    this.#scrape = { ...this.#scrape, sessionId };
    this.onDidChange.fire();
  }

  clear(): void {
    if (!this.#scrape) return;
    this.#scrape = undefined;
    this.onDidChange.fire();
  }
}
