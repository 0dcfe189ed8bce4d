import type { Log } from '../../../platform/log.ts';
import type { BrowserProvider } from '../chrome.ts';
import { cdpEndpoint } from './cdp-endpoint.ts';
import { seleniumGrid } from './selenium-grid.ts';

export interface RemoteChromeOptions {
  /** URL of a Selenium Grid (http, https) or a CDP endpoint (ws, wss). It may contain a password: never log or show it. */
  endpoint: string;
  /** Path of the browser on the machines of a Selenium Grid; by default, they choose. */
  chromePath?: string | undefined;
  headless: boolean;
  log: Log;
}

/** Provides browsers that run elsewhere. */
export function remoteChrome({ endpoint, chromePath, headless, log }: RemoteChromeOptions): BrowserProvider {
  const isGrid = /^https?:$/.test(new URL(endpoint).protocol);
  return isGrid ? seleniumGrid({ endpoint, chromePath, headless, log }) : cdpEndpoint({ endpoint });
}
