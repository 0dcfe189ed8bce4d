import type { Log } from '../log.ts';
import { localChrome } from './launch.ts';
import type { CdpPipe } from './pipe.ts';
import { remoteChrome } from './remote.ts';

/** What a browser is made with. */
export interface BrowserRequest {
  /** Folder of the browser's own state, existing and private. */
  userDataDir: string;
  /** Environment variable (NAME, value) that marks every process of the browser, so that strays can be found. */
  marker: readonly [name: string, value: string];
  /** URL of a proxy that a local browser is to use for all it asks, loopback included. */
  proxyServer?: string;
}

/** A running browser of our own, driven over one CDP connection. */
export interface Browser {
  readonly pipe: CdpPipe;
  /** Product and version, as `Chrome/156.0.8078.79`. */
  readonly product: string;
  /** Process id where it runs on this machine. */
  readonly pid?: number;
  /** Settles with the reason when the browser has ended, whoever ended it. */
  readonly ended: Promise<string>;
  /** Asks it to close, then makes it; settles when it has ended. */
  close(): Promise<void>;
}

/** Where browsers come from. */
export interface BrowserProvider {
  /** Whether a browser's whole state is its session's alone, so that it can be kept as a profile. */
  readonly keepsProfiles: boolean;
  /** Whether its browsers keep their state in the folder that they are given. */
  readonly local: boolean;
  /** Gives a browser that answers CDP. Throws a ServiceError: 503 when there is none to be had, 502 when it did not start. */
  open(request: BrowserRequest): Promise<Browser>;
}

export interface ChromeOptions {
  /** A CDP endpoint that gives the browsers, in the place of a local Chrome. */
  browserEndpoint?: string | undefined;
  /** The local Chrome's program; without it, one is looked for. */
  chromePath?: string | undefined;
  headless: boolean;
}

/** Chooses where browsers come from: a CDP endpoint where one is named, else a Chrome on this machine. */
export function openChrome({ browserEndpoint, chromePath, headless }: ChromeOptions, log: Log): BrowserProvider {
  if (browserEndpoint) return remoteChrome({ endpoint: browserEndpoint });
  return localChrome({ headless, log, ...(chromePath && { chromePath }) });
}
