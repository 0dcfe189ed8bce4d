import assert from 'node:assert/strict';
import type { Disposable, LogOutputChannel } from 'vscode';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { eventually } from '../../../harness/eventually.ts';
import { fake } from '../../../harness/fake-vscode.ts';

interface List {
  items: { label: string; url: string }[];
  buttons: object[];
}
interface Choice {
  label: string;
}

describe('what can be done with the pages of a map', () => {
  const map = { url: 'https://a.test/', links: ['1', '2', '3'].map((path) => ({ url: `https://a.test/${path}` })) };
  let registered: Disposable;
  let started: unknown[];
  let failures: { errors: object[]; robotsBlocked: string[] };
  /** What the server says of a batch, one state for each time it is asked. */
  let states: object[];
  let refreshed: number;

  beforeEach(async () => {
    fake.reset();
    started = [];
    states = [];
    failures = { errors: [], robotsBlocked: [] };
    refreshed = 0;
    const client = {
      startBatchScrape: async ({ body }: { body: unknown }) => ({ id: `batch ${started.push(body)}` }),
      getBatchScrapeErrors: async () => failures,
      getBatchScrape: async () => states.shift() ?? { status: 'scraping' },
      startCrawl: async ({ body }: { body: unknown }) => started.push(body),
    };
    const { JobEndings } = await import('../../../../src/extension/ui/job-endings.ts');
    const { registerMapCommand } = await import('../../../../src/extension/pages/map-pages.ts');
    registered = registerMapCommand({
      connection: {
        access: async () => ({ client }),
        existingAccess: async () => ({ client }),
        rateLimit: { active: false, factor: 1 },
        onRefresh: { fire: () => refreshed++ },
      } as unknown as Connection,
      endings: new JobEndings(),
      documents: { open: async () => Promise.reject(new Error('No editor.')) } as never,
      log: { error: () => undefined, warn: () => undefined } as unknown as LogOutputChannel,
    });
  });
  afterEach(() => registered.dispose());

  /** Selects pages and then what to do with them; returns what was offered. */
  const choose = async (pages: number, action: string) => {
    let offered: string[] = [];
    fake.answer = (kind, shown) => {
      if (kind === 'list') return { accept: (shown as List).items.slice(0, pages) };
      if (kind !== 'pick') return undefined;
      offered = (shown as Choice[]).map(({ label }) => label);
      return (shown as Choice[]).find(({ label }) => label === action);
    };
    await fake.run(commands.chooseMappedPages, map);
    return offered;
  };

  it('scrapes several as one batch, which the views show (EXT-23)', async () => {
    assert.deepEqual(await choose(3, '$(files) Batch Scrape'), ['$(files) Batch Scrape']);
    assert.deepEqual(started, [{ urls: map.links.map(({ url }) => url) }]);
    assert.deepEqual([refreshed, fake.ran], [1, []]);
  });

  it('tells that a batch has ended, and opens it', async () => {
    states = [{ status: 'completed', completed: 3 }];
    const answered = choose(3, '$(files) Batch Scrape');
    const { answer } = fake;
    fake.answer = (kind, ...shown) => (kind === 'message' ? 'Open' : answer(kind, ...shown));
    await answered;
    await eventually(() =>
      assert.deepEqual(fake.ran, [{ id: commands.openRecord, args: [{ endpoint: 'batch_scrape', id: 'batch 1' }] }]),
    );
    assert.ok(fake.messages.includes('Web Data: Batch completed: 3 pages'), fake.messages.join('\n'));
  });

  for (const [state, text] of [
    [{ completed: 2 }, 'Web Data: Batch completed: 2 of 3 pages'],
    [{ completed: 3, warned: 1 }, 'Web Data: Batch completed: 3 pages, 1 with a warning'],
    [{ completed: 0, warning: 'No answer\nLate?' }, 'Web Data: Batch completed: 0 of 3 pages. No answer. Late?'],
    [{ status: 'failed', completed: 1 }, 'Web Data: Batch failed: 1 of 3 pages'],
    [{ status: 'failed', completed: 1, error: 'No room.' }, 'Web Data: Batch failed: No room. · 1 of 3 pages'],
  ] as const)
    it(`says which of its pages a batch lacks: ${JSON.stringify(state)}`, async () => {
      states = [{ status: 'completed', ...state }];
      await choose(3, '$(files) Batch Scrape');
      await eventually(() => assert.ok(fake.messages.includes(text), fake.messages.join('\n')));
    });

  const failed = (path: string) => ({ id: path, url: `https://a.test/${path}`, error: 'It failed.' });
  const pressAgain = async () => {
    const answered = choose(3, '$(files) Batch Scrape');
    const { answer } = fake;
    fake.answer = (kind, ...shown) => (kind === 'message' ? 'Scrape the Others Again' : answer(kind, ...shown));
    await answered;
  };

  it('scrapes those again that a batch lacks, but no page that robots.txt disallows', async () => {
    failures = { errors: [failed('2'), failed('3'), failed('2')], robotsBlocked: ['https://a.test/3'] };
    states = [
      { status: 'completed', completed: 1 },
      { status: 'completed', completed: 1, total: 1 },
    ];
    await pressAgain();
    await eventually(() => assert.ok(fake.messages.includes('Web Data: Batch completed: 1 page')));
    assert.deepEqual(started.at(-1), { urls: ['https://a.test/2'] });
  });

  for (const [robotsBlocked, text] of [
    [['https://a.test/3'], 'Web Data: The other pages are blocked by robots.txt.'],
    [[], "Web Data: The server didn't list the pages that failed."],
  ] as const)
    it(`says why it scrapes nothing again: ${text}`, async () => {
      failures = { errors: [], robotsBlocked: [...robotsBlocked] };
      states = [{ status: 'completed', completed: 2 }];
      await pressAgain();
      await eventually(() => assert.ok(fake.messages.includes(text), fake.messages.join('\n')));
      assert.equal(started.length, 1);
    });

  it('tells of a batch that got no page also if only failures are told', async () => {
    fake.settings.set('webdata.jobs.notify', 'failures');
    states = [{ status: 'completed', completed: 0 }];
    await choose(3, '$(files) Batch Scrape');
    const text = 'Web Data: Batch completed: 0 of 3 pages';
    await eventually(() => assert.ok(fake.messages.includes(text), fake.messages.join('\n')));
  });

  it('says at the list that pages may be missing', async () => {
    const hintOf = async (about: object) => {
      let hint: string | undefined;
      fake.answer = (kind, shown) => {
        if (kind === 'list') hint = (shown as { placeholder?: string }).placeholder;
        return undefined;
      };
      await fake.run(commands.chooseMappedPages, { ...map, ...about });
      return hint;
    };
    const warning = 'https://a.test/list: The page has a button "Load more", which was not clicked.';
    assert.match((await hintOf({})) ?? '', /^Filter, then select/);
    assert.equal(await hintOf({ warning }), 'Pages may be missing: the notification says why');
    assert.match((await hintOf({ warning, stopped: 'readPages' })) ?? '', /Find More reads them/);
    assert.equal(await hintOf({ warning, title: 'Search results' }), warning);
  });

  it('scrapes one, or opens the draft of a crawl from it', async () => {
    const offered = await choose(1, '$(globe) Start Crawl…');
    assert.deepEqual(offered, ['$(cloud-download) Scrape', '$(globe) Start Crawl…']);
    await choose(1, '$(cloud-download) Scrape');
    assert.deepEqual(fake.ran, [
      { id: commands.startCrawl, args: ['https://a.test/1'] },
      { id: commands.scrapeUrl, args: ['https://a.test/1'] },
    ]);
    assert.deepEqual(started, [], 'no crawl starts without its draft');
  });

  it("says why the map can't be opened as JSON", async () => {
    fake.answer = (kind, shown) => (kind === 'list' ? { button: (shown as List).buttons[0] } : undefined);
    await fake.run(commands.chooseMappedPages, map);
    assert.deepEqual(fake.messages, ['Web Data: No editor.']);
  });
});
