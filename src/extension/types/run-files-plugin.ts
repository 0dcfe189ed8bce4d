import * as vscode from 'vscode';
import { Disposables } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text/text.ts';
import type { RunFilesStore } from './run-files-store.ts';
import { serverFileName } from './server-file-name.ts';

const pluginName = 'web-data-typescript-plugin';
const languages = ['javascript', 'javascriptreact', 'typescript', 'typescriptreact'];

/** Tells VS Code's TypeScript server which files were run. It starts nothing until a file of its languages is open. */
export class TypeScriptPlugin extends Disposables {
  #files: RunFilesStore;
  #log: vscode.LogOutputChannel;
  #needed = false;

  constructor(files: RunFilesStore, log: vscode.LogOutputChannel) {
    super();
    this.#files = files;
    this.#log = log;
    this.add(files.onChange.on(() => void this.#configure()));
    this.add(vscode.workspace.onDidOpenTextDocument((document) => this.#opened(document)));
    for (const document of vscode.workspace.textDocuments) this.#opened(document);
  }

  #opened({ languageId }: vscode.TextDocument): void {
    if (this.#needed || !languages.includes(languageId)) return;
    this.#needed = true;
    if (this.#files.files.length > 0) void this.#configure();
  }

  async #configure(): Promise<void> {
    if (!this.#needed) return;
    const extension = vscode.extensions.getExtension<TypeScriptFeatures>('vscode.typescript-language-features');
    if (!extension) return;
    try {
      const api = (await extension.activate())?.getAPI?.(0);
      const snippets = this.#files.files.map((uri) => serverFileName(vscode.Uri.parse(uri)));
      api?.configurePlugin?.(pluginName, { snippets });
    } catch (error) {
      this.#log.warn(`Types of snippets: TypeScript can't be configured: ${messageOf(error)}`);
    }
  }
}

/** What VS Code's TypeScript extension exports. */
interface TypeScriptFeatures {
  getAPI?(version: 0): { configurePlugin?(plugin: string, configuration: unknown): void } | undefined;
}
