import { type ChildProcess, execFile } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { shorten } from '../../../contract/shorten.ts';
import { within } from '../../platform/async.ts';
import { childEnvironment } from '../../platform/environment.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import { lazy } from '../../platform/lazy.ts';
import type { Log } from '../../platform/log.ts';
import { killTree } from '../../platform/system/kill-tree.ts';
import { startProcess } from '../../platform/system/start-process.ts';
import { exitInside, filesOf } from '../isolation/isolation.ts';
import type { Browser, BrowserProvider, BrowserRequest } from './chrome.ts';
import { findChrome, findHeadlessShell, noChromeMessage } from './find.ts';
import { chromeFlags } from './flags.ts';
import { type CdpPipe, openPipe } from './pipe.ts';
import type { TemporaryFolders } from './temporary-folders.ts';

/** How long to wait for Chrome to respond, in milliseconds. */
const startMs = 30_000;

export interface LocalChromeOptions {
  /** Path of the executable; by default, an installed one is used. */
  chromePath?: string | undefined;
  headless: boolean;
  log: Log;
  /** Parent folder of the browsers' temporary files; by default, they use the system's. */
  temporary?: TemporaryFolders | undefined;
}

const closeGraceMs = 3000;
/** How a browser ended that had to be killed because it didn't close in time. */
export const notClosed = 'did not close in time';
const stderrTailLength = 4096;
const sandboxError = /No usable sandbox|namespace sandbox|setuid sandbox|Operation not permitted.*zygote/i;

/** Provides Chromes on this machine, each driven over a pipe: there is no debugging port, and they exit with this process. */
export function localChrome(options: LocalChromeOptions): BrowserProvider {
  const isRoot = process.getuid?.() === 0;
  /** Whether Chrome's own sandbox works here, where this service runs and in its sandboxes, in which nothing is root. */
  const usable = { here: !isRoot, isolated: true };
  /** Headless shells that didn't start. */
  const broken = new Set<string>();

  async function start(path: string, request: BrowserRequest): Promise<Browser> {
    const where = request.isolate ? 'isolated' : 'here';
    const sandbox = usable[where];
    try {
      return await launch(path, request, options, sandbox);
    } catch (error) {
      if (!(error instanceof StartError && sandbox && sandboxError.test(error.stderrTail))) throw error;
      options.log.warn(
        'Chrome cannot use its sandbox here (a container without user namespaces?); starting without the sandbox',
      );
      usable[where] = false;
      return await launch(path, { ...request, started: undefined }, options, false);
    }
  }

  /** Opens the headless shell, if there is one that starts. */
  async function openShell(request: BrowserRequest): Promise<Browser | undefined> {
    const shell = options.headless ? findHeadlessShell(options.chromePath) : undefined;
    if (shell === undefined || broken.has(shell)) return undefined;
    try {
      return await start(shell, request);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      broken.add(shell);
      options.log.warn({ reason: error.message }, 'the headless shell did not start; pages are loaded in Chrome');
      return undefined;
    }
  }

  return {
    keepsProfiles: true,
    local: true,
    async open(request) {
      const shell = request.onlyLoadsPages ? await openShell(request) : undefined;
      if (shell) return shell;
      const search = findChrome(options.chromePath);
      const { path, searched } = search;
      if (!path) throw new ServiceError(503, noChromeMessage(search), { code: 'NO_BROWSER', details: { searched } });
      try {
        return await start(path, request);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        throw new ServiceError(502, `${shorten(path)} did not start: ${error.message}.`, {
          code: 'BROWSER_START',
          cause: error,
        });
      }
    },
  };
}

class StartError extends Error {
  readonly stderrTail: string;
  constructor(message: string, stderrTail: string) {
    super(stderrTail ? `${message} (${lastLine(stderrTail)})` : message);
    this.stderrTail = stderrTail;
  }
}

/** A process of Chrome that has just been started. */
export interface ChromeProcess {
  child: ChildProcess;
  /** Resolves when it has exited, with its exit or why it didn't start. */
  exit: Promise<[code: number | null, signal: NodeJS.Signals | null] | Error>;
}

const withoutPriority = ['--bounding-set=-sys_nice', '--inh-caps=-sys_nice'];
/** Returns what starts Chrome without the right to raise its priority, which it does as root: a busy one holds up everybody for seconds. */
const findUnraised = lazy(() =>
  promisify(execFile)('setpriv', [...withoutPriority, 'true']).then(
    () => ['setpriv', ...withoutPriority],
    (): string[] => [],
  ),
);

