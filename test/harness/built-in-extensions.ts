import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
 * Makes a folder with links to the extensions that are built into VS Code. In the place of those that no test uses are
 * empty extensions of the same name: without them, the window would look for its own copies.
 * @param wanted names of some that a test uses all the same
 */
export function linkBuiltInExtensions(folder: string, wanted: readonly string[]): string {
  const source = join(VSCODE_DIR, 'extensions');
  mkdirSync(folder, { recursive: true });
  for (const { name } of readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (!UNUSED.includes(name) || wanted.includes(name)) {
      symlinkSync(join(source, name), join(folder, name), 'junction');
      continue;
    }
    const manifest = JSON.parse(readFileSync(join(source, name, 'package.json'), 'utf8'));
    const { publisher, version, engines } = manifest;
    mkdirSync(join(folder, name));
    writeFileSync(
      join(folder, name, 'package.json'),
      JSON.stringify({ name: manifest.name, publisher, version, engines }),
    );
  }
  return folder;
}
