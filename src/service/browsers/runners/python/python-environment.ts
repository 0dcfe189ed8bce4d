import { join } from 'node:path';
import { messageOf } from '../../../platform/errors.ts';
import { findPrograms } from '../../../platform/system/find-program.ts';
import { createToolTask, type FoundTool, type InstallOptions, type ToolTask } from '../install/install.ts';
import { type RunnerErrorCode, RunnerUnavailableError } from '../runner.ts';

/** A Python with Playwright. */
export interface PythonEnvironment {
  interpreter: string;
  /** Folder of its programs, to prepend to PATH. Present if the service created the environment. */
  bin?: string;
  /** Folder of its packages. Present if the service created the environment. */
  packages?: string;
  reads?: string[];
}

/** The configured interpreter is used directly if it has Playwright. */
export interface PythonEnvironmentOptions extends InstallOptions {
  /** What to do if the interpreter can't be used. */
  advice?: string | undefined;
}

/** The version with the same protocol as the service's own Playwright. */
export const pythonPlaywright = '1.65.1';
const isWindows = process.platform === 'win32';
const names = isWindows ? ['python.exe', 'python3.exe', 'py.exe'] : ['python3', 'python'];
const newest = 14;
const oldest = 10;
/** Names of newer Pythons, for systems with an old `python3`. */
const versioned = Array.from({ length: newest - oldest + 1 }, (_, index) => `python3.${newest - index}`);
const defaultAdvice =
  'Install Python 3.10 or later, or set an interpreter with --python PATH or the setting "webdata.embedded.pythonPath".';
const probe = `import sys, importlib.util as u; print("%d.%d" % sys.version_info[:2], u.find_spec("playwright") is not None); print(sys.prefix); print(sys.base_prefix)`;

/** Creates a task that finds Python and installs Playwright in a virtual environment. */
export function createPythonEnvironment(options: PythonEnvironmentOptions): ToolTask<PythonEnvironment> {
  const { tools, directory, configured, advice = defaultAdvice } = options;

  async function find(): Promise<FoundTool<PythonEnvironment>> {
    const { path, version, hasPlaywright, folders } = await findInterpreter();
    if (configured !== undefined && hasPlaywright)
      return { tool: { interpreter: path, reads: folders }, program: path };
    const folder = join(directory, `python${version}-playwright${pythonPlaywright}`);
    const bin = join(folder, isWindows ? 'Scripts' : 'bin');
    const interpreter = join(bin, isWindows ? 'python.exe' : 'python');
    const packages = join(folder, ...(isWindows ? ['Lib'] : ['lib', `python${version}`]), 'site-packages');
    const install = {
      name: `Playwright ${pythonPlaywright}`,
      installer: `${path} (Python ${version})`,
      folder,
      version: `-playwright${pythonPlaywright}`,
      async work(notice: (text: string) => void) {
        await tools.run(path, ['-m', 'venv', folder], notice);
        await tools.run(interpreter, pipArguments, notice);
        await tools.run(interpreter, ['-c', 'import playwright.async_api']);
      },
      advise,
    };
    return { tool: { interpreter, bin, packages, reads: [folder, ...folders] }, program: interpreter, install };
  }

  async function findInterpreter() {
    const candidates = configured === undefined ? findPrograms([...names, ...versioned], options.path) : [configured];
    const tried: string[] = [];
    for (const path of new Set(candidates)) {
      const interpreter = await probeInterpreter(path);
      if (typeof interpreter !== 'string') return interpreter;
      tried.push(`${path}: ${interpreter}`);
    }
    const where = configured === undefined ? `no ${names.join(' or ')} on PATH` : configured;
    const text = `No usable Python was found (${tried.join('; ') || where}). ${advice}`;
    throw new RunnerUnavailableError(text, undefined, configured === undefined ? 'NO_PYTHON' : undefined);
  }

  /** Returns the interpreter, or why it can't be used. */
  async function probeInterpreter(path: string) {
    try {
      const output = /^(\d+)\.(\d+) (True|False)\r?\n(.+?)\r?\n(.+?)\r?$/m.exec(await tools.run(path, ['-c', probe]));
      if (!output) return 'not a Python interpreter';
      const [, major, minor, has, ...folders] = output;
      if (Number(major) !== 3 || Number(minor) < oldest) return `Python ${major}.${minor} is too old`;
      return { path, version: `${major}.${minor}`, hasPlaywright: has === 'True', folders };
    } catch (error) {
      return messageOf(error);
    }
  }

  return createToolTask(find, options);
}

const pipArguments = [
  '-m',
  'pip',
  'install',
  '--disable-pip-version-check',
  '--no-input',
  '--progress-bar=off',
  '--only-binary=:all:',
  `playwright==${pythonPlaywright}`,
];

function advise(reason: string): { advice: string; code?: RunnerErrorCode } {
  // Debian and its descendants ship Python without the module that creates virtual environments.
  const lacksVenv = /ensurepip|No module named '?venv/.test(reason);
  const first = lacksVenv
    ? 'Install the package for virtual environments (Debian and Ubuntu: apt install python3-venv)'
    : 'Check that the package index is reachable and try again';
  const advice = `${first}, or set an interpreter that has Playwright with --python PATH or the setting "webdata.embedded.pythonPath".`;
  return { advice, ...(lacksVenv && { code: 'NO_PYTHON_VENV' }) };
}
