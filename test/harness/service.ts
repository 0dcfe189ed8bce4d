import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findHeadlessShell } from '../../src/service/browsers/chrome/find.ts';
import type { ServiceOptions } from '../../src/service/options.ts';
import type { Clock } from '../../src/service/platform/clock.ts';
import { systemClock } from '../../src/service/platform/clock.ts';
import { type Log, silentLog } from '../../src/service/platform/log.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { variables } from '../../src/service/variables.ts';
import { repository, temporaryFolder } from './folders.ts';
import { databaseOf } from './postgres.ts';

/** A response with any status. */
export interface Answer<Body> {
  status: number;
  body: Body;
  headers: Headers;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
type Loose = any;

export interface TestService {
  baseUrl: string;
  port: number;
  dataDir: string;
  apiKey: string;
  /** Methods and paths, with `:name` parameters, of its router. */
  routes: Service['routes'];
  /** Sends a request with the service's key, or with the given headers. */
  call<Body = Loose>(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Answer<Body>>;
  close(): Promise<void>;
}

export interface TestServiceOptions extends Partial<ServiceOptions> {
  clock?: Clock;
  log?: Log;
  onDone?: (reason: string) => void;
}

export const testKey = 'test-key-0123456789';

/** As the product chooses: Chrome for sessions, its headless shell for pages. */
export const chosenBrowsers = { chromePath: undefined };

/**
 * A service in the test's process, with its own data dir that is removed on close. Where Chrome's headless shell is
 * installed, its sessions run in it for a third of the processor time. Tests of what clients see of a browser take
 * `chosenBrowsers`.
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { clock = systemClock, log = silentLog, onDone = () => undefined, ...given } = options;
  const dataDir = given.dataDir ?? temporaryFolder();
  const service = await startService(
    {
      port: 0,
      host: '127.0.0.1',
      allowedHosts: [],
      publicUrl: undefined,
      dataDir,
      database: await databaseOf(dataDir),
      nodeUrl: undefined,
      sharedDir: undefined,
      apiKeys: [
        { key: testKey, team: 'default' },
        { key: 'other-team-key-0123456789', team: 'other' },
      ],
      maxSessions: 5,
      credits: undefined,
      chromePath: findHeadlessShell(),
      browserEndpoint: undefined,
      pythonPath: undefined,
      agentBrowserPath: undefined,
      languageModel: undefined,
      searchEngine: undefined,
      docsFolders: [],
      spareBrowsers: 0,
      proxy: undefined,
      denyPrivateTargets: false,
      webhooks: { secret: undefined, retryMs: [60_000, 300_000, 900_000] },
      headless: true,
      isolation: 'none',
      linked: false,
      keepMinutes: 0,
      ...given,
    },
    { clock, log, onDone },
  );
  return {
    baseUrl: service.baseUrl,
    port: service.port,
    dataDir,
    apiKey: testKey,
    routes: service.routes,
    call: (method, path, body, init) => call(service.baseUrl, testKey, method, path, body, init),
    async close() {
      await service.close('the test is over');
      // A process of a killed browser may still be writing as it exits.
      if (!given.dataDir) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** Sends a request; a body is sent as JSON. */
export async function call<Body = Loose>(
  baseUrl: string,
  apiKey: string,
  method: string,
  path: string,
  body?: unknown,
  init: RequestInit = {},
): Promise<Answer<Body>> {
  const response = await fetch(baseUrl + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...init,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...init.headers,
    },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
  };
}

/** The built service in a separate process. */
export interface ServiceProcess {
  child: ChildProcess;
  /** The line that it printed when it was listening. */
  line: { event: string; baseUrl: string; apiKey: string | null; pid: number };
  stderr(): string;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts `dist/service.cjs`, or another build of it. Rejects with its standard error when it exits before it listens. */
export async function spawnService(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program = join(repository, 'dist', 'service.cjs'),
): Promise<ServiceProcess> {
  const dataDir = args[args.indexOf('--data-dir') + 1];
  const database = args.includes('--data-dir') && dataDir !== undefined ? await databaseOf(dataDir) : undefined;
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WEBDATA_LOG_LEVEL: 'warn', ...(database && { [variables.database]: database }), ...env },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  let stdout = '';
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const end = stdout.indexOf('\n');
      if (end !== -1) resolve(stdout.slice(0, end));
    });
    void exited.then(({ code }) => reject(new Error(`exit ${code}: ${stderr}`)));
  });
  return { child, line: JSON.parse(line), stderr: () => stderr, exited };
}
