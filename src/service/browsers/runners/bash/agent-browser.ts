import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shorten } from '../../../../contract/shorten.ts';
import { messageOf } from '../../../platform/errors.ts';
import { findProgram, isExecutable } from '../../../platform/system/find-program.ts';
import type { InstallOptions } from '../install/install.ts';
import { createSharedTask, type ToolTask } from '../install/shared-task.ts';
import { RunnerUnavailableError } from '../runner.ts';

export const agentBrowserVersion = '0.41.2';
const name = 'agent-browser';
const setting = '--agent-browser PATH or the environment variable WEBDATA_AGENT_BROWSER';

/**
 * Creates a task that finds agent-browser: the configured executable, else the one on PATH, else one that it installs with
 * npm. Resolves to a folder to add to PATH. Rejects with RunnerUnavailableError.
 */
export function createAgentBrowser(options: InstallOptions): ToolTask<string> {
  const { tools, directory, configured, path, onNotice } = options;
  const folder = join(directory, agentBrowserVersion);
  const bin = join(folder, 'bin');

  async function prepare(notice: (text: string) => void): Promise<string> {
    if (configured !== undefined) {
      if (isExecutable(configured)) return await link(configured);
      throw new RunnerUnavailableError(
        `${shorten(configured)} isn't an executable file. Set the path of agent-browser with ${setting}.`,
      );
    }
    const found = findProgram([name], path);
    return found === undefined ? await install(notice) : dirname(found);
  }

  const isInstalled = () => existsSync(join(folder, 'finished')) && isExecutable(join(bin, name));

  async function install(notice: (text: string) => void): Promise<string> {
    if (isInstalled()) return bin;
    const npm = findProgram(['npm'], path);
    if (npm === undefined) {
      throw new RunnerUnavailableError(
        `agent-browser isn't on PATH, and neither is npm, which could install it. Install Node.js with npm, install agent-browser (npm install -g agent-browser), or set its path with ${setting}.`,
        undefined,
        'NO_NPM',
      );
    }
    notice(`Installing agent-browser ${agentBrowserVersion} into ${folder} (first use only)`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    try {
      await tools.run(npm, ['install', '--prefix', folder, ...npmArguments], notice);
      await keepOwnProgram(join(folder, 'node_modules', name, 'bin'), bin);
      await tools.run(join(bin, name), ['--version']);
      await writeFile(join(folder, 'finished'), '');
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw new RunnerUnavailableError(
        `Failed to install agent-browser ${agentBrowserVersion} with ${npm} into ${folder}: ${messageOf(error, 1500)}\nCheck that the npm registry is reachable and try again, or set the path of agent-browser with ${setting}.`,
        error,
      );
    }
    for (const other of await readdir(directory)) {
      if (other !== agentBrowserVersion) await rm(join(directory, other), { recursive: true, force: true });
    }
    notice(`agent-browser ${agentBrowserVersion} is installed`);
    return bin;
  }

  /** Creates a folder that contains only a link to the program, named agent-browser. */
  async function link(program: string): Promise<string> {
    const linked = join(directory, 'configured');
    await mkdir(linked, { recursive: true });
    await rm(join(linked, name), { force: true });
    await symlink(program, join(linked, name));
    return linked;
  }

  const task = createSharedTask({ work: prepare, isValid: (found) => isExecutable(join(found, name)), onNotice });
  return Object.assign(task, {
    missing: async () => {
      const isSet = configured !== undefined || findProgram([name], path) !== undefined;
      const canInstall = findProgram(['npm'], path) !== undefined;
      return isSet || !canInstall || isInstalled() ? undefined : folder;
    },
  });
}

const npmArguments = [
  '--ignore-scripts',
  '--no-save',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  `${name}@${agentBrowserVersion}`,
];

/** Keeps the package's program for this system, deletes the others and links it, so that it starts without Node.js. */
async function keepOwnProgram(programs: string, bin: string): Promise<void> {
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
