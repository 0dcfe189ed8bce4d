import * as vscode from 'vscode';
import { Disposables } from '../../ui/lifecycle.ts';

/** First and last fully visible line of an editor, 0-based. */
interface VisibleLines {
  first: number;
  last: number;
}

/** Scrolls an editor so that the line of its newest result stays visible when the panel opens over it. */
export class ResultReveal extends Disposables {
  #visible = new WeakMap<vscode.TextEditor, VisibleLines>();

  constructor(lineOf: (document: string) => number | undefined) {
    super();
    for (const editor of vscode.window.visibleTextEditors) this.#note(editor);
    this.add(
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) if (!this.#visible.has(editor)) this.#note(editor);
      }),
    );
    this.add(
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor: editor }) => {
        const before = this.#visible.get(editor);
        const after = this.#note(editor);
        const line = lineOf(editor.document.uri.toString());
        if (line === undefined || !before || !after || !isCovered(line, before, after)) return;
        editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.Default);
      }),
    );
  }

  #note(editor: vscode.TextEditor): VisibleLines | undefined {
    const [first, last] = [editor.visibleRanges[0]?.start.line, editor.visibleRanges.at(-1)?.end.line];
    if (first === undefined || last === undefined) return undefined;
    const visible = { first, last };
    this.#visible.set(editor, visible);
    return visible;
  }
}

/** Returns whether a line that was visible no longer is because the editor got shorter. Scrolling changes the first line. */
function isCovered(line: number, before: VisibleLines, after: VisibleLines): boolean {
  return after.first === before.first && line <= before.last && line >= before.first && line > after.last;
}
