import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { crawlWith, startSite } from './crawl-site/crawl-site.ts';
import { median, printTarget, round } from './figures.ts';
import { seedCrawl } from './large/seed.ts';
import { cpuSecondsOf, residentMegabytes } from './processes.ts';

/** Pages that are crawled, and bytes of each. */
const crawled = Number(process.env.WEBDATA_BENCH_PAGES ?? 50_000);
const bytes = Number(process.env.WEBDATA_BENCH_BYTES ?? 2000);
/** Pages of the crawl that is written into the database. */
const stored = Number(process.env.WEBDATA_BENCH_STORED ?? 1_000_000);
const parts = (process.env.WEBDATA_BENCH_PARTS ?? 'crawl,stored').split(',');
const reads = 40;

/**
 * Large crawls. `crawl`: processor time and memory by tenths of a crawl of WEBDATA_BENCH_PAGES small pages, and the memory a
 * minute after it. `stored`: a crawl with 1,000,000 documents in the database and half as many pages waiting: reading any
 * page of results while it goes on, and restarting it in the middle. Linux only.
 */
export async function run(): Promise<void> {
  if (parts.includes('crawl')) await crawlInTenths();
  if (parts.includes('stored')) await continueStored();
}

async function crawlInTenths(): Promise<void> {
  const site = await startSite(crawled, { bytes });
  const folder = temporaryFolder();
  const { child, line, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0'], memoryVariables);
  const pid = child.pid ?? 0;
  try {
    const before = residentMegabytes(pid).now;
    const began = performance.now();
    const marks = [{ pages: 0, seconds: 0, cpu: cpuSecondsOf(pid), MB: before }];
    await crawlWith(line, {
      url: site.url,
      limit: crawled,
      onProgress(pages) {
        if (pages < (marks.length * crawled) / 10) return;
        const seconds = (performance.now() - began) / 1000;
        marks.push({ pages, seconds, cpu: cpuSecondsOf(pid), MB: residentMegabytes(pid).now });
      },
    });
    const tenths = marks.slice(1).map((mark, index) => {
      const from = marks[index] ?? mark;
      const pages = mark.pages - from.pages;
      return { ...mark, rate: pages / (mark.seconds - from.seconds), ms: ((mark.cpu - from.cpu) * 1000) / pages };
    });
    console.log(`a crawl of ${crawled} pages of ${bytes} bytes, by tenths`);
    console.table(
      tenths.map(({ pages, rate, ms, MB }) => ({
        pages,
        'pages/s': Math.round(rate),
        'processor ms/page': round(ms),
        MB: Math.round(MB),
      })),
    );
    const { peak } = residentMegabytes(pid);
    // The first tenth compiles the code.
    const [, second, third] = tenths;
    const flat =
      median(tenths.slice(-2).map(({ ms }) => ms)) / median([second?.ms ?? Number.NaN, third?.ms ?? Number.NaN]);
    printTarget(
      'processor time per page at the end, relative to the second and third tenth',
      flat,
      'at most 1.2',
      flat <= 1.2,
    );
    const grown = (tenths.at(-1)?.MB ?? Number.NaN) - (tenths[1]?.MB ?? Number.NaN);
    printTarget('MB more at the end than after the second tenth', grown, 'at most 50', grown <= 50);
    printTarget('MB at most (resident)', peak, 'at most 200', peak <= 200);
    await sleep(60_000);
    const left = residentMegabytes(pid).now - before;
    printTarget('MB more than before the crawl, a minute after it', left, 'at most 20', left <= 20);
  } finally {
    child.kill('SIGTERM');
    await exited;
    site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function continueStored(): Promise<void> {
  const waiting = Math.round(stored / 2);
  const site = await startSite(stored + waiting, { bytes });
  const folder = temporaryFolder();
  const args = ['--data-dir', folder, '--spare-browsers', '0'];
  let service = await spawnService(args, memoryVariables);
  const key = service.line.apiKey ?? '';
  const end = async (signal: NodeJS.Signals) => {
    service.child.kill(signal);
    await service.exited;
  };
  try {
    // Creates the database, and a team with the key that later starts use.
    await crawlWith(service.line, { url: site.url, limit: 1 });
    await end('SIGTERM');
    const id = randomUUID();
    const seeding = performance.now();
    seedCrawl(folder, { id, team: 'default', url: site.url, done: stored, waiting });
    console.log(
      `${stored} documents and ${waiting} waiting pages were written in ${round((performance.now() - seeding) / 1000)} s`,
    );

    for (const how of ['after a clean end', 'after it was killed']) {
      const began = performance.now();
      service = await spawnService(args, memoryVariables);
      const listening = performance.now() - began;
      const ask = (path: string) => call(service.line.baseUrl, service.line.apiKey ?? key, 'GET', path);
      let seconds = 0;
      for (let completed = 0; completed <= stored; ) {
        const { body, status } = await ask(`/v2/crawl/${id}?limit=1&skip=${stored * 2}`);
        if (status !== 200) throw new Error(body.error);
        completed = body.completed;
        seconds = (performance.now() - began) / 1000;
      }
      printTarget(`s from the start of the service to the next stored page, ${how}`, seconds, 'under 5', seconds < 5);
      console.log(`(listening after ${Math.round(listening)} ms)`);
      if (how === 'after a clean end') await readResults(service, id);
      await end('SIGKILL');
    }
  } finally {
    await end('SIGKILL');
    site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads pages of results all over the crawl, while it goes on. */
async function readResults({ line, child }: ServiceProcess, id: string): Promise<void> {
  const lists: Record<string, (at: number) => string> = {
    'documents (100)': (at) => `/v2/crawl/${id}?skip=${at}`,
    'list of pages (100)': (at) =>
      `/embedded/jobs/${id}/pages?limit=100&cursor=${Buffer.from(JSON.stringify(at)).toString('base64url')}`,
  };
  const rows: Record<string, object> = {};
  for (const [name, path] of Object.entries(lists)) {
    const times: number[] = [];
    for (let index = 0; index < reads; index++) {
      const at = Math.floor(((stored - 100) * index) / (reads - 1));
      const began = performance.now();
      const { body, status } = await call(line.baseUrl, line.apiKey ?? '', 'GET', path(at));
      times.push(performance.now() - began);
      if (status !== 200 || (body.data ?? body.pages).length !== 100) throw new Error(`${status} ${body.error}`);
    }
    rows[name] = { reads, 'median ms': round(median(times)), 'max ms': round(Math.max(...times)) };
    printTarget(`ms to read any page: ${name}, median`, median(times), 'under 50', median(times) < 50);
  }
  console.table(rows);
  console.log(`${Math.round(residentMegabytes(child.pid ?? 0).now)} MB in the service, while it goes on`);
}
