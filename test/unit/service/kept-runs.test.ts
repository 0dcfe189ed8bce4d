import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeptRuns } from '../../../src/service/browsers/sessions/kept-runs.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('whole results', () => {
  it('have no folder any more once the service is closed, however soon that is', async () => {
    const folder = temporaryFolder();
    for (let count = 0; count < 20; count++) {
      const directory = join(folder, `data-${count}`, 'results');
      await createKeptRuns({ directory, ownLimits: true, log: silentLog }).close();
      // What was under way ends meanwhile.
      for (let turn = 0; turn < 5; turn++) await stat(folder);
      assert.ok(!existsSync(directory), `attempt ${count}`);
    }
    rmSync(folder, { recursive: true });
  });
});
