import assert from 'node:assert/strict';
import type { Disposable, LogOutputChannel } from 'vscode';
import { ApiError } from '../../../../src/client/errors.ts';
import type { FromWindow } from '../../../../src/contract/embedded.ts';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import type { VirtualDocuments } from '../../../../src/extension/ui/virtual-documents/virtual-documents.ts';
import { fake } from '../../../harness/fake-vscode.ts';
import { type FaultyServer, startFaultyServer } from '../../../harness/faulty-server.ts';

interface List {
  title: string;
  placeholder: string;
  items: { label: string; description?: string; detail?: string; buttons?: object[]; action?: string }[];
  buttons: object[];
}

const teas = [
  { url: 'https://a.test/tea', title: 'Tea', description: 'Leaves.' },
  { url: 'https://b.test/coffee?x=1', title: ' ', description: null },
  { url: 'javascript:alert(1)', title: 'Bad' },
];

const call = {
  endpoint: 'searchWeb',
  method: 'POST',
  path: '/v2/search',
  host: 'a.test',
  purpose: 'search the web',
} as const;

describe('Search the Web…', () => {
  let engine: FaultyServer;
  let registered: Disposable;
  let asked: unknown[];
  let opened: string[];
  let sent: FromWindow[];
  let linked: Signal<void>;
  let target: { kind: string };
  let answer: () => object;
  let refreshed: number;

  before(async () => {
    engine = await startFaultyServer((_arrival, exchange) => exchange.json({ results: [] }));
  });
  after(() => engine.close());
  beforeEach(async () => {
    fake.reset();
    asked = [];
    refreshed = 0;
    opened = [];
    sent = [];
    linked = new Signal();
    target = { kind: 'embedded' };
    answer = () => ({ data: { web: teas } });
    const client = {
      async searchWeb({ body }: { body: unknown }) {
        asked.push(body);
        return answer();
      },
    };
    const { registerSearch } = await import('../../../../src/extension/search/search.ts');
    registered = registerSearch({
      connection: {
        access: async () => ({ client }),
        sendToService: (message: FromWindow) => sent.push(message),
        onServiceLinked: linked,
        onRefresh: { fire: () => refreshed++ },
        get target() {
          return target;
        },
      } as unknown as Connection,
      documents: {
        async open(name: string) {
          if (name.includes('broken')) throw new Error('The document is gone.');
          opened.push(name);
        },
      } as unknown as VirtualDocuments,
      log: { error: () => undefined, warn: () => undefined } as unknown as LogOutputChannel,
    });
  });
  afterEach(() => registered.dispose());

  /** Answers the lists that are shown, in order; everything else is canceled. */
  const lists = (...answers: ((list: List) => unknown)[]) => {
    const shown: List[] = [];
    fake.answer = (kind, list) => {
      if (kind !== 'list') return undefined;
      shown.push(list as List);
      return answers[shown.length - 1]?.(list as List);
    };
    return shown;
  };
  const search = (argument: unknown = 'tea') => fake.run(commands.searchWeb, argument);

  it('asks for words, lists what is found, and scrapes the chosen page', async () => {
    let shown: List | undefined;
    fake.answer = (kind, input) => {
      if (kind === 'input') return ' green tea ';
      const list = input as List;
      if (list.items[0]?.action) return { accept: [list.items.find(({ action }) => action === 'scrape')] };
      shown = list;
      return { accept: [list.items[0]] };
    };
    await fake.run(commands.searchWeb);
    assert.deepEqual(asked, [{ query: 'green tea', limit: 20 }]);
    assert.equal(shown?.title, '2 results for "green tea"');
    assert.deepEqual(
      shown?.items.map(({ label, description, detail }) => [label, description, detail]),
      [
        ['Tea', 'a.test/tea', 'Leaves.'],
        ['b.test/coffee?x=1', 'b.test/coffee?x=1', undefined],
      ],
    );
    assert.deepEqual(fake.ran, [{ id: commands.scrapeUrl, args: ['https://a.test/tea'] }]);
    assert.equal(refreshed, 1, 'Activity shows the search');
  });

  it('opens or crawls a result by the buttons of its row, or from the list of actions', async () => {
    for (const index of [0, 1]) {
      lists((list) => ({ button: list.items[0]?.buttons?.[index], item: list.items[0] }));
      await search();
    }
    const choose = (action: string) =>
      lists(
        (list) => ({ accept: [list.items[1]] }),
        (list) => ({ accept: [list.items.find((item) => item.action === action)] }),
      );
    choose('open');
    await search();
    choose('crawl');
    await search();
    assert.deepEqual(fake.ran, [
      { id: 'open in the browser', args: ['https://a.test/tea'] },
      { id: commands.startCrawl, args: ['https://a.test/tea'] },
      { id: 'open in the browser', args: ['https://b.test/coffee?x=1'] },
      { id: commands.startCrawl, args: ['https://b.test/coffee?x=1'] },
    ]);
  });

  it('goes back from the actions to the results', async () => {
    const shown = lists(
      (list) => ({ accept: [list.items[0]] }),
      (list) => ({ button: list.buttons[0] }),
      () => undefined,
    );
    await search();
    assert.deepEqual(
      shown.map(({ title }) => title),
      ['2 results for "tea"', 'a.test/tea', '2 results for "tea"'],
    );
    assert.deepEqual(fake.ran, []);
    assert.equal(asked.length, 1);
  });

  it('opens the results as JSON, and lets several be selected', async () => {
    lists((list) => ({ button: list.buttons[1] }));
    await search('green tea');
    assert.deepEqual(opened, ['search/green-tea.json']);
    lists((list) => ({ button: list.buttons[1] }));
    await search('broken');
    assert.deepEqual(fake.messages, ['Web Data: The document is gone.']);
    lists((list) => ({ button: list.buttons[0] }));
    await search();
    assert.deepEqual(fake.ran, [
      {
        id: commands.chooseMappedPages,
        args: [
          {
            title: '2 results for "tea"',
            links: [
              { url: 'https://a.test/tea', title: 'Tea' },
              { url: 'https://b.test/coffee?x=1', title: 'b.test/coffee?x=1' },
            ],
          },
        ],
      },
    ]);
  });

  it('searches again for the query of a row of the activity', async () => {
    await search({ entry: { target: 'black tea' } });
    assert.deepEqual(asked, [{ query: 'black tea', limit: 20 }]);
  });

  it('offers to set up what is missing, and then searches', async () => {
    answer = () => {
      throw new ApiError(call, { status: 503, sentence: 'No search engine', code: 'NO_SEARCH_ENGINE' });
    };
    const pressed = Promise.withResolvers<string>();
    fake.answer = (kind, input, ...buttons) => {
      if (kind === 'message') return buttons[0];
      answer = () => ({ data: { web: teas } });
      if (kind === 'box') return { type: engine.baseUrl };
      if (kind === 'list') pressed.resolve((input as List).title);
      return undefined;
    };
    await search();
    assert.deepEqual(fake.messages[0], 'Web Data: Searching needs a search engine, and none is set up.');
    assert.equal(await pressed.promise, '2 results for "tea"');
  });

  it('keeps what was typed until something is found', async () => {
    answer = () => ({ data: { web: [] }, warning: "These SearXNG engines didn't respond: a (timeout)." });
    fake.answer = (kind) => (kind === 'input' ? 'rare tea' : undefined);
    await fake.run(commands.searchWeb);
    assert.deepEqual(fake.messages, [
      `Web Data: Nothing was found for "rare tea": These SearXNG engines didn't respond: a (timeout).`,
    ]);
    const values: unknown[] = [];
    fake.answer = (kind, options) => void (kind === 'input' && values.push((options as { value: string }).value));
    await fake.run(commands.searchWeb);
    assert.deepEqual(values, ['rare tea']);
  });

  it('passes the search engine in the settings to the service, when it is linked and when it changes', async () => {
    linked.fire();
    fake.settings.set('webdata.search.endpoint', ' http://127.0.0.1:8888 ');
    linked.fire();
    assert.deepEqual(sent, [
      { type: 'search-endpoint', endpoint: null },
      { type: 'search-endpoint', endpoint: 'http://127.0.0.1:8888' },
    ]);
  });
});