/** Starts Chrome's process. Rejects with a StartError if the system can't start another one. */
export async function startChrome(
  path: string,
  request: BrowserRequest,
  options: Pick<LocalChromeOptions, 'headless' | 'temporary'>,
  sandbox: boolean,
): Promise<ChromeProcess> {
  const [markerName, marker] = request.marker;
  // A sandbox has its own.
  const temporary = request.isolate ? undefined : await options.temporary?.create();
  try {
    const before = process.getuid?.() === 0 && !request.isolate ? await findUnraised() : [];
    const flags = chromeFlags({ ...request, headless: options.headless && request.headed !== true, sandbox });
    const [first = path, ...rest] = [...before, path, ...flags];
    const plain = {
      command: first,
      args: rest,
      env: childEnvironment({ [markerName]: marker, ...temporary?.environment }),
      cwd: request.userDataDir,
    };
    const { command, args, env, cwd } = request.isolate?.(plain, filesOf(path)) ?? plain;
    const child = startProcess(command, args, {
      // Its own process group: Ctrl-C in a terminal reaches only the service, which then closes Chrome cleanly.
      detached: process.platform !== 'win32',
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const exit: ChromeProcess['exit'] = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('exit', (...how) => resolve(how));
    });
    running.set(child, request);
    void exit.then(() => {
      running.delete(child);
      return temporary?.remove();
    });
    return { child, exit };
  } catch (error) {
    await temporary?.remove();
    throw new StartError(messageOf(error), '');
  }
}

async function launch(path: string, request: BrowserRequest, options: LocalChromeOptions, sandbox: boolean) {
  const { child, exit } = request.started ?? (await startChrome(path, request, options, sandbox));
  let stderrTail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-stderrTailLength);
  });
  let cause: string | undefined;
  const ended = exit.then((how) => {
    if (how instanceof Error) return messageOf(how);
    const { code, signal } = request.isolate ? exitInside(...how) : { code: how[0], signal: how[1] };
    return cause ?? (signal ? `was killed by ${signal}` : `exited with code ${code}`);
  });
  const abandon = (how: string) => {
    cause ??= how;
    killTree(child.pid);
  };
  const pipe = openPipe(child.stdio[3] as Writable, child.stdio[4] as Readable, abandon);
  try {
    await firstReply(pipe, ended);
    let closing: Promise<void> | undefined;
    return {
      pipe,
      ended,
      ...(child.pid !== undefined && { pid: child.pid }),
      close: (graceMs = closeGraceMs) => {
        closing ??= close(child, pipe, ended, graceMs, abandon);
        return closing;
      },
      abandon,
    };
  } catch (error) {
    killTree(child.pid);
    await ended;
    throw new StartError(messageOf(error), stderrTail.trim());
  }
}

/** Commands sent here use negative IDs: the relay's are positive. */
let nextId = -1;

async function firstReply(pipe: CdpPipe, ended: Promise<string>): Promise<void> {
  const id = nextId--;
  const { promise: reply, resolve, reject } = Promise.withResolvers<void>();
  const stopListening = pipe.onMessage((message) => {
    if (message.id === id) resolve();
  });
  void ended.then((reason) => reject(new Error(reason)));
  pipe.send({ id, method: 'Browser.getVersion' });
  try {
    if (!(await within(startMs, reply))) throw new Error(`it did not respond within ${startMs / 1000} s`);
  } finally {
    stopListening();
  }
}

async function close(
  child: ChildProcess,
  pipe: CdpPipe,
  ended: Promise<string>,
  graceMs: number,
  abandon: (how: string) => void,
): Promise<void> {
  pipe.send({ id: nextId--, method: 'Browser.close' });
  if (!(await within(graceMs, ended))) abandon(notClosed);
  await ended;
  // The main process has exited; kill any helper left in its group.
  killTree(child.pid);
}

/** Browsers are killed when this process exits: one that doesn't respond wouldn't notice that its pipe is closed. */
export const running = new Map<ChildProcess, BrowserRequest>();
process.on('exit', () => {
  for (const child of running.keys()) killTree(child.pid);
});

function lastLine(text: string): string {
  return shorten(text.slice(text.lastIndexOf('\n') + 1), 300);
}
