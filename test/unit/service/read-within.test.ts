import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isWithin, readWithin } from '../../../src/service/platform/system/read-within.ts';
import { temporaryFolder } from '../../harness/folders.ts';

for (const platform of new Set([process.platform, 'win32'] as const))
  describe(`a file of a folder, as on ${platform}`, () => {
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
      readWithin(folder, join(folder, path), mostBytes, platform).then(String);

    it('is read up to its limit', async () => {
      assert.equal(await read('below/page.md'), 'page');
      assert.equal(await read('below/page.md', 4), 'page');
      await assert.rejects(read('below/page.md', 3), /^Error: It is larger than /);
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
      await assert.rejects(read('pipe.md'), { message: 'It is no longer a regular file.' });
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
