import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  before(async () => {
    workbench = await startWorkbench({ folder: join(ROOT, 'examples'), file: join(ROOT, 'examples', 'hello.js') });
  });
  after(() => workbench?.close());

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
});

describe('Run File on a file that throws', () => {
  let workbench: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-throws-'));
    const file = join(folder, 'throws.js');
    writeFileSync(file, `console.log('before');\nthrow new TypeError('on purpose');\n`);
    workbench = await startWorkbench({ folder, file });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the error next to the earlier output', async () => {
    await runCommand(workbench.page, 'Web Data: Run File');
    const run = await endedRun(workbench.page, RUN);
    assert.equal(run.state, 'failed');
    assert.equal(run.stdout, 'before\n');
    assert.match(run.error ?? '', /TypeError: on purpose/);
  });
});
