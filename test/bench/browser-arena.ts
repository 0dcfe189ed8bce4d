import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { startSite } from './crawl-site/crawl-site.ts';
import { median, printTarget, round } from './figures.ts';
import { cpuSecondsOf } from './processes.ts';

const rounds = Number(process.env.WEBDATA_BENCH_ROUNDS ?? 5);
/** The `dist/service.cjs` of another build, to take turns with. */
const base = process.env.WEBDATA_BENCH_BASE;
const program = process.env.WEBDATA_BENCH_PROGRAM;
const steps = ['create', 'connect', 'goto', 'release'] as const;
/** Sum of the four medians to reach, in milliseconds, by how many sessions are asked for at once. */
const goals = { 1: 500, 10: 1500 };
/** The pause after each turn, in milliseconds. */
const restMs = 6000;

type Times = Record<(typeof steps)[number], number>;

/**
 * The four steps of the public repository `nottelabs/browserarena`, on a site of our own: a session is created, Playwright connects
 * to its cdpUrl and opens a page, the session is released; one at a time, then ten at once. WEBDATA_BENCH_BASE names the program of
 * another build to take turns with, and WEBDATA_BENCH_PROGRAM the one to measure instead of that in dist. Linux only.
 */
export async function run(): Promise<void> {
  const site = await startSite(10);
  const folder = temporaryFolder();
  const services: Record<string, ServiceProcess> = {};
  const measured: Record<string, { each: Times[]; processor: number[] }> = {};
  try {
    const programs = { ...(base !== undefined && { 'before, ': base }), '': program };
    for (const [name, path] of Object.entries(programs))
      services[name] = await spawnService(
        ['--data-dir', `${folder}/${name}`, '--max-sessions', '20'],
        memoryVariables,
        path,
      );
    // The first round fills the caches of the system, and tells the service how many are asked for.
    for (let turn = -1; turn < rounds; turn++) {
      for (const atOnce of Object.keys(goals).map(Number)) {
        for (const [name, service] of Object.entries(services)) {
          const before = cpuSecondsOf(service.child.pid ?? 0);
          const each = await Promise.all(Array.from({ length: atOnce }, () => visit(service, site.url)));
          await sleep(restMs);
          const processor = ((cpuSecondsOf(service.child.pid ?? 0) - before) * 1000) / atOnce;
          if (turn < 0) continue;
          const known = measured[`${name}${atOnce} at once`] ?? { each: [], processor: [] };
          measured[`${name}${atOnce} at once`] = known;
          known.each.push(...each);
          known.processor.push(processor);
        }
      }
    }
  } finally {
    for (const { child, exited } of Object.values(services)) {
      child.kill('SIGTERM');
      await exited;
    }
    site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const mediansOf = (each: Times[]) => steps.map((step) => median(each.map((times) => times[step])));
  console.table(
    Object.fromEntries(
      Object.entries(measured).map(([name, { each, processor }]) => {
        const medians = mediansOf(each);
        const sum = medians.reduce((total, figure) => total + figure, 0);
        const columns = steps.map((step, at) => [step, Math.round(medians[at] ?? Number.NaN)]);
        return [
          name,
          { ...Object.fromEntries(columns), sum: round(sum), 'processor ms each': round(median(processor)) },
        ];
      }),
    ),
  );
  for (const [atOnce, goal] of Object.entries(goals)) {
    const sum = mediansOf(measured[`${atOnce} at once`]?.each ?? []).reduce((total, figure) => total + figure, 0);
    printTarget(`ms of the four steps, ${atOnce} at once, sum of medians`, sum, `under ${goal}`, sum < goal);
  }
}

/** Takes the four steps, and returns the milliseconds of each. */
async function visit({ line }: ServiceProcess, url: string): Promise<Times> {
  const times: Partial<Times> = {};
  const timed = async <Result>(step: keyof Times, work: Promise<Result>): Promise<Result> => {
    const started = performance.now();
    const result = await work;
    times[step] = performance.now() - started;
    return result;
  };
  const ask = (method: string, path: string, body?: object) =>
    call<{ id: string; cdpUrl: string }>(line.baseUrl, line.apiKey ?? '', method, path, body);
  const { status, body } = await timed('create', ask('POST', '/v2/browser', {}));
  if (status !== 200) throw new Error(`A session couldn't be created: ${JSON.stringify(body)}`);
  const browser = await timed('connect', chromium.connectOverCDP(body.cdpUrl));
  const page = browser.contexts()[0]?.pages()[0];
  await timed('goto', page?.goto(url) ?? Promise.reject(new Error('The session has no page.')));
  await timed('release', ask('DELETE', `/v2/browser/${body.id}`));
  await browser.close();
  return times as Times;
}
