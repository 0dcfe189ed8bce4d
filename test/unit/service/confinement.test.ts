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
    if (method === 'Page.navigate') {
      listeners.get('Fetch.authRequired')?.({ requestId: 'challenge' });
      listeners.get('Fetch.requestPaused')?.({ requestId: 'request' });
      await turn();
    }
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

  it('fails while a tab logs in to its proxy', async () => {
    const { sent, send, on } = refusingBrowser();
    await authenticateToProxy({ send, on } as unknown as Tab, { username: 'u', password: 'p' } as never);
    assert.ok(sent.includes('Fetch.failRequest challenge'));
    assert.ok(sent.includes('Fetch.failRequest request'));
  });
});
