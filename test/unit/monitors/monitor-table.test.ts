import assert from 'node:assert/strict';
import type { MonitorCheckPage } from '../../../src/contract/monitors.ts';
import {
  monitorsOf,
  packPage,
  pagesOf,
  removeExpired,
  removeMonitor,
} from '../../../src/service/web/monitors/monitor-table.ts';
import { storeFound } from '../../../src/service/web/monitors/results.ts';
import { newPageVersion } from '../../../src/service/web/scrape/changes/page-versions.ts';
import { onBothDialects, type TestDatabase } from '../../harness/databases.ts';

describe('what is stored of monitors', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('TRN-20: is read as far as it fits into a response: pages of a check', async () => {
      const page = (n: number, status = 'changed') => ({
        id: `${n}`,
        targetId: 't',
        url: `https://site.test/${n}`,
        status,
        // Stored, this takes only a few bytes.
        diff: { text: '-a\n'.repeat(n === 3 ? 300_000 : 30_000) },
        createdAt: new Date(0).toISOString(),
      });
      for (let n = 0; n < 12; n++)
        await opened.database
          .insertInto('monitor_page')
          .values(await packPage('check', n, page(n, n % 2 === 0 ? 'same' : 'changed')))
          .execute();
      const read = async (limit: number, skip: number, status?: 'same') => {
        const { texts, more } = await pagesOf(opened.database, 'check', { limit, skip, status, bytes: 250_000 });
        return [...texts.map((text) => JSON.parse(text.toString()).id), more];
      };
      assert.deepEqual(await read(100, 0), ['0', '1', true]);
      assert.deepEqual(await read(100, 2), ['2', true]);
      assert.deepEqual(await read(100, 3), ['3', true], 'one that is longer alone');
      assert.deepEqual(await read(1, 4), ['4', true]);
      assert.deepEqual(await read(100, 10), ['10', '11', false]);
      assert.deepEqual(await read(2, 10), ['10', '11', false]);
      assert.deepEqual(await read(100, 12), [false]);
      assert.deepEqual(await read(100, 4, 'same'), ['8', '10', false]);
    });

    it('TRN-20: is read as far as it fits into a response: monitors', async () => {
      for (let n = 0; n < 5; n++) {
        const row = {
          ...monitorRow(`${n}`, n === 4 ? 'b' : 'a'),
          targets: JSON.stringify(['é'.repeat(n === 1 ? 100_000 : 10_000)]),
          created_at: 10 - n,
        };
        await opened.database.insertInto('monitor').values(row).execute();
      }
      const read = async (limit: number, skip: number) => {
        const { rows, more } = await monitorsOf(opened.database, 'a', { limit, skip, bytes: 50_000 });
        return [...rows.map(({ id }) => id), more];
      };
      assert.deepEqual(await read(100, 0), ['0', true]);
      assert.deepEqual(await read(100, 1), ['1', true], 'one that is longer alone');
      assert.deepEqual(await read(100, 2), ['2', '3', false]);
      assert.deepEqual(await read(1, 2), ['2', true]);
      assert.deepEqual(await read(100, 4), [false]);
    });

    it('TRN-22: is removed a few rows at a time once a monitor is deleted', async () => {
      const { database } = opened;
      const store = async (id: string) => {
        const monitor = await database
          .insertInto('monitor')
          .values(monitorRow(id, 'a'))
          .returningAll()
          .executeTakeFirstOrThrow();
        for (let n = 0; n < 3; n++) {
          const check = `${id}-${n}`;
          await database.insertInto('monitor_check').values(checkRow(check, id)).execute();
          for (let seq = 0; seq < 5; seq++)
            await database
              .insertInto('monitor_page')
              .values(await packPage(check, seq, pageOf(seq)))
              .execute();
        }
        for (let n = 0; n < 2; n++) {
          const key = { team: 'a', tag: `monitor:${id}`, url: `https://site.test/${n}` };
          await database
            .insertInto('page_version')
            .values(await newPageVersion(key, 'text', 0))
            .execute();
        }
        return monitor;
      };
      const left = async () => {
        const rows = await database.selectFrom('monitor_page').select('check_id').execute();
        const checks = await database.selectFrom('monitor_check').select('id').execute();
        const versions = await database.selectFrom('page_version').select('tag').execute();
        return [rows.length, checks.length, versions.length];
      };
      const [one, two] = [await store('a'), await store('b'), await store('c')];
      await removeMonitor(database, one);
      await removeMonitor(database, two);
      assert.deepEqual(await left(), [45, 11, 6]);
      const removed: number[][] = [];
      for (let before = await left(); (await removeExpired(database, 1, 4)) > 0; ) {
        const after = await left();
        removed.push(before.map((count, table) => count - (after[table] ?? 0)));
        before = after;
      }
      assert.ok(Math.max(...removed.flat()) <= 4);
      // Versions are found by what stands for their monitor: it is the last.
      assert.deepEqual(
        [removed[0], removed.at(-1)],
        [
          [0, 0, 2],
          [0, 1, 0],
        ],
      );
      assert.deepEqual(await left(), [15, 3, 2], 'those of the third');
      while ((await removeExpired(database, 2, 4)) > 0);
      assert.deepEqual(await left(), [0, 0, 2], 'checks that have expired');
    });

    it('of a deleted monitor takes and tells nothing more', async () => {
      const { database } = opened;
      const monitor = await database
        .insertInto('monitor')
        .values(monitorRow('a', 'a'))
        .returningAll()
        .executeTakeFirstOrThrow();
      const check = await database
        .insertInto('monitor_check')
        .values(checkRow('c', 'a'))
        .returningAll()
        .executeTakeFirstOrThrow();
      const told: unknown[] = [];
      const parts = {
        database,
        judge: async () => undefined,
        events: { emit: async (events: unknown[]) => told.push(...events) },
      } as unknown as Parameters<typeof storeFound>[0];
      const { signal } = new AbortController();
      const running = { monitor, check, claim: { signal, holds: async () => true }, signal, done: new Set<number>() };
      const store = async (seq: number) =>
        await storeFound(parts, running as unknown as Parameters<typeof storeFound>[1], [
          { seq, result: pageOf(seq) as MonitorCheckPage },
        ]);
      await store(0);
      await removeMonitor(database, monitor);
      await store(1);
      const rows = await database.selectFrom('monitor_page').select('seq').execute();
      assert.deepEqual([rows, told.length], [[{ seq: 0 }], 1]);
    });
  });
});

const monitorRow = (id: string, team: string) => ({
  id,
  team,
  key_label: 'k',
  name: 'n',
  status: 'active' as const,
  cron: '0 * * * *',
  timezone: 'UTC',
  targets: '[]',
  webhook: null,
  goal: null,
  judge: 1,
  retention_days: 30,
  next_run_at: null,
  last_run_at: null,
  current_check: null,
  last_summary: null,
  failures: 0,
  created_at: 0,
  updated_at: 0,
});

const checkRow = (id: string, monitor: string) => ({
  id,
  monitor,
  team: 'a',
  status: 'completed' as const,
  cause: 'manual' as const,
  scheduled_for: null,
  started_at: null,
  finished_at: null,
  summary: null,
  error: null,
  created_at: 0,
  expires_at: 1,
});

const pageOf = (seq: number) => ({
  id: `${seq}`,
  targetId: 't',
  url: `https://site.test/${seq}`,
  status: 'same',
  createdAt: new Date(0).toISOString(),
});
