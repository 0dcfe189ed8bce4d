import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { silentLog } from '../../../src/service/log.ts';
import { type StoredScrape, scrapeTable } from '../../../src/service/scrape/scrape-table.ts';
import { createUnreadable, openDatabase } from '../../../src/service/storage/storage.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('stored scrapes', () => {
  it('are restored unchanged, until they are a week old', async () => {
    const folder = temporaryFolder();
    const database = await openDatabase(folder, silentLog, 0);
    const table = scrapeTable(
      database,
      createUnreadable(database, silentLog, () => 0),
    );
    const scrape: StoredScrape = {
      id: 'one',
      team: 'red',
      keyLabel: 'red',
      url: 'https://site.test/',
      document: { markdown: '# "quoted" \u{1f600}', json: undefined, metadata: { statusCode: 200 } },
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
    await table.insert(scrape);
    assert.deepEqual(JSON.parse(JSON.stringify(await table.find('one'))), JSON.parse(JSON.stringify(scrape)));
    assert.equal(await table.find('two'), undefined);
    const week = 7 * 24 * 60 * 60 * 1000;
    await table.prune(1000 + week);
    assert.ok(await table.find('one'));
    await table.prune(1001 + week);
    assert.equal(await table.find('one'), undefined);
    await database.destroy();
    rmSync(folder, { recursive: true });
  });
});
