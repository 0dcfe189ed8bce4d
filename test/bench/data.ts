import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { silentLog } from '../../src/service/platform/log.ts';
import { createUnreadable, openDatabase } from '../../src/service/platform/storage/storage.ts';
import { documents } from '../../src/service/web/crawl/store/documents.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { createDatabase } from '../harness/postgres.ts';
import { spawnService } from '../harness/service.ts';
import { type Running, start, startScript, type Variant } from './data/services.ts';
import { interleave, median, printTarget, printTimes, round } from './figures.ts';

/** The `dist/service.cjs` of an earlier version to compare with. */
const base = process.env.WEBDATA_BENCH_BASE;
const siteScript = join(import.meta.dirname, 'crawl-site', 'site.ts');
const browserScript = join(import.meta.dirname, 'data', 'browser.ts');

const parts: Record<string, (variants: readonly Variant[]) => Promise<void>> = {
  crawl: measureCrawls,
  requests: measureRequests,
  sessions: measureSessions,
  delays: measureDelays,
  start: measureStart,
};

/**
 * Crawls, requests and starts on SQLite and PostgreSQL, compared to an earlier version if WEBDATA_BENCH_BASE names its
 * build. WEBDATA_BENCH_PARTS names the parts to measure, separated by commas.
 */
export async function run(): Promise<void> {
  const asked = process.env.WEBDATA_BENCH_PARTS?.split(',') ?? Object.keys(parts);
  const reason = whyNoPostgres();
  const cluster = reason === undefined ? await startCluster({ durable: true }) : undefined;
  if (reason !== undefined) console.log(`without PostgreSQL, because ${reason}`);
  const variants: Variant[] = [
    ...(base ? [{ name: 'before', program: base }] : []),
    { name: 'SQLite' },
    ...(cluster ? [{ name: 'PostgreSQL', database: () => createDatabase(cluster.url) }] : []),
  ];
  try {
    for (const part of asked) await parts[part]?.(variants);
  } finally {
    await cluster?.stop();
    cluster?.remove();
  }
}

async function measureCrawls(variants: readonly Variant[]): Promise<void> {
  const rounds = 5;
  const pages = 1000;
  const rates: Record<string, number[]> = Object.fromEntries(variants.map(({ name }) => [name, []]));
  const site = await startScript(siteScript, String(pages));
  try {
    for (let at = -1; at < rounds; at++) {
      // Each is first in turn, so that none has the quieter machine. The first round warms the site up.
      const from = (at + variants.length) % variants.length;
      const order = at < 0 ? variants.slice(0, 1) : [...variants.slice(from), ...variants.slice(0, from)];
      for (const variant of order) {
        const service = await start(variant);
        try {
          const rate = await crawl(service, site.port, pages);
          if (at >= 0) rates[variant.name]?.push(rate);
        } finally {
          await service.stop();
        }
      }
    }
  } finally {
    site.stop();
  }
  console.table(
    Object.fromEntries(
      Object.entries(rates).map(([name, figures]) => [
        name,
        {
          n: figures.length,
          'pages a second (median)': round(median(figures)),
          min: round(Math.min(...figures)),
          max: round(Math.max(...figures)),
        },
      ]),
    ),
  );
  /** Returns how much faster one is than the other, by rounds: what else the machine does affects both. */
  const relative = (one: string, other: string) =>
    median((rates[one] ?? []).map((rate, at) => rate / (rates[other]?.[at] ?? Number.NaN)));
  if (rates.before) {
    const ratio = relative('SQLite', 'before');
    printTarget('pages a second on SQLite, relative to before', ratio, 'at least 1', ratio >= 1);
  }
  if (rates.PostgreSQL) {
    const ratio = relative('PostgreSQL', 'SQLite');
    printTarget('pages a second on PostgreSQL, relative to SQLite', ratio, 'at least 0.5', ratio >= 0.5);
  }
}

async function measureRequests(variants: readonly Variant[]): Promise<void> {
  const services = await startAll(variants, []);
  try {
    const cases: Record<string, () => Promise<unknown>> = {};
    for (const { name, ask } of services) {
      const { body: session } = await ask('POST', '/v2/browser', { ttl: 600 });
      for (let item = 0; item < 200; item++) await ask('POST', '/v2/map', { url: 'http://127.0.0.1:9/' });
      const path = `/v2/browser/${session.id}/execute`;
      cases[`a run, ${name}`] = () => ask('POST', path, { code: '1', language: 'node' });
      cases[`a page of activity, ${name}`] = () => ask('GET', '/v2/team/activity?limit=100');
    }
    const times = await interleave(cases, 200, 20);
    printTimes(times);
    printMore(times, 'a run', 0.5);
    printMore(times, 'a page of activity', 0.3);
  } finally {
    for (const { stop } of services) await stop();
  }
}

