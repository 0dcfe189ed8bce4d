import { isNewerVersion } from '../../../contract/versions.ts';
import type { Clock } from '../clock.ts';

export interface TakeoverOptions {
  /** Version of this service. */
  version: string;
  clock: Clock;
  /** Whether no session, job or request would be lost. */
  idle(): boolean;
  /** Called once, with the version of the window that starts the next service. */
  onTakeover(version: string): void;
}

const checkMs = 1_000;

/** Ends this service for a newer one, when nothing runs on it: checks that only while a window with a newer version is linked. */
export function createTakeover<Window>(options: TakeoverOptions) {
  const { version: own, clock, idle } = options;
  const newer = new Map<Window, string>();
  let cancel: (() => void) | undefined;

  function watch(): void {
    cancel = clock.after(checkMs, () => {
      cancel = undefined;
      if (!idle()) return watch();
      const successor = [...newer.values()].reduce((best, version) => (isNewerVersion(version, best) ? version : best));
      options.onTakeover(successor);
    });
  }

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    /** A window linked to this service with an extension of this version. */
    linked(window: Window, version: string): void {
      if (!isNewerVersion(version, own)) return;
      newer.set(window, version);
      if (!cancel) watch();
    },
    gone(window: Window): void {
      newer.delete(window);
      if (newer.size === 0) stop();
    },
    close: stop,
  };
}
