import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { webhookRetryVariable } from '../../src/contract/webhooks/webhooks.ts';
import { processesOf } from '../harness/chrome-processes.ts';
import { eventually } from '../harness/eventually.ts';
import { type Load, loadArguments, startLoad } from '../harness/fault-points/load.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { agentBrowserForTests, pythonForTests } from '../harness/runner-tools.ts';
import { type ServiceProcess, spawnService } from '../harness/service.ts';

const minutes = Number(process.env.WEBDATA_SOAK_MINUTES ?? 10);
/** How much of the time the service itself is killed again and again; what it holds is measured in the rest. */
const killedShare = 0.25;
/** How much of the time a new service is used before what it holds is measured: every piece of the load, several times. */
const warmShare = 0.25;
/** Clients that use the service at the same time. */
const clients = 4;
/** What is opened on demand is closed after a minute without use. */
const restMs = 75_000;
const ranges = { service: [12_000, 25_000], chromium: [8_000, 20_000], runner: [4_000, 10_000] } as const;

interface Held {
  /** Megabytes. */
  rss: number;
  heap: number;
  external: number;
  descriptors: number;
  /** Files and folders for temporary files. */
  temporary: number;
  threads: number;
  processes: number;
}

describe(`${minutes} minutes of mixed load with SIGKILLs`, function () {
  this.timeout((minutes + 15) * 60_000);
  let folder: string;
  let dataDir: string;
  /** Short, as the system's own: the browsers put sockets into it. */
  let temporary: string;
  let service: ServiceProcess;
  let load: Load;
  let args: string[];
  const memory = fileURLToPath(new URL('../harness/memory-on-signal.cjs', import.meta.url));
  const kills = { service: 0, chromium: 0, runner: 0 };
  const done: Record<string, number> = {};
  let interrupted = 0;
  let restarting: Promise<void> | undefined;

  const start = async () => {
    service = await spawnService(args, {
      NODE_OPTIONS: `--expose-gc --require=${memory}`,
      [webhookRetryVariable]: '1,2,5',
      TMPDIR: temporary,
    });
  };

  before(async () => {
    folder = temporaryFolder();
    dataDir = join(folder, 'data');
    temporary = mkdtempSync('/tmp/soak-');
    const docs = join(folder, 'docs');
    mkdirSync(docs);
    writeFileSync(join(docs, 'herons.md'), '# Herons\n\nA heron has two legs, and stands on one of them.\n');
    const [python, agentBrowser] = await Promise.all([
      pythonForTests(() => undefined).catch(() => undefined),
      agentBrowserForTests(() => undefined).catch(() => undefined),
    ]);
    args = [
      ...['--data-dir', dataDir, '--docs', folder, ...loadArguments],
      ...(python ? ['--python', python.interpreter] : []),
      ...(agentBrowser ? ['--agent-browser', join(agentBrowser, 'agent-browser')] : []),
    ];
    await start();
    load = await startLoad({
      baseUrl: () => service.line.baseUrl,
      docs,
      languages: [...(python ? ['python'] : []), ...(agentBrowser ? ['bash'] : [])],
    });
  });
  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.exited;
    await load?.close();
    for (const each of [folder, temporary])
      rmSync(each, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  /** Uses the service until `signal` aborts. What a SIGKILL of the service interrupts is no failure. */
  async function client(signal: AbortSignal): Promise<void> {
    const names = Object.keys(load.pieces);
    while (!signal.aborted) {
      const name = names[Math.floor(Math.random() * names.length)] ?? '';
      await restarting;
      const before = service;
      try {
        await load.pieces[name]?.();
        done[name] = (done[name] ?? 0) + 1;
      } catch (error) {
        if (before === service && !restarting) throw error;
        interrupted++;
        await sleep(100);
      }
    }
  }

  /** Does `kill` again and again, at random times within a range of milliseconds. */
  async function again([least, most]: readonly [number, number], signal: AbortSignal, kill: () => Promise<void>) {
    for (;;) {
      await sleep(least + Math.random() * (most - least), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await kill();
    }
  }

  async function killOne(what: 'chromium' | 'runner'): Promise<void> {
    const found: number[] = [];
    for (const pid of await processesOf(dataDir)) {
      const command = await readCommand(pid);
      const isBrowser = command.includes('--remote-debugging-pipe') && !command.includes('--type=');
      if (what === 'chromium' ? isBrowser : /node-runner|python-runner|--noprofile/.test(command)) found.push(pid);
    }
    const pid = found[Math.floor(Math.random() * found.length)];
    if (pid === undefined) return;
    try {
      process.kill(pid, 'SIGKILL');
      kills[what]++;
    } catch {
      // It has exited.
    }
  }

  async function killService(): Promise<void> {
    kills.service++;
    service.child.kill('SIGKILL');
    restarting = service.exited.then(start);
    await restarting;
    restarting = undefined;
  }

  /** Clients that send a byte a second until they are disconnected, and such that send none for a minute. */
  async function slowClients(): Promise<void> {
    const { port } = new URL(service.line.baseUrl);
    const headers = 'GET /v2/browser HTTP/1.1\r\nX-Long: '.padEnd(4000, 'x');
    const slow = Array.from({ length: 100 }, (_, index) => {
      const socket = connect(Number(port), '127.0.0.1');
      let sent = 0;
      const timer = setInterval(() => {
        if (index % 2 === 0) socket.write(headers.charAt(sent++));
        else if (++sent === 60) socket.destroy();
      }, 1000);
      socket.on('error', () => undefined).resume();
      return new Promise<void>((resolve) => {
        socket.once('close', () => {
          clearInterval(timer);
          resolve();
        });
      });
    });
    await Promise.all(slow);
  }

  async function use(ms: number, killsService: boolean): Promise<void> {
    const ended = AbortSignal.timeout(Math.round(ms));
    await Promise.all([
      ...Array.from({ length: clients }, () => client(ended)),
      again(ranges.chromium, ended, () => killOne('chromium')),
      again(ranges.runner, ended, () => killOne('runner')),
      ...(killsService ? [again(ranges.service, ended, killService)] : [slowClients()]),
    ]);
    await restarting;
  }

  async function held(): Promise<Held> {
    const pid = service.child.pid ?? 0;
    const before = service.stderr().length;
    process.kill(pid, 'SIGUSR2');
    const [, json = ''] = await eventually(() => {
      const line = /(\{"memory".*\})\n/.exec(service.stderr().slice(before));
      assert.ok(line);
      return line;
    });
    const { rss, heapUsed, external, arrayBuffers } = JSON.parse(json).memory;
    return {
      rss: megabytes(rss),
      heap: megabytes(heapUsed),
      external: megabytes(external + arrayBuffers),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      temporary: readdirSync(temporary, { recursive: true }).length,
      threads: readdirSync(`/proc/${pid}/task`).length,
      processes: (await processesOf(dataDir)).length,
    };
  }

  it('lose nothing acknowledged, and leave memory, file descriptors, temporary files and processes as they were', async () => {
    const total = minutes * 60_000;
    const started = performance.now();
    await use(total * killedShare, true);
    // A service of its own, so that what it holds at the end can be compared with what it held.
    await killService();
    kills.service--;
    await use(total * warmShare, false);
    await sleep(restMs);
    const before = await held();
    const peak = { rss: 0 };
    const watch = setInterval(() => {
      peak.rss = Math.max(peak.rss, residentMegabytes(service.child.pid ?? 0));
    }, 1000);
    await use(Math.max(1000, total - (performance.now() - started) - restMs), false);
    clearInterval(watch);
    await load.assertKept('ended');
    await sleep(restMs);
    const after = await held();
    console.log(figures({ done, kills, interrupted, before, after, peak: peak.rss, load }));

    assert.equal(after.processes, 0);
    assert.deepEqual(readdirSync(join(dataDir, 'browsers')), []);
    assert.doesNotMatch(service.stderr(), /an unexpected error/);
    assert.ok(
      after.descriptors <= before.descriptors * 1.1,
      `${before.descriptors} -> ${after.descriptors} descriptors`,
    );
    assert.ok(after.temporary <= before.temporary * 1.1, `${before.temporary} -> ${after.temporary} temporary files`);
    assert.ok(after.heap <= before.heap * 1.1, `heap ${before.heap} -> ${after.heap} MB`);
    assert.ok(after.rss <= before.rss * 1.1, `memory ${before.rss} -> ${after.rss} MB`);

    service.child.kill('SIGTERM');
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true });
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    database.close();
  });
});

function figures(of: {
  done: Record<string, number>;
  kills: Record<string, number>;
  interrupted: number;
  before: Held;
  after: Held;
  peak: number;
  load: Load;
}): string {
  const { sessions, scrapes, jobs } = of.load.acknowledged;
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  return [
    `done: ${list(of.done)}; ${of.interrupted} interrupted by a SIGKILL of the service`,
    `acknowledged and kept: ${sessions.size} sessions, ${scrapes.size} scrapes, ${jobs.size} jobs`,
    `SIGKILLs: ${list(of.kills)}`,
    ...(['rss', 'heap', 'external', 'descriptors', 'temporary', 'threads', 'processes'] as const).map(
      (name) => `${name}: ${of.before[name]} -> ${of.after[name]}${name === 'rss' ? ` MB, at most ${of.peak} MB` : ''}`,
    ),
  ]
    .map((line) => `      ${line}`)
    .join('\n');
}

async function readCommand(pid: number): Promise<string> {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function residentMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    return 0;
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
