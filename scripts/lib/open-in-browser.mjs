// @ts-check
// `npm start`: opens examples/ with the extension in VS Code, for the user's own browser.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { endWithThisProgram } from './cleanup.mjs';
import { currentExtension } from './package/current-extension.ts';
import { ROOT } from './repository.mjs';
import { DEFAULT_PORT } from './start-arguments.mjs';
import { manageExtensions, startVsCodeServer } from './vscode-server.mjs';

/** Settings for the first start; later the user's own settings apply. */
const FIRST_SETTINGS = {
  'chat.disableAIFeatures': true,
  // The examples are in the repository of the extension: VS Code would ask whether to open it.
  'git.openRepositoryInParentFolders': 'never',
  'remote.autoForwardPorts': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

/**
 * Starts VS Code, prints its address and runs until it is stopped.
 * @param {import('./start-arguments.mjs').StartArguments} options
 */
export async function openInBrowser({ file, port }) {
  const dataDir = join(ROOT, '.data', 'vscode');
  const settings = join(dataDir, 'data', 'User', 'settings.json');
  if (!existsSync(settings)) {
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(settings, `${JSON.stringify(FIRST_SETTINGS, undefined, 2)}\n`);
  }
  const examples = join(ROOT, 'examples');
  // As a person would: the built package is installed, and VS Code runs without a test driver, so that notifications appear.
  await manageExtensions(dataDir, ['--install-extension', await currentExtension(), '--force']);
  const server = await startVsCodeServer({
    dataDir,
    port: port ?? ((await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : 0),
    testDriver: false,
  });
  let ending = false;
  const stop = () => {
    ending = true;
    return server.stop();
  };
  endWithThisProgram({ stop, kill: server.kill });
  const address = server.address({
    folder: examples,
    file: file ?? join(examples, 'hello.js'),
  });
  console.log(`\nVS Code with Web Data is at\n\n  ${address}\n\nOpen it in a browser. Press Ctrl-C to stop it.`);
  await server.exited;
  if (ending) return;
  await server.stop();
  console.error(`start: the VS Code server stopped unexpectedly. Its output:\n${server.log()}`);
  process.exitCode = 1;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
