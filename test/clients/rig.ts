import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { docx, wordParagraph } from '../harness/documents.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { pdfOf } from '../harness/pdf.ts';
import { agentBrowserForTests, needs, pythonDirectory, pythonForTests } from '../harness/runner-tools.ts';
import { type ScriptedModel, startScriptedModel } from '../harness/scripted-model.ts';
import { type ServiceProcess, spawnService } from '../harness/service.ts';
import { compileCache, javascriptClients, pythonClients } from './install.ts';
import { answerAsModel } from './model.ts';
import { type ClientsSite, startClientsSite } from './site.ts';

/** With a key or without one. */
export type Auth = 'on' | 'off';

/** The built service twice, with and without keys, a site, a language model and files. */
export interface Rig {
  site: ClientsSite;
  /** Where nobody listens. */
  dead: string;
  services: Record<Auth, { baseUrl: string; apiKey: string | null }>;
  files: Record<string, string>;
  folder: string;
  close(): Promise<void>;
}

export const rigKey = 'clients-key-0123456789';

export async function startRig(): Promise<Rig> {
  const folder = temporaryFolder();
  const [site, model, bin] = await Promise.all([
    startClientsSite(),
    startScriptedModel(),
    agentBrowserForTests(() => undefined),
  ]);
  await pythonForTests(() => undefined);
  model.script(answerAsModel);
  const start = (auth: Auth, args: string[]) =>
    startService(join(folder, auth), [...args, '--agent-browser', join(bin, 'agent-browser')], model, site);
  const [on, off] = await Promise.all([start('on', ['--api-key', rigKey]), start('off', ['--no-auth'])]);
  const files = {
    'report.pdf': pdfOf('Tides of March', 'Tides of April'),
    'notes.docx': docx(wordParagraph('Notes', 'Heading1') + wordParagraph('The lamp needs oil.')),
    'page.html': '<h1>Keeper</h1><p>The keeper sleeps.</p>',
  };
  const paths = Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)]));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return {
    site,
    dead: await deadUrl(),
    folder,
    files: paths,
    services: {
      on: { baseUrl: on.line.baseUrl, apiKey: rigKey },
      off: { baseUrl: off.line.baseUrl, apiKey: null },
    },
    async close() {
      for (const { child } of [on, off]) child.kill('SIGTERM');
      await Promise.all([on.exited, off.exited, site.close(), model.close()]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

async function startService(
  dataDir: string,
  args: string[],
  model: ScriptedModel,
  site: ClientsSite,
): Promise<ServiceProcess> {
  mkdirSync(dataDir, { mode: 0o700 });
  // Playwright for Python is installed once for all tests.
  symlinkSync(pythonDirectory, join(dataDir, 'python'));
  return await spawnService(['--data-dir', dataDir, '--max-sessions', '20', ...args], {
    WEBDATA_LLM_BASE_URL: model.baseUrl,
    WEBDATA_LLM_MODEL: 'scripted',
    WEBDATA_SEARCH_ENDPOINT: site.url,
    WEBDATA_WEBHOOK_RETRY_SECONDS: 'none',
  });
}

async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

/** Registers the hooks that start a rig and close it. Skips the tests with a reason where the clients can't be installed. */
export function useRig(): () => Rig {
  let rig: Rig | undefined;
  needs(javascriptClients);
  needs(pythonClients);
  needs(agentBrowserForTests);
  before(async () => {
    rig = await startRig();
  });
  after(() => rig?.close());
  return () => {
    assert.ok(rig);
    return rig;
  };
}

/** What a client's call returned or threw. */
export interface Line {
  method: string;
  shows: string;
  // biome-ignore lint/suspicious/noExplicitAny: what clients return
  value?: any;
  error?: { message: string; status?: number; name?: string };
}

export interface ProgramRun {
  lines: Line[];
  /** Names of everything that the client has to call. */
  methods: string[];
  stderr: string;
  code: number | null;
}

/** Runs a program that prints one line of JSON for each call. */
export async function runProgram(command: string, args: string[], input: object, home: string): Promise<ProgramRun> {
  const run: ProgramRun = { lines: [], methods: [], stderr: '', code: null };
  const child = spawn(command, args, {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...clientEnvironment(home), CLIENT_INPUT: JSON.stringify(input) },
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text);
    if (line.methods) run.methods = line.methods;
    else run.lines.push(line);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.stderr += text;
  });
  run.code = await new Promise((resolve) => child.once('close', resolve));
  return run;
}

/** Clients get a home of their own, and neither the settings nor the keys of the person who runs the tests. */
export function clientEnvironment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  const kept = Object.entries(process.env).filter(([name]) => !/FIRECRAWL|API_KEY/i.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    PATH: [dirname(process.execPath), process.env.PATH].join(process.platform === 'win32' ? ';' : ':'),
    FIRECRAWL_NO_UPDATE_CHECK: '1',
    FIRECRAWL_NO_TELEMETRY: '1',
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: compileCache,
  };
}
