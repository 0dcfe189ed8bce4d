import * as vscode from 'vscode';
import { setContextKey } from '../ui/commands.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text/text.ts';
import { nativeTypeScript } from './native/native.ts';
import { RunFilesStore } from './run-files-store.ts';
import { serverFileName } from './server-file-name.ts';

/** Types for the files that are run, so that the editor knows `page`, `context` and `browser` in them. */
export class SnippetTypes extends Disposables {
  readonly files: RunFilesStore;

  constructor(state: vscode.Memento, log: vscode.LogOutputChannel) {
    super();
    const files = new RunFilesStore(state);
    this.files = files;
    const showFiles = () => setContextKey('ranFiles', [...files.files]);
    showFiles();
    this.add(files.onChange.on(showFiles));
    this.add(
      vscode.workspace.onDidDeleteFiles((event) => {
        for (const uri of event.files) files.remove(uri.toString());
      }),
    );
    this.add(configurePlugin(files, log));
    this.add(nativeTypeScript(files, log));
  }
}

const pluginName = 'web-data-typescript-plugin';
const languages = ['javascript', 'javascriptreact', 'typescript', 'typescriptreact'];

/** Tells VS Code's TypeScript server which files were run. It starts nothing until a file of its languages is open. */
function configurePlugin(files: RunFilesStore, log: vscode.LogOutputChannel): vscode.Disposable {
  let needed = false;
  async function configure(): Promise<void> {
    if (!needed) return;
    const extension = vscode.extensions.getExtension<TypeScriptFeatures>('vscode.typescript-language-features');
    if (!extension) return;
    try {
      const api = (await extension.activate())?.getAPI?.(0);
      const snippets = files.files.map((uri) => serverFileName(vscode.Uri.parse(uri)));
      api?.configurePlugin?.(pluginName, { snippets });
    } catch (error) {
      log.warn(`Types of snippets: TypeScript can't be configured: ${messageOf(error)}`);
    }
  }
  const opened = ({ languageId }: vscode.TextDocument) => {
    if (needed || !languages.includes(languageId)) return;
    needed = true;
    if (files.files.length > 0) void configure();
  };
  vscode.workspace.textDocuments.forEach(opened);
  return vscode.Disposable.from(
    files.onChange.on(() => void configure()),
    vscode.workspace.onDidOpenTextDocument(opened),
  );
}

/** What VS Code's TypeScript extension exports. */
interface TypeScriptFeatures {
  getAPI?(version: 0): { configurePlugin?(plugin: string, configuration: unknown): void } | undefined;
}
