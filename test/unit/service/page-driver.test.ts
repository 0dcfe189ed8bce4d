import assert from 'node:assert/strict';
import { shorten } from '../../../src/contract/shorten.ts';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import type { CdpCommand } from '../../../src/service/browsers/chrome/protocol.ts';
import type { Tabs } from '../../../src/service/browsers/chrome/tabs.ts';
import { createDeadline } from '../../../src/service/browsers/page/deadline.ts';
import { describePage, openPageDriver } from '../../../src/service/browsers/page/driver/driver.ts';
import { refsOf } from '../../../src/service/browsers/page/driver/refs.ts';
import type { AddressPolicy } from '../../../src/service/platform/network/address-policy/address-policy.ts';

/** A browser that answers all commands, and records them. */
function fakeBrowser(fails: string[] = []) {
  const sent: string[] = [];
  let listeners = 0;
  const handlers: [event: string, handle: (params: Record<string, unknown>, sessionId?: string) => void][] = [];
  const emit = (event: string, params: Record<string, unknown>) => {
    for (const [name, handle] of handlers) if (name === event) handle(params, 's');
  };
  const client = {
    async send(method: string, _params?: object, _sessionId?: string): Promise<object> {
      sent.push(method);
      if (fails.includes(method)) throw new Error(`${method}: no`);
      return method === 'Target.attachToTarget' ? { sessionId: 's' } : {};
    },
    on(event: string, handle: (typeof handlers)[number][1]) {
      handlers.push([event, handle]);
      listeners++;
      return () => void listeners--;
    },
    close: () => undefined,
  };
  const tabs = { ensureOne: async () => undefined, list: () => [{ targetId: 't', url: 'http://a.test/', title: '' }] };
  return {
    browser: { client: client as unknown as CdpClient, tabs: tabs as unknown as Tabs },
    sent,
    emit,
    listeners: () => listeners,
  };
}

const open = { checkUrl: () => undefined, checkHost: async () => undefined } as unknown as AddressPolicy;
const deadlineUntil = (signal = new AbortController().signal) => createDeadline(60_000, signal);

describe('the driver of a page', () => {
  it('leaves no listener and no session behind when it cannot attach to the page', async () => {
    for (const fails of ['Target.attachToTarget', 'Network.enable']) {
      const { browser, sent, listeners } = fakeBrowser([fails]);
      await assert.rejects(openPageDriver(browser, open, deadlineUntil()), { message: `${fails}: no` });
      assert.equal(listeners(), 0, fails);
      assert.equal(sent.includes('Target.detachFromTarget'), fails === 'Network.enable');
    }
  });

  it('takes the next newest tab if the newest is closed at that moment', async () => {
    const { browser } = fakeBrowser();
    const { client } = browser;
    const attached: unknown[] = [];
    const refusing = {
      ...client,
      async send(method: CdpCommand, params: Record<string, unknown> = {}, sessionId?: string) {
        if (method === 'Target.attachToTarget') attached.push(params.targetId);
        if (params.targetId === 'closed') throw new Error('Target.attachToTarget: No target with given id found');
        return await client.send(method, params as never, sessionId);
      },
    };
    const list = () => ['open', 'closed'].map((targetId) => ({ targetId, url: 'http://a.test/', title: '' }));
    const tabs = { ...browser.tabs, list } as unknown as Tabs;
    const page = await openPageDriver({ client: refusing as CdpClient, tabs }, open, deadlineUntil());
    assert.deepEqual(attached, ['closed', 'open']);
    await page.close();
  });

  it('leaves no listener and no session behind when it is closed', async () => {
    const { browser, sent, listeners } = fakeBrowser();
    const page = await openPageDriver(browser, open, deadlineUntil());
    await page.close();
    assert.equal(listeners(), 0);
    assert.equal(sent.at(-1), 'Target.detachFromTarget');
  });

  it('sends no input once the call is canceled, or over', async () => {
    const { browser, sent } = fakeBrowser();
    const cancel = new AbortController();
    const cancelled = await openPageDriver(browser, open, deadlineUntil(cancel.signal));
    cancel.abort(new Error('cancelled'));
    await assert.rejects(cancelled.press('Enter'), /cancelled/);

    const page = await openPageDriver(browser, open, deadlineUntil());
    const navigation = page.navigate(new URL('http://b.test/'));
    await Promise.all([assert.rejects(navigation, /The call has ended/), page.close()]);
    for (const action of [page.press('Enter'), page.navigate('reload'), page.evaluate('1')])
      await assert.rejects(action, /The call has ended/);
    assert.deepEqual(
      sent.filter((method) => /^(Input|Page\.(navigate|reload)|Runtime)/.test(method)),
      [],
    );
  });

  it('clicks an element only when the mouse is there: until a page is drawn, it may be over another frame', async () => {
    const { browser } = fakeBrowser();
    const input: unknown[] = [];
    let moves = 0;
    const answers: Record<string, (params: Record<string, unknown>) => Record<string, unknown>> = {
      'Page.getFrameTree': () => ({ frameTree: { frame: { id: 't', loaderId: 'l', url: 'http://a.test/' } } }),
      'DOM.resolveNode': () => ({ object: { objectId: 'button' } }),
      'Input.dispatchMouseEvent': ({ type }) => {
        input.push(type);
        return {};
      },
      'Runtime.callFunctionOn': ({ functionDeclaration }) => {
        const source = String(functionDeclaration);
        if (source.includes(':hover')) return { result: { value: ++moves === 3 } };
        return { result: { value: source.includes('isConnected') || { x: 1, y: 2 } } };
      },
      'Runtime.evaluate': () => ({ result: { value: true } }),
    };
    const send = async (method: CdpCommand, params: Record<string, unknown> = {}, sessionId?: string) =>
      answers[method]?.(params) ?? (await browser.client.send(method, params as never, sessionId));
    const client = { ...browser.client, send } as CdpClient;
    const page = await openPageDriver({ client, tabs: browser.tabs }, open, deadlineUntil());
    await page.click(refsOf(client).of({ loaderId: 'l', backendNodeId: 1 }), 'click');
    assert.deepEqual(input, ['mouseMoved', 'mouseMoved', 'mouseMoved', 'mousePressed', 'mouseReleased']);
    await page.close();
  });

  it('keeps the first dialogs of a page, and counts the others', async () => {
    const { browser, emit } = fakeBrowser();
    const page = await openPageDriver(browser, open, deadlineUntil());
    for (let number = 1; number <= 1000; number++)
      emit('Page.javascriptDialogOpening', { type: 'alert', message: `${number} ${'x'.repeat(10_000)}` });
    assert.equal(page.dialogs.length, 6);
    assert.match(page.dialogs[4] ?? '', /^accepted: alert: 5 x{148}…x{149}$/);
    assert.equal(page.dialogs[5], 'answered: and 995 more');
    await page.close();
  });

  it('cuts a title and a URL of any length', () => {
    const [title, url] = ['T'.repeat(100_000), `http://a.test/#${'a'.repeat(1_000_000)}`];
    const [head = '', address = '', text] = describePage({ title, url, outline: 'Welcome' }).split('\n');
    assert.equal(head, `Page: ${shorten(title, 300)}`);
    assert.equal(address, shorten(url, 2000));
    assert.equal(text, 'Welcome');
  });
});
