import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { docx, wordParagraph } from '../harness/documents.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { freePort } from '../harness/free-port.ts';
import { pdfOf } from '../harness/pdf.ts';
import { agentBrowserForTests, allOf, needs, pythonDirectory, pythonForTests } from '../harness/runner-tools.ts';
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
  services: Record<Auth, { baseUrl: string; apiKey: string | null; dataDir: string }>;
  files: Record<string, string>;
  folder: string;
  /** Programs of clients that are running. */
  children: Set<ChildProcess>;
  close(): Promise<void>;
}

export const rigKey = 'clients-key-0123456789';

export async function startRig(): Promise<Rig> {
  const folder = temporaryFolder();
  const children = new Set<ChildProcess>();
  /** Closes what has been opened, in order. */
  const closing: (() => Promise<unknown>)[] = [];
  async function opened<Part extends { close(): Promise<void> }>(part: Promise<Part>): Promise<Part> {
    const { close } = await part;
    closing.push(() => close());
    return part;
  }
  async function close(): Promise<void> {
    await Promise.all([...children].map(killed));
    for (const closeOne of closing.reverse()) await closeOne();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  try {
    return { ...(await openRig(folder, opened)), folder, children, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = <Part extends { close(): Promise<void> }>(part: Promise<Part>) => Promise<Part>;

async function openRig(folder: string, opened: Opened): Promise<Omit<Rig, 'folder' | 'children' | 'close'>> {
  const [site, model, bin] = await allOf([
    opened(startClientsSite()),
    opened(startScriptedModel()),
    agentBrowserForTests(() => undefined),
    pythonForTests(() => undefined),
  ]);
  model.script(answerAsModel);
  const start = (auth: Auth, args: string[]) =>
    opened(startService(join(folder, auth), [...args, '--agent-browser', join(bin, 'agent-browser')], model, site));
  const [on, off] = await allOf([start('on', ['--api-key', rigKey]), start('off', ['--no-auth'])]);
  const files = {
    'report.pdf': pdfOf('Tides of March', 'Tides of April'),
    'notes.docx': docx(wordParagraph('Notes', 'Heading1') + wordParagraph('The lamp needs oil.')),
    'page.html': '<h1>Keeper</h1><p>The keeper sleeps.</p>',
  };
  const paths = Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)]));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return {
    site,
    dead: `http://127.0.0.1:${await freePort()}/`,
    files: paths,
    services: {
      on: { baseUrl: on.line.baseUrl, apiKey: rigKey, dataDir: join(folder, 'on') },
      off: { baseUrl: off.line.baseUrl, apiKey: null, dataDir: join(folder, 'off') },
    },
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function startService(
  dataDir: string,
  args: string[],
  model: ScriptedModel,
  site: ClientsSite,
): Promise<ServiceProcess & { close(): Promise<void> }> {
  mkdirSync(dataDir, { mode: 0o700 });
  // Playwright for Python is installed once for all tests.
  symlinkSync(pythonDirectory, join(dataDir, 'python'));
  const service = await spawnService(['--data-dir', dataDir, '--max-sessions', '20', ...args], {
    WEBDATA_LLM_BASE_URL: model.baseUrl,
    WEBDATA_LLM_MODEL: 'scripted',
    WEBDATA_SEARCH_ENDPOINT: site.url,
    WEBDATA_WEBHOOK_RETRY_SECONDS: 'none',
  });
  return {
    ...service,
    async close() {
      service.child.kill('SIGTERM');
      await service.exited;
    },
  };
}

/** Registers the hooks that start a rig and close it. Skips the tests with a reason where the clients can't be installed. */
export function useRig(): () => Rig {
  let rig: Rig | undefined;
  needs(javascriptClients, pythonClients, agentBrowserForTests);
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
  /** What it wrote to standard error, and what else it wrote to standard output. */
  stderr: string;
  code: number | null;
}

/** Runs a program that prints one line of JSON for each call. */
export async function runProgram(
  { children }: Rig,
  [command, ...args]: readonly [string, ...string[]],
  input: object,
  home: string,
): Promise<ProgramRun> {
  const run: ProgramRun = { lines: [], methods: [], stderr: '', code: null };
  const child = spawn(command, args, {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...clientEnvironment(home), CLIENT_INPUT: JSON.stringify(input) },
  });
  children.add(child);
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = lineOf(text);
    if (line === undefined) run.stderr += `${text}\n`;
    else if ('methods' in line) run.methods = line.methods;
    else run.lines.push(line);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.stderr += text;
  });
  run.code = await new Promise((resolve) => child.once('close', resolve));
  children.delete(child);
  return run;
}

/** Returns what a line of a program says; undefined if it isn't one of its own. */
function lineOf(text: string): Line | { methods: string[] } | undefined {
  try {
    const line = JSON.parse(text);
    return typeof line === 'object' && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
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
