import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Disposables } from '../../ui/lifecycle.ts';
import type { RunFilesStore } from '../run-files-store.ts';
import { serverFileName } from '../server-file-name.ts';
import { completedAfter, hasCells, usesPage } from './member-chain.ts';
import { TsServerClient } from './tsserver-client.ts';

const languages = ['javascript', 'typescript'];
const sessionNames = ['page', 'context', 'browser'];
/** Lines that a chain of calls may span. */
const chainLines = 20;

interface Place {
  file: string;
  line: number;
  offset: number;
}

interface Entry {
  name: string;
  kind: string;
  sortText: string;
}

interface Details {
  displayParts: { text: string }[];
  documentation?: { text: string }[];
}

class Item extends vscode.CompletionItem {
  readonly place: Place;

  constructor({ name, kind, sortText }: Entry, place: Place) {
    super(name, kinds[kind] ?? vscode.CompletionItemKind.Property);
    this.sortText = sortText;
    this.place = place;
  }
}

const kinds: Record<string, vscode.CompletionItemKind> = {
  method: vscode.CompletionItemKind.Method,
  let: vscode.CompletionItemKind.Variable,
};

/** Completions and hovers for what snippets find in their session. Other names are left to the editor's TypeScript. */
export class SnippetLanguageFeatures extends Disposables {
  #files: RunFilesStore;
  #server: TsServerClient;
  #sent = new Map<string, number>();

  /** Throws if VS Code ships no TypeScript server. */
  constructor(files: RunFilesStore) {
    super();
    this.#files = files;
    const path = join(vscode.env.appRoot, 'extensions', 'node_modules', 'typescript', 'lib', 'tsserver.js');
    if (!existsSync(path)) throw new Error(`${path} doesn't exist`);
    this.#server = new TsServerClient(path, join(__dirname, '..'));
    this.#server.onStart = () => this.#started();
    this.add({ dispose: () => this.#server.stop() });
    this.add(files.onChange.on(() => this.#configure()));
    this.add(vscode.workspace.onDidCloseTextDocument((document) => this.#close(document)));
    this.add(
      vscode.languages.registerCompletionItemProvider(
        languages,
        {
          provideCompletionItems: (document, position) => this.#complete(document, position),
          resolveCompletionItem: (item) => this.#resolve(item),
        },
        '.',
      ),
    );
    this.add(
      vscode.languages.registerHoverProvider(languages, {
        provideHover: (document, position) => this.#hover(document, position),
      }),
    );
  }

  async #complete(document: vscode.TextDocument, position: vscode.Position): Promise<Item[]> {
    if (!this.#isSnippet(document)) return [];
    const start = new vscode.Position(Math.max(0, position.line - chainLines), 0);
    const completed = completedAfter(document.getText(new vscode.Range(start, position)));
    const place = this.#open(document, position);
    if (completed === 'other member' && !(await this.#isPlaywright('typeDefinition', beforeDot(document, position))))
      return [];
    const found = await this.#server.request<{ entries: Entry[] }>('completionInfo', place);
    const entries = found?.entries ?? [];
    const ours = completed === 'name' ? entries.filter(({ name }) => sessionNames.includes(name)) : entries;
    return ours.map((entry) => new Item(entry, place));
  }

  async #resolve(item: vscode.CompletionItem): Promise<vscode.CompletionItem> {
    if (!(item instanceof Item)) return item;
    const request = { ...item.place, entryNames: [item.label] };
    const [details] = (await this.#server.request<Details[]>('completionEntryDetails', request)) ?? [];
    if (!details) return item;
    item.detail = textOf(details.displayParts);
    item.documentation = new vscode.MarkdownString(textOf(details.documentation));
    return item;
  }

  async #hover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    if (!this.#isSnippet(document)) return undefined;
    const place = this.#open(document, position);
    if (!(await this.#isPlaywright('definition', place))) return undefined;
    const found = await this.#server.request<{ displayString: string; documentation: unknown }>('quickinfo', place);
    if (!found) return undefined;
    const text = typeof found.documentation === 'string' ? found.documentation : '';
    return new vscode.Hover([
      new vscode.MarkdownString().appendCodeblock(found.displayString, 'typescript'),
      new vscode.MarkdownString(text),
    ]);
  }

  /** Whether what is at a place is declared, or has a type that is declared, by the session or by Playwright. */
  async #isPlaywright(command: 'definition' | 'typeDefinition', place: Place): Promise<boolean> {
    const found = (await this.#server.request<{ file: string }[]>(command, place)) ?? [];
    return found.some(({ file }) => /\/web-data-typescript-plugin\/|\/playwright-core\//.test(file));
  }

  #isSnippet(document: vscode.TextDocument): boolean {
    const text = document.getText();
    return this.#files.has(document.uri.toString()) || hasCells(text) || usesPage(text, document.isUntitled);
  }

  /** Sends the text of a document, if it has changed, and returns a place in it. */
  #open(document: vscode.TextDocument, position: vscode.Position): Place {
    this.#server.start();
    const file = serverFileName(document.uri);
    if (this.#sent.get(file) !== document.version) {
      const projectRootPath = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
      const scriptKindName = document.languageId === 'typescript' ? 'TS' : 'JS';
      const openFiles = [{ file, fileContent: document.getText(), projectRootPath, scriptKindName }];
      this.#server.notify('updateOpen', { openFiles });
      this.#sent.set(file, document.version);
    }
    return { file, line: position.line + 1, offset: position.character + 1 };
  }

  #close({ uri }: vscode.TextDocument): void {
    const file = serverFileName(uri);
    if (this.#sent.delete(file)) this.#server.notify('updateOpen', { closedFiles: [file] });
  }

  #started(): void {
    this.#sent.clear();
    const options = { module: 'ESNext', moduleResolution: 'Bundler', target: 'ES2024', strict: true, allowJs: true };
    this.#server.notify('compilerOptionsForInferredProjects', { options });
    this.#configure();
  }

  #configure(): void {
    const snippets = this.#files.files.map((uri) => serverFileName(vscode.Uri.parse(uri)));
    const pluginName = 'web-data-typescript-plugin';
    this.#server.notify('configurePlugin', { pluginName, configuration: { snippets } });
  }
}

function beforeDot(document: vscode.TextDocument, position: vscode.Position): Place {
  const text = document.lineAt(position.line).text.slice(0, position.character);
  return { file: serverFileName(document.uri), line: position.line + 1, offset: text.lastIndexOf('.') };
}

function textOf(parts: readonly { text: string }[] = []): string {
  return parts.map(({ text }) => text).join('');
}
