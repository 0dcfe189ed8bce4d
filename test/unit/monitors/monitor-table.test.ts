import assert from 'node:assert/strict';
import { monitorsOf, packPage, pagesOf } from '../../../src/service/web/monitors/monitor-table.ts';
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
          id: `${n}`,
          team: n === 4 ? 'b' : 'a',
          key_label: 'k',
          name: 'n',
          status: 'active' as const,
          cron: '0 * * * *',
          timezone: 'UTC',
          targets: JSON.stringify(['é'.repeat(n === 1 ? 100_000 : 10_000)]),
          webhook: null,
          goal: null,
          judge: 1,
          retention_days: 30,
          next_run_at: null,
          last_run_at: null,
          current_check: null,
          last_summary: null,
          failures: 0,
          created_at: 10 - n,
          updated_at: 0,
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
  });
});
