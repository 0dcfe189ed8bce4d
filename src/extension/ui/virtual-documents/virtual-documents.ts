import * as vscode from 'vscode';
import { documentScheme } from '../ids.ts';
import { Disposables } from '../lifecycle.ts';

/** The scrape that a document shows. */
export interface ScrapeSubject {
  jobId: string;
  url: string | undefined;
}

/** Read-only documents, held in memory while they are open. */
export class VirtualDocuments extends Disposables implements vscode.TextDocumentContentProvider {
  #texts = new Map<string, string>();
  #scrapes = new Map<string, ScrapeSubject>();
  #changed = this.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;

  constructor() {
    super();
    this.add(vscode.workspace.registerTextDocumentContentProvider(documentScheme, this));
    this.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri)));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const text = this.#texts.get(uri.toString()) ?? '';
    if (!uri.path.endsWith('.md')) return text;
    const { withoutCommands } = await import('../text/visible-text.ts');
    return withoutCommands(text);
  }

  /**
   * Opens `text` under a name such as `run 3f2a/result.json`. Its extension sets the language.
   * @param keep whether it stays open when the next document comes
   */
  async open(name: string, text: string, scrape?: ScrapeSubject, keep = false): Promise<vscode.TextEditor> {
    return await vscode.window.showTextDocument(this.hold(name, text, scrape), { preview: !keep });
  }

  /** Stores `text` under a name and returns its URI, for callers that open it themselves. */
  hold(name: string, text: string, scrape?: ScrapeSubject): vscode.Uri {
    const safe = name.replace(/[^\p{L}\p{N} ._/-]/gu, '_').replace(/\.{2,}/g, '_');
    const uri = vscode.Uri.from({ scheme: documentScheme, path: `/${safe}` });
    this.#texts.set(uri.toString(), text);
    if (scrape) this.#scrapes.set(uri.toString(), scrape);
    else this.#scrapes.delete(uri.toString());
    this.#changed.fire(uri);
    return uri;
  }

  /** Returns the scrape that a document shows; undefined for other documents. */
  scrapeOf(uri: vscode.Uri): ScrapeSubject | undefined {
    return this.#scrapes.get(uri.toString());
  }

  #forget(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
    this.#scrapes.delete(uri.toString());
  }
}
