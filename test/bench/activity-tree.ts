import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { startScriptedServer } from '../harness/scripted-server.ts';
import { startWorkbench } from '../harness/workbench.ts';
import { figuresMark, type HostFigures, serverVariable } from './activity-tree/host-figures.ts';
import { median, printTarget, round } from './figures.ts';

const items = 10_000;
const dayMs = 24 * 60 * 60_000;

/** Refreshes the Activity view with 10,000 requests after one new request, in the extension host of a real VS Code. */
export async function run(): Promise<void> {
  const server = await startScriptedServer();
  const { script } = server;
  const request = (index: number, ageMs: number) => ({
    id: `0192f3a4-6c1e-4000-8000-${String(index).padStart(12, '0')}`,
    endpoint: 'scrape',
    api_version: 'v2',
    created_at: new Date(Date.now() - ageMs).toISOString(),
    target: `https://shop.example.com/department/${index % 40}/product/${index}`,
  });
  // The oldest stay within the window while the benchmark runs.
  script.activity = Array.from({ length: items }, (_, index) => request(index, (index / items) * (dayMs - 600_000)));
  let made = items;
  script.instead = (path, exchange, query) => {
    if (path !== '/news') return false;
    const fresh = Array.from({ length: Number(query.get('count')) }, () => request(made++, 0));
    script.activity = [...fresh.reverse(), ...script.activity];
    exchange.json({});
    return true;
  };
  const figures = await inExtensionHost(await bundleHost(), server.baseUrl).finally(() => server.close());

  console.log(`${figures.entries} requests in the view`);
  const busy = median(figures.busyMs);
  console.log(
    `${median(figures.rowsAsked)} rows requested, ${round(median(figures.refreshMs))} ms in the store and the tree`,
  );
  printTarget('refresh, busy ms of the host, median', busy, '< 50', busy < 50);
}

async function inExtensionHost(entry: string, baseUrl: string): Promise<HostFigures> {
  let found: HostFigures | undefined;
  const log: string[] = [];
  const workbench = await startWorkbench({
    extensionTestsPath: entry,
    builtInExtensions: null,
    env: { [serverVariable]: baseUrl },
    onLog: (line) => {
      log.push(line);
      const at = line.indexOf(figuresMark);
      if (at >= 0) found = JSON.parse(line.slice(at + figuresMark.length));
    },
  });
  try {
    await workbench.testsExit;
  } finally {
    await workbench.close();
  }
  if (!found) throw new Error(`The extension host printed no figures. Its output:\n${log.slice(-20).join('\n')}`);
  return found;
}

async function bundleHost(): Promise<string> {
  const outfile = join(ROOT, 'dist-test', 'bench', 'activity-tree.cjs');
  await esbuild.build({
    entryPoints: [join(ROOT, 'test', 'bench', 'activity-tree', 'host.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  return outfile;
}
