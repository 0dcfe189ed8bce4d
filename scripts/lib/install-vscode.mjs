// @ts-check
// Installs VS Code's server and workbench from the code-server package, without code-server's own entry point and native
// builds. No dependencies: it runs beside the installation of the packages.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { command, npm } from './command.mjs';
import { CODE_SERVER_VERSION, ROOT, VSCODE_DIR, VSCODE_TEST_DIR } from './repository.mjs';

const WORK_PREFIX = '.installing-';

/** VS Code's own coding agents and containers: 220 MB that nothing here starts. */
const UNUSED = ['@devcontainers/cli', '@github/copilot-sdk', '@microsoft/mxc-sdk'];

export const hasVsCode = () => existsSync(join(VSCODE_DIR, 'out', 'server-main.js'));

/** Installs it into a temporary folder, which is moved into place when complete. */
export async function installVsCode() {
  removeLeftovers();
  const target = join(VSCODE_TEST_DIR, `code-server-${CODE_SERVER_VERSION}`);
  const work = join(VSCODE_TEST_DIR, `${WORK_PREFIX}${process.pid}`);
  const vscode = join(work, relative(target, VSCODE_DIR));
  const packageFolder = dirname(dirname(vscode));
  try {
    mkdirSync(packageFolder, { recursive: true });
    // The package alone: what it depends on is for the entry point that nothing here uses.
    await npm(['pack', `code-server@${CODE_SERVER_VERSION}`, '--pack-destination', work], ROOT);
    const [archive = ''] = readdirSync(work).filter((name) => name.endsWith('.tgz'));
    await command('tar', ['-xzf', join(work, archive), '-C', packageFolder, '--strip-components=1']);
    rmSync(join(work, archive));
    leaveOut(join(vscode, 'package.json'), UNUSED);
    await Promise.all([vscode, join(vscode, 'extensions')].map((cwd) => npm(['install', '--omit=dev'], cwd)));
    rmSync(target, { recursive: true, force: true });
    renameSync(work, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} manifestFile
 * @param {string[]} names
 */
function leaveOut(manifestFile, names) {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  for (const name of names) delete manifest.dependencies[name];
  writeFileSync(manifestFile, JSON.stringify(manifest, undefined, 2));
}

/** Removes partial installs of interrupted setups. */
function removeLeftovers() {
  if (!existsSync(VSCODE_TEST_DIR)) return;
  for (const name of readdirSync(VSCODE_TEST_DIR)) {
    if (!name.startsWith(WORK_PREFIX) || isAlive(Number(name.slice(WORK_PREFIX.length)))) continue;
    rmSync(join(VSCODE_TEST_DIR, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
