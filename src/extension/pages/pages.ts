import type * as vscode from 'vscode';
import type { FeatureParts } from '../connection/feature-parts.ts';
import { pageScheme } from '../ui/ids.ts';
import type { JobEndings } from '../ui/job-endings.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { provideFiles } from '../ui/virtual-documents/read-only-files.ts';
import { registerMapCommand } from './map-pages.ts';
import { registerPageCommands } from './page-commands.ts';
import { PageDocuments } from './page-documents.ts';
import { PageLenses } from './page-lenses.ts';
import type { SavedLinks } from './page-paths.ts';
import { PagesStore } from './pages-store.ts';
import { PagesTree } from './pages-tree.ts';
import { PreviewButton } from './preview-button.ts';
import { registerSaveCommand } from './save/save-commands.ts';
import { registerSearchCommand } from './search/search-pages.ts';

interface Parts extends FeatureParts {
  endings: JobEndings;
}

/** The pages of crawls and batches: rows for other views, documents, search and export. */
export class Pages implements vscode.Disposable {
  readonly tree: PagesTree;
  #store: PagesStore;
  #disposables = new Disposables();

  constructor({ connection, documents, endings, log }: Parts) {
    const store = new PagesStore(connection);
    this.#store = store;
    this.tree = new PagesTree(store);
    let { target } = connection;
    const pageDocuments = new PageDocuments(store);
    this.#disposables.add(provideFiles(pageScheme, pageDocuments));
    this.#disposables.add(PageLenses.register(store));
    this.#disposables.add(new PreviewButton(store, pageDocuments, log));
    this.#disposables.add(registerPageCommands({ store, tree: this.tree, connection, log }));
    this.#disposables.add(registerMapCommand({ connection, documents, endings, log }));
    this.#disposables.add(registerSearchCommand({ store, connection, log }));
    this.#disposables.add(registerSaveCommand({ store, connection, log }));
    this.#disposables.add(connection.onRefresh.on(() => store.retry()));
    this.#disposables.add(
      connection.onDidChange.on(() => {
        // The embedded service may have restarted on a different port.
        store.disconnect(target === connection.target);
        target = connection.target;
      }),
    );
  }

  /** Returns the links of an open document that lead to pages of its job. */
  linksOf(documentPath: string): SavedLinks {
    return this.#store.linksOf(documentPath);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
