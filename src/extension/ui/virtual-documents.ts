import * as vscode from 'vscode';
import { documentScheme } from './ids.ts';

/** Read-only documents that are held in memory as long as they are open. */
export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  #texts = new Map<string, string>();
  #changed = new vscode.EventEmitter<vscode.Uri>();
  #subscriptions: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(documentScheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.#texts.delete(document.uri.toString())),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** Opens `text` under a name such as `run 3f2a/result.json`; its extension says the language. */
  async open(name: string, text: string): Promise<vscode.TextEditor> {
    return await vscode.window.showTextDocument(this.hold(name, text), { preview: true });
  }

  /** Makes `text` readable under a name, for a view that opens it by itself. */
  hold(name: string, text: string): vscode.Uri {
    const safe = name.replace(/[^\p{L}\p{N} ._/-]/gu, '_').replace(/\.{2,}/g, '_');
    const uri = vscode.Uri.from({ scheme: documentScheme, path: `/${safe}` });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    return uri;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}
