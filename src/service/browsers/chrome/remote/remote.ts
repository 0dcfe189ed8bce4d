import type { BrowserProvider } from '../chrome.ts';
import { cdpEndpoint } from './cdp-endpoint.ts';
import { type SeleniumGridOptions, seleniumGrid } from './selenium-grid.ts';

/** Provides browsers that run elsewhere: from a Selenium Grid (http, https) or a CDP endpoint (ws, wss). */
export function remoteChrome(
  options: Pick<SeleniumGridOptions, 'endpoint' | 'chromePath' | 'headless' | 'log'>,
): BrowserProvider {
  const isGrid = /^https?:$/.test(new URL(options.endpoint).protocol);
  return isGrid ? seleniumGrid(options) : cdpEndpoint(options.endpoint);
}
