import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { ScrapeDocument } from '../../../src/contract/scrape/scrape.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createUnreadable, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { type ScrapeKeeperParts, scrapeKeeper } from '../../../src/service/web/scrape/handlers.ts';
import { type NewScrape, scrapeTable } from '../../../src/service/web/scrape/scrape-table.ts';
import { packDocument } from '../../../src/service/web/scrape/stored-document.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('stored scrapes', () => {
  it('BUD-05: are restored unchanged, until they are a week old', async () => {
    const folder = temporaryFolder();
    const database = await openDatabase(folder, silentLog, 0);
    let now = 1000;
    const table = scrapeTable(
      database,
      createUnreadable(database, silentLog, () => 0),
      () => now,
    );
    const short = { markdown: '# "quoted" \u{1f600}', json: undefined, metadata: { statusCode: 200 } };
    const long = { ...short, markdown: '"\u{1f600}\n'.repeat(100_000), links: ['https://site.test/a'] };
    const scrape: Omit<NewScrape, 'document'> = {
      id: 'one',
      team: 'red',
      keyLabel: 'red',
      url: 'https://site.test/',
      replay: {
        url: 'https://site.test/',
        waitFor: 5,
        actions: [{ type: 'scrape' }],
        headers: { a: 'b' },
        mobile: true,
        skipTlsVerification: false,
        location: undefined,
        profile: { name: 'p', saveChanges: true },
      },
      createdAt: 1000,
    };
    const pack = (of: ScrapeDocument) => packDocument(of, Number.POSITIVE_INFINITY);
    await table.insert({ ...scrape, document: await pack(short) });
    await table.insert({ ...scrape, id: 'long', document: await pack(long) });
    for (const [id, stored] of Object.entries({ one: short, long })) {
      const { document, ...found } = (await table.find(id)) ?? assert.fail();
      assert.equal(String(document), JSON.stringify(stored));
      assert.deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(JSON.stringify({ ...scrape, id })));
    }
    await database
      .updateTable('scrape_job')
      .set({ packed: Buffer.from('x') })
      .where('id', '=', 'long')
      .execute();
    assert.equal(await table.find('long'), undefined, 'it is damaged');
    assert.equal(await table.find('two'), undefined);
    const week = 7 * 24 * 60 * 60 * 1000;
    assert.equal(await table.prune(1000 + week, 10), 0);
    assert.ok(await table.find('one'));
    now = 1001 + week;
    assert.equal(await table.find('one'), undefined, 'it has ended, though it is not removed yet');
    await table.insert({ ...scrape, id: 'two', document: await pack(short) });
    assert.deepEqual([await table.prune(now, 1), await table.prune(now, 1), await table.prune(now, 1)], [1, 1, 0]);
    await database.destroy();
    rmSync(folder, { recursive: true });
  });
});

describe('the keeper of scrapes', () => {
  it('BUD-05: removes those that have ended every ten minutes, also if nobody scrapes', async () => {
    const clock = createFakeClock();
    const asked: number[] = [];
    const closing = new AbortController();
    scrapeKeeper({
      scrapes: { prune: async (now: number) => asked.push(now) % 2 },
      clock,
      log: silentLog,
      closing: closing.signal,
    } as unknown as ScrapeKeeperParts);
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      // Until there is none left.
      times.push(clock.now(), clock.now());
      await eventually(() => assert.deepEqual(asked, times));
      await new Promise(setImmediate);
      clock.advance(10 * 60_000);
    }
    closing.abort();
  });
});
