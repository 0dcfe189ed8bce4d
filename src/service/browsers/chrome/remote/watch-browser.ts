import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from './connection.ts';

export interface WatchOptions {
  /** Whether the browser is there; undefined if nobody can say. */
  isThere(): Promise<boolean | undefined>;
  abandon(how: string): void;
  waits: PulseWaits;
}

/** In milliseconds. */
export interface PulseWaits {
  /** How long after one answer the browser is asked again. */
  pulse: number;
  /** How long a browser is silent before its grid is asked about it. */
  doubt: number;
  /** How long a browser is silent before it is given up. */
  silence: number;
}

/**
 * Abandons a browser that has ended: a Selenium Grid keeps the connection open when the browser, its session or its node
 * ends. Each call is also traffic, so that the grid's idle timeout doesn't end the session.
 */
export function watchBrowser(connection: Connection, { isThere, abandon, waits }: WatchOptions): void {
  let open = true;
  void connection.ended.then(() => {
    open = false;
  });

  async function watch(): Promise<void> {
    while (open) {
      await wait(waits.pulse, undefined, { ref: false });
      if (!open) return;
      const answered = connection.call('Browser.getVersion', undefined, waits.silence).then(
        () => true,
        () => false,
      );
      const soon = await Promise.race([answered, wait(waits.doubt, undefined, { ref: false })]);
      if (soon === true) continue;
      const there = await isThere();
      if (there === false) return abandon('was ended by the Selenium Grid');
      if (await answered) continue;
      return abandon(there ? 'stopped responding' : 'was lost with its node of the Selenium Grid');
    }
  }
  void watch();
}
