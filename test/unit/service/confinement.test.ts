import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { confineBrowser } from '../../../src/service/browsers/page/confinement.ts';
import { authenticateToProxy, type Tab } from '../../../src/service/browsers/page/tab.ts';

type Listener = (params: Record<string, unknown>, sessionId?: string) => void;

/** A browser that refuses to answer requests which are paused. */
function refusingBrowser() {
  const sent: string[] = [];
  const listeners = new Map<string, Listener>();
  const send = async (method: string, params: Record<string, unknown> = {}) => {
    sent.push(params.requestId === undefined ? method : `${method} ${params.requestId}`);
    if (method.startsWith('Fetch.continue')) throw new Error('refused');
    return {};
  };
  const on = (method: string, listener: Listener) => {
    listeners.set(method, listener);
    return () => listeners.delete(method);
  };
  return { sent, listeners, send, on };
}

describe('a paused request that the browser does not continue', () => {
  it('fails, so that its page does not wait for it', async () => {
    const { sent, listeners, ...browser } = refusingBrowser();
    const policy = { denyPrivate: false, checkUrl() {}, checkHost: async () => {} };
    await confineBrowser(browser as unknown as CdpClient, policy as never);
    const request = { url: 'https://shop.test/', headers: {} };
    listeners.get('Fetch.requestPaused')?.({ requestId: 'r1', request, resourceType: 'Script' });
    await turn();
    assert.deepEqual(sent.slice(-2), ['Fetch.continueRequest r1', 'Fetch.failRequest r1']);
  });

  for (const event of ['Fetch.authRequired', 'Fetch.requestPaused']) {
    it(`ends the login of a tab to its proxy at once: ${event}`, async () => {
      const { listeners, send: refuse, on } = refusingBrowser();
      const send = async (method: string, params?: Record<string, unknown>) => {
        if (method !== 'Page.navigate') return refuse(method, params);
        listeners.get(event)?.({ requestId: 'r1' });
        // Chrome lets no challenge fail: the navigation waits for another answer.
        return new Promise(() => undefined);
      };
      const login = authenticateToProxy({ send, on } as unknown as Tab, { username: 'u', password: 'p' } as never);
      await assert.rejects(login, { message: "The scraping browser can't reach its proxy: refused" });
      assert.equal(listeners.size, 0);
    });
  }
});
