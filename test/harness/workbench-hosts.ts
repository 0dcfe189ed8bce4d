import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { watchMarkedProcesses } from '../../scripts/lib/processes.mjs';
import type { VsCodeServer } from '../../scripts/lib/vscode-server.mjs';
import type { WorkbenchOptions } from './workbench.ts';
import type { WorkbenchFleet } from './workbench-fleet.ts';

/** The server and the browser of a workbench. */
export interface WorkbenchHost {
  dataDir: string;
  server: VsCodeServer;
  context: BrowserContext;
  fleet: WorkbenchFleet | undefined;
  /** Stops the browser, the server and every process that they started, and removes their files. */
  stop(): Promise<void>;
}

/** What a workbench may ask for and still share a host: what is set again for each. */
const setAgain = new Set(['folder', 'file', 'settings', 'machineSettings', 'colorTheme', 'size', 'restricted']);
/** Hosts that wait for a workbench: there are about as many environments in a run. */
const maxIdle = 3;
/** Milliseconds for processes to stop in order. */
const GRACE = 8_000;

/** Whether tests are run: their files follow one another. */
export const isMocha = () => 'describe' in globalThis;
const idle: { key: string; host: WorkbenchHost }[] = [];

/** Returns a host that another workbench has left, if one may be shared and fits. */
export async function takeIdleHost(options: WorkbenchOptions): Promise<WorkbenchHost | undefined> {
  const key = keyOf(options);
  const index = idle.findIndex((one) => one.key === key);
  return index < 0 ? undefined : idle.splice(index, 1)[0]?.host;
}

/** Leaves a host to the next workbench as if it had just started, or stops it. */
export async function releaseHost(host: WorkbenchHost, options: WorkbenchOptions): Promise<void> {
  const key = host.fleet ? undefined : keyOf(options);
  const isKept =
    key !== undefined &&
    isMocha() &&
    (await clean(host).then(
      () => true,
      () => false,
    ));
  if (!isKept) return await host.stop();
  idle.push({ key, host });
  if (idle.length > maxIdle) await idle.shift()?.host.stop();
}

/** The number of hosts that wait for a workbench. Each runs a server and a browser, which end with this program. */
export const idleHosts = (): number => idle.length;

function keyOf(options: WorkbenchOptions): string | undefined {
  const { env = {}, manifests = {}, builtInExtensions = [], ...others } = options;
  if (Object.keys(others).some((name) => !setAgain.has(name))) return undefined;
  return JSON.stringify([env, manifests, builtInExtensions]);
}

async function clean({ dataDir, server, context }: WorkbenchHost): Promise<void> {
  const pages = context.pages();
  await pages[0]?.evaluate(() => navigator.clipboard.writeText('')).catch(() => undefined);
  const blank = await context.newPage();
  for (const page of pages) await page.close();
  await endProcesses(server);
  await context.unrouteAll();
  const browser = await context.newCDPSession(blank);
  // Not the caches: they hold the compiled code of the workbench.
  const storageTypes = 'indexeddb,local_storage,service_workers';
  await browser.send('Storage.clearDataForOrigin', { origin: server.origin, storageTypes });
  await blank.close();
  for (const folder of ['User', 'Machine', 'logs'])
    rmSync(join(dataDir, 'data', folder), { recursive: true, force: true, maxRetries: 5 });
}

/** Ends the extension hosts and what they started: all but the server, its own helpers and the browser. */
async function endProcesses(server: VsCodeServer): Promise<void> {
  const [[name = '', value = ''] = []] = Object.entries(server.marker);
  const watch = watchMarkedProcesses(name, value, 2 ** 31 - 1);
  const others = () => {
    const all = watch.look();
    const kept = new Set([
      ...all.filter(({ parent }) => parent === process.pid).map(({ pid }) => pid),
      ...all
        .filter(({ parent, command }) => parent === server.pid && !command.includes('type=extensionHost'))
        .map(({ pid }) => pid),
    ]);
    for (let size = -1; size !== kept.size; ) {
      size = kept.size;
      for (const { pid, parent } of all) if (kept.has(parent) && parent !== server.pid) kept.add(pid);
    }
    return all.filter(({ pid }) => !kept.has(pid));
  };
  for (const [signal, wait] of [
    ['SIGTERM', GRACE],
    ['SIGKILL', GRACE],
  ] as const) {
    for (const { pid } of others()) signalled(pid, signal);
    for (const end = Date.now() + wait; others().length > 0 && Date.now() < end; ) await sleep(50);
  }
  if (others().length > 0) throw new Error('Processes of the workbench still run.');
}

function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already exited.
  }
}
