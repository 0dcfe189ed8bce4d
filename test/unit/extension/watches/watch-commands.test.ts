import assert from 'node:assert/strict';
import type { Disposable, Memento } from 'vscode';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import { fake } from '../../../harness/fake-vscode.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('Watch for Changes', () => {
  let registered: Disposable;
  let calls: { name: string; request: { body?: Record<string, unknown>; params?: unknown } }[];
  let stored: Map<string, unknown>;
  let languageModel: string | undefined;
  let revealed: unknown[];
  let monitor: Record<string, unknown>;

  beforeEach(async () => {
    fake.reset();
    calls = [];
    revealed = [];
    stored = new Map();
    languageModel = undefined;
    monitor = { id, name: 'a.test', status: 'active', schedule: { cron: '0 * * * *' }, targets: [] };
    const call = (name: string, data: unknown) => async (request: { body?: Record<string, unknown> }) => {
      calls.push({ name, request });
      return { data };
    };
    const client = {
      createMonitor: call('create', { id }),
      runMonitor: call('run', { id: 'c', createdAt: '2026-01-01T12:00:00Z' }),
      updateMonitor: call('update', {}),
      deleteMonitor: call('delete', {}),
      listMonitors: async () => ({ data: [monitor] }),
      listMonitorChecks: async () => ({ data: [] }),
    };
    const { registerWatches } = await import('../../../../src/extension/watches/watches.ts');
    registered = registerWatches({
      connection: {
        target: { kind: 'embedded' },
        serviceRuns: true,
        rateLimit: { until: 0, factor: 1, onChange: new Signal() },
        onDidChange: new Signal<void>(),
        onRefresh: new Signal<void>(),
        access: async () => ({ client }),
        existingAccess: async () => ({ client }),
        get languageModel() {
          return languageModel;
        },
      } as never,
      documents: {} as never,
      webhookUrl: () => 'http://127.0.0.1:4000/hook',
      crawl: async () => ({ url: 'https://a.test/docs', crawlOptions: { includePaths: ['^/docs'] } }),
      reveal: async (row) => void revealed.push(row),
      state: {
        get: (key: string) => stored.get(key),
        update: async (key: string, value: unknown) =>
          void (value === undefined ? stored.delete(key) : stored.set(key, value)),
      } as unknown as Memento,
      log: { error: () => undefined, warn: () => undefined } as never,
    });
  });
  afterEach(() => registered.dispose());

  type Item = { label: string; cron?: string };
  /** Answers each step by words of its title. */
  const answer = (answers: Record<string, string>) => {
    const offered: Record<string, string[]> = {};
    fake.answer = (kind, ...args) => {
      const shown = (kind === 'pick' ? args[1] : args[0]) as { title: string; items?: Item[]; prompt?: string };
      const [step = '', wanted = ''] = Object.entries(answers).find(([words]) => shown.title.includes(words)) ?? [];
      if (kind === 'list') return { type: wanted };
      if (kind === 'input') return answers[`${step} text`];
      const items = args[0] as Item[];
      offered[step] = items.map(({ label }) => label);
      return items.find(({ label }) => label.includes(wanted));
    };
    return offered;
  };
  const created = () => calls.find(({ name }) => name === 'create')?.request.body;

  it('watches a page, looks at once, and tells by a notice', async () => {
    const offered = answer({
      'How Often': 'weekdays at 8:30',
      'What Matters': 'Any Change',
      Notifications: 'Notification',
    });
    await fake.run(commands.watchForChanges, { entry: { endpoint: 'scrape', target: 'https://a.test/prices' } });
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    assert.deepEqual(created(), {
      name: 'a.test/prices',
      schedule: { cron: '30 8 * * 1-5', timezone },
      targets: [{ type: 'scrape', urls: ['https://a.test/prices'] }],
    });
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['create', 'run'],
    );
    assert.deepEqual(offered['What Matters'], ['$(file) Any Change', '$(selection) A Part of the Page…']);
    assert.deepEqual([...stored.values()], [{ embedded: { [id]: Date.UTC(2026, 0, 1, 12) } }]);
    assert.equal(revealed.length, 1);
  });

  it('watches the site of a crawl with its options, a part of its pages, and calls a webhook', async () => {
    answer({
      'How Often': '*/15 * * * *',
      'What Matters': 'A Part',
      'What Matters text': ' main ',
      Notifications: 'Webhook',
      'Notifications text': 'hooks.test/x',
    });
    await fake.run(commands.watchForChanges, { crawlId: 'j1' });
    const { targets, webhook } = created() ?? {};
    assert.deepEqual(targets, [
      {
        type: 'crawl',
        url: 'https://a.test/docs',
        crawlOptions: { includePaths: ['^/docs'] },
        scrapeOptions: { includeTags: ['main'] },
      },
    ]);
    assert.deepEqual(webhook, { url: 'https://hooks.test/x' });
    assert.deepEqual([...stored], [], 'nothing is remembered');
  });

  it('watches a search, and takes a condition in a sentence if a language model is set up', async () => {
    languageModel = 'a model';
    answer({
      'How Often': 'hourly',
      'What Matters': 'Describe',
      'What Matters text': 'New teas',
      Notifications: 'List',
    });
    await fake.run(commands.watchForChanges, { query: 'green tea' });
    assert.deepEqual(created()?.targets, [{ type: 'search', queries: ['green tea'] }]);
    assert.equal(created()?.goal, 'New teas');
  });

  it('compares the fields that are named, which a language model reads', async () => {
    languageModel = 'a model';
    answer({
      'How Often': 'hourly',
      'What Matters': 'Fields',
      'What Matters text': ' price, in stock,price ',
      Notifications: 'List',
    });
    await fake.run(commands.watchForChanges, { entry: { endpoint: 'scrape', target: 'https://a.test/prices' } });
    const properties = { price: { type: 'string' }, 'in stock': { type: 'string' } };
    assert.deepEqual(created()?.targets, [
      {
        type: 'scrape',
        urls: ['https://a.test/prices'],
        scrapeOptions: { formats: [{ type: 'json', schema: { type: 'object', properties } }] },
      },
    ]);
  });

  it('takes the schedule that was typed, if its row is not there yet', async () => {
    answer({ 'What Matters': 'Any Change', Notifications: 'List' });
    const others = fake.answer;
    fake.answer = (kind, ...args) => {
      if (kind !== 'list') return others(kind, ...args);
      const list = args[0] as { type(text: string): void; items: Item[]; value: string };
      list.type('every 30 min');
      const early = list.items[0];
      list.value = 'every 30 minutes';
      return { accept: [early] };
    };
    await fake.run(commands.watchForChanges, { url: 'https://a.test/' });
    assert.match(JSON.stringify(created()?.schedule), /"\*\/30 \* \* \* \*"/);
  });

  it('creates nothing when a step is canceled, or a schedule is not understood', async () => {
    answer({ 'How Often': 'hourly', 'What Matters': 'Any Change', Notifications: 'none of them' });
    await fake.run(commands.watchForChanges, { url: 'https://a.test/' });
    assert.deepEqual([calls, fake.messages], [[], []]);
  });

  it('edits, pauses, resumes and deletes a watch that is chosen', async () => {
    const choose = (...wanted: string[]) => {
      fake.answer = (kind, ...args) => {
        if (kind === 'list') return { type: 'daily at 7:00' };
        const next = wanted.shift() ?? '';
        return kind === 'pick' ? (args[0] as Item[]).find(({ label }) => label.includes(next)) : next;
      };
    };
    choose('a.test', 'How Often');
    await fake.run(commands.editWatch);
    choose('a.test', 'Name', 'Teas');
    await fake.run(commands.editWatch);
    await fake.run(commands.pauseWatch, { watchId: id, pause: true });
    choose('Delete Watch');
    await fake.run(commands.deleteWatch, { watchId: id });
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    assert.deepEqual(
      calls.map(({ name, request }) => [name, request.body].filter(Boolean)),
      [
        ['update', { schedule: { cron: '0 7 * * *', timezone } }],
        ['update', { name: 'Teas' }],
        ['update', { status: 'paused' }],
        ['delete'],
      ],
    );
  });

  it('says what is missing', async () => {
    await fake.run(commands.watchForChanges, { entry: { endpoint: 'scrape', target: 'file.pdf' } });
    await fake.run(commands.checkWatch, { watchId: 'gone' });
    assert.deepEqual(fake.messages, [
      "Web Data: This page's URL can't be watched.",
      'Web Data: This watch no longer exists. Refresh the view, then choose another one.',
    ]);
  });
});
