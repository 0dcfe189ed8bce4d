import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textFiles } from '../../../../src/service/assistants/docs-search/index/source-files.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

describe('the files of a folder of docs', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(temporaryFolder());
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are all but those that are too large or lie too deep, which a warning counts', async () => {
    const deep = join(folder, ...Array.from({ length: 31 }, () => 'd'));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, '..', 'near.md'), '# Near');
    writeFileSync(join(deep, 'far.md'), '# Far');
    for (const name of ['log.md', 'old.md']) writeFileSync(join(folder, name), 'x'.repeat(5 * 1024 * 1024 + 1));
    writeFileSync(join(folder, 'guide.md'), 'x'.repeat(5 * 1024 * 1024));
    const { files, warnings } = await textFiles(folder);
    assert.deepEqual(
      files.map(({ name }) => name.replace(/^(?:d\/)+/, '')),
      ['near.md', 'guide.md'],
    );
    assert.deepEqual(
      warnings.toSorted().map((warning) => warning.replace(/such as .*(?=\.)/, '…')),
      ['Left out: 1 folder more than 30 levels deep, ….', 'Left out: 2 files larger than 5 MB, ….'],
    );
  });

  it('are counted apart from HTML beside them, which is not read', async () => {
    writeFileSync(join(folder, 'guide.md'), '# Guide');
    writeFileSync(join(folder, 'large.html'), 'x'.repeat(5 * 1024 * 1024 + 1));
    const { warnings } = await textFiles(folder);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^It has 1 \.html file, which docs search doesn't read/);
  });

  it('are counted also if there are none besides those that are too large', async () => {
    writeFileSync(join(folder, 'large.md'), 'x'.repeat(5 * 1024 * 1024 + 1));
    writeFileSync(join(folder, 'page.html'), '<p>Page</p>');
    const { files, warnings } = await textFiles(folder);
    assert.deepEqual(
      [files.map(({ name }) => name), warnings],
      [['page.html'], ['Left out: 1 file larger than 5 MB, such as large.md.']],
    );
  });

  it('are those of so many files and folders, which a warning says (BUD-21)', async () => {
    mkdirSync(join(folder, 'a'));
    for (const name of ['a/one.md', 'a/two.md', 'b.md', 'c.md']) writeFileSync(join(folder, name), '# Page');
    const { files, warnings } = await textFiles(folder, undefined, 4);
    assert.equal(files.length, 3);
    assert.match(warnings.join(), /^Only the first 4 files and folders below it are looked at\./);
    assert.deepEqual((await textFiles(folder, undefined, 5)).warnings, []);
  });

  it('are none of a folder outside that one of them is exchanged for meanwhile (DOC-01)', async () => {
    for (const name of ['a', 'b', 'secret']) mkdirSync(join(folder, name));
    mkdirSync(join(folder, 'b', 'below'));
    for (const name of ['a/one.md', 'b/two.md', 'secret/own.md']) writeFileSync(join(folder, name), '# Page');
    const docs = join(folder, 'docs');
    mkdirSync(docs);
    for (const name of ['a', 'b']) renameSync(join(folder, name), join(docs, name));
    // It is asked at the first file, when the folders beside it are listed but not read.
    const signal = {
      throwIfAborted() {
        rmSync(join(docs, 'b'), { recursive: true, force: true });
        symlinkSync(join(folder, 'secret'), join(docs, 'b'), 'junction');
        this.throwIfAborted = () => undefined;
      },
    } as AbortSignal;
    const { files, warnings } = await textFiles(docs, signal);
    assert.deepEqual(
      [files.map(({ name }) => name), warnings],
      [['a/one.md'], ["Left out: 1 folder that can't be read, such as b."]],
    );
  });

  it('have no warning if all are read', async () => {
    writeFileSync(join(folder, 'guide.md'), '# Guide');
    writeFileSync(join(folder, 'logo.png'), '');
    assert.deepEqual((await textFiles(folder)).warnings, []);
  });
});
