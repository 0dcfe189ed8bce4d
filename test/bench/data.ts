import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { documents } from '../../src/service/crawl/store/documents.ts';
import { silentLog } from '../../src/service/log.ts';
import { databaseVariable } from '../../src/service/options.ts';
import { createUnreadable, openDatabase } from '../../src/service/storage/storage.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { createDatabase } from '../harness/postgres.ts';
import { type Answer, call, spawnService } from '../harness/service.ts';
import { interleave, median, printTarget, printTimes, round } from './figures.ts';

/** The `dist/service.cjs` of an earlier version to compare with. */
const base = process.env.WEBDATA_BENCH_BASE;
const rounds = 3;
const siteScript = join(import.meta.dirname, 'crawl-site', 'site.ts');
const probe = join(import.meta.dirname, 'data-probe', 'probe.cjs');

interface Variant {
  name: string;
  program?: string | undefined;
  database?: () => Promise<string>;
}

/** What is read of responses. */
interface Reply {
  id: string;
  error?: string;
  status: string;
  completed: number;
}

interface Running {
  ask(method: string, path: string, body?: object): Promise<Answer<Reply>>;
  /** Returns the delays of the main thread, in milliseconds, since the last call. */
  delays(): Promise<{ max: number; p99: number; storage: number }>;
  stop(): Promise<void>;
}

/** Crawls, sessions and lists on SQLite and PostgreSQL, compared to an earlier version if WEBDATA_BENCH_BASE names its build. */
export async function run(): Promise<void> {
  const reason = whyNoPostgres();
  const cluster = reason === undefined ? await startCluster({ durable: true }) : undefined;
  if (reason !== undefined) console.log(`without PostgreSQL, because ${reason}`);
  const variants: Variant[] = [
    ...(base ? [{ name: 'before', program: base }] : []),
    { name: 'SQLite' },
    ...(cluster ? [{ name: 'PostgreSQL', database: () => createDatabase(cluster.url) }] : []),
  ];
  const small = await startSite(1000);
  const large = await startSite(10_000);
  try {
    const rates: Record<string, number[]> = {};
    const firsts: Record<string, number[]> = {};
    for (let at = 0; at < rounds; at++) {
      for (const variant of variants) {
        const service = await start(variant);
        try {
          const rate = await crawl(service, small.url, 1000);
          rates[variant.name] = [...(rates[variant.name] ?? []), rate];
        } finally {
          await service.stop();
        }
      }
    }
    console.table(
      Object.fromEntries(
        Object.entries(rates).map(([name, figures]) => [
          name,
          {
            'pages a second (median)': round(median(figures)),
            min: round(Math.min(...figures)),
            max: round(Math.max(...figures)),
          },
        ]),
      ),
    );
    await measureRequests(variants, firsts);
    const delays = await measureDelays(large.url);
    const starts = await measureStart();

    const rate = (name: string) => median(rates[name] ?? []);
    const ms = (name: string) => median(firsts[name] ?? []);
    if (base) {
      const relative = rate('SQLite') / rate('before');
      printTarget('pages a second on SQLite, relative to before', relative, 'at least 1', relative >= 1);
      for (const [what, most] of [
        ['a run', 0.5],
        ['a page of activity', 0.3],
      ] as const) {
        const more = ms(`${what}, SQLite`) - ms(`${what}, before`);
        printTarget(`ms that ${what} takes more than before`, more, `at most ${most}`, more <= most);
      }
    }
    if (cluster) {
      const relative = rate('PostgreSQL') / rate('SQLite');
      printTarget('pages a second on PostgreSQL, relative to SQLite', relative, 'at least 0.5', relative >= 0.5);
    }
    printTarget('ms that storage blocks the main thread', delays.storage, 'at most 20', delays.storage <= 20);
    printTarget('ms to listening with a database of 1 GB', starts, 'under 1000', starts < 1000);
  } finally {
    small.stop();
    large.stop();
    await cluster?.stop();
    cluster?.remove();
  }
}

