import type * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { Disposables } from '../ui/lifecycle.ts';
import type { VirtualDocuments } from '../ui/virtual-documents.ts';
import { registerMapCommand } from './map-pages.ts';
import { registerPageCommands } from './page-commands.ts';
import { PageDocuments } from './page-documents.ts';
import { extendMarkdownIt, type MarkdownIt } from './page-links.ts';
import { PagesStore } from './pages-store.ts';
import { PagesTree } from './pages-tree.ts';
import { registerSaveCommands } from './save/save-commands.ts';
import { registerSearchCommand } from './search/search-pages.ts';

interface Parts {
  connection: Connection;
  documents: VirtualDocuments;
  log: vscode.LogOutputChannel;
}

/** The pages of crawls and batches: rows for other views, documents, search and export. */
export class Pages implements vscode.Disposable {
  readonly tree: PagesTree;
  #store: PagesStore;
  #disposables = new Disposables();

  constructor({ connection, documents, log }: Parts) {
    const store = new PagesStore(connection);
    this.#store = store;
    this.tree = new PagesTree(store);
    let { target } = connection;
    this.#disposables.add(new PageDocuments(store));
    this.#disposables.add(registerPageCommands({ store, tree: this.tree, connection, log }));
    this.#disposables.add(registerMapCommand({ connection, documents, log }));
    this.#disposables.add(registerSearchCommand({ store, connection, log }));
    this.#disposables.add(registerSaveCommands({ store, connection, log }));
    this.#disposables.add(
      connection.onDidChange.on(() => {
        // The embedded service may have restarted on a different port.
        store.disconnect(target === connection.target);
        target = connection.target;
      }),
    );
  }

  /** Adds the links between pages to VS Code's markdown preview. */
  extendMarkdownIt<Engine extends MarkdownIt>(engine: Engine): Engine {
    return extendMarkdownIt(engine, (path) => this.#store.linksOf(path));
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
