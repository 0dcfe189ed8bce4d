import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { apiKeysVariable, listeningLine, memoryVariables } from '../../../contract/embedded.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { serviceThreads, threadsVariable } from '../../../contract/service-threads.ts';
import { messageOf } from '../../ui/text/text.ts';
import type { serviceTuning } from './service-settings.ts';

export interface StartOptions {
  /** The Node executable to run it with: VS Code's own. */
  execPath: string;
  /** Path of dist/service.cjs. */
  program: string;
  dataDirectory: string;
  environment: NodeJS.ProcessEnv;
  /** Options from the settings. If missing or empty, the service default applies. */
  tuning?: ServiceTuning;
  /** Milliseconds to wait until the service listens. */
  timeoutMs: number;
}

type ServiceTuning = Partial<ReturnType<typeof serviceTuning>>;

/** Result of a start: the service listens, or it exited first (another service may hold the data dir). */
export type Started =
  | { listening: true; port: number }
  | { listening: false; exitCode: number | null; logTail: string };

export const serviceLogName = 'service.log';
const logLimit = 5 * 1024 * 1024;
/** Variables of the extension host itself, the API key of another server, and the database of a service for a team. */
const excludedVariables = /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|WEBDATA_API_KEY|WEBDATA_(DATABASE|NODE_URL|SHARED_DIR)$)/i;

/**
 * Starts the service detached, so that it survives a window reload. It exits unless a link follows.
 * Its stderr goes to a file: a pipe would break when the window closes.
 */
export async function startService(options: StartOptions): Promise<Started> {
  const log = await openLog(options.dataDirectory);
  const logStart = (await log.stat()).size;
  try {
    const child = spawn(options.execPath, serviceArguments(options), {
      cwd: options.dataDirectory,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'pipe', log.fd],
      env: serviceEnvironment(options.environment),
    });
    return await waitUntilListening(child, options.timeoutMs, () => logTail(options.dataDirectory, logStart));
  } finally {
    await log.close();
  }
}

/** Creates the data directory and opens the log in it. Throws an Error with what to do if that is not allowed. */
async function openLog(dataDirectory: string): Promise<FileHandle> {
  try {
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    const path = join(dataDirectory, serviceLogName);
    await rotate(path);
    // The service reads it to keep its last lines when it is too large.
    return await open(path, 'a+', 0o600);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(
      `The embedded service can't write to its data directory ${dataDirectory} (${code}). Set "webdata.embedded.dataDirectory" to a folder that you can write to.`,
      { cause: error },
    );
  }
}

/** Returns the service's command line. */
export function serviceArguments({
  program,
  dataDirectory,
  tuning,
}: Pick<StartOptions, 'program' | 'dataDirectory' | 'tuning'>): string[] {
  return [program, '--port', '0', '--data-dir', dataDirectory, '--linked', ...serviceOptions(tuning)];
}

/** Returns the options of the service that the settings set. */
export function serviceOptions(tuning: ServiceTuning = {}): string[] {
  const { chromePath, pythonPath, agentBrowserPath, maxSessions, spareBrowsers } = tuning;
  const option = (name: string, value: string | number | undefined) =>
    value === undefined || value === '' ? [] : [`${name}=${value}`];
  return [
    ...option('--chrome', chromePath),
    ...option('--python', pythonPath),
    ...option('--agent-browser', agentBrowserPath),
    ...option('--max-sessions', maxSessions),
    ...option('--spare-browsers', spareBrowsers),
  ];
}

/** Returns the service's environment: this one plus a new random API key for the team "editor". */
export function serviceEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !excludedVariables.test(name));
  const key = `wd-${randomBytes(32).toString('base64url')}`;
  return {
    ...Object.fromEntries(kept),
    ...serviceSettings(environment),
    [apiKeysVariable]: `${key}:editor`,
  };
}

/** Returns the variables that the service needs in addition to those of its environment. */
export function serviceSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const memory = Object.entries(memoryVariables).filter(([name]) => environment[name] === undefined);
  return {
    ...Object.fromEntries(memory),
    [threadsVariable]: environment[threadsVariable] ?? serviceThreads,
    ELECTRON_RUN_AS_NODE: '1',
    // As in VS Code itself: a proxy with a certificate of its own is trusted if the system trusts it.
    NODE_USE_SYSTEM_CA: environment.NODE_USE_SYSTEM_CA ?? '1',
  };
}

function waitUntilListening(
  child: ReturnType<typeof spawn>,
  timeoutMs: number,
  readLog: () => Promise<string>,
): Promise<Started> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      release();
      reject(
        new Error(l10n.t("The embedded service didn't start within {0} s. See its log for details.", timeoutMs / 1000)),
      );
    }, timeoutMs);
    const release = () => {
      clearTimeout(timer);
      child.stdout?.removeAllListeners();
      child.stdout?.destroy();
      child.removeAllListeners();
      child.on('error', () => {});
      child.unref();
    };
    child.on('error', (error) => {
      release();
      reject(new Error(l10n.t("Couldn't start the embedded service: {0}", messageOf(error))));
    });
    child.on('close', async (exitCode) => {
      release();
      resolve({ listening: false, exitCode, logTail: (await readLog()) || text.trim().slice(-400) });
    });
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-64 * 1024);
      for (const line of text.split('\n').slice(0, -1)) {
        const port = listeningPort(line);
        if (port === undefined) continue;
        release();
        resolve({ listening: true, port });
      }
    });
  });
}

function listeningPort(line: string): number | undefined {
  const { baseUrl = '' } = listeningLine.safeParse(jsonIn(line)).data ?? {};
  const url = URL.parse(baseUrl);
  return url ? Number(url.port) : undefined;
}

/** Returns the last lines of the service's log, without anything that looks like a key. `from`: bytes to skip at its start. */
export async function logTail(dataDirectory: string, from = 0): Promise<string> {
  const text = await readFile(join(dataDirectory, serviceLogName)).catch(() => Buffer.alloc(0));
  const lines = text
    .subarray(Math.max(from, text.length - 16 * 1024))
    .toString('utf8')
    .trim()
    .split('\n')
    .slice(-3);
  return scrub(lines.map(plainLine).join(' · ').trim()).slice(-400);
}

/** Returns the message of a JSON log line, or the line itself. */
function plainLine(line: string): string {
  const { msg, err } = Object(jsonIn(line)) as { msg?: unknown; err?: { message?: unknown } };
  return [msg, err?.message].filter((part) => typeof part === 'string').join(': ') || line;
}

/** Replaces the long random words of keys and capability URLs with an ellipsis. */
export function scrub(text: string): string {
  return text.replace(/(?<![\w-])(?=[\w-]*\d)[\w-]{24,}/g, '…');
}

async function rotate(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logLimit) await rename(path, `${path}.1`).catch(() => {});
}
