import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { VSCODE_DIR } from '../../scripts/lib/repository.mjs';

/**
 * Extensions of VS Code that no test uses. They cost every window more time than the extension under test: some start
 * programs, all are read and described to the window.
 */
const UNUSED = [
  'copilot',
  'css-language-features',
  'debug-auto-launch',
  'debug-server-ready',
  'emmet',
  'extension-editing',
  'git',
  'git-base',
  'github',
  'grunt',
  'gulp',
  'html-language-features',
  'ipynb',
  'jake',
  'markdown-math',
  'merge-conflict',
  'mermaid-markdown-features',
  'ms-vscode.js-debug',
  'ms-vscode.js-debug-companion',
  'ms-vscode.vscode-js-profile-table',
  'notebook-renderers',
  'npm',
  'php-language-features',
  'references-view',
  'search-result',
  'simple-browser',
  'terminal-suggest',
  'tunnel-forwarding',
  'typescript-language-features',
];

/**
 * Makes a folder with links to the extensions that are built into VS Code, without those that no test uses.
 * @param wanted names of some that a test uses all the same
 */
export function linkBuiltInExtensions(folder: string, wanted: readonly string[]): string {
  const source = join(VSCODE_DIR, 'extensions');
  mkdirSync(folder, { recursive: true });
  for (const { name } of readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (UNUSED.includes(name) && !wanted.includes(name)) continue;
    symlinkSync(join(source, name), join(folder, name), 'junction');
  }
  return folder;
}
