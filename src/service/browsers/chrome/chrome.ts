import type { Log } from '../../platform/log.ts';
import type { Isolate } from '../isolation/isolation.ts';
import { type ChromeProcess, type LocalChromeOptions, localChrome } from './launch.ts';
import type { CdpPipe } from './pipe.ts';
import { cdpEndpoint } from './remote/cdp-endpoint.ts';
import { seleniumGrid } from './remote/selenium-grid.ts';

/** Options for opening a browser. */
export interface BrowserRequest {
  /** Existing private folder for the browser's state. */
  userDataDir: string;
  /** Environment variable (NAME, value) set on every process of the browser, so that stray processes can be found. */
  marker: readonly [name: string, value: string];
  /** Whether the browser only loads pages, which a headless shell does with half the processor time. */
  onlyLoadsPages?: boolean;
  /** Whether a local browser shows its window, even if the others don't. */
  headed?: boolean;
  /** Starts a local browser in a sandbox. */
  isolate?: Isolate;
  /** URL of a proxy that a local browser uses for all requests, loopback included. */
  proxyServer?: string;
  /** The process of a local browser, if it was started already. */
  started?: ChromeProcess | undefined;
}

/** A running browser that the service controls over one CDP connection. */
export interface Browser {
  readonly pipe: CdpPipe;
  /** Process ID, if it runs on this machine. */
  readonly pid?: number;
  /** Resolves when the browser has exited, with a predicate such as `exited with code 1`. */
  readonly ended: Promise<string>;
  /**
   * Asks the browser to close and kills it if it doesn't; resolves when it has exited.
   * @param graceMs how long it may take, 3 s by default: a local one writes the last of its state as it closes. `ended` then
   * resolves to `notClosed`.
   */
  close(graceMs?: number): Promise<void>;
  /** Kills the browser at once, with all its processes; `ended` resolves to `how`, a predicate such as `stopped responding`. */
  abandon(how: string): void;
}

/** Where browsers come from. */
export interface BrowserProvider {
  /** Whether each browser serves one session only, so that its state can be saved as a profile. */
  readonly keepsProfiles: boolean;
  /** Whether browsers store their state in `userDataDir`. */
  readonly local: boolean;
  /** Whether others may wait for its browsers, so that none is kept open unused. */
  readonly isQueued?: boolean;
  /** Opens a browser that responds to CDP. Throws a ServiceError: 503 if none is available, 502 if it didn't start. */
  open(request: BrowserRequest): Promise<Browser>;
  /** Opens no browsers from now on. */
  stop?(): void;
  /** Ends the browsers that are still open elsewhere. */
  close?(): Promise<void>;
}

export interface ChromeOptions extends Omit<LocalChromeOptions, 'log'> {
  /** URL of the Selenium Grid or CDP endpoint that provides browsers instead of a local Chrome. */
  browserEndpoint?: string | undefined;
}

/** Returns the browser provider: the grid (http, https) or CDP endpoint (ws, wss) if one is set, otherwise a Chrome on this machine. */
export function openChrome(
  { browserEndpoint, chromePath, headless, temporary }: ChromeOptions,
  log: Log,
): BrowserProvider {
  if (!browserEndpoint) return localChrome({ headless, log, temporary, chromePath });
  const isGrid = /^https?:$/.test(new URL(browserEndpoint).protocol);
  return isGrid ? seleniumGrid({ endpoint: browserEndpoint, chromePath, headless, log }) : cdpEndpoint(browserEndpoint);
}
