import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runIdHeader } from '../../../src/contract/embedded.ts';
import { type InteractionResult, runLimitHeader } from '../../../src/contract/sessions/execution.ts';
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

describe('runs that windows keep', () => {
  it('BUD-18: are not forgotten because another team has many', async () => {
    const folder = temporaryFolder();
    const kept = createKeptRuns({ directory: join(folder, 'results'), ownLimits: true, log: silentLog });
    const callerOf = (team: string) => ({ team, keyLabel: team });
    const run = (team: string, id: string, work: () => Promise<InteractionResult>) =>
      kept.run(
        {
          caller: callerOf(team),
          signal: new AbortController().signal,
          header: (name: string) => ({ [runIdHeader]: id, [runLimitHeader]: 'none' })[name],
        } as never,
        work,
      );
    const outcome = { success: true, stdout: 'mine' } as InteractionResult;
    const { promise, resolve } = Promise.withResolvers<InteractionResult>();
    const [long, stopped] = [randomUUID(), randomUUID()];
    const running = run('blue', long, () => promise);
    const context = { caller: callerOf('blue') } as never;
    kept.handlers.stopRun({ params: { runId: stopped }, body: {} }, context);
    for (let count = 0; count < 60; count++) {
      await run('red', randomUUID(), async () => outcome);
      kept.handlers.stopRun({ params: { runId: randomUUID() }, body: {} }, { caller: callerOf('red') } as never);
    }
    const awaited = kept.handlers.awaitRun({ params: { runId: long } }, context);
    resolve(outcome);
    assert.equal(await awaited, outcome);
    assert.equal(await running, outcome);
    await assert.rejects(
      run('blue', stopped, async () => outcome),
      /canceled/,
    );
    await kept.close();
    rmSync(folder, { recursive: true });
  });
});
