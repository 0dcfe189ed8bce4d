import * as vscode from 'vscode';
import { Disposables } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text/text.ts';
import type { RunFilesStore } from '../run-files-store.ts';

/** The extensions that bring TypeScript 7, as VS Code's own TypeScript extension lists them. */
const nativeExtensions = ['vscode-typescript', 'vscode-typescript-nightly', 'native-preview'];
const setting = 'experimental.useTsgo';

interface Options {
  files: RunFilesStore;
  log: vscode.LogOutputChannel;
}

/**
 * Completions and hovers for snippets while TypeScript 7 is in use. Its server has no plugins, so they come from the TypeScript
 * that VS Code ships, which is started only then.
 */
export class NativeTypeScript implements vscode.Disposable {
  #options: Options;
  #disposables = new Disposables();
  #providers: vscode.Disposable | undefined;
  #changes = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (sections.some((section) => change.affectsConfiguration(`${section}.${setting}`))) void this.#update();
      }),
    );
    this.#disposables.add(vscode.extensions.onDidChange(() => void this.#update()));
    void this.#update();
  }

  dispose(): void {
    this.#changes++;
    this.#disposables.dispose();
    this.#providers?.dispose();
  }

  async #update(): Promise<void> {
    const isNative = usesNative();
    if (isNative === (this.#providers !== undefined)) return;
    const change = ++this.#changes;
    this.#providers?.dispose();
    this.#providers = undefined;
    if (!isNative) return;
    try {
      const { SnippetLanguageFeatures } = await import('./snippet-language-features.ts');
      if (change === this.#changes) this.#providers = new SnippetLanguageFeatures(this.#options.files);
    } catch (error) {
      this.#options.log.warn(`Types of snippets: no completions with TypeScript 7: ${messageOf(error)}`);
    }
  }
}

const sections = ['js/ts', 'typescript'];

function usesNative(): boolean {
  const isInstalled = nativeExtensions.some((name) => vscode.extensions.getExtension(`typescriptteam.${name}`));
  return isInstalled && sections.some((section) => vscode.workspace.getConfiguration(section).get(setting) === true);
}
