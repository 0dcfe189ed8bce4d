import { chmod, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shorten } from '../../../../contract/shorten.ts';
import { findProgram, isExecutable } from '../../../platform/system/find-program.ts';
import { createToolTask, type FoundTool, type InstallOptions, type ToolTask } from '../install/install.ts';
import { RunnerUnavailableError } from '../runner.ts';

export const agentBrowserVersion = '0.41.2';
const name = 'agent-browser';
const setting = '--agent-browser PATH or the environment variable WEBDATA_AGENT_BROWSER';

/**
 * Creates a task that finds agent-browser: the configured executable, else the one on PATH, else one that it installs with
 * npm. Resolves to a folder to add to PATH.
 */
export function createAgentBrowser(options: InstallOptions): ToolTask<string> {
  const { tools, directory, configured, path } = options;
  const folder = join(directory, agentBrowserVersion);
  const bin = join(folder, 'bin');

  async function find(): Promise<FoundTool<string>> {
    if (configured !== undefined) return configuredTool(configured);
    const found = findProgram([name], path);
    if (found !== undefined) return { tool: dirname(found), program: found };
    const program = join(bin, name);
    const npm = findProgram(['npm'], path);
    if (npm === undefined && !isExecutable(program)) {
      throw new RunnerUnavailableError(
        `agent-browser isn't on PATH, and neither is npm, which could install it. Install Node.js with npm, install agent-browser (npm install -g agent-browser), or set its path with ${setting}.`,
        undefined,
        'NO_NPM',
      );
    }
    const installer = npm ?? 'npm';
    const advice = `Check that the npm registry is reachable and try again, or set the path of agent-browser with ${setting}.`;
    const install = {
      name: `${name} ${agentBrowserVersion}`,
      installer,
      folder,
      version: agentBrowserVersion,
      async work(notice: (text: string) => void) {
        await tools.run(installer, ['install', '--prefix', folder, ...npmArguments], notice);
        await keepOwnProgram(join(folder, 'node_modules', name, 'bin'), bin);
        await tools.run(program, ['--version']);
      },
      advise: () => ({ advice }),
    };
    return { tool: bin, program, install };
  }

  /** Returns a folder that is to contain only a link to the program, named agent-browser. */
  function configuredTool(program: string): FoundTool<string> {
    if (!isExecutable(program)) {
      const text = `${shorten(program)} isn't an executable file. Set the path of agent-browser with ${setting}.`;
      throw new RunnerUnavailableError(text);
    }
    const linked = join(directory, 'configured');
    const link = join(linked, name);
    const prepare = async () => {
      await mkdir(linked, { recursive: true });
      await rm(link, { force: true });
      await symlink(program, link);
    };
    return { tool: linked, program: link, prepare };
  }

  return createToolTask(find, options);
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
