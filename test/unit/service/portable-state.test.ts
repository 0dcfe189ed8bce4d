import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CdpClient, NoAnswer } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { readOwnJson, writeOwnJson } from '../../../src/service/browsers/profiles/own-files.ts';
import {
  readLocalStorage,
  restorePortableState,
  savePortableState,
  withBlankPages,
} from '../../../src/service/browsers/profiles/portable-state.ts';
import { temporaryFolder } from '../../harness/folders.ts';

type Listener = (params: Record<string, unknown>, sessionId?: string) => void;

/** A browser with one tab, whose pages load when they are told to. */
function fakeBrowser(answers: Record<string, () => object>) {
  const listeners = new Map<string, Listener>();
  const sent: string[] = [];
  const client = {
    on(event: string, listener: Listener) {
      listeners.set(event, listener);
      return () => listeners.delete(event);
    },
    async send(method: string) {
      sent.push(method);
      return { targetId: 't', sessionId: 's', ...answers[method]?.() };
    },
  } as unknown as CdpClient;
  const load = (loaderId: string) => listeners.get('Page.lifecycleEvent')?.({ name: 'load', loaderId }, 's');
  return { client, sent, load, listeners };
}

describe("a browser's own files", () => {
  it('TRN-21: are written and read a part at a time, however large they are', async () => {
    const folder = temporaryFolder();
    const { parse, stringify } = JSON;
    const lengths: number[] = [];
    JSON.parse = (text, ...others) => {
      lengths.push(text.length);
      return parse(text, ...others);
    };
    JSON.stringify = ((value: unknown) => {
      const text = stringify(value);
      lengths.push(text?.length ?? 0);
      return text;
    }) as typeof JSON.stringify;
    try {
      const value = {
        cookies: Array.from({ length: 3_000 }, (_, index) => ({ name: `${index}`, value: 'v'.repeat(1000) })),
      };
      await writeOwnJson(join(folder, 'own.json'), value);
      assert.deepEqual(await readOwnJson(join(folder, 'own.json')), value);
    } finally {
      Object.assign(JSON, { parse, stringify });
      rmSync(folder, { recursive: true });
    }
    assert.ok(Math.max(...lengths) < 1_000_000);
  });

  it('stay as they are if what replaces them is no JSON', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'own.json');
    await writeOwnJson(path, { a: 1 });
    await assert.rejects(writeOwnJson(path, { a: 1n }));
    assert.deepEqual(await readOwnJson(path), { a: 1 });
    rmSync(folder, { recursive: true });
  });
});

const turn = () => new Promise(setImmediate);

describe('blank pages of any origin', () => {
  it('are waited for, not for the first page of the tab, which may load later than expected', async () => {
    const browser = fakeBrowser({
      'Page.navigate': () => ({ loaderId: 'own' }),
      'Runtime.evaluate': () => ({ result: { value: 'kept' } }),
    });
    const values: string[] = [];
    const done = withBlankPages(browser.client, async (visit) => {
      values.push(await visit('http://a.test', '1'));
    });
    await turn();
    browser.load('first');
    await turn();
    assert.ok(browser.sent.includes('Page.navigate'));
    assert.ok(!browser.sent.includes('Runtime.evaluate'));
    browser.load('own');
    await done;
    assert.deepEqual(values, ['kept']);
    assert.equal(browser.sent.at(-1), 'Target.closeTarget');
    assert.equal(browser.listeners.size, 0);
  });

  it('that never load are an error (F29)', async () => {
    const browser = fakeBrowser({ 'Page.navigate': () => ({ loaderId: 'never' }) });
    const visits = withBlankPages(browser.client, async (visit) => void (await visit('http://a.test', '1')), 1);
    await assert.rejects(visits, NoAnswer);
    assert.equal(browser.sent.at(-1), 'Target.closeTarget');
  });

  it('that have no storage, or that Chrome cannot open, are an error', async () => {
    const refuses = (answers: Record<string, () => object>) => {
      const browser = fakeBrowser(answers);
      const done = withBlankPages(browser.client, async (visit) => void (await visit('http://a.test', '1')));
      return Promise.all([done, turn().then(() => browser.load('own'))]);
    };
    const navigates = { 'Page.navigate': () => ({ loaderId: 'own' }) };
    const result = { description: 'SecurityError: denied' };
    await assert.rejects(
      refuses({ ...navigates, 'Runtime.evaluate': () => ({ result, exceptionDetails: {} }) }),
      /^Error: Chrome refuses the local storage of http:\/\/a\.test: SecurityError: denied$/,
    );
    await assert.rejects(
      refuses({ 'Page.navigate': () => ({ loaderId: 'own', errorText: 'net::ERR_FAILED' }) }),
      /^Error: Chrome can't open a page of http:\/\/a\.test: net::ERR_FAILED\.$/,
    );
  });
});

describe('the saved state of a browser elsewhere', () => {
  it('has all its cookies and localStorage, more than is copied or exported, too (BUD-19)', async () => {
    const folder = temporaryFolder();
    const storage = new Map(['a', 'b'].map((name) => [`http://${name}.test`, { text: name.repeat(33_000_000) }]));
    let localStorage: object | undefined;
    const client = {
      on(_event: string, listener: Listener) {
        setImmediate(listener, { name: 'load' }, 's');
        return () => undefined;
      },
      async send(method: string, { url = '', expression = '' } = {}) {
        if (method === 'Page.navigate') localStorage = storage.get(url.slice(0, -1));
        const evaluate = () => new Function('localStorage', `return ${expression}`)(localStorage);
        return {
          cookies: [{ name: 'login', value: '1', expires: 5 }],
          sessionId: 's',
          ...(method === 'Runtime.evaluate' && { result: { value: evaluate() } }),
        };
      },
    } as unknown as CdpClient;
    await assert.rejects(readLocalStorage(client, storage.keys()), { status: 400, code: 'LOGIN_TOO_LARGE' });
    await savePortableState(client, folder, storage.keys());
    const saved = JSON.parse(readFileSync(join(folder, 'portable-state.json'), 'utf8'));
    assert.deepEqual(saved.cookies, [{ name: 'login', value: '1', expires: 5 }]);
    assert.ok(saved.localStorage['http://a.test'].text === storage.get('http://a.test')?.text);
    assert.ok(saved.localStorage['http://b.test'].text === storage.get('http://b.test')?.text);
    rmSync(folder, { recursive: true });
  });

  it('is not taken for empty if it cannot be read: what is saved later would replace it', async () => {
    const folder = temporaryFolder();
    const client = { send: assert.fail } as unknown as CdpClient;
    await restorePortableState(client, folder);
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await assert.rejects(restorePortableState(client, file), { code: 'ENOTDIR' });
    rmSync(folder, { recursive: true });
  });
});