async function measureSessions(variants: readonly Variant[]): Promise<void> {
  const browser = await startScript(browserScript);
  const services = await startAll(variants, ['--browser-endpoint', `ws://127.0.0.1:${browser.port}/`]);
  try {
    const created: Record<string, string> = {};
    const cases = Object.fromEntries(
      services.map(({ name, ask }) => [
        `a session created, ${name}`,
        async () => {
          const { body } = await ask('POST', '/v2/browser', { ttl: 600 });
          if (!body.id) throw new Error(body.error);
          created[name] = body.id;
        },
      ]),
    );
    const times: Record<string, number[]> = {};
    for (let at = 0; at < 200; at++) {
      const round = await interleave(cases, 1, at === 0 ? 10 : 0);
      for (const [name, figures] of Object.entries(round)) times[name] = [...(times[name] ?? []), ...figures];
      for (const { name, ask } of services) await ask('DELETE', `/v2/browser/${created[name]}`);
    }
    printTimes(times);
    printMore(times, 'a session created', 0.5);
  } finally {
    for (const { stop } of services) await stop();
    browser.stop();
  }
}

async function startAll(variants: readonly Variant[], more: string[]): Promise<(Running & { name: string })[]> {
  return await Promise.all(
    variants.map(async (variant) => ({ name: variant.name, ...(await start(variant, { more })) })),
  );
}

/** Prints how much longer something takes than before: the median of the differences within each round. */
function printMore(times: Record<string, number[]>, what: string, most: number): void {
  const before = times[`${what}, before`];
  if (!before) return;
  const more = median((times[`${what}, SQLite`] ?? []).map((time, at) => time - (before[at] ?? Number.NaN)));
  printTarget(`ms that ${what} takes more than before`, more, `at most ${most}`, more <= most);
}

async function measureDelays(variants: readonly Variant[]): Promise<void> {
  const pages = 10_000;
  const site = await startScript(siteScript, String(pages));
  try {
    for (const variant of variants.filter(({ database }) => !database)) {
      const service = await start(variant, { probed: true });
      try {
        await service.delays();
        const rate = await crawl(service, site.port, pages);
        const { max, p99, storage, collection, statements } = await service.delays();
        console.log(
          `${variant.name}: crawl of ${pages} pages, ${round(rate)} pages a second. Main thread, in ms: event-loop delay p99 ${round(p99)}, max ${round(max)}; longest garbage collection ${round(collection)}; longest turns of storage ${storage.map(round).join(', ')}, in ${statements} calls`,
        );
        if (variant.program) continue;
        const [longest = 0] = storage;
        printTarget('ms that storage blocks the main thread', longest, 'at most 20', longest <= 20);
      } finally {
        await service.stop();
      }
    }
  } finally {
    site.stop();
  }
}

/** Measures from the start of the process to listening, with 1 GB of documents after an unclean end. */
async function measureStart(): Promise<void> {
  const folder = temporaryFolder();
  const empty = temporaryFolder();
  try {
    const database = await openDatabase(folder, silentLog, 0);
    const stored = documents(database, createUnreadable(database, silentLog, Date.now));
    const packed = randomBytes(100_000);
    for (let seq = 1; seq <= 10_000; seq += 100) {
      await stored.add(
        Array.from({ length: 100 }, (_, index) => ({
          job: 1,
          seq: seq + index,
          scrape_id: `${seq + index}`,
          document: '',
          replay: '{}',
          packed,
        })),
      );
    }
    await database.destroy();
    const startIn = async (dataDir: string) => {
      const { child, exited } = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
      return async () => {
        child.kill('SIGTERM');
        await exited;
      };
    };
    const times: Record<string, number[]> = { '1 GB': [], 'an empty database': [] };
    for (let at = 0; at < 7; at++) {
      for (const [name, dataDir] of [
        ['1 GB', folder],
        ['an empty database', empty],
      ] as const) {
        writeFileSync(join(dataDir, 'service.sqlite-wal'), '');
        const began = performance.now();
        const stop = await startIn(dataDir);
        times[name]?.push(performance.now() - began);
        await stop();
      }
    }
    printTimes(times);
    const took = median(times['1 GB'] ?? []);
    printTarget('ms to listening with a database of 1 GB', took, 'under 1000', took < 1000);
  } finally {
    for (const dataDir of [folder, empty]) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Returns pages a second of a whole crawl. */
async function crawl({ ask }: Running, port: string, limit: number): Promise<number> {
  const began = performance.now();
  const options = { crawlEntireDomain: true, sitemap: 'skip', ignoreRobotsTxt: true };
  const { body, status } = await ask('POST', '/v2/crawl', { url: `http://127.0.0.1:${port}/p/0`, limit, ...options });
  if (status !== 200) throw new Error(body.error);
  for (;;) {
    await sleep(20);
    const { body: state } = await ask('GET', `/v2/crawl/${body.id}?limit=1`);
    if (state.status === 'scraping') continue;
    if (state.completed < limit * 0.99) throw new Error(`${state.status}: ${state.completed} of ${limit} pages`);
    return state.completed / ((performance.now() - began) / 1000);
  }
}
