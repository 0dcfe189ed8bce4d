import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { median, printTarget, printTimes } from './figures.ts';

const rounds = 7;
const titlesPerRound = 20;
const code = 'await page.title()';

/** Creates sessions and runs code in them, in a sandbox and without one, in turn; no spare browser hides the starts. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const services: ServiceProcess[] = [];
  const times: Record<string, number[]> = {};
  const note = (name: string, ms: number) => {
    times[name] = [...(times[name] ?? []), ms];
  };
  try {
    for (const mode of ['none', 'bubblewrap']) {
      const options = ['--data-dir', join(folder, mode), '--spare-browsers', '0', '--isolation', mode];
      services.push(await spawnService(options));
    }
    for (let round = -1; round < rounds; round++) {
      for (const [index, { line }] of services.entries()) {
        const ask = async (method: string, path: string, body?: object) => {
          const started = performance.now();
          const answer = await call(line.baseUrl, line.apiKey ?? '', method, path, body);
          if (answer.status !== 200 || answer.body.error) throw new Error(JSON.stringify(answer.body));
          return { body: answer.body, took: performance.now() - started };
        };
        const created = await ask('POST', '/v2/browser', {});
        const path = `/v2/browser/${created.body.id}`;
        const first = await ask('POST', `${path}/execute`, { code });
        const runs: number[] = [];
        for (let count = 0; count < titlesPerRound; count++)
          runs.push((await ask('POST', `${path}/execute`, { code })).took);
        await ask('DELETE', path);
        if (round < 0) continue;
        const kind = index === 0 ? 'without' : 'in a sandbox';
        note(`create, ${kind}`, created.took);
        note(`first run, ${kind}`, first.took);
        note(`page.title(), ${kind}`, median(runs));
      }
    }
    printTimes(times);
    const total = (kind: string) => median(times[`create, ${kind}`] ?? []) + median(times[`first run, ${kind}`] ?? []);
    const start = total('in a sandbox') / total('without');
    printTarget('create and first run in a sandbox, relative to none', start, 'at most 1.5', start <= 1.5);
    const titles = median(times['page.title(), in a sandbox'] ?? []) / median(times['page.title(), without'] ?? []);
    printTarget('page.title() in a sandbox, relative to none', titles, 'at most 1.5', titles <= 1.5);
  } finally {
    for (const { child, exited } of services) {
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
