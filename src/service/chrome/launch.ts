import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { childEnvironment } from '../environment.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Browser, BrowserProvider, BrowserRequest } from './chrome.ts';
import { findChrome, noChromeMessage } from './find.ts';
import { chromeFlags } from './flags.ts';
import { type CdpPipe, openPipe } from './pipe.ts';

export interface LocalChromeOptions {
  /** Executable that a person chose, instead of the one that is found. */
  chromePath?: string;
  headless: boolean;
  log: Log;
  /** Milliseconds until a Chrome that does not answer is given up. */
  startLimitMs?: number;
}

const closeGraceMs = 3000;
const lastWordsBytes = 4096;
const sandboxComplaint = /No usable sandbox|namespace sandbox|setuid sandbox|Operation not permitted.*zygote/i;

/** Chromes of this machine, each launched over a pipe: no debugging port, and when this process dies, so do they. */
export function localChrome(options: LocalChromeOptions): BrowserProvider {
  let sandbox = process.getuid?.() !== 0;
  return {
    keepsProfiles: true,
    local: true,
    async open(request) {
      const search = findChrome(options.chromePath);
      const { path } = search;
      if (!path) throw new ServiceError(503, noChromeMessage(search), { code: 'NO_BROWSER' });
      try {
        return await launch(path, request, options, sandbox);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        if (sandbox && sandboxComplaint.test(error.lastWords)) {
          options.log.warn(
            'Chrome cannot use its sandbox here (a container without user namespaces?); starting it without',
          );
          sandbox = false;
          return await launch(path, request, options, sandbox);
        }
        throw new ServiceError(502, `${path} did not start: ${error.message}`, { code: 'BROWSER_START', cause: error });
      }
    },
  };
}

class StartError extends Error {
  readonly lastWords: string;
  constructor(message: string, lastWords: string) {
    super(lastWords ? `${message}; its last words: ${lastLine(lastWords)}` : message);
    this.lastWords = lastWords;
  }
}

async function launch(
  path: string,
  request: BrowserRequest,
  options: LocalChromeOptions,
  sandbox: boolean,
): Promise<Browser> {
  const [markerName, marker] = request.marker;
  const child = spawn(path, chromeFlags({ ...request, headless: options.headless, sandbox }), {
    // A process group of its own: a Ctrl-C in a terminal reaches the service alone, which then closes Chrome in order.
    detached: process.platform !== 'win32',
    cwd: request.userDataDir,
    env: childEnvironment({ [markerName]: marker }),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsBytes);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(messageOf(error)));
    child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `exited with code ${code}`));
  });
  const pipe = openPipe(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const limitMs = options.startLimitMs ?? 30_000;
  try {
    const product = await firstAnswer(pipe, ended, limitMs);
    let closing: Promise<void> | undefined;
    return {
      pipe,
      product,
      ended,
      ...(child.pid !== undefined && { pid: child.pid }),
      close: () => {
        closing ??= close(child, pipe, ended);
        return closing;
      },
    };
  } catch (error) {
    kill(child);
    await ended;
    throw new StartError(messageOf(error), lastWords.trim());
  }
}

/** The service's own commands on the bare pipe use negative ids: the relay's are positive. */
let ownId = -1;

async function firstAnswer(pipe: CdpPipe, ended: Promise<string>, limitMs: number): Promise<string> {
  const id = ownId--;
  const timeout = new AbortController();
  const { promise: answer, resolve } = Promise.withResolvers<string>();
  const stopListening = pipe.onMessage((message) => {
    if (message.id === id) resolve(String(message.result?.product ?? 'Chrome'));
  });
  pipe.send({ id, method: 'Browser.getVersion' });
  try {
    return await Promise.race([
      answer,
      ended.then((reason) => Promise.reject(new Error(reason))),
      wait(limitMs, undefined, { signal: timeout.signal }).then(() =>
        Promise.reject(new Error(`it did not answer within ${limitMs / 1000} s`)),
      ),
    ]);
  } finally {
    stopListening();
    timeout.abort();
  }
}

async function close(child: ChildProcess, pipe: CdpPipe, ended: Promise<string>): Promise<void> {
  pipe.send({ id: ownId--, method: 'Browser.close' });
  const timeout = new AbortController();
  const grace = wait(closeGraceMs, undefined, { signal: timeout.signal }).then(
    () => kill(child),
    () => undefined,
  );
  await ended;
  timeout.abort();
  await grace;
  // The main process is gone; a helper that hangs is in its group.
  kill(child);
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1).slice(0, 300);
}