async function measureRequests(variants: readonly Variant[], firsts: Record<string, number[]>): Promise<void> {
  const services = await Promise.all(
    variants.map(async (variant) => ({ name: variant.name, ...(await start(variant)) })),
  );
  try {
    const cases: Record<string, () => Promise<unknown>> = {};
    for (const { name, ask } of services) {
      const { body: session } = await ask('POST', '/v2/browser', { ttl: 600 });
      for (let item = 0; item < 200; item++) await ask('POST', '/v2/map', { url: 'http://127.0.0.1:9/' });
      const path = `/v2/browser/${session.id}/execute`;
      cases[`a run, ${name}`] = () => ask('POST', path, { code: '1', language: 'node' });
      cases[`a page of activity, ${name}`] = () => ask('GET', '/v2/team/activity?limit=100');
    }
    Object.assign(firsts, await interleave(cases, 100, 10));
    printTimes(firsts);
    const creations = await interleave(
      Object.fromEntries(
        services.map(({ name, ask }) => [
          `a session made and destroyed, ${name}`,
          async () => {
            const { body } = await ask('POST', '/v2/browser', { ttl: 600 });
            await ask('DELETE', `/v2/browser/${body.id}`);
          },
        ]),
      ),
      8,
      1,
    );
    printTimes(creations);
  } finally {
    for (const { stop } of services) await stop();
  }
}

async function measureDelays(url: string) {
  const service = await start({ name: 'SQLite' }, true);
  try {
    await service.delays();
    const rate = await crawl(service, url, 10_000);
    const delays = await service.delays();
    console.log(
      `crawl of 10,000 pages: ${round(rate)} pages a second; event-loop delay p99 ${round(delays.p99)} ms, max ${round(delays.max)} ms; longest by storage ${round(delays.storage)} ms`,
    );
    return delays;
  } finally {
    await service.stop();
  }
}

/** Returns the median milliseconds from the start of the process to listening, with 1 GB of documents after an unclean end. */
async function measureStart(): Promise<number> {
  const folder = temporaryFolder();
  try {
    const database = await openDatabase(folder, silentLog, 0);
    const stored = documents(database, createUnreadable(database, silentLog, Date.now));
    const packed = randomBytes(100_000);
    for (let seq = 1; seq <= 10_000; seq += 100) {
      await stored.add(
        Array.from({ length: 100 }, (_, index) => ({
          ...{ job: 1, seq: seq + index, scrape_id: `${seq + index}`, document: '', replay: '{}', packed },
        })),
      );
    }
    await database.destroy();
    const times: number[] = [];
    for (let at = 0; at < rounds; at++) {
      writeFileSync(join(folder, 'service.sqlite-wal'), '');
      const began = performance.now();
      const { child, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0']);
      times.push(performance.now() - began);
      child.kill('SIGTERM');
      await exited;
    }
    return median(times);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start({ program, database }: Variant, probed = false): Promise<Running> {
  const folder = temporaryFolder();
  const report = join(folder, 'probe.json');
  const env = {
    ...(database && { [databaseVariable]: await database() }),
    ...(probed && { NODE_OPTIONS: `--require=${probe}`, WEBDATA_BENCH_PROBE: report }),
  };
  const options = ['--data-dir', folder, '--spare-browsers', '0', '--max-sessions', '50'];
  const { child, line, exited } = await spawnService(options, env, program);
  return {
    ask: (method, path, body) => call<Reply>(line.baseUrl, line.apiKey ?? '', method, path, body),
    async delays() {
      child.kill('SIGUSR2');
      for (;;) {
        await sleep(100);
        try {
          const text = readFileSync(report, 'utf8');
          rmSync(report);
          return JSON.parse(text);
        } catch {
          // Not written yet.
        }
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns pages a second of a whole crawl. */
async function crawl({ ask }: Running, url: string, limit: number): Promise<number> {
  const began = performance.now();
  const options = { crawlEntireDomain: true, sitemap: 'skip', ignoreRobotsTxt: true };
  const { body, status } = await ask('POST', '/v2/crawl', { url, limit, ...options });
  if (status !== 200) throw new Error(body.error);
  for (;;) {
    await sleep(20);
    const { body: state } = await ask('GET', `/v2/crawl/${body.id}?limit=1`);
    if (state.status === 'scraping') continue;
    if (state.completed < limit * 0.99) throw new Error(`${state.status}: ${state.completed} of ${limit} pages`);
    return state.completed / ((performance.now() - began) / 1000);
  }
}

async function startSite(pages: number): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [siteScript, String(pages)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())),
  );
  return { url: `http://127.0.0.1:${port}/p/0`, stop: () => child.kill() };
}
