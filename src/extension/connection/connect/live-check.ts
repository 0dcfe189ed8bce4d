import { callLater } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text/text.ts';
/** What is said about a text: nothing while it may be fine, or why it isn't. */
export interface Verdict {
  /** Undefined if the text is fine. */
  problem: string | undefined;
  /** Another text that would work. */
  instead?: string | undefined;
}

export interface LiveCheckOptions {
  /** Returns what is wrong with a text by itself; undefined if nothing is. */
  problemOf(text: string): string | undefined;
  /** Asks the server about a text. */
  ask(text: string, signal: AbortSignal): Promise<Verdict>;
  /** Shows a verdict, or that one is awaited. */
  show(state: Verdict & { busy: boolean }): void;
  /** How long a text must stay the same before the server is asked, in milliseconds. */
  delayMs: number;
  after?: (ms: number, callback: () => void) => () => void;
}

/** Checks what is typed into an input: at once by itself, and with the server when it hasn't changed for a moment. */
export class LiveCheck {
  #options: LiveCheckOptions;
  #cancelTimer = () => {};
  #asking: { text: string; abort: AbortController; verdict: Promise<Verdict | undefined> } | undefined;

  constructor(options: LiveCheckOptions) {
    this.#options = options;
  }

  /** Checks a text that has changed. */
  typed(text: string): void {
    const { problemOf, show, delayMs, after = callLater } = this.#options;
    this.stop();
    if (text.trim() === '') return show({ problem: undefined, busy: false });
    const problem = problemOf(text);
    show({ problem, busy: false });
    if (problem === undefined) this.#cancelTimer = after(delayMs, () => void this.#ask(text));
  }

  /** Returns whether a text can be used. Asks the server at once if it hasn't been asked. */
  async accepts(text: string): Promise<boolean> {
    const { problemOf, show } = this.#options;
    const problem = problemOf(text);
    if (problem !== undefined) {
      show({ problem, busy: false });
      return false;
    }
    const verdict = await (this.#asking?.text === text ? this.#asking.verdict : this.#ask(text));
    return verdict !== undefined && verdict.problem === undefined;
  }

  stop(): void {
    this.#cancelTimer();
    this.#cancelTimer = () => {};
    this.#asking?.abort.abort();
    this.#asking = undefined;
  }

  /** Resolves to undefined if the text has changed meanwhile. */
  #ask(text: string): Promise<Verdict | undefined> {
    this.stop();
    const { ask, show } = this.#options;
    const abort = new AbortController();
    show({ problem: undefined, busy: true });
    const verdict = ask(text, abort.signal)
      .catch((error: unknown): Verdict => ({ problem: messageOf(error) }))
      .then((result) => {
        if (abort.signal.aborted) return undefined;
        show({ ...result, busy: false });
        // What failed may work the next time; what worked needs no second call.
        if (result.problem !== undefined) this.#asking = undefined;
        return result;
      });
    this.#asking = { text, abort, verdict };
    return verdict;
  }
}
