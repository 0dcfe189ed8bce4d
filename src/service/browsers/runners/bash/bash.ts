import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { messageOf } from '../../../platform/errors.ts';
import { findProgram } from '../../../platform/system/find-program.ts';
import { removeFolder } from '../../../platform/system/rename.ts';
import { filesOf } from '../../isolation/isolation.ts';
import type { SharedTask } from '../install/shared-task.ts';
import { createReplRunner } from '../repl-runner.ts';
import { type Runner, type RunnerOptions, RunnerUnavailableError, type RunOutcome } from '../runner.ts';
import { createShellEncoder, shellProgram, shellStart } from './shell.ts';

export interface BashRunnerOptions extends RunnerOptions {
  /** Finds or installs agent-browser, and resolves to its folder. */
  agentBrowser: SharedTask<string>;
}

/** Maximum bytes of the path of a socket folder. Systems limit the path of a socket to 104 bytes or more. */
const maxSocketFolderBytes = 85;

/** Creates a warm bash that keeps variables and the working directory, with agent-browser attached to the session's page. */
export function createBashRunner(options: BashRunnerOptions): Runner {
  let sockets: Promise<string> | undefined;

  const runner = createReplRunner('bash', options, async (notice) => {
    const bash = process.platform === 'win32' ? undefined : findProgram(['bash']);
    if (bash === undefined) {
      const text = "bash isn't on PATH. Install it. On Windows, run the editor in WSL to use bash.";
      throw new RunnerUnavailableError(text);
    }
    const bin = await options.agentBrowser(notice);
    // In a sandbox, its home has a short path.
    if (!options.isolate)
      sockets ??= socketFolder(options.directory).catch((error: unknown) => {
        sockets = undefined;
        throw new RunnerUnavailableError(
          `The folder for agent-browser's sockets can't be created: ${messageOf(error)}`,
        );
      });
    const cdpUrl = await options.cdpUrl;
    const env = {
      ...shellStart.env,
      PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter),
      AGENT_BROWSER_CDP: cdpUrl,
      // For other clients of the session in the user's scripts.
      CDP_URL: cdpUrl,
      // One daemon per shell: the previous shell's daemon may be about to exit.
      AGENT_BROWSER_SESSION: randomBytes(4).toString('hex'),
      ...(sockets && { AGENT_BROWSER_SOCKET_DIR: await sockets }),
      AGENT_BROWSER_NO_VERSION_CHECK: '1',
    };
    return {
      command: bash,
      args: [...shellStart.args, shellProgram],
      env,
      reads: filesOf(join(bin, 'agent-browser')),
      encode: createShellEncoder(options.directory),
    };
  });

  return {
    ...runner,
    async run(request): Promise<RunOutcome> {
      if (!request.code.includes('\0'))
        return await runner.run({ ...request, code: request.code.replace(/^\ufeff/, '') });
      const error = "bash doesn't support NUL characters. Remove them from the code.";
      return { stdout: '', stderr: `${error}\n`, result: '', exitCode: 1, killed: false, error };
    },
    async dispose() {
      await runner.dispose();
      const folder = await sockets?.catch(() => undefined);
      // What can't be deleted is empty except for a socket of a process that has ended.
      if (folder) await removeFolder(folder).catch(() => undefined);
    },
  };
}

/** Returns the folder for the sockets of agent-browser: in the session's folder, unless its path is too long. */
async function socketFolder(directory: string): Promise<string> {
  const folder = join(directory, '.agent-browser');
  if (Buffer.byteLength(folder) > maxSocketFolderBytes) return await mkdtemp(join(tmpdir(), 'webdata-'));
  await mkdir(folder, { recursive: true });
  return folder;
}
