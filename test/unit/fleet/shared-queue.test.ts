import assert from 'node:assert/strict';
import type { Fleet } from '../../../src/service/platform/fleet/fleet.ts';
import type { Boss } from '../../../src/service/platform/fleet/jobs/boss.ts';
import { createSharedQueue } from '../../../src/service/platform/fleet/jobs/shared-queue.ts';
import { noSignals } from '../../../src/service/platform/fleet/signals.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import type { Database } from '../../../src/service/platform/storage/storage.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('a queue of a fleet', () => {
  it('asks the database once in a while, not once for each level, while it is empty', async () => {
    const clock = createFakeClock();
    const asked = { waiting: 0, fetch: 0, nodes: 0 };
    const boss = {
      hasWaiting: async () => {
        asked.waiting++;
        return false;
      },
      fetch: async () => {
        asked.fetch++;
        return [];
      },
    } as Partial<Boss> as Boss;
    const fleet = {
      id: 'own',
      isActive: () => true,
      isDraining: () => false,
      onDead: () => undefined,
      onActive: () => undefined,
      nodes: async () => {
        asked.nodes++;
        return [];
      },
    } as Partial<Fleet> as Fleet;
    const limits = { name: 'delivery', running: 4, shares: 1, perGroup: [1, 2, 4, undefined], spreads: false } as const;
    const parts = { database: {} as Database, boss, signals: noSignals, fleet, clock, log: silentLog };
    const queue = createSharedQueue(limits, parts);
    queue.consume(
      async () => assert.fail(),
      async () => [],
    );
    for (let polls = 1; polls < 5; polls++) {
      await new Promise(setImmediate);
      clock.advance(2_000);
    }
    await new Promise(setImmediate);
    queue.close();
    assert.deepEqual(asked, { waiting: 5, fetch: 0, nodes: 0 });
  });
});
