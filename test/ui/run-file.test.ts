import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { endedRun } from '../harness/run-results.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = 60_000;

describe('Run File', () => {
  let workbench: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-run-file-'));
    cpSync(join(ROOT, 'examples'), folder, { recursive: true });
    writeFileSync(join(folder, 'throws.js'), `console.log('before');\nthrow new TypeError('on purpose');\n`);
    workbench = await startWorkbench({ folder, file: join(folder, 'hello.js') });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs the file in a real browser and shows the result', async () => {
    await runCommand(workbench.page, 'Web Data: Run File');
    const run = await endedRun(workbench.page, RUN);
    assert.equal(run.state, 'ok', run.error);
    assert.match(run.sessionId, /\S/);
    assert.equal(run.stdout, 'Opened "The Corner Shop"\n3 goods, 11.30 in total\n');
    assert.deepEqual(JSON.parse(run.result ?? ''), [
      { name: 'Apples', price: 2.4 },
      { name: 'Bread', price: 3.1 },
      { name: 'Cheese', price: 5.8 },
    ]);
  });

  it('continues in the same session with another file', async () => {
    const first = await endedRun(workbench.page, RUN);
    await openFile(workbench.page, 'typed.ts');
    await runCommand(workbench.page, 'Web Data: Run File');
    const second = await endedRun(workbench.page, RUN, first.runId);
    assert.equal(second.state, 'ok', second.error);
    assert.equal(second.sessionId, first.sessionId);
    assert.deepEqual(JSON.parse(second.result ?? ''), { found: 3, longest: 'Earth' });
  });

  it('shows the error of a file that throws next to its earlier output', async () => {
    const last = await endedRun(workbench.page, RUN);
    await openFile(workbench.page, 'throws.js');
    await runCommand(workbench.page, 'Web Data: Run File');
    const run = await endedRun(workbench.page, RUN, last.runId);
    assert.equal(run.state, 'failed');
    assert.equal(run.stdout, 'before\n');
    assert.match(run.error ?? '', /TypeError: on purpose/);
  });
});
