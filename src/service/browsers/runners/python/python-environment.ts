import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../platform/errors.ts';
import { findPrograms, isExecutable } from '../../../platform/system/find-program.ts';
import type { InstallOptions } from '../install/install.ts';
import { createSharedTask, type ToolTask } from '../install/shared-task.ts';
import { RunnerUnavailableError } from '../runner.ts';

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
  advice?: string;
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

interface Interpreter {
  path: string;
  version: string;
  hasPlaywright: boolean;
  folders: string[];
}

/** Creates a task that finds Python and installs Playwright in a virtual environment. Rejects with RunnerUnavailableError. */
export function createPythonEnvironment(options: PythonEnvironmentOptions): ToolTask<PythonEnvironment> {
  const { tools, directory, configured, onNotice, advice = defaultAdvice } = options;

  /** Returns the environment, and the folder and Python to create it with unless it is there. */
  async function find(): Promise<{ environment: PythonEnvironment; create?: { folder: string; base: Interpreter } }> {
    const base = await findInterpreter();
    if (configured !== undefined && base.hasPlaywright)
      return { environment: { interpreter: base.path, reads: base.folders } };
    const name = `python${base.version}-playwright${pythonPlaywright}`;
    const folder = join(directory, name);
    const bin = join(folder, isWindows ? 'Scripts' : 'bin');
    const environment = {
      interpreter: join(bin, isWindows ? 'python.exe' : 'python'),
      bin,
      packages: join(folder, ...(isWindows ? ['Lib'] : ['lib', `python${base.version}`]), 'site-packages'),
      reads: [folder, ...base.folders],
    };
    const isThere = existsSync(join(folder, 'finished')) && isExecutable(environment.interpreter);
    return { environment, ...(!isThere && { create: { folder, base } }) };
  }

  async function prepare(notice: (text: string) => void): Promise<PythonEnvironment> {
    const { environment, create } = await find();
    if (!create) return environment;
    const { folder, base } = create;
    notice(`Installing Playwright ${pythonPlaywright} for Python ${base.version} into ${folder} (first use only)`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    try {
      await tools.run(base.path, ['-m', 'venv', folder], notice);
      await tools.run(environment.interpreter, pipArguments, notice);
      await tools.run(environment.interpreter, ['-c', 'import playwright.async_api']);
      await writeFile(join(folder, 'finished'), '');
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      const reason = messageOf(error, 1500);
      const lacksVenv = /ensurepip|No module named '?venv/.test(reason);
      const text = `Failed to install Playwright ${pythonPlaywright} with ${base.path} (Python ${base.version}) into ${folder}: ${reason}\n${lacksVenv ? venvAdvice : indexAdvice}, or set an interpreter that has Playwright with --python PATH or the setting "webdata.embedded.pythonPath".`;
      throw new RunnerUnavailableError(text, error, lacksVenv ? 'NO_PYTHON_VENV' : undefined);
    }
    // Those with other versions of Playwright.
    for (const other of await readdir(directory)) {
      if (!other.endsWith(`-playwright${pythonPlaywright}`))
        await rm(join(directory, other), { recursive: true, force: true });
    }
    notice(`Playwright ${pythonPlaywright} for Python ${base.version} is installed`);
    return environment;
  }

  async function findInterpreter(): Promise<Interpreter> {
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
  async function probeInterpreter(path: string): Promise<Interpreter | string> {
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

  const task = createSharedTask({ work: prepare, isValid: ({ interpreter }) => isExecutable(interpreter), onNotice });
  return Object.assign(task, { missing: async () => (await find()).create?.folder });
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

/** Debian and its descendants ship Python without the module that creates virtual environments. */
const venvAdvice = 'Install the package for virtual environments (Debian and Ubuntu: apt install python3-venv)';
const indexAdvice = 'Check that the package index is reachable and try again';
