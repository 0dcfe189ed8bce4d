import assert from 'node:assert/strict';
import { commands } from '../../../src/extension/ui/ids.ts';
import { fake } from '../../harness/fake-vscode.ts';

const log = { error: () => undefined, info: () => undefined, warn: () => undefined };
let registered: { dispose(): unknown };

/** Answers the next list with the row whose label contains `text`. */
function choose(text: string): void {
  fake.answer = (kind, ...args) =>
    kind === 'pick' ? (args[0] as { label: string }[]).find(({ label }) => label.includes(text)) : undefined;
}

describe('one command for rows of several views', () => {
  beforeEach(async () => {
    fake.reset();
    const { registerActivityCommands } = await import('../../../src/extension/activity/activity-commands.ts');
    const entries = [{ key: 'first', id: 'r1', endpoint: 'scrape', target: undefined }];
    registered = registerActivityCommands({ activity: { store: { entries } }, log } as never);
  });
  afterEach(() => registered.dispose());

  it('copies the ID of a request and of a crawl', async () => {
    await fake.run(commands.copyId, { entry: { key: 'first' } });
    assert.equal(fake.clipboard, 'r1');
    await fake.run(commands.copyId, { crawlId: 'c1' });
    assert.equal(fake.clipboard, 'c1');
  });

  it('leaves pages and crawls to the views that know them', async () => {
    const page = { job: {}, page: {} };
    await fake.run(commands.copyId, page);
    await fake.run(commands.copyId);
    await fake.run(commands.openRecord, { crawlId: 'c1' });
    await fake.run(commands.openRecord);
    const asked = fake.ran.map(({ id, args }) => [id, ...args]);
    assert.deepEqual(asked, [
      [commands.copyPageUrl, page],
      [commands.copyPageUrl, undefined],
      [commands.openCrawl, { crawlId: 'c1' }],
      [commands.openCrawl, undefined],
    ]);
  });
});

describe('one command to cancel', () => {
  it('leaves agent jobs to their own, and crawls that are active come first', async () => {
    fake.reset();
    const { registerCrawlCommands } = await import('../../../src/extension/crawls/crawl-commands.ts');
    const active: object[] = [];
    const store = { active, find: () => undefined, onEnded: { on: () => ({ dispose: () => undefined }) } };
    registered = registerCrawlCommands({ crawls: { store }, log } as never);
    await fake.run(commands.cancelCrawl, { entry: { id: 'a1' } });
    await fake.run(commands.cancelCrawl);
    const asked = [{ entry: { id: 'a1' } }, undefined].map((argument) => ({
      id: commands.cancelAgentJob,
      args: [argument],
    }));
    assert.deepEqual(fake.ran, asked);
    await fake.run(commands.cancelCrawl, { crawlId: 'c1' });
    assert.match(fake.messages.join(), /Cancel this crawl/);
    assert.deepEqual(fake.ran, asked);
    registered.dispose();
  });
});

describe('one command for all about a webhook handler', () => {
  let handlers: unknown[][];
  let shown: (string | undefined)[];
  const current = { handler: 'http://localhost:3000/', forwardsNew: false, jobId: 'j1' };
  beforeEach(async () => {
    fake.reset();
    [handlers, shown] = [[], []];
    const { registerWebhookCommands } = await import('../../../src/extension/webhooks/webhook-commands.ts');
    const receiver = {
      store: { shown: current, show: (jobId: string | undefined) => shown.push(jobId) },
      setHandler: async (...handler: unknown[]) => handlers.push(handler),
      refresh: async () => undefined,
      thread: async () => ({ call: async () => [{ jobId: 'j2', count: 1, kind: 'crawl', lastAt: 0 }] }),
    };
    registered = registerWebhookCommands({ receiver, log } as never);
  });
  afterEach(() => registered.dispose());

  it('forwards new deliveries, changes the URL or removes it', async () => {
    choose('Forward New Deliveries');
    await fake.run(commands.setWebhookHandler);
    assert.deepEqual(handlers, [[current.handler, true]]);
    fake.answer = (kind, ...args) =>
      kind === 'pick' ? (args[0] as { label: string }[]).find(({ label }) => label.includes('Change URL')) : '';
    await fake.run(commands.setWebhookHandler);
    assert.deepEqual(handlers.at(-1), [undefined, false]);
  });

  it('shows the deliveries of one job, or all again', async () => {
    choose('j2');
    await fake.run(commands.filterWebhooks);
    choose('All');
    await fake.run(commands.filterWebhooks);
    assert.deepEqual(shown, ['j2', undefined]);
  });
});

describe('continuing a crawl', () => {
  it('offers only more pages than its limit, and says how many', async () => {
    fake.reset();
    const { registerCrawlCommands } = await import('../../../src/extension/crawls/crawl-commands.ts');
    const sent: unknown[] = [];
    let state: object = {};
    const embedded = { continueCrawl: async (request: { body: unknown }) => void sent.push(request.body) };
    const connection = {
      embedded: async () => ({ embedded }),
      access: async () => ({ client: { getCrawl: async () => state } }),
    };
    const store = { crawls: [], find: () => undefined, onEnded: { on: () => ({ dispose: () => undefined }) } };
    const crawls = { store, continued: () => undefined };
    registered = registerCrawlCommands({ connection, crawls, reveal: async () => undefined, log } as never);
    const rows = async (of: object) => {
      state = of;
      let shown: string[] = [];
      fake.answer = (kind, items) => {
        if (kind !== 'pick') return undefined;
        const found = items as { label: string; description?: string }[];
        shown = found.map(({ label, description = '' }) => `${label} ${description}`.trim());
        return found[0];
      };
      await fake.run(commands.continueCrawl, { crawlId: 'c1' });
      assert.deepEqual(fake.messages, []);
      return shown;
    };
    assert.deepEqual(await rows({ completed: 480, pageLimit: 500 }), [
      'Twice as many pages At most 1,000 pages',
      'At most 10,000 pages',
      'At most 1,000,000 pages',
    ]);
    assert.deepEqual(await rows({ completed: 900, pageLimit: 1_000 }), [
      'Twice as many pages At most 2,000 pages',
      'At most 10,000 pages',
      'At most 1,000,000 pages',
    ]);
    // A server of an earlier version doesn't say the limit.
    assert.equal((await rows({ completed: 500 }))[0], 'Twice as many pages');
    assert.deepEqual(sent, [{}, {}, {}]);
    registered.dispose();
  });
});
