import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import type { Client } from '../../../../src/client/client.ts';
import type { Monitor } from '../../../../src/contract/monitors.ts';
import type { PolledConnection } from '../../../../src/extension/connection/polling/polling.ts';
import { RateLimit } from '../../../../src/extension/connection/polling/rate-limit.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import { type News, WatchNotices } from '../../../../src/extension/watches/notices.ts';
import type { PolledWatches as Watches } from '../../../../src/extension/watches/watches-store.ts';
import { eventually } from '../../../harness/eventually.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';
import { fake } from '../../../harness/fake-vscode.ts';

const { PolledWatches } = await import('../../../../src/extension/watches/watches-store.ts');

const minute = 60_000;

describe('how often watches are read', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let stored: Map<string, unknown>;
  let monitors: Monitor[];
  let reads: number;
  let news: News[];
  let connection: PolledConnection & { serviceRuns: boolean };
  let watches: Watches;
  let notices: WatchNotices;

  const iso = (ms: number) => new Date(ms).toISOString();
  const monitor = (more: Partial<Monitor> = {}) =>
    ({
      id: 'w',
      name: 'Prices',
      status: 'active',
      schedule: { cron: '0 * * * *', timezone: 'UTC' },
      nextRunAt: iso(clock.now() + 60 * minute),
      lastRunAt: iso(clock.now() - minute),
      targets: [],
      ...more,
    }) as Monitor;
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  const readsAfter = async (ms: number) => {
    clock.advance(ms);
    await settle();
    return reads;
  };

  beforeEach(() => {
    fake.reset();
    clock = createFakeClock();
    stored = new Map();
    monitors = [];
    reads = 0;
    news = [];
    const client = {
      async listMonitors() {
        reads++;
        return { data: monitors };
      },
      async listMonitorChecks() {
        const summary = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 };
        return { data: [{ id: 'c', monitorId: 'w', status: 'completed', createdAt: iso(clock.now()), summary }] };
      },
    } as unknown as Client;
    const target = { kind: 'embedded' } as const;
    connection = {
      target,
      serviceRuns: true,
      rateLimit: new RateLimit(clock.now),
      onDidChange: new Signal<void>(),
      onRefresh: new Signal<void>(),
      viewAccess: () => connection.existingAccess(),
      existingAccess: async () => (connection.serviceRuns ? { target, baseUrl: '', client } : undefined),
    };
    const state = {
      get: (key: string) => stored.get(key),
      update: async (key: string, value: unknown) => void stored.set(key, value),
    } as unknown as Memento;
    notices = new WatchNotices(state, () => target);
  });
  afterEach(() => watches.dispose());

  const open = () => {
    watches = new PolledWatches({
      connection,
      notices,
      now: clock.now,
      after: clock.after,
      log: { warn: () => undefined },
      onNews: (found) => news.push(...found),
    });
  };

  it('is never while nobody sees them and none has notices', async () => {
    monitors = [monitor()];
    open();
    connection.onDidChange.fire();
    assert.equal(await readsAfter(24 * 60 * minute), 0);
  });

  it('is when the next one is due, and often while one is being checked', async () => {
    monitors = [monitor({ nextRunAt: iso(clock.now() + 30_000) })];
    open();
    watches.setVisible(true);
    await eventually(() => assert.equal(reads, 1));
    assert.equal(await readsAfter(29_000), 1);
    monitors = [monitor({ currentCheckId: 'c' })];
    assert.equal(await readsAfter(4_000), 2);
    assert.equal(await readsAfter(2_000), 3);
    monitors = [monitor()];
    assert.equal(await readsAfter(2_000), 4);
    assert.equal(await readsAfter(50_000), 4);
    watches.setVisible(false);
    assert.equal(await readsAfter(60 * minute), 4);
  });

  it('goes on in the background for those with notices, and tells what they found', async () => {
    await notices.set('w', true, clock.now() - minute);
    monitors = [monitor({ nextRunAt: iso(clock.now() + 2 * minute) })];
    open();
    await eventually(() => assert.equal(reads, 1));
    assert.equal(await readsAfter(minute), 1);
    monitors = [monitor({ lastRunAt: iso(clock.now() + minute) })];
    assert.equal(await readsAfter(minute + 2_000), 2);
    await eventually(() =>
      assert.deepEqual(
        news.map(({ name }) => name),
        ['Prices'],
      ),
    );
    assert.ok((await readsAfter(30 * minute)) < 12, 'at most every five minutes');
  });

  it('starts no service, and begins with the service', async () => {
    connection.serviceRuns = false;
    await notices.set('w', true, clock.now());
    monitors = [monitor()];
    open();
    await settle();
    assert.equal(await readsAfter(60 * minute), 0);
    connection.serviceRuns = true;
    connection.onDidChange.fire();
    await eventually(() => assert.equal(reads, 1));
  });
});
