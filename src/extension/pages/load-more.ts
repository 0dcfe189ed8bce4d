import * as vscode from 'vscode';
import { codeLens } from '../ui/code-lens.ts';
import { registerCommand, setContextKey } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { scrapeAgain } from '../ui/scrape-again.ts';
import type { PageDocuments } from './page-documents.ts';
import { parsePath } from './page-paths.ts';
import type { PagesStore } from './pages-store.ts';

/**
 * The button in the title bar of a page's preview that gets the content that its warning says is missing: links of a preview
 * can't run commands. VS Code tells only the name of the document that a preview shows.
 */
export class PreviewButton extends Disposables {
  #store: Pick<PagesStore, 'read'>;
  #documents: Pick<PageDocuments, 'named' | 'onRead'>;
  #again: ReturnType<typeof scrapeAgain>;
  #updates = 0;

  constructor(
    store: Pick<PagesStore, 'read'>,
    documents: Pick<PageDocuments, 'named' | 'onRead'>,
    log: vscode.LogOutputChannel,
  ) {
    super();
    this.#store = store;
    this.#documents = documents;
    this.add(documents.onRead.on(() => void this.#update()));
    this.add(vscode.window.tabGroups.onDidChangeTabs(() => void this.#update()));
    this.add(vscode.window.tabGroups.onDidChangeTabGroups(() => void this.#update()));
    this.add(
      registerCommand(commands.loadMoreOfPage, log, async () => {
        const again = this.#again;
        if (again) await vscode.commands.executeCommand(again.command, ...again.arguments);
      }),
    );
  }

  async #update(): Promise<void> {
    const update = ++this.#updates;
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const isPreview = tab?.input instanceof vscode.TabInputWebview && /markdown\.preview$/.test(tab.input.viewType);
    const path = isPreview ? this.#documents.named(tab.label) : undefined;
    const again = path && (await againOf(this.#store, path));
    if (update !== this.#updates) return;
    this.#again = again;
    setContextKey('previewHasMore', this.#again !== undefined);
  }
}

/** Shows above the Markdown of a page what gets the content that its warning says is missing. */
export function pageLenses(store: Pick<PagesStore, 'read'>) {
  return {
    async provideCodeLenses({ uri }: Pick<vscode.TextDocument, 'uri'>): Promise<vscode.CodeLens[]> {
      const path = parsePath(uri.path);
      const again = path?.view === 'markdown' ? await againOf(store, path) : undefined;
      return again ? [codeLens(new vscode.Range(0, 0, 0, 0), again)] : [];
    },
  };
}

/** Returns the command that loads more of a page, if its metadata says how. */
async function againOf(store: Pick<PagesStore, 'read'>, path: Parameters<PagesStore['read']>[0]) {
  const page = await store.read(path).catch(() => undefined);
  const { metadata } = page?.document ?? {};
  const url = metadata?.sourceURL ?? metadata?.url;
  return url ? scrapeAgain(url, metadata) : undefined;
}
