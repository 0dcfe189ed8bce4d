import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import WebSocket from 'ws';
import { apiKeysVariable, linkPath } from '../../../../contract/embedded.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { type FoundService, findService, loopbackAgent } from '../../../../discovery/discovery.ts';

/** The service that this program speaks to. It keeps running as long as it is held. */
export type HeldService = Awaited<ReturnType<typeof holdService>>;

export interface CompanionOptions {
  /** Path of the service's program. */
  program: string;
  dataDir: string;
  /** Options for a service that has to be started. */
  args: readonly string[];
  /** Milliseconds that a service may take to start, and that a stopping one may take to release its data. */
  patienceMs?: number;
}

/** Milliseconds until the second try. Each later one waits twice as long as the one before, up to a limit. */
const [retryMs, longestPauseMs] = [250, 4_000];

/** Finds the running service of a data directory, or starts one. Throws an Error with a message to show. */
export async function holdService(options: CompanionOptions) {
  const { dataDir, patienceMs = 30_000 } = options;
  const end = performance.now() + patienceMs;
  for (let pause = retryMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    let found = await findService(dataDir);
    let problem: string | undefined;
    // One that runs but can't be held may be stopping: another one could not start beside it.
    if (!found.service) {
      problem = await start(options, patienceMs);
      // If another program has started one at the same time, this start failed, and that one is found.
      found = await findService(dataDir);
    }
    if (found.service) {
      try {
        return await hold(found.service);
      } catch (error) {
        problem = `it refused the connection (${shorten((error as Error).message)})`;
      }
    } else problem ??= found.reason;
    if (performance.now() + pause > end)
      throw new Error(`The service did not start: ${shorten(problem || 'it took too long', 500)}`);
    await wait(pause);
  }
}

/** Starts the service detached, as a window does. Returns what it said if it exited. */
async function start({ program, dataDir, args }: CompanionOptions, patienceMs: number): Promise<string | undefined> {
  const key = `wd-${randomBytes(32).toString('base64url')}`;
  const child = spawn(process.execPath, [program, '--port', '0', ...args, '--data-dir', dataDir, '--linked'], {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [apiKeysVariable]: `${key}:editor` },
  });
  try {
    return await new Promise<string | undefined>((resolve) => {
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-4096);
      });
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('"listening"')) resolve(undefined);
      });
      child.once('error', (error) => resolve(error.message));
      child.once('exit', () => resolve(stderr.trim().split('\n').at(-1) ?? ''));
      setTimeout(resolve, patienceMs, 'it took too long').unref();
    });
  } finally {
    // It must not end with this program: others may use it.
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
  }
}

/** Links to a service, which keeps it running. */
async function hold({ baseUrl, port, apiKey }: FoundService) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, {
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
    agent: loopbackAgent,
    handshakeTimeout: 5_000,
    perMessageDeflate: false,
    followRedirects: false,
  });
  /** Resolves when the service is gone. */
  const gone = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', reject);
  });
  return { baseUrl, apiKey, gone, release: () => socket.close(1000) };
}
