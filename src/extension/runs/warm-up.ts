import { runnableLanguages } from '../ui/ids.ts';

interface Dependencies {
  /** Whether code has been run in this workspace. */
  hasRuns(): boolean;
  /** Asks the embedded service to get a browser ready. */
  send(): void;
  /** The time of a monotonic clock, in milliseconds. */
  monotonic(): number;
}

/** The service keeps a browser ready for longer than this. */
const intervalMs = 60_000;

/**
 * Returns a function to call with the language of an editor that got the focus: if its code may be run soon, a browser
 * should be ready.
 */
export function createWarmUp({ hasRuns, send, monotonic }: Dependencies): (languageId: string | undefined) => void {
  let sentAt = Number.NEGATIVE_INFINITY;
  return (languageId = '') => {
    if (!Object.hasOwn(runnableLanguages, languageId) || !hasRuns() || monotonic() - sentAt < intervalMs) return;
    sentAt = monotonic();
    send();
  };
}
