import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { fake, Uri } from '../../harness/fake-vscode.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';

describe('Open Examples', () => {
  let folder: string;
  const open = async () => {
    const { openExamples } = await import('../../../src/extension/first-steps/first-steps.ts');
    await openExamples(Uri.file(repository) as unknown as vscode.Uri);
  };
  beforeEach(() => {
    fake.reset();
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('copies every example into the chosen folder, opens the first and offers the folder', async () => {
    fake.answer = (kind) => (kind === 'open' ? [Uri.file(folder)] : 'Open Folder in New Window');
    await open();
    const copied = join(folder, 'web-data-examples');
    assert.deepEqual(readdirSync(copied).sort(), readdirSync(join(repository, 'examples')).sort());
    for (const name of readdirSync(copied)) {
      assert.equal(readFileSync(join(copied, name), 'utf8'), readFileSync(join(repository, 'examples', name), 'utf8'));
    }
    assert.deepEqual(fake.shown, [{ uri: `file:${join(copied, 'hello.js')}` }]);
    assert.deepEqual(
      fake.ran.map(({ id, args: [uri] }) => [id, String(uri)]),
      [['vscode.openFolder', `file:${copied}`]],
    );
  });

  it('overwrites nothing (EXT-16)', async () => {
    const mine = join(folder, 'web-data-examples');
    mkdirSync(mine);
    writeFileSync(join(mine, 'hello.js'), 'mine');
    fake.answer = (kind) => (kind === 'open' ? [Uri.file(folder)] : undefined);
    await open();
    await open();
    assert.equal(readFileSync(join(mine, 'hello.js'), 'utf8'), 'mine');
    assert.deepEqual(readdirSync(folder).sort(), ['web-data-examples', 'web-data-examples-2', 'web-data-examples-3']);
  });

  it('copies nothing if no folder is chosen', async () => {
    await open();
    assert.deepEqual([readdirSync(folder), fake.shown], [[], []]);
  });
});
