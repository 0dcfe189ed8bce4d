import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentExtension } from '../../../scripts/lib/package/current-extension.ts';
import { findService } from '../../../src/discovery/discovery.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { endedRun } from '../../harness/run-results.ts';
import { statusItem } from '../../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../../harness/workbench.ts';

const patience = 60_000;
/** A window that was just opened is still starting other extensions, in milliseconds. */
const restMs = 3000;

/**
 * Milliseconds from a click on ▶ in a window where no service runs until Run Results shows the value of `1 + 1`, which is noticed
 * up to 100 ms late. The first is in a new account.
 * @param file VSIX to measure instead of one of this build
 */
export async function timesInWindow(rounds: number, file = process.env.WEBDATA_BENCH_VSIX): Promise<number[]> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'one.js'), '1 + 1\n');
  const workbench = await startWorkbench({
    packages: [file ?? (await currentExtension())],
    folder,
    file: join(folder, 'one.js'),
  });
  const times: number[] = [];
  try {
    let previous: string | undefined;
    for (let round = 0; round < rounds; round++) {
      const { page } = workbench;
      const button = page.locator('.editor-actions a[aria-label^="Run File"]');
      await button.waitFor({ timeout: patience });
      await statusItem(page).waitFor({ timeout: patience });
      await sleep(restMs);
      const started = performance.now();
      await button.click({ timeout: patience });
      const run = await endedRun(page, patience, previous);
      times.push(performance.now() - started);
      if (run.result !== '2') throw new Error(`1 + 1 is ${run.result ?? run.error}`);
      previous = run.runId;
      await endService(workbench);
      await workbench.reload();
    }
    return times;
  } finally {
    await workbench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends the service that the workbench has started. */
async function endService({ dataDir }: Workbench): Promise<void> {
  const directory = join(dataDir, 'data', 'User', 'globalStorage', 'web-data.web-data', 'service');
  const { service } = await findService(directory);
  if (service) process.kill(service.pid, 'SIGTERM');
  while ((await findService(directory)).service) await sleep(100);
}
