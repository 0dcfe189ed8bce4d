import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleteFile } from '../../../src/service/assistants/mcp/tools/downloads.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('a download that is not allowed', () => {
  it('is deleted from the folder of downloads, whatever its browser says about it', async () => {
    const root = temporaryFolder();
    try {
      const folder = join(root, 'downloads');
      mkdirSync(folder);
      const kept = join(root, 'database');
      writeFileSync(kept, '');
      for (const said of [{ path: kept }, { name: '../database' }, { id: '../database' }, { name: '..', path: root }]) {
        await deleteFile({ id: 'id', name: 'name', ...said }, folder);
        assert.deepEqual(readdirSync(root).sort(), ['database', 'downloads']);
      }
      for (const [file, said] of [
        ['a.txt', { path: join(folder, 'a.txt') }],
        ['a.txt', { name: 'a.txt' }],
        ['id', { name: 'a.txt' }],
      ] as const) {
        writeFileSync(join(folder, file), '');
        await deleteFile({ id: 'id', name: 'name', ...said }, folder);
        assert.deepEqual(readdirSync(folder), [], file);
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
