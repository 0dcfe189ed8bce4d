import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { driverFlags } from '../../src/service/browsers/chrome/flags.ts';
import { repository, temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { median, printTarget, round } from './figures.ts';
import { timesInWindow } from './first-run/window.ts';
import { cpuSecondsOf } from './processes.ts';

const parts = (process.env.WEBDATA_BENCH_PARTS ?? 'api,window').split(',');
const rounds = Number(process.env.WEBDATA_BENCH_ROUNDS ?? 7);
/** The `dist/service.cjs` of another build, to take turns with. */
const base = process.env.WEBDATA_BENCH_BASE;
const floorScript = join(import.meta.dirname, 'first-run', 'floor.mjs');
/** What the previous turn left to do is over by then, in milliseconds. */
const restMs = 1500;

/** Milliseconds of each step, one after the other. */
type Steps = Record<string, number> & { total: number; processor: number };

/**
 * From the start of the service to the value of the first run, over the API: the service listens, a session is created, code
 * runs in it. With compiled code cached, and in a new data directory. The floor starts what no such run can do without, at the
 * same moment: the same Chromium up to its first tab, and Node.js with Playwright, which connects to it. All take turns.
 * Then the same in VS Code, from a click on ▶. WEBDATA_BENCH_PARTS (`api`, `window`) chooses. WEBDATA_BENCH_BASE names the program of another build to compare with, and WEBDATA_BENCH_PROGRAM the one to measure instead of
 * that in dist. Linux only.
 */
export async function run(): Promise<void> {
  if (parts.includes('api')) await overTheApi();
  if (!parts.includes('window')) return;
  const [first = Number.NaN, ...later] = await timesInWindow(rounds + 1);
  console.log(
    `▶ in a window where nothing runs: ${Math.round(first)} ms in a new account, then ${later.map(Math.round).join(', ')}`,
  );
  const inWindow = median(later);
  printTarget('ms from ▶ to the value of 1 + 1, where nothing runs', inWindow, 'at most 1200', inWindow <= 1200);
}

async function overTheApi(): Promise<void> {
  const folders = { used: temporaryFolder(), base: temporaryFolder(), floor: temporaryFolder() };
  const program = process.env.WEBDATA_BENCH_PROGRAM ?? join(repository, 'dist', 'service.cjs');
  const cases: Record<string, () => Promise<Steps>> = {
    floor: () => measureFloor(folders.floor),
    ...(base !== undefined && { 'before, used folder': () => firstRun(base, folders.base) }),
    'used folder': () => firstRun(program, folders.used),
    ...(base !== undefined && { 'before, new folder': () => inNewFolder(base) }),
    'new folder': () => inNewFolder(program),
  };
  const measured: Record<string, Steps[]> = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let turn = -2; turn < rounds; turn++) {
    for (const [name, measure] of Object.entries(cases)) {
      const steps = await measure();
      if (turn >= 0) measured[name]?.push(steps);
      await sleep(restMs);
    }
  }
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
  print(measured);
}

function print(measured: Record<string, Steps[]>): void {
  const of = (steps: Steps[], step: string) => steps.map((each) => each[step] ?? Number.NaN);
  const names = [...new Set(Object.values(measured).flatMap((steps) => steps.flatMap(Object.keys)))];
  console.table(
    Object.fromEntries(
      Object.entries(measured).map(([name, steps]) => [
        name,
        {
          ...Object.fromEntries(names.map((step) => [step, Math.round(median(of(steps, step)))])),
          fastest: Math.round(Math.min(...of(steps, 'total'))),
        },
      ]),
    ),
  );
  /** By rounds: what else the machine does affects both. */
  const relative = (one: string, other: string) =>
    median((measured[one] ?? []).map(({ total }, at) => total / (measured[other]?.[at]?.total ?? Number.NaN)));
  const ratio = relative('used folder', 'floor');
  printTarget('first run with compiled code cached, relative to the floor', ratio, 'at most 1.25', ratio <= 1.25);
  const fresh = median(of(measured['new folder'] ?? [], 'total'));
  printTarget('ms to the first run in a new data directory', fresh, 'at most 1200', fresh <= 1200);
  if (base === undefined) return;
  for (const name of ['used folder', 'new folder'])
    console.log(`${name}, relative to before: ${round(relative(name, `before, ${name}`))}`);
  console.log(`before, relative to the floor: ${round(relative('before, used folder', 'floor'))}`);
}

async function inNewFolder(program: string): Promise<Steps> {
  const folder = temporaryFolder();
  try {
    return await firstRun(program, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a service, creates a session and runs `1 + 1` in it. */
async function firstRun(program: string, dataDir: string): Promise<Steps> {
  const started = performance.now();
  const { child, line, exited } = await spawnService(['--data-dir', dataDir], memoryVariables, program);
  const listening = performance.now();
  try {
    const ask = async (path: string, body: object) => {
      const { status, body: answer } = await call(line.baseUrl, line.apiKey ?? '', 'POST', path, body);
      if (status !== 200 || answer.error !== undefined) throw new Error(JSON.stringify(answer));
      return answer;
    };
    const { id } = await ask('/v2/browser', {});
    const created = performance.now();
    const { result } = await ask(`/v2/browser/${id}/execute`, { code: '1 + 1', language: 'node' });
    const ended = performance.now();
    if (result !== '2') throw new Error(`1 + 1 is ${result}`);
    return {
      listening: listening - started,
      session: created - listening,
      run: ended - created,
      total: ended - started,
      processor: cpuSecondsOf(child.pid ?? 0) * 1000,
    };
  } finally {
    // The compiled code is saved at the end.
    child.kill('SIGTERM');
    await exited;
  }
}

/** Starts Chromium and Node.js with Playwright at the same moment, and waits until Playwright has a page. */
async function measureFloor(compileCache: string): Promise<Steps> {
  const profile = temporaryFolder();
  const started = performance.now();
  const mode = { headless: true, sandbox: process.getuid?.() !== 0 };
  const flags = [`--user-data-dir=${profile}`, '--remote-debugging-port=0', ...driverFlags(mode), 'about:blank'];
  const chromium = spawn(findChrome().path ?? '', flags, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const node = spawn(process.execPath, [floorScript, join(repository, 'node_modules', 'playwright-core')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  const exits = [once(chromium, 'exit'), once(node, 'exit')];
  try {
    const cdpUrl = await said(chromium.stderr, /ws:\/\/\S+/);
    const browser = performance.now() - started;
    node.stdin?.write(`${cdpUrl}\n`);
    await said(node.stdout, /ready/);
    const total = performance.now() - started;
    return { browser, total, processor: (processorOf(chromium) + processorOf(node)) * 1000 };
  } finally {
    if (chromium.pid !== undefined) process.kill(-chromium.pid, 'SIGKILL');
    await Promise.all(exits);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const processorOf = ({ pid }: ChildProcess) => (pid === undefined ? Number.NaN : cpuSecondsOf(pid));

/** Resolves to what matches in the lines of a stream. */
async function said(stream: Readable, pattern: RegExp): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const [found] = pattern.exec(line) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`The program ended without saying ${pattern}.`);
}
