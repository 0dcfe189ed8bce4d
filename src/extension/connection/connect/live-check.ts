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
export function liveCheck({ problemOf, ask, show, delayMs, after = callLater }: LiveCheckOptions) {
  let cancelTimer = () => {};
  let asking: { text: string; abort: AbortController; verdict: Promise<Verdict | undefined> } | undefined;

  /** Checks a text that has changed. */
  function typed(text: string): void {
    stop();
    if (text.trim() === '') return show({ problem: undefined, busy: false });
    const problem = problemOf(text);
    show({ problem, busy: false });
    if (problem === undefined) cancelTimer = after(delayMs, () => void askNow(text));
  }

  /** Returns whether a text can be used. Asks the server at once if it hasn't been asked. */
  async function accepts(text: string): Promise<boolean> {
    const problem = problemOf(text);
    if (problem !== undefined) {
      show({ problem, busy: false });
      return false;
    }
    const verdict = await (asking?.text === text ? asking.verdict : askNow(text));
    return verdict !== undefined && verdict.problem === undefined;
  }

  function stop(): void {
    cancelTimer();
    cancelTimer = () => {};
    asking?.abort.abort();
    asking = undefined;
  }

  /** Resolves to undefined if the text has changed meanwhile. */
  function askNow(text: string): Promise<Verdict | undefined> {
    stop();
    const abort = new AbortController();
    show({ problem: undefined, busy: true });
    const verdict = ask(text, abort.signal)
      .catch((error: unknown): Verdict => ({ problem: messageOf(error) }))
      .then((result) => {
        if (abort.signal.aborted) return undefined;
        show({ ...result, busy: false });
        // What failed may work the next time; what worked needs no second call.
        if (result.problem !== undefined) asking = undefined;
        return result;
      });
    asking = { text, abort, verdict };
    return verdict;
  }

  return { typed, accepts, stop };
}
