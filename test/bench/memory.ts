import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { median, printTarget, round } from './figures.ts';
import { megabytesOf } from './processes.ts';

const starts = 5;

/**
 * Memory of the service and all its processes (PSS, so that shared pages count once): with a spare browser, without one,
 * and with one session; and the time until a service listens, the first time in a data directory and later. Linux only.
 */
export async function run(): Promise<void> {
  const cold: number[] = [];
  const later: number[] = [];
  for (let index = 0; index < starts; index++) {
    const folder = temporaryFolder();
    for (const times of [cold, later]) {
      const began = performance.now();
      const service = await spawnService(['--data-dir', folder, '--spare-browsers', '0'], memoryVariables);
      times.push(performance.now() - began);
      // The compiled code is saved at the end.
      service.child.kill('SIGTERM');
      await service.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  printTarget('ms to listening, new data directory', median(cold), 'at most 150', median(cold) <= 150);
  printTarget('ms to listening, compiled code cached', median(later), 'at most 150', median(later) <= 150);

  const alone = await megabytes('0', false);
  const spare = await megabytes('1', false);
  const session = await megabytes('0', true);
  console.table({
    'idle, no spare browser': alone,
    'idle, with a spare browser and its runner': spare,
    'one session with its runner': session,
  });
  printTarget('MB of the idle service after 5 minutes', alone.MB, 'at most 90', alone.MB <= 90);
  const beyond = session.MB - alone.MB;
  printTarget('MB of one session with its runner, beyond the service', beyond, 'at most 350', beyond <= 350);
}

async function megabytes(spareBrowsers: string, withSession: boolean): Promise<{ MB: number; processes: number }> {
  const folder = temporaryFolder();
  const { child, line, exited } = await spawnService(
    ['--data-dir', folder, '--spare-browsers', spareBrowsers],
    memoryVariables,
  );
  try {
    const ask = (method: string, path: string, body?: object) =>
      call(line.baseUrl, line.apiKey ?? '', method, path, body);
    if (withSession) {
      const { body } = await ask('POST', '/v2/browser', {});
      await ask('POST', `/v2/browser/${body.id}/execute`, { code: 'await page.title()', language: 'node' });
    }
    await sleep(8000);
    const { MB, processes } = megabytesOf(child.pid ?? 0);
    return { MB: round(MB), processes };
  } finally {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
