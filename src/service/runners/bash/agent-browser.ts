import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { findProgram, isExecutable } from '../install/find-program.ts';
import type { Tools } from '../install/install.ts';
import { createSharedTask, type SharedTask } from '../install/shared-task.ts';
import { RunnerUnavailableError } from '../runner.ts';

export interface AgentBrowserOptions {
  tools: Tools;
  /** Told how an install goes, beside those who wait for it. */
  onNotice?: (text: string) => void;
  /** Folder that it is installed in, where it has to be. */
  directory: string;
  /** Executable that was set. */
  configured?: string;
  /** Where programs are looked for, for tests. */
  path?: string;
}

export const agentBrowserVersion = '0.41.2';
const name = 'agent-browser';
const setting = '--agent-browser PATH or the setting "webdata.embedded.agentBrowserPath"';

/**
 * Finds agent-browser: what was set, else on PATH, else installed with npm, once. Gives a folder that holds it under its
 * name, to be put on PATH. Rejects with RunnerUnavailableError.
 */
export function createAgentBrowser(options: AgentBrowserOptions): SharedTask<string> {
  const { tools, directory, configured, path, onNotice } = options;

  async function prepare(notice: (text: string) => void): Promise<string> {
    if (configured !== undefined) {
      if (isExecutable(configured)) return await link(configured);
      throw new RunnerUnavailableError(
        `${configured} is no program that can be run: name agent-browser with ${setting}.`,
      );
    }
    const found = findProgram([name], path);
    return found === undefined ? await install(notice) : dirname(found);
  }

  async function install(notice: (text: string) => void): Promise<string> {
    const folder = join(directory, agentBrowserVersion);
    const there = await readdir(folder).catch((): string[] => []);
    const bin = join(folder, 'bin');
    if (there.includes('finished') && isExecutable(join(bin, name))) return bin;
    const npm = findProgram(['npm'], path);
    if (npm === undefined) {
      throw new RunnerUnavailableError(
        `agent-browser is not on PATH, and npm, which would install it, is not either. Install Node.js with npm, or agent-browser itself (npm install -g agent-browser), or name it with ${setting}.`,
      );
    }
    notice(`Installing agent-browser ${agentBrowserVersion}, once, into ${folder}`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    try {
      await tools.run(npm, ['install', '--prefix', folder, ...npmArguments], notice);
      await putInPlace(join(folder, 'node_modules', name, 'bin'), bin);
      await tools.run(join(bin, name), ['--version']);
      await writeFile(join(folder, 'finished'), '');
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw new RunnerUnavailableError(
        `agent-browser ${agentBrowserVersion} could not be installed with ${npm} into ${folder}: ${messageOf(error)}\nSee that the npm registry can be reached and try again, or name agent-browser with ${setting}.`,
        error,
      );
    }
    for (const other of await readdir(directory)) {
      if (other !== agentBrowserVersion) await rm(join(directory, other), { recursive: true, force: true });
    }
    notice(`agent-browser ${agentBrowserVersion} is installed`);
    return bin;
  }

  /** A folder that holds a program under its proper name alone. */
  async function link(program: string): Promise<string> {
    const bin = join(directory, 'configured');
    await mkdir(bin, { recursive: true });
    await rm(join(bin, name), { force: true });
    await symlink(program, join(bin, name));
    return bin;
  }

  return createSharedTask({ work: prepare, isValid: (bin) => isExecutable(join(bin, name)), onNotice });
}

const npmArguments = [
  '--ignore-scripts',
  '--no-save',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  `${name}@${agentBrowserVersion}`,
];

/** The package holds a program for every system: this one's is kept, and called without a Node in between. */
async function putInPlace(programs: string, bin: string): Promise<void> {
  const wanted = `${name}-${systemName()}`;
  for (const file of await readdir(programs)) {
    if (file !== wanted) await rm(join(programs, file));
  }
  await chmod(join(programs, wanted), 0o755);
  await mkdir(bin);
  await symlink(join(programs, wanted), join(bin, name));
}

function systemName(): string {
  const libc = process.platform === 'linux' && isMusl() ? '-musl' : '';
  return `${process.platform}${libc}-${process.arch}`;
}

function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
