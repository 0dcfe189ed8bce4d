import assert from 'node:assert/strict';
import { createClient } from '../../../../src/client/client.ts';
import type { PolledConnection } from '../../../../src/extension/connection/polling/polling.ts';
import { RateLimit } from '../../../../src/extension/connection/polling/rate-limit.ts';
import type { Target } from '../../../../src/extension/connection/target.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';
import { fake, happen, workspace } from '../../../harness/fake-vscode.ts';
import { type Arrival, type Exchange, type FaultyServer, startFaultyServer } from '../../../harness/faulty-server.ts';

const { RecentActivity } = await import('../../../../src/extension/activity/recent-activity.ts');
const { ActiveCrawls } = await import('../../../../src/extension/crawls/active-crawls.ts');

type Answer = (arrival: Arrival, exchange: Exchange) => void;
const id = (number: number) => `0192f3a4-6c1e-4000-8000-00000000000${number}`;

describe('what the views load from a server', () => {
  let server: FaultyServer;
  let answer: Answer;
  const clock = createFakeClock();
  const target: Target = { kind: 'server', baseUrl: '', origin: '', host: 'server.test' };
  let connection: PolledConnection & { target: Target };
  const made: { dispose(): void }[] = [];

  before(async () => {
    server = await startFaultyServer((arrival, exchange) => answer(arrival, exchange));
  });
  after(() => server.close());
  beforeEach(() => {
    server.arrivals.length = 0;
    fake.reset();
    connection = {
      target,
      serviceRuns: false,
      rateLimit: new RateLimit(clock.now),
      onDidChange: new Signal<void>(),
      onRefresh: new Signal<void>(),
      viewAccess() {
        return this.existingAccess();
      },
      existingAccess: async () => ({
        target: connection.target,
        baseUrl: server.baseUrl,
        client: createClient({ baseUrl: server.baseUrl, apiKey: 'key-0123456789', fetch: globalThis.fetch }),
      }),
    };
  });
  afterEach(() => {
    for (const part of made.splice(0)) part.dispose();
  });

  const options = () => ({
    connection,
    log: { warn: () => undefined },
    now: clock.now,
    after: clock.after,
  });
  const keep = <Part extends { dispose(): void }>(part: Part): Part => {
    made.push(part);
    return part;
  };
  const activity = () => keep(new RecentActivity(options()));
  const crawls = () => keep(new ActiveCrawls(options()));
  const item = (number: number) => ({
    id: id(number),
    endpoint: 'scrape',
    created_at: new Date(clock.now()).toISOString(),
  });

  it('can start the service for a view that becomes visible, but never because of a timer or a stop', async () => {
    answer = (_arrival, exchange) => exchange.json({ success: true, crawls: [] });
    let starts = 0;
    const view = connection.viewAccess.bind(connection);
    connection.viewAccess = async () => {
      starts++;
      return await view();
    };
    const { policy, store } = crawls();
    policy.setVisible(true);
    await eventually(() => assert.equal(store.state.kind, 'ready'));
    assert.equal(starts, 1);
    connection.onDidChange.fire();
    await eventually(() => assert.equal(server.arrivals.length, 2));
    assert.equal(starts, 1);
  });

  it('is nothing while no view is visible', async () => {
    answer = (_arrival, exchange) => exchange.json({ success: true, data: [] });
    activity();
    crawls();
    connection.onDidChange.fire();
    clock.advance(60 * 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(server.arrivals, []);
  });

  it('is nothing in Restricted Mode, and everything once the folder is trusted', async () => {
    answer = (_arrival, exchange) => exchange.json({ success: true, data: [item(1)] });
    workspace.isTrusted = false;
    const view = activity();
    view.policy.setVisible(true);
    await eventually(() => assert.equal(view.store.state.kind, 'restricted'));
    assert.deepEqual(server.arrivals, []);
    happen.trusted();
    await eventually(() => assert.equal(view.store.entries.length, 1));
  });

  it('is replaced by the reason if something prevents it', async () => {
    const answers: [number, string][] = [
      [401, 'signed-out'],
      [403, 'signed-out'],
      [404, 'not-offered'],
      [501, 'not-offered'],
      [500, 'unreachable'],
    ];
    for (const [status, kind] of answers) {
      answer = (_arrival, exchange) => exchange.json({ success: false, error: 'no' }, status);
      const view = activity();
      view.policy.setVisible(true);
      await eventually(() => assert.equal(view.store.state.kind, kind, String(status)));
    }
    answer = (_arrival, exchange) => exchange.answer(200, '<!doctype html><h1>Log in</h1>');
    const view = activity();
    view.policy.setVisible(true);
    await eventually(() => assert.equal(view.store.state.kind, 'unreachable'));
  });

  it('waits in all views when one of them is rate limited', async () => {
    answer = ({ target: path }, exchange) =>
      path.includes('activity') && !path.includes('endpoint=crawl')
        ? exchange.json({ success: false, error: 'slow down' }, 429, { 'retry-after': '60' })
        : exchange.json({ success: true, crawls: [], data: [] });
    const list = activity();
    const running = crawls();
    running.policy.setVisible(true);
    await eventually(() => assert.equal(running.store.state.kind, 'ready'));
    list.policy.setVisible(true);
    await eventually(() => assert.equal(list.store.state.kind, 'limited'));
    assert.ok(list.store.state.kind === 'limited' && list.store.state.until === clock.now() + 60_000);
    assert.ok(running.store.state.kind === 'limited' && running.store.state.until === clock.now() + 60_000);
    const before = server.arrivals.length;
    // Tried once, without the repeats that a single call would get.
    const tried = server.arrivals.map(({ target: path }) => path.split('?')[0]);
    assert.deepEqual(tried.sort(), ['/v2/crawl/active', '/v2/team/activity', '/v2/team/activity']);
    clock.advance(59_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(server.arrivals.length, before);
    answer = (_arrival, exchange) => exchange.json({ success: true, crawls: [], data: [] });
    await eventually(() => {
      clock.advance(10_000);
      assert.deepEqual([list.store.state.kind, running.store.state.kind], ['ready', 'ready']);
    });
  });

  it('stays when the next request fails', async () => {
    answer = (_arrival, exchange) => exchange.json({ success: true, data: [item(1)] });
    const view = activity();
    view.policy.setVisible(true);
    await eventually(() => assert.equal(view.store.entries.length, 1));
    answer = (_arrival, exchange) => exchange.reset();
    view.policy.request('command');
    await eventually(() => assert.equal(view.store.state.kind, 'unreachable'));
    assert.equal(view.store.entries.length, 1);
  });

  it('is dropped when the server changes, with responses that arrive late', async () => {
    let hold: Exchange | undefined;
    answer = (_arrival, exchange) => {
      hold = exchange;
    };
    const view = activity();
    view.policy.setVisible(true);
    await eventually(() => assert.ok(hold));
    const late = hold;
    answer = (_arrival, exchange) => exchange.json({ success: true, data: [item(2)] });
    connection.target = { ...target, host: 'other.test' };
    connection.onDidChange.fire();
    late?.json({ success: true, data: [item(1)] });
    await eventually(() =>
      assert.deepEqual(
        view.store.entries.map((entry) => entry.id),
        [id(2)],
      ),
    );
  });

  it('includes the status of listed jobs until they end', async () => {
    let status = 'scraping';
    const jobs = [
      { ...item(1), endpoint: 'crawl' },
      { ...item(2), endpoint: 'batch_scrape' },
      { ...item(3), endpoint: 'crawl' },
    ];
    answer = ({ target: path }, exchange) => {
      if (path.includes('activity')) return exchange.json({ success: true, data: jobs });
      if (path.includes(id(3))) return exchange.json({ success: false, error: 'Job not found' }, 404);
      exchange.json({ success: true, status, completed: 3, total: 5, data: [] });
    };
    const view = activity();
    view.policy.setVisible(true);
    await eventually(() => assert.equal(view.store.job(id(2))?.completed, 3));
    await eventually(() => assert.equal(view.store.job(id(1))?.status, 'scraping'));
    status = 'completed';
    await eventually(() => {
      clock.advance(3_000);
      assert.equal(view.store.job(id(1))?.status, 'completed');
      assert.equal(view.store.job(id(2))?.status, 'completed');
    });
    jobs.unshift({ ...item(4), endpoint: 'crawl' });
    server.arrivals.length = 0;
    view.policy.request('command');
    await eventually(() => assert.equal(view.store.job(id(4))?.status, 'completed'));
    const asked = server.arrivals.filter(({ target: path }) => !path.includes('activity'));
    assert.ok(asked.length > 0 && asked.every(({ target: path }) => path.includes(id(4))));
  });

  it('closes the gap between new and loaded rows', async () => {
    const pages: Record<string, object> = {
      '': { data: [item(9)], cursor: 'c8', has_more: true },
      c8: { data: [item(8)], cursor: 'c7', has_more: true },
      c7: { data: [item(7)], cursor: 'c6', has_more: true },
    };
    answer = (_arrival, exchange) => exchange.json({ success: true, ...pages.c7 });
    const view = activity();
    view.policy.setVisible(true);
    await eventually(() => assert.equal(view.store.entries.length, 1));
    answer = ({ target: path }, exchange) =>
      exchange.json({ success: true, ...pages[new URL(path, 'http://x').searchParams.get('cursor') ?? ''] });
    view.policy.request('command');
    await eventually(() =>
      assert.deepEqual(
        view.store.entries.map((entry) => entry.id),
        [id(9), id(8), id(7)],
      ),
    );
    assert.deepEqual(view.store.paging, { kind: 'more', cursor: 'c6' });
  });

  it('includes crawls that ended shortly before the window was opened, without news of their ends', async () => {
    const at = (minutesAgo: number) => new Date(clock.now() - minutesAgo * 60_000).toISOString();
    const crawl = (number: number) => ({ ...item(number), endpoint: 'crawl', target: `https://${number}.test` });
    answer = ({ target: path }, exchange) => {
      if (path.includes('active')) return exchange.json({ success: true, crawls: [{ id: id(1) }] });
      if (path.includes('activity')) return exchange.json({ success: true, data: [1, 2, 3].map(crawl) });
      const state = path.includes(id(1))
        ? { status: 'scraping' }
        : { status: 'completed', completedAt: at(path.includes(id(2)) ? 20 : 90) };
      exchange.json({ success: true, completed: 2, total: 3, data: [], ...state });
    };
    const view = crawls();
    const ended: string[] = [];
    view.store.onEnded.on((each) => ended.push(each.id));
    view.policy.setVisible(true);
    await eventually(() =>
      assert.deepEqual(
        view.store.crawls.map((each) => [each.id, each.active, each.url]),
        [
          [id(1), true, undefined],
          [id(2), false, 'https://2.test'],
        ],
      ),
    );
    assert.deepEqual(ended, []);
    view.policy.request('command');
    await eventually(() => assert.equal(server.arrivals.filter(({ target }) => target.includes('active')).length, 2));
    assert.equal(server.arrivals.filter(({ target }) => target.includes('activity')).length, 1);
  });

  it('includes a crawl that was started here until it ends, even if no view is visible', async () => {
    let status = 'scraping';
    answer = ({ target: path }, exchange) =>
      path.includes('active')
        ? exchange.json({ success: true, crawls: status === 'scraping' ? [{ id: id(1), url: 'https://a.test' }] : [] })
        : exchange.json({ success: true, status, completed: 2, total: 3, data: [] });
    const view = crawls();
    const ended: string[] = [];
    view.store.onEnded.on((crawl) => ended.push(crawl.status));
    await view.started(id(1), 'https://a.test', { limit: 3 });
    await eventually(() => assert.equal(view.store.find(id(1))?.total, 3));
    assert.deepEqual(view.store.find(id(1))?.optionLines, ['At most 3 pages']);
    status = 'completed';
    await eventually(() => {
      clock.advance(3_000);
      assert.deepEqual(ended, ['completed']);
    });
    const statusCalls = server.arrivals.filter(({ target: path }) => path.includes(id(1)));
    assert.ok(statusCalls.every(({ target: path }) => path.endsWith('?limit=1')));
    clock.advance(11 * 60_000);
    // What was asked before may still arrive.
    await eventually(async () => {
      const before = server.arrivals.length;
      clock.advance(60 * 60_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(server.arrivals.length, before);
    });
  });
});
