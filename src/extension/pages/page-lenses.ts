import * as vscode from 'vscode';
import { pageScheme } from '../ui/ids.ts';
import { scrapeAgain } from '../ui/scrape-again.ts';
import { parsePath } from './page-paths.ts';
import type { PagesStore } from './pages-store.ts';

/** Shows above the Markdown of a page what gets the content that its warning says is missing. */
export class PageLenses implements vscode.CodeLensProvider {
  #store: Pick<PagesStore, 'read'>;

  constructor(store: Pick<PagesStore, 'read'>) {
    this.#store = store;
  }

  static register(store: Pick<PagesStore, 'read'>): vscode.Disposable {
    return vscode.languages.registerCodeLensProvider({ scheme: pageScheme }, new PageLenses(store));
  }

  async provideCodeLenses({ uri }: Pick<vscode.TextDocument, 'uri'>): Promise<vscode.CodeLens[]> {
    const path = parsePath(uri.path);
    if (path?.view !== 'markdown') return [];
    const page = await this.#store.read(path).catch(() => undefined);
    const { metadata } = page?.document ?? {};
    const url = metadata?.sourceURL ?? metadata?.url;
    const again = url ? scrapeAgain(url, metadata) : undefined;
    return again ? [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), again)] : [];
  }
}
