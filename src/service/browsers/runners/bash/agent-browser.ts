import { chmod, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
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

  async function find(): Promise<FoundTool<string>> {
    if (configured !== undefined && !isExecutable(configured)) {
      const text = `${shorten(configured)} isn't an executable file. Set the path of agent-browser with ${setting}.`;
      throw new RunnerUnavailableError(text);
    }
    if (configured !== undefined) return linked(configured, join(directory, 'configured'));
    const found = findProgram([name], path);
    if (found !== undefined) return { tool: dirname(found), program: found };
    const programs = join(folder, 'node_modules', name, 'bin');
    const program = join(programs, `${name}-${systemName()}`);
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
        for (const file of await readdir(programs))
          if (join(programs, file) !== program) await rm(join(programs, file));
        await chmod(program, 0o755);
        await tools.run(program, ['--version']);
      },
      advise: () => ({ advice }),
    };
    return { ...linked(program, join(folder, 'bin')), install };
  }

  return createToolTask(find, options);
}

/** Returns a folder that is to contain only a link to the program, named agent-browser. It starts without Node.js. */
function linked(program: string, folder: string): FoundTool<string> {
  const link = join(folder, name);
  const prepare = async () => {
    if ((await readlink(link).catch(() => undefined)) === program) return;
    await mkdir(folder, { recursive: true });
    await rm(link, { force: true });
    await symlink(program, link);
  };
  return { tool: folder, program: link, prepare };
}

const npmArguments = [
  '--ignore-scripts',
  '--no-save',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  `${name}@${agentBrowserVersion}`,
];

function systemName(): string {
  const libc = process.platform === 'linux' && isMusl() ? '-musl' : '';
  return `${process.platform}${libc}-${process.arch}`;
}

function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
