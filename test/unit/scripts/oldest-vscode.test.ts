import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OLDEST_CODE_SERVER } from '../../../scripts/lib/repository.mjs';
import { repository } from '../../harness/folders.ts';

const read = (name: string) => readFileSync(join(repository, name), 'utf8');
const { engines, devDependencies } = JSON.parse(read('package.json'));
const [, minor = ''] = /^\^1\.(\d+)\.0$/.exec(engines.vscode) ?? [];

describe('the oldest VS Code', () => {
  it('in package.json is the one that the tests run on', () => {
    assert.match(minor, /^\d+$/, engines.vscode);
    // code-server 4.N has VS Code 1.N.
    assert.equal(OLDEST_CODE_SERVER.split('.').slice(0, 2).join('.'), `4.${minor}`);
    const ci = read('.github/workflows/ci.yml');
    assert.match(ci, /WEBDATA_VSCODE: oldest\n/);
    assert.match(ci, /vscode: \[oldest, stable, insiders\]/);
    assert.match(read('test/harness/run-desktop.ts'), /wanted === 'oldest' \? manifest\.engines\.vscode\.replace/);
  });

  it('has all of the API that the code is compiled with', () => {
    const [, types = ''] = /^1\.(\d+)\.\d+$/.exec(devDependencies['@types/vscode']) ?? [];
    assert.ok(Number(types) > 0 && Number(types) <= Number(minor), `@types/vscode ${types}, VS Code 1.${minor}`);
  });

  it('is the one that the docs name', () => {
    for (const page of ['README.md', 'docs/getting-started.md', 'CHANGELOG.md']) {
      const named = [...read(page).matchAll(/VS Code 1\.(\d+)/g)].map(([, version]) => version);
      assert.deepEqual([...new Set(named)], [minor], page);
    }
  });
});
