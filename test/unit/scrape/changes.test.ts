import assert from 'node:assert/strict';
import { limits } from '../../../src/contract/limits.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createUnreadable } from '../../../src/service/platform/storage/storage.ts';
import { changedFields } from '../../../src/service/web/scrape/changes/changes.ts';
import { diffOf, hunksOf } from '../../../src/service/web/scrape/changes/line-diff.ts';
import { newPageVersion, pageVersions } from '../../../src/service/web/scrape/changes/page-versions.ts';
import { onBothDialects, type TestDatabase } from '../../harness/databases.ts';

describe('stored versions of pages', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const versions = (limits?: { count: number; bytes: number }) =>
      pageVersions(
        opened.database,
        createUnreadable(opened.database, silentLog, () => 0),
        limits,
      );
    const key = { team: 'red', tag: undefined, url: 'https://site.test/a' };

    it('are separate for each team, tag and URL, and replaced by later ones', async () => {
      const table = versions();
      await table.store([await newPageVersion(key, '# One', 1000)]);
      await table.store([await newPageVersion(key, '# Two', 2000), await newPageVersion(key, '# Three', 3000)]);
      const { scrapedAt, markdown } = (await table.find(key)) ?? {};
      assert.deepEqual([scrapedAt, markdown], [3000, '# Three']);
      for (const other of [{ team: 'blue' }, { tag: 'daily' }, { url: 'https://site.test/b' }])
        assert.equal(await table.find({ ...key, ...other }), undefined);
      const long = { ...key, url: `https://site.test/${'x'.repeat(8000)}`, tag: 'nul \0' };
      await table.store([await newPageVersion(long, 'long', 1)]);
      assert.equal((await table.find(long))?.markdown, 'long');
    });

    it('give way, oldest first, when a team has too many or too large ones', async () => {
      const few = versions({ count: 3, bytes: 1_000_000 });
      const at = (n: number) => ({ ...key, url: `https://site.test/${n}` });
      await few.store([await newPageVersion({ ...at(0), team: 'blue' }, 'other team', 0)]);
      for (let n = 0; n < 9; n++) await few.store([await newPageVersion(at(n), `# ${n}`, n)]);
      const kept = [];
      for (let n = 0; n < 9; n++) if (await few.find(at(n))) kept.push(n);
      assert.deepEqual(kept.slice(-3), [6, 7, 8]);
      assert.ok(kept.length <= 5, String(kept));
      assert.ok(await few.find({ ...at(0), team: 'blue' }));
      const small = versions({ count: 1000, bytes: 900 });
      for (let n = 20; n < 30; n++) await small.store([await newPageVersion(at(n), `# ${n}`, n)]);
      assert.ok(await small.find(at(29)));
      assert.equal(await small.find(at(20)), undefined);
    });

    it('give way when a service has just started, too', async () => {
      const at = (n: number) => ({ ...key, url: `https://site.test/${n}` });
      const limits = { count: 3, bytes: 1_000_000 };
      for (let n = 0; n < 9; n++) await versions(limits).store([await newPageVersion(at(n), `# ${n}`, n)]);
      const kept = [];
      for (let n = 0; n < 9; n++) if (await versions().find(at(n))) kept.push(n);
      assert.deepEqual(kept, [6, 7, 8]);
    });

    it('keep only the digest of long Markdown, and none that is damaged', async () => {
      const table = versions();
      const long = 'word '.repeat(1_000_000);
      await table.store([await newPageVersion(key, long, 1)]);
      const found = await table.find(key);
      assert.equal(found?.markdown, undefined);
      assert.equal(found?.digest, (await newPageVersion(key, `  ${long}`, 2)).digest);
      await table.store([{ ...(await newPageVersion(key, 'short', 3)), packed: new Uint8Array([1, 2, 3]) }]);
      assert.equal(await table.find(key), undefined);
      const aside = await opened.database.selectFrom('unreadable_row').select('source').execute();
      assert.deepEqual(aside, [{ source: 'page_version' }]);
    });
  });
});

describe('the difference of two versions', () => {
  it('has hunks with three lines around each change', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const changed = lines.with(4, 'five').toSpliced(24, 1);
    const { text, json } = await diffOf(hunksOf(lines.join('\n'), changed.join('\n')));
    assert.deepEqual(text.match(/^@@.*$/gm), ['@@ -2,7 +2,7 @@', '@@ -22,7 +22,6 @@']);
    assert.match(text, /\n-line 5\n\+five\n/);
    const changes = json.files[0]?.chunks[1]?.changes ?? [];
    assert.deepEqual(
      changes.filter(({ type }) => type !== 'normal'),
      [{ type: 'del', del: true, ln: 25, content: '-line 25' }],
    );
    assert.deepEqual(changes.at(-1), { type: 'normal', normal: true, ln1: 28, ln2: 27, content: ' line 28' });
  });

  it('is one hunk when long texts have little in common, in little time', async () => {
    const text = (word: string) => ['# Start', ...Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`), 'End'];
    const { json } = await diffOf(hunksOf(text('old').join('\n'), text('new').join('\n')));
    const [chunk, ...others] = json.files[0]?.chunks ?? [];
    assert.deepEqual([chunk?.content, others], ['@@ -1,20002 +1,20002 @@', []]);
    const count = (type: string) => chunk?.changes.filter((change) => change.type === type).length;
    assert.deepEqual([count('normal'), count('del'), count('add')], [2, 20_000, 20_000]);
  });

  it('TRN-20: has the first lines as data, and how many more are only in the text', async () => {
    const lines = (line: string) => `${line}\n`.repeat(200_000);
    const { text, json } = await diffOf(hunksOf(lines('a'), lines('b')));
    const changes = json.files[0]?.chunks.flatMap((chunk) => chunk.changes) ?? [];
    assert.equal(changes.length, limits.diffLines);
    assert.equal(json.omittedLines, 400_000 - limits.diffLines);
    assert.equal(text.split('\n').length, 400_001);
    // Of several hunks, too.
    const number = (n: number) => `${n} ${n % 10 === 0 ? 'old' : ''}`;
    const many = Array.from({ length: limits.diffLines }, (_, n) => (n < 9_000 ? number(n) : 'end'));
    const gone = many.map((line) => line.replace('old', 'new')).toSpliced(10_000);
    const cut = await diffOf(hunksOf(many.join('\n'), gone.join('\n')));
    const kept = cut.json.files[0]?.chunks.flatMap((chunk) => chunk.changes).length ?? 0;
    const hunks = cut.text.match(/^@@/gm)?.length ?? 0;
    assert.equal(kept + (cut.json.omittedLines ?? 0), cut.text.split('\n').length - hunks);
    assert.ok(kept <= limits.diffLines);
  });

  it('lists the fields that differ, with null where one is missing', () => {
    assert.deepEqual(changedFields({ a: 1, b: [1, { c: 2 }], d: 3 }, { a: 2, b: [1, { c: 2 }], e: 4 }), {
      a: { previous: 1, current: 2 },
      d: { previous: 3, current: null },
      e: { previous: null, current: 4 },
    });
    assert.deepEqual(changedFields([1], [1]), {});
    assert.deepEqual(changedFields('x', { a: 1 }), { value: { previous: 'x', current: { a: 1 } } });
  });
});
