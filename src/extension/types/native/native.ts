import * as vscode from 'vscode';
import { messageOf } from '../../ui/text/text.ts';
import type { RunFilesStore } from '../run-files-store.ts';

/** The extensions that bring TypeScript 7, as VS Code's own TypeScript extension lists them. */
const nativeExtensions = ['vscode-typescript', 'vscode-typescript-nightly', 'native-preview'];
const setting = 'experimental.useTsgo';

/**
 * Completions and hovers for snippets while TypeScript 7 is in use. Its server has no plugins, so they come from the TypeScript
 * that VS Code ships, which is started only then.
 */
export function nativeTypeScript(files: RunFilesStore, log: vscode.LogOutputChannel): vscode.Disposable {
  let providers: vscode.Disposable | undefined;
  let changes = 0;
  async function update(): Promise<void> {
    const isNative = usesNative();
    if (isNative === (providers !== undefined)) return;
    const change = ++changes;
    providers?.dispose();
    providers = undefined;
    if (!isNative) return;
    try {
      const { SnippetLanguageFeatures } = await import('./snippet-language-features.ts');
      if (change === changes) providers = new SnippetLanguageFeatures(files);
    } catch (error) {
      log.warn(`Types of snippets: no completions with TypeScript 7: ${messageOf(error)}`);
    }
  }
  const stop = () => {
    changes++;
    providers?.dispose();
  };
  void update();
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (sections.some((section) => change.affectsConfiguration(`${section}.${setting}`))) void update();
    }),
    vscode.extensions.onDidChange(() => void update()),
    { dispose: stop },
  );
}

const sections = ['js/ts', 'typescript'];

function usesNative(): boolean {
  const isInstalled = nativeExtensions.some((name) => vscode.extensions.getExtension(`typescriptteam.${name}`));
  return isInstalled && sections.some((section) => vscode.workspace.getConfiguration(section).get(setting) === true);
}
