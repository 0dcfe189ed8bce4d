import { globSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as esbuild from 'esbuild';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { spawnService } from '../harness/service.ts';
import { installRivals, rivals, tokenCounter } from './agents.ts';
import { type CoreDriver, Counted } from './core-tasks/driver.ts';
import { chromeDevTools, playwrightMcp, webData } from './core-tasks/drivers.ts';
import { median, round } from './figures.ts';

/** A task of the suite, as it is written there. */
interface CoreTask {
  name: string;
  run(context: object): Promise<void>;
}

interface Contestant {
  driver: CoreDriver;
  counted: Counted;
}

const rounds = 5;

/**
 * Runs the tasks without a model of the public repository `browserbase/stagehand`, in `--corpora DIR`, through the MCP servers
 * of Web Data, Playwright and Chrome DevTools, in turns: how many succeed, how long each takes, and how many tokens an agent
 * sends and gets.
 */
export async function run({ corpora }: { corpora?: string | undefined }): Promise<void> {
  const core = join('stagehand', 'packages', 'evals', 'core');
  if (corpora === undefined) return console.log(`skipped: --corpora DIR names the folder with ${core}`);
  if (!installRivals()) return;
  const count = await tokenCounter();
  const { tasks, routes } = await loadTasks(resolve(corpora, core));
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(routes.find(({ path }) => path === request.url)?.html ?? '');
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  process.env.EVAL_CORE_FIXTURE_BASE_URL = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const dataDir = temporaryFolder();
  const service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
  const { baseUrl, apiKey = '' } = service.line;
  const outputs = temporaryFolder();
  const overStdio = async (args: string[]) =>
    await ScriptedAgent.over(
      new StdioClientTransport({ command: process.execPath, args, cwd: outputs, stderr: 'ignore' }),
    );
  const chrome = findChrome().path ?? '';
  const agents = {
    'Web Data': await ScriptedAgent.connect(baseUrl, apiKey ?? ''),
    '@playwright/mcp': await overStdio([
      ...[rivals.playwright, '--headless', '--isolated', '--no-sandbox', '--caps', 'vision'],
      ...['--executable-path', chrome],
    ]),
    'chrome-devtools-mcp': await overStdio([
      ...[rivals.devTools, '--headless', '--isolated', '--executablePath', chrome, '--chromeArg=--no-sandbox'],
      '--no-usage-statistics',
    ]),
  };
  // The others have a browser from the start.
  await agents['Web Data'].call('session_create');
  const drivers = [webData, playwrightMcp, chromeDevTools];
  const contestants = Object.entries(agents).map(([name, agent], index): [string, Contestant] => {
    const counted = new Counted(agent, count);
    return [name, { counted, driver: (drivers[index] as typeof webData)(counted) }];
  });
  const results = new Map<string, { ms: number[]; tokens: number[]; calls: number[]; failed: string[] }>();
  try {
    for (let turn = -1; turn < rounds; turn++) {
      for (const task of tasks) {
        for (const [name, { driver, counted }] of contestants) {
          await driver.reset();
          const [tokens, calls, start] = [counted.tokens, counted.calls, performance.now()];
          const error = await task.run(contextOf(driver)).then(
            () => undefined,
            (each: Error) => each.message.split('\n')[0],
          );
          if (turn < 0) continue;
          const key = `${task.name} ${name}`;
          const result = results.get(key) ?? { ms: [], tokens: [], calls: [], failed: [] };
          results.set(key, result);
          result.ms.push(performance.now() - start);
          result.tokens.push(counted.tokens - tokens);
          result.calls.push(counted.calls - calls);
          if (error) result.failed.push(error);
        }
      }
    }
  } finally {
    for (const agent of Object.values(agents)) await agent.close();
    site.close();
    site.closeAllConnections();
    service.child.kill('SIGTERM');
    await service.exited;
    for (const folder of [dataDir, outputs])
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  const names = contestants.map(([name]) => name);
  const of = (task: CoreTask, name: string) => results.get(`${task.name} ${name}`);
  console.table(
    tasks.map((task) => ({
      task: task.name,
      ...Object.fromEntries(
        names.flatMap((name) => {
          const { ms = [], tokens = [], failed = [] } = of(task, name) ?? {};
          const done = failed.length > 0 ? ` (${ms.length - failed.length} of ${ms.length})` : '';
          return [
            [`${name}, ms`, `${Math.round(median(ms))}${done}`],
            [`${name}, tokens`, Math.round(median(tokens))],
          ];
        }),
      ),
    })),
  );
  console.table(
    Object.fromEntries(
      names.map((name) => {
        const all = tasks.map((task) => of(task, name));
        const failures = all.reduce((sum, each) => sum + (each?.failed.length ?? 0), 0);
        return [
          name,
          {
            'tasks done': `${tasks.length * rounds - failures} of ${tasks.length * rounds}`,
            'median ms a task': round(median(all.map((each) => median(each?.ms ?? [])))),
            'tokens of all tasks': all.reduce((sum, each) => sum + median(each?.tokens ?? []), 0),
            'calls of all tasks': all.reduce((sum, each) => sum + median(each?.calls ?? []), 0),
          },
        ];
      }),
    ),
  );
  for (const [key, { failed }] of results) if (failed[0]) console.log(`${key}: ${failed[0]}`);
}

/** Loads the tasks from their repository as they are, without what else it needs. */
async function loadTasks(core: string): Promise<{ tasks: CoreTask[]; routes: { path: string; html: string }[] }> {
  const outdir = temporaryFolder();
  const files = globSync('tasks/**/*.ts', { cwd: core }).sort();
  await esbuild.build({
    entryPoints: [...files, 'fixtures/index.ts'].map((file) => join(core, file)),
    outdir,
    outbase: core,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
    outExtension: { '.js': '.mjs' },
    plugins: [
      {
        name: 'tasks only',
        setup(build) {
          build.onResolve({ filter: /framework\/defineTask\.js$/ }, () => ({ path: 'define', namespace: 'define' }));
          build.onLoad({ filter: /.*/, namespace: 'define' }, () => ({
            contents: 'export const defineCoreTask = (meta, run) => ({ ...meta, run });',
          }));
        },
      },
    ],
  });
  const load = async (file: string) => await import(pathToFileURL(join(outdir, file.replace(/\.ts$/, '.mjs'))).href);
  const tasks = await Promise.all(
    files.map(async (file) => ({ name: basename(file, '.ts'), ...(await load(file)).default })),
  );
  const { coreFixtureRoutes } = await load('fixtures/index.ts');
  return { tasks, routes: coreFixtureRoutes };
}

type Target = string | { kind: string; value?: string; x?: number; y?: number };

/** What a task gets: pages of one server, and assertions. */
function contextOf(driver: CoreDriver): object {
  const pageOf = (id: string) => {
    let url = '';
    const look = async () => {
      url = String(await driver.evaluate('location.href'));
    };
    const at = (target: Target) => (typeof target === 'string' ? target : (target.value ?? ''));
    const point = (target: Target) => target as { x: number; y: number };
    const isPoint = (target: Target) => typeof target !== 'string' && target.kind === 'coords';
    return {
      id,
      url: () => url,
      async goto(to: string) {
        await driver.goto(to);
        await look();
      },
      async reload() {
        await driver.history('reload');
        await look();
      },
      async back() {
        await driver.history('back');
        await look();
      },
      async forward() {
        await driver.history('forward');
        await look();
      },
      look,
      title: async () => String(await driver.evaluate('document.title')),
      evaluate: (given: string | ((arg: unknown) => unknown), arg?: unknown) =>
        driver.evaluate(typeof given === 'string' ? given : `(${given})(${JSON.stringify(arg) ?? ''})`),
      screenshot: () => driver.screenshot(),
      setViewport: ({ width, height }: { width: number; height: number }) => driver.resize(width, height),
      async wait(spec: { kind: string; selector?: string; timeoutMs: number }) {
        if (spec.kind === 'selector') return await driver.waitFor(spec.selector ?? '', spec.timeoutMs);
        await new Promise((done) => setTimeout(done, spec.timeoutMs));
      },
      click: (target: Target) =>
        isPoint(target) ? driver.clickAt(point(target).x, point(target).y) : driver.click(at(target)),
      hover: (target: Target) => driver.hoverAt(point(target).x, point(target).y),
      scroll: driver.scroll.bind(driver),
      type: (target: Target, text: string) => driver.type(at(target), text),
      press: (_target: Target, key: string) => driver.press(key),
    };
  };
  const page = pageOf('first');
  const assertThat = (holds: boolean, message = 'An assertion of the task failed.') => {
    if (!holds) throw new Error(message);
  };
  let selected: ReturnType<typeof pageOf> = page;
  return {
    page,
    tool: {
      listPages: async () => (await driver.tabs()).map((id) => pageOf(id)),
      async newPage() {
        selected = pageOf(await driver.newTab());
        return selected;
      },
      async selectPage(id: string) {
        await driver.selectTab(id);
        selected = pageOf(id);
      },
      async activePage() {
        await selected.look();
        return selected;
      },
    },
    metrics: { startTimer: () => () => undefined },
    assert: {
      equals: (one: unknown, other: unknown, message?: string) =>
        assertThat(one === other, message ?? `${String(one)} is not ${String(other)}`),
      includes: (text: string, part: string) => assertThat(text.includes(part), `${text} has no ${part}`),
      matches: (text: string, pattern: RegExp) => assertThat(pattern.test(text), `${text} is not ${pattern}`),
      truthy: (value: unknown, message?: string) => assertThat(Boolean(value), message),
      greaterThan: (one: number, other: number, message?: string) => assertThat(one > other, message),
    },
  };
}
