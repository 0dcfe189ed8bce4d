import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, promises, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, sep } from 'node:path';
import { textFiles } from '../../../src/service/assistants/docs-search/index/source-files.ts';
import { isWithin, readWithin, realPath } from '../../../src/service/platform/system/read-within.ts';
import { temporaryFolder } from '../../harness/folders.ts';

for (const [where, ownFiles] of [
  ['as the system knows it', undefined],
  ['where the system does not know what is open', '/nowhere'],
])
  describe(`a file of a folder, ${where}`, () => {
    let root: string;
    let folder: string;
    beforeEach(() => {
      root = realpathSync(temporaryFolder());
      folder = join(root, 'docs');
      mkdirSync(join(folder, 'below'), { recursive: true });
      mkdirSync(join(root, 'secret'));
      writeFileSync(join(folder, 'below', 'page.md'), 'page');
      writeFileSync(join(root, 'secret', 'page.md'), 'secret');
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));
    const read = (path: string, mostBytes = 100) =>
      readWithin(folder, join(folder, path), mostBytes, ownFiles).then(String);

    it('is read up to its limit', async () => {
      assert.equal(await read('below/page.md'), 'page');
      assert.equal(await read('below/page.md', 4), 'page');
      await assert.rejects(read('below/page.md', 3), { status: 413, message: /^It is larger than / });
      writeFileSync(join(folder, 'empty.md'), '');
      assert.equal(await read('empty.md'), '');
    });

    it('is read to its end if the system says that it has no bytes', async function () {
      if (process.platform !== 'linux') this.skip();
      const own = realpathSync('/proc/self');
      const readOwn = (mostBytes: number) => readWithin(own, join(own, 'status'), mostBytes, ownFiles).then(String);
      assert.match(await readOwn(100_000), /ctxt_switches:\t\d+\n$/);
      await assert.rejects(readOwn(10), { status: 413, message: /^It is larger than / });
    });

    it('is read on a drive that Windows knows no real paths of', async () => {
      const { realpath } = promises;
      const fault = Object.assign(new Error('EISDIR: illegal operation on a directory'), { code: 'EISDIR' });
      promises.realpath = (() => Promise.reject(fault)) as typeof realpath;
      syncBuiltinESMExports();
      try {
        assert.equal(await read('below/page.md'), 'page');
        assert.equal(await realPath(join(folder, 'below')), join(folder, 'below'));
        assert.deepEqual((await textFiles(folder)).warnings, []);
      } finally {
        promises.realpath = realpath;
        syncBuiltinESMExports();
      }
    });

    it('is not what it, or a folder above it, was exchanged for since (DOC-01)', async () => {
      symlinkSync(join(root, 'secret', 'page.md'), join(folder, 'link.md'));
      await assert.rejects(read('link.md'), /^Error: It (?:is now a symbolic link|now leads out of the folder)\.$/);
      rmSync(join(folder, 'below'), { recursive: true });
      symlinkSync(join(root, 'secret'), join(folder, 'below'), 'junction');
      await assert.rejects(read('below/page.md'), { message: 'It now leads out of the folder.' });
      renameSync(folder, join(root, 'docs-2'));
      symlinkSync(join(root, 'docs-2'), folder, 'junction');
      writeFileSync(join(root, 'docs-2', 'other.md'), 'other');
      await assert.rejects(read('other.md'), { message: 'It now leads out of the folder.' });
      await assert.rejects(read('.'));
    });

    it('is not waited for if it is a pipe now (DOC-01)', async function () {
      if (process.platform === 'win32') this.skip();
      execFileSync('mkfifo', [join(folder, 'pipe.md')]);
      await assert.rejects(read('pipe.md'), { message: "It isn't a regular file." });
    });
  });

describe('a path within a folder', () => {
  for (const [folder, path, expected] of [
    ['docs', 'docs', true],
    ['docs', 'docs/..a', true],
    ['docs', 'docs/a/b', true],
    ['docs', 'docs-2/a', false],
    ['docs', '.', false],
    ['', 'docs', true],
  ] as const)
    it(`${path} in ${folder || 'the root'}: ${expected}`, () =>
      assert.equal(isWithin(join(sep, folder), join(sep, path)), expected));
});
