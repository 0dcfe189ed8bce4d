import assert from 'node:assert/strict';
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIndexes } from '../../../../src/service/assistants/docs-search/thread/indexes.ts';
import type { NewText } from '../../../../src/service/assistants/docs-search/thread/thread.ts';
import { workingFor } from '../../../../src/service/platform/asker.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

describe('the thread of the indexes', () => {
  let folder: string;
  let path: string;
  let page: string;
  before(() => {
    folder = realpathSync(temporaryFolder());
    path = join(folder, 'index.sqlite');
    page = join(folder, 'page.md');
    writeFileSync(page, '# Kettle\n\nThe kettle is blue.\n');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('does what it is asked at the same time, and says what failed', async () => {
    const indexes = createIndexes();
    const gone = join(folder, 'gone.md');
    const files = [
      { path: gone, address: 'gone.md' },
      { path: page, address: 'page.md' },
    ];
    const { unread, ...size } = await indexes.run('indexFiles', path, folder, files);
    assert.deepEqual(size, { pages: 1, passages: 1 });
    assert.deepEqual(
      unread.map((file) => [file.path, /^ENOENT/.test(file.reason)]),
      [['gone.md', true]],
    );
    const [found, nothing, failed] = await Promise.allSettled([
      indexes.run('ask', 'What is the kettle?', join(folder, 'none.sqlite'), [path]),
      indexes.run('ask', 'What is the kettle?', join(folder, 'none.sqlite'), []),
      indexes.run('indexFiles', join(folder, 'none', 'index.sqlite'), folder, [{ path: page, address: 'page.md' }]),
    ]);
    assert.equal(found.status === 'fulfilled' && found.value.answer?.answer, 'The kettle is blue.');
    assert.equal(nothing.status === 'fulfilled' && nothing.value.unread.length, 1);
    assert.match(failed.status === 'rejected' ? failed.reason.message : '', /ENOENT/);
    indexes.close();
  });

  it('names a page that it cannot read, and goes on after it', async () => {
    const indexes = createIndexes();
    const pages = [
      { address: 'a', markdown: '# A\n\nOne.' },
      { address: 'b' },
      { address: 'c', markdown: '# C\n\nTwo.' },
    ];
    const { unread, ...size } = await indexes.run('addPages', 'adding', pages as NewText[]);
    assert.deepEqual([size, unread.map((one) => one.path)], [{ pages: 2, passages: 2 }, ['b']]);
    indexes.close();
  });

  it('answers a team after a few questions of others, however many they ask (F6)', async () => {
    const indexes = createIndexes();
    await indexes.run('indexFiles', path, folder, [{ path: page, address: 'page.md' }]);
    const answered: string[] = [];
    const ask = (team: string) =>
      workingFor({ team, work: '' }, async () => {
        await indexes.run('ask', 'What is the kettle?', join(folder, 'none.sqlite'), [path]);
        answered.push(team);
      });
    await Promise.all([...Array.from({ length: 50 }, () => ask('one')), ask('other')]);
    assert.ok(answered.indexOf('other') < 10, answered.join());
    indexes.close();
  });

  it('indexes for a team after one source of another, however many that has (F6)', async () => {
    const indexes = createIndexes();
    const indexed: string[] = [];
    const index = (team: string, number: number) =>
      workingFor({ team, work: '' }, async () => {
        const own = join(folder, `${team}${number}.sqlite`);
        await indexes.run('indexFiles', own, folder, [{ path: page, address: 'page.md' }]);
        indexed.push(team);
      });
    await Promise.all([...Array.from({ length: 30 }, (_, number) => index('one', number)), index('other', 0)]);
    assert.ok(indexed.indexOf('other') < 5, indexed.join());
    indexes.close();
  });

  it('answers while a page is read that takes very long (DOC-02)', async () => {
    const indexes = createIndexes();
    await indexes.run('indexFiles', path, folder, [{ path: page, address: 'page.md' }]);
    const slow = join(folder, 'slow.md');
    writeFileSync(slow, '!['.repeat(2_500_000));
    let isOver = false;
    const indexing = indexes
      .run('indexFiles', join(folder, 'slow.sqlite'), folder, [{ path: slow, address: 'slow.md' }])
      .finally(() => {
        isOver = true;
      });
    indexing.catch(() => undefined);
    for (let asked = 0; asked < 300; asked++) {
      const { answer } = await indexes.run('ask', 'What is the kettle?', join(folder, 'none.sqlite'), [path]);
      assert.deepEqual([answer?.answer, isOver], ['The kettle is blue.', false]);
    }
    indexes.close();
    await assert.rejects(indexing, { message: 'The service is stopping.' });
  });

  it('ends what waits for it when it ends', async () => {
    const indexes = createIndexes();
    const waiting = [1, 2, 3].map(() => indexes.run('dropPages', ''));
    indexes.close();
    waiting.push(indexes.run('dropPages', ''));
    await Promise.all(waiting.map((one) => assert.rejects(one, { message: 'The service is stopping.' })));
  });
});
