import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { pageScheme } from '../ui/ids.ts';
import type { JobEndings } from '../ui/job-endings.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { provideFiles } from '../ui/virtual-documents/read-only-files.ts';
import { registerMapCommand } from './map-pages.ts';
import { pageLenses, previewButton, registerPageCommands } from './page-commands.ts';
import { PageDocuments } from './page-documents.ts';
import type { SavedLinks } from './page-paths.ts';
import { PagesStore } from './pages-store.ts';
import { PagesTree } from './pages-tree.ts';
import { registerSaveCommand } from './save/save-commands.ts';
import { registerSearchCommand } from './search/search-pages.ts';

/** The pages of crawls and batches: rows for other views, documents, search and export. */
export class Pages extends Disposables {
  readonly tree: PagesTree;
  #store: PagesStore;

  constructor({ connection, documents, endings, log }: FeatureParts & { endings: JobEndings }) {
    super();
    const store = new PagesStore(connection);
    this.#store = store;
    this.tree = new PagesTree(store);
    let { target } = connection;
    const pageDocuments = new PageDocuments(store);
    this.add(provideFiles(pageScheme, pageDocuments));
    this.add(vscode.languages.registerCodeLensProvider({ scheme: pageScheme }, pageLenses(store)));
    this.add(previewButton(store, pageDocuments, log));
    this.add(registerPageCommands({ store, tree: this.tree, connection, log }));
    this.add(registerMapCommand({ connection, documents, endings, log }));
    this.add(registerSearchCommand({ store, connection, log }));
    this.add(registerSaveCommand({ store, connection, log }));
    this.add(connection.onRefresh.on(() => store.retry()));
    this.add(
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
}
