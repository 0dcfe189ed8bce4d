import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { followTabs } from '../../../src/service/browsers/chrome/tabs.ts';

describe('the tabs of a browser', () => {
  type Listener = (params: object) => void;

  async function following() {
    const listeners = new Map<string, Listener>();
    const on = (event: string, listener: Listener) => void listeners.set(event, listener);
    const faults: unknown[] = [];
    const client = { on, send: async () => ({}), fault: (error: unknown) => faults.push(error) };
    const tabs = await followTabs(client as unknown as CdpClient);
    let told = 0;
    tabs.onChange(() => {
      told++;
    });
    return {
      tabs,
      faults,
      told: () => told,
      show: (targetId: string, url: string, title = '') =>
        listeners.get('Target.targetInfoChanged')?.({ targetInfo: { type: 'page', targetId, url, title } }),
      close: (targetId: string) => listeners.get('Target.targetDestroyed')?.({ targetId }),
    };
  }

  it('are told together if they change together, as they are at the end (TRN-14)', async () => {
    const { tabs, told, show, close } = await following();
    for (let index = 0; index < 1000; index++) show('a', `https://site.test/#${index}`);
    show('b', 'https://other.test/');
    close('b');
    assert.equal(tabs.list()[0]?.url, 'https://site.test/#999');
    await nextTurn();
    assert.equal(told(), 1);
    assert.equal(tabs.list().length, 1);
    close('a');
    await nextTurn();
    assert.equal(told(), 2);
    show('c', 'about:blank');
    show('c', 'about:blank');
    await nextTurn();
    assert.equal(told(), 3);
  });

  it('tell of every address that they had, however short', async () => {
    const { tabs, show } = await following();
    show('a', 'https://first.test/');
    const urls: string[] = [];
    tabs.onUrl((url) => urls.push(url));
    show('a', 'https://second.test/');
    show('a', 'https://second.test/', 'Second');
    show('a', 'https://third.test/');
    assert.deepEqual(urls, ['https://first.test/', 'https://second.test/', 'https://third.test/']);
  });

  it('have listeners whose errors count against their browser (F26)', async () => {
    const { tabs, faults, told, show } = await following();
    const error = new Error('not a tab');
    const fail = () => {
      throw error;
    };
    tabs.onUrl(fail);
    tabs.onChange(fail);
    show('a', 'https://first.test/');
    await nextTurn();
    assert.deepEqual(faults, [error, error]);
    assert.equal(told(), 1);
  });

  it('are known by the beginnings of their addresses and titles (TRN-14)', async () => {
    const { tabs, show } = await following();
    show('a', `https://site.test/#${'x'.repeat(2_000_000)}`, 't'.repeat(100_000));
    const [{ url, title } = { url: '', title: '' }] = tabs.list();
    assert.equal(url, `https://site.test/#${'x'.repeat(8192)}`.slice(0, 8192));
    assert.equal(title, 't'.repeat(1000));
  });
});
