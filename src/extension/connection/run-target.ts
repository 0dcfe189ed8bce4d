import { Signal } from '../ui/lifecycle.ts';

/** A scrape whose page runs and prompts go to. */
export interface ScrapeTarget {
  jobId: string;
  /** Host of the page, as the person knows it. */
  name: string;
  /** The session in which it lives, once it does. */
  sessionId?: string;
}

/** What runs of this window go to when it is not simply the current browser session: the page of a scrape. */
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

  /** The page came to life in this session. */
  begun(jobId: string, sessionId: string): void {
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
