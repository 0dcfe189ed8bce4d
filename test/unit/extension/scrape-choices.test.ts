import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import type { Client } from '../../../src/client/client.ts';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { fake } from '../../harness/fake-vscode.ts';

describe('the options of Scrape URL… and Map Site…', () => {
  let stored: Map<string, unknown>;
  let session: { id: string; title: string } | undefined;
  let answer: { result?: string; error?: string };
  const client = {
    async executeInBrowserSession({ params, body }: { params: { sessionId: string }; body: { code: string } }) {
      assert.equal(params.sessionId, 'tea');
      assert.match(body.code, /cookies\("https:\/\/shop\.test\/"\)/);
      return answer;
    },
  } as unknown as Client;
  const { signal } = new AbortController();
  async function choices() {
    const { ScrapeChoices } = await import('../../../src/extension/crawls/scrape-choices.ts');
    const listProfiles = async () => ({ success: true, profiles: [{ name: 'shop', savedAt: '', inUse: false }] });
    const state = {
      keys: () => [],
      get: (key: string) => stored.get(key),
      update: async (key: string, value: unknown) => void stored.set(key, value),
    } as unknown as Memento;
    const connection = { access: async () => ({ embedded: { listProfiles } }) } as unknown as Connection;
    return new ScrapeChoices({ connection, session: () => session, state });
  }
  /** Answers the lists of the options by their titles, one row at a time. */
  function pick(rows: string[], others: Record<string, string> = {}) {
    fake.answer = (kind, ...args) => {
      if (kind === 'input') return '20';
      if (kind !== 'pick') return undefined;
      const items = args[0] as { label: string }[];
      const { title } = args[1] as { title: string };
      if (!title.endsWith(' Options')) {
        const found = items.find(({ label }) => label.endsWith(others[title] ?? ''));
        return title === 'Formats besides Markdown' ? [found] : found;
      }
      const next = rows.shift();
      return next && items.find(({ label }) => label.endsWith(next));
    };
  }
  beforeEach(() => {
    fake.reset();
    stored = new Map();
    session = { id: 'tea', title: 'Tea shop' };
    answer = { result: 'user=ana; theme=dark' };
  });

  it('are a login, a wait, scripts and formats, which the workspace keeps', async () => {
    const options = await choices();
    assert.deepEqual(
      [await options.fields('scrape', 'https://shop.test/', client, signal), options.summary('scrape')],
      [{}, undefined],
    );
    pick(['Login', 'Wait', 'Scripts', 'Formats'], { Login: 'shop', 'Formats besides Markdown': 'links' });
    await options.ask('scrape');
    const kept = await choices();
    const reading = { profile: { name: 'shop', saveChanges: false }, waitFor: 20_000, fastMode: true };
    assert.deepEqual(await kept.fields('scrape', 'https://shop.test/', client, signal), {
      ...reading,
      formats: ['markdown', 'links'],
      timeout: 50_000,
    });
    assert.deepEqual(await kept.fields('map', 'https://shop.test/', client, signal), reading);
    assert.equal(kept.summary('scrape'), 'profile shop · waits 20 s · without scripts · links');
    assert.equal(kept.summary('map'), 'profile shop · waits 20 s · without scripts');
    pick(['Reset']);
    await kept.ask('map');
    assert.equal((await choices()).summary('scrape'), undefined);
  });

  it('use the cookies of the current session, and say if there are none', async () => {
    const options = await choices();
    pick(['Login'], { Login: 'Current Session' });
    await options.ask('map');
    const fields = () => options.fields('map', 'https://shop.test/', client, signal);
    assert.deepEqual(await fields(), { headers: { cookie: 'user=ana; theme=dark' } });
    assert.equal(options.summary('map'), 'login of the session');
    answer = {};
    assert.deepEqual(await fields(), {});
    assert.match(fake.messages.join(), /Tea shop has no cookies for shop\.test\. Pages are read without a login/);
    answer = { error: 'Target closed' };
    await assert.rejects(fields(), /Couldn't read the login of the current session: Target closed/);
    session = undefined;
    await assert.rejects(fields(), /no session is active/);
  });

  it('are behind a button of the input, which keeps what was typed', async () => {
    const { withUrl } = await import('../../../src/extension/ui/ask-url/ask-url.ts');
    const shown: string[] = [];
    let asked = 0;
    const options = {
      get summary() {
        return asked === 0 ? undefined : 'waits 2 s';
      },
      ask: async () => {
        asked++;
      },
    };
    fake.answer = (kind, ...args) => {
      if (kind !== 'list') return undefined;
      const input = args[0] as { title: string; value: string; buttons?: unknown[]; type(text: string): void };
      shown.push(input.title);
      if (asked > 0) return { type: input.value };
      input.type('shop.test/tea');
      return { button: input.buttons?.[0] };
    };
    const url = await withUrl({ title: 'Scrape URL', command: 'webdata.scrapeUrl', options }, async (given) => given);
    assert.deepEqual([url, shown, asked], ['https://shop.test/tea', ['Scrape URL', 'Scrape URL · waits 2 s'], 1]);
  });
});
