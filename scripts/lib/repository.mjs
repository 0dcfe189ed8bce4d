// @ts-check
// Where things are in this repository.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The code-server release that carries the VS Code used by `npm start` and the tests. */
export const CODE_SERVER_VERSION = '4.139.1';

/** The folder of that VS Code, kept between runs. */
export const VSCODE_TEST_DIR = join(ROOT, '.vscode-test');

/** The folder of packages made by `npm run package` and by tests. */
export const PACKAGE_DIR = join(ROOT, 'dist-package');

/** The root of the installed VS Code server. */
export const VSCODE_DIR = join(
  VSCODE_TEST_DIR,
  `code-server-${CODE_SERVER_VERSION}`,
  'node_modules',
  'code-server',
  'lib',
  'vscode',
);

/**
 * Returns the script of an installed package's command, to run with Node without a shell or PATH.
 * @param {string} packageName
 * @param {string} command
 */
export function commandScript(packageName, command) {
  const require = createRequire(join(ROOT, 'package.json'));
  const folder = join(ROOT, 'node_modules', packageName);
  const { bin } = require(join(folder, 'package.json'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}
