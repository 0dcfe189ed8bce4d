import { cp, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint } from '../../scripts/lib/fingerprint.mjs';
import { createTools } from '../../src/service/browsers/runners/install/install.ts';
import { createSharedTask, type SharedTask } from '../../src/service/browsers/runners/install/shared-task.ts';
import { findProgram } from '../../src/service/platform/system/find-program.ts';
import { repository } from '../harness/folders.ts';
import { pythonForTests } from '../harness/runner-tools.ts';

// Not in the repository's own node_modules, which is the product's: kept between test runs, by the content of the lock files.
const cache = join(repository, 'node_modules', '.cache', 'web-data-tests', 'clients');
/** Where the clients' compiled code is kept, as starting the CLI is what takes most time. */
export const compileCache = join(cache, 'compiled');
const locks = join(repository, 'test', 'clients');
const tools = createTools(['WEBDATA_TEST', cache]);

/** Installs the packages of package-lock.json, without their install scripts. Resolves to the folder of node_modules. */
export const javascriptClients: SharedTask<string> = createSharedTask(() =>
  install('javascript', ['package.json', 'package-lock.json'], async (folder) => {
    const npm = findProgram(['npm']);
    if (npm === undefined) throw new Error('npm is not on PATH');
    await cp(join(repository, '.npmrc'), join(folder, '.npmrc'));
    await tools.run(npm, ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  }),
);

/** Installs the packages of requirements.txt into an environment of their own. Resolves to its interpreter. */
export const pythonClients: SharedTask<string> = createSharedTask(async (notice) => {
  const { interpreter } = await pythonForTests(notice);
  const pythonIn = (folder: string) =>
    process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
  const folder = await install('python', ['requirements.txt'], async (into) => {
    // The other environment's pip installs into this one, too: a pip of its own takes four seconds.
    await tools.run(interpreter, ['-m', 'venv', '--without-pip', into]);
    const list = join(locks, 'requirements.txt');
    const options = ['--disable-pip-version-check', '--no-input', '--progress-bar=off', '--only-binary=:all:'];
    await tools.run(interpreter, [
      '-m',
      'pip',
      '--python',
      pythonIn(into),
      'install',
      ...options,
      '--require-hashes',
      '-r',
      list,
    ]);
  });
  return pythonIn(folder);
});

async function install(name: string, files: string[], work: (folder: string) => Promise<void>): Promise<string> {
  const wanted = `${name}-${fingerprint(files.map((file) => join(locks, file))).slice(0, 16)}`;
  const folder = join(cache, wanted);
  if ((await readdir(folder).catch((): string[] => [])).includes('finished')) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const file of files) await cp(join(locks, file), join(folder, file));
  try {
    // npm refuses a folder that it reaches through a link.
    await work(await realpath(folder));
    await writeFile(join(folder, 'finished'), '');
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`Failed to install the ${name} clients. Is the package registry reachable?`, { cause: error });
  }
  for (const other of await readdir(cache)) {
    if (other.startsWith(`${name}-`) && other !== wanted)
      await rm(join(cache, other), { recursive: true, force: true });
  }
  return folder;
}
