import { rmSync } from 'node:fs';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { crawlWith, startSite } from './crawl-site/crawl-site.ts';
import { median, printTarget } from './figures.ts';
import { cpuSecondsOf } from './processes.ts';

const pages = Number(process.env.WEBDATA_BENCH_PAGES ?? 10_000);
const rounds = Number(process.env.WEBDATA_BENCH_ROUNDS ?? 1);

/**
 * Crawls a site of 10,000 pages that have not changed a second time: where it answers 304, and where only the bodies are the
 * same. Then every tenth page changes. WEBDATA_BENCH_PAGES and WEBDATA_BENCH_ROUNDS change the numbers.
 */
export async function run(): Promise<void> {
  const shares: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, etags] of [
      ['304', true],
      ['same bodies', false],
    ] as const) {
      shares[name] = [...(shares[name] ?? []), await measure(name, etags)];
    }
  }
  for (const [name, found] of Object.entries(shares)) {
    const share = median(found);
    printTarget(`processor time of a repeat, relative to the first crawl, ${name}`, share, 'at most 0.2', share <= 0.2);
  }
}

/** Returns the processor time of a repeat relative to the first crawl. */
async function measure(name: string, etags: boolean): Promise<number> {
  const site = await startSite(pages, { etags });
  const folder = temporaryFolder();
  const { child, line, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0'], memoryVariables);
  const pid = child.pid ?? 0;
  const limit = pages + Math.floor(pages / 200);
  const crawl = async (since?: string) => {
    const before = cpuSecondsOf(pid);
    const { id, seconds } = await crawlWith(line, { url: site.url, limit, ...(since && { since }) });
    const processor = cpuSecondsOf(pid) - before;
    const { body } = await call(line.baseUrl, line.apiKey ?? '', 'GET', `/v2/crawl/${id}?limit=1`);
    console.log(`${name}: ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time`, body.changes ?? '');
    return { id, processor, changes: body.changes };
  };
  try {
    const first = await crawl();
    const again = await crawl(first.id);
    printTarget('pages called unchanged', again.changes.same, String(pages), again.changes.same === pages);
    await fetch(new URL('/change/10', site.url));
    const third = await crawl(again.id);
    const changed = Math.floor((pages - 1) / 10);
    printTarget('pages called changed', third.changes.changed, String(changed), third.changes.changed === changed);
    return again.processor / first.processor;
  } finally {
    child.kill('SIGTERM');
    await exited;
    site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
