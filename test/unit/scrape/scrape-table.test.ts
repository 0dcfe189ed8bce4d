import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { silentLog } from '../../../src/service/log.ts';
import { type StoredScrape, scrapeTable } from '../../../src/service/scrape/scrape-table.ts';
import { openDatabase } from '../../../src/service/storage/storage.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('stored scrapes', () => {
  it('are restored unchanged, until they are a week old', () => {
    const folder = temporaryFolder();
    const database = openDatabase(folder, silentLog, 0);
    const table = scrapeTable(database);
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
    table.insert(scrape);
    assert.deepEqual(JSON.parse(JSON.stringify(table.find('one'))), JSON.parse(JSON.stringify(scrape)));
    assert.equal(table.find('two'), undefined);
    const week = 7 * 24 * 60 * 60 * 1000;
    table.prune(1000 + week);
    assert.ok(table.find('one'));
    table.prune(1001 + week);
    assert.equal(table.find('one'), undefined);
    database.close();
    rmSync(folder, { recursive: true });
  });
});
