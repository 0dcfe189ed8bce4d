import { messageOf, ServiceError } from '../../../platform/errors.ts';
import type { Browser, BrowserProvider } from '../chrome.ts';
import type { CdpPipe } from '../pipe.ts';
import { type Connection, connect } from './connection.ts';
import { confinePipe } from './context-pipe.ts';

/** Endpoints whose path identifies one running browser, so that every connection reaches the same one. */
const sharedBrowserPath = /\/devtools\/browser\/|\/se\/cdp$/;

/** How long to wait for a connection, in milliseconds. */
const connectMs = 30_000;

/**
 * Provides browsers from a CDP endpoint: a new one per connection (such as browserless), or one context per session of a shared browser.
 * @param endpoint its WebSocket URL. It may contain a token: never log or show it.
 */
export function cdpEndpoint(endpoint: string): BrowserProvider {
  const shared = sharedBrowserPath.test(new URL(endpoint).pathname);
  return {
    keepsProfiles: !shared,
    local: false,
    async open() {
      let connection: Connection;
      try {
        connection = await connect(endpoint, { timeoutMs: connectMs });
      } catch (error) {
        throw new ServiceError(
          503,
          `The browser endpoint on ${new URL(endpoint).host} cannot be reached: ${messageOf(error)}. Check that it is running and that --browser-endpoint is correct.`,
          { code: 'NO_BROWSER' },
        );
      }
      try {
        await connection.call('Browser.getVersion');
        if (shared) return await openContext(connection);
        return browserOf(connection, connection.pipe, () => connection.call('Browser.close', undefined, closeMs));
      } catch (error) {
        connection.abandon('did not start');
        throw new ServiceError(
          502,
          `The browser endpoint on ${new URL(endpoint).host} does not work: ${messageOf(error)}.`,
          { code: 'BROWSER_START', cause: error },
        );
      }
    },
  };
}

/** How long a browser may take to close, in milliseconds. */
const closeMs = 3000;

async function openContext(connection: Connection): Promise<Browser> {
  const { pipe, call } = connection;
  const { browserContextId } = await call('Target.createBrowserContext', { disposeOnDetach: true });
  const dispose = () => call('Target.disposeBrowserContext', { browserContextId }, closeMs);
  return browserOf(connection, confinePipe(pipe, browserContextId), dispose);
}

/** @param finish closes what the session used, before the connection is closed */
function browserOf({ ended, close, abandon }: Connection, pipe: CdpPipe, finish: () => Promise<unknown>): Browser {
  return {
    pipe,
    ended,
    abandon,
    async close() {
      await Promise.race([finish().catch(() => undefined), ended]);
      await close();
    },
  };
}
