import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { childEnvironment } from '../../../platform/environment.ts';
import { messageOf } from '../../../platform/errors.ts';
import { isExecutable } from '../../../platform/system/find-program.ts';
import { killTree } from '../../../platform/system/kill-tree.ts';
import { startProcess } from '../../../platform/system/start-process.ts';
import { withLifeline } from '../lifeline.ts';
import { type RunnerErrorCode, RunnerUnavailableError } from '../runner.ts';
import { createSharedTask, type SharedTask } from './shared-task.ts';

/** Runs installer programs such as pip and npm. */
export type Tools = ReturnType<typeof createTools>;

/** How a tool is found or installed. */
export interface InstallOptions {
  tools: Tools;
  /** Called with the progress of an install, in addition to the callers that wait for it. */
  onNotice?: (text: string) => void;
  /** Folder to install it in, if necessary. */
  directory: string;
  /** Executable from the configuration. */
  configured?: string | undefined;
  /** Overrides PATH, for tests. */
  path?: string;
}

/** A task that finds a tool, or installs it. Rejects with RunnerUnavailableError. */
export type ToolTask<T> = SharedTask<T> & {
  /** Returns the folder that the task would install into; undefined if it would install nothing, or fails first. */
  missing(): Promise<string | undefined>;
};

/** A tool, the program that it can't do without, and how to install it if it's to be installed. */
export interface FoundTool<T> {
  tool: T;
  program: string;
  /** What is done even if nothing is to be installed. */
  prepare?(): Promise<void>;
  install?: {
    name: string;
    /** The program that installs it, as errors name it. */
    installer: string;
    folder: string;
    /** What the names of folders end with that are kept beside it. */
    version: string;
    work(notice: (text: string) => void): Promise<void>;
    /** What to do about a failure. */
    advise(reason: string): { advice: string; code?: RunnerErrorCode };
  };
}

/** @param find looks only: it may run at any time, beside the task too */
export function createToolTask<T>(find: () => Promise<FoundTool<T>>, { onNotice }: InstallOptions): ToolTask<T> {
  const toInstall = ({ program, install }: FoundTool<T>) =>
    install && existsSync(join(install.folder, 'finished')) && isExecutable(program) ? undefined : install;
  async function work(notice: (text: string) => void): Promise<FoundTool<T>> {
    const found = await find();
    const install = toInstall(found);
    if (install) await installTool(install, notice);
    await found.prepare?.();
    return found;
  }
  const shared = createSharedTask(work, ({ program }) => isExecutable(program), onNotice);
  const task = async (notice: (text: string) => void) => (await shared(notice)).tool;
  const missing = async () => toInstall(await find())?.folder;
  return Object.assign(task, { missing: () => missing().catch(() => undefined) });
}

async function installTool(
  { name, installer, folder, version, work, advise }: NonNullable<FoundTool<unknown>['install']>,
  notice: (text: string) => void,
): Promise<void> {
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  notice(`Installing ${name} into ${folder} (first use only)`);
  await remove(folder);
  await mkdir(folder, { recursive: true });
  try {
    await work(notice);
    await writeFile(join(folder, 'finished'), '');
  } catch (error) {
    await remove(folder);
    const reason = messageOf(error, 1500);
    const { advice, code } = advise(reason);
    const text = `Failed to install ${name} with ${installer} into ${folder}: ${reason}\n${advice}`;
    throw new RunnerUnavailableError(text, error, code);
  }
  const directory = dirname(folder);
  for (const other of await readdir(directory)) if (!other.endsWith(version)) await remove(join(directory, other));
  notice(`${name} is installed`);
}

/** Environment variables that installers need to find and reach package indexes. All others are withheld. */
const passedVariables =
  /^(PIP_\w+|npm_config_\w+|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$/i;
/** pip writes its output as UTF-8, whatever the code page of the console. */
const textEnvironment = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8' };
const keptLines = 12;

/** @param marker environment variable that marks the programs, so that a stray one can be found */
export function createTools(marker: readonly [name: string, value: string]) {
  const running = new Map<ChildProcess, Promise<unknown>>();
  const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)));

  return {
    /**
     * Runs a program until it exits, or the service does, and reports each line of its output. Rejects with its last lines if
     * it fails.
     */
    async run(command: string, args: readonly string[], onLine?: (line: string) => void): Promise<string> {
      const ownMarker = [`${marker[0]}_INSTALL`, randomUUID()] as const;
      const added = Object.fromEntries([marker, ownMarker]);
      const plain = { command, args };
      // Of a program that can't be run, the system's own error says more than the shell's.
      const program = isExecutable(command) ? withLifeline(plain, ownMarker) : plain;
      const child = startProcess(program.command, program.args, {
        stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
        env: childEnvironment({ ...settings, ...textEnvironment, ...added }),
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      const lifeline = (child.stdio as readonly (Readable | Writable | null | undefined)[])[5];
      lifeline?.on('error', () => undefined);
      child.once('exit', () => lifeline?.destroy());
      const lines: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        if (!stream) continue;
        createInterface({ input: stream }).on('line', (line) => {
          if (line.trim() === '') return;
          lines.push(line);
          if (lines.length > keptLines) lines.shift();
          onLine?.(line);
        });
      }
      const closed = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
      running.set(child, closed);
      const [code, signal] = await closed.finally(() => running.delete(child));
      const text = lines.join('\n');
      if (code !== 0) throw new Error(text || `${command} exited with ${signal ?? `code ${code}`}`);
      return text;
    },
    async close(): Promise<void> {
      for (const { pid } of running.keys()) killTree(pid);
      await Promise.allSettled(running.values());
    },
  };
}
