import * as vscode from 'vscode';
import { Disposables } from '../../ui/lifecycle.ts';
import { readSetting } from '../../ui/settings.ts';
import { errorHeadline, inlineText } from '../results/outcome.ts';
import type { Run, RunStore } from '../run-store.ts';
import type { RunRequest } from '../runs.ts';
import { toDocumentPosition } from './error-position.ts';
import { trackLine } from './line-tracking.ts';
import type { Position } from './snippet.ts';

/** What a run shows in its document. Lines are tracked through edits; `lastLine` is undefined once that line was edited. */
interface Mark {
  document: string;
  request: RunRequest;
  firstLine: number;
  lastLine: number | undefined;
  /** Length of the last line, which is constant while the mark exists. */
  lastLineLength: number;
  state: 'running' | 'ok' | 'failed';
  text: string;
  hover: string;
}

/** Shows results after the last line of the code, errors where they occurred, and a bar in the gutter of running code. */
export class EditorMarks implements vscode.Disposable {
  #marks = new Map<string, Mark>();
  #diagnostics: vscode.DiagnosticCollection;
  #value: vscode.TextEditorDecorationType;
  #failure: vscode.TextEditorDecorationType;
  #running: vscode.TextEditorDecorationType;
  #disposables = new Disposables();

  constructor(store: RunStore, extensionUri: vscode.Uri) {
    const add = this.#disposables.add.bind(this.#disposables);
    const after = { margin: '0 0 0 2em', fontStyle: 'normal' };
    const atLineEnd = { rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen };
    this.#value = add(
      vscode.window.createTextEditorDecorationType({
        ...atLineEnd,
        after: { ...after, color: new vscode.ThemeColor('editorCodeLens.foreground') },
      }),
    );
    this.#failure = add(
      vscode.window.createTextEditorDecorationType({
        ...atLineEnd,
        after: { ...after, color: new vscode.ThemeColor('errorForeground') },
      }),
    );
    const runningIcon = (theme: string) => vscode.Uri.joinPath(extensionUri, 'media', `running-${theme}.svg`);
    this.#running = add(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        light: { gutterIconPath: runningIcon('light') },
        dark: { gutterIconPath: runningIcon('dark') },
        gutterIconSize: 'auto',
      }),
    );
    this.#diagnostics = add(vscode.languages.createDiagnosticCollection('webdata'));
    add(vscode.workspace.onDidChangeTextDocument((change) => this.#trackEdits(change)));
    add(vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document.uri)));
    add(
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#draw(editor);
      }),
    );
    add(
      store.onChange.on((change) => {
        if (change.kind === 'removed') this.#remove(change.run.id);
        if (change.kind === 'replaced') this.#keepOnly(new Set(store.runs.map(({ id }) => id)));
      }),
    );
  }

  /** Marks code as running. Clears the errors of earlier runs and the results of overlapping code. */
  start(runId: string, request: RunRequest): void {
    const { document, snippet } = request;
    if (document === undefined) return;
    const { start, lastLine } = snippet;
    for (const [id, mark] of this.#marks) {
      if (mark.document !== document || mark.state === 'running') continue;
      const overlaps = mark.lastLine === undefined || (mark.lastLine >= start.line && mark.firstLine <= lastLine);
      if (overlaps || mark.state === 'failed') this.#marks.delete(id);
    }
    this.#diagnostics.delete(vscode.Uri.parse(document, true));
    this.#marks.set(runId, {
      document,
      request,
      firstLine: start.line,
      lastLine,
      lastLineLength: lengthOfLine(openDocument(document), lastLine),
      state: 'running',
      text: '',
      hover: '',
    });
    this.#drawDocument(document);
  }

  /** Replaces the bar of a run with its result or error. */
  finish(run: Run, knownPosition?: Position): void {
    const mark = this.#marks.get(run.id);
    if (!mark) return;
    mark.state = run.state === 'failed' ? 'failed' : 'ok';
    mark.text = readSetting('inlineResults') ? inlineText(run.state, run, run.durationMs) : '';
    mark.hover = (run.error ?? run.result ?? '').slice(0, 2_000);
    if (run.state === 'failed') this.#showError(run, mark, knownPosition);
    this.#drawDocument(mark.document);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #showError(run: Run, mark: Mark, knownPosition: Position | undefined): void {
    const error = run.error ?? '';
    // Nothing says where the code was when it was killed.
    if (!knownPosition && run.killed) return;
    const inSnippet = knownPosition ?? { line: 0, character: 0 };
    const lineShift = mark.firstLine - mark.request.snippet.start.line;
    const position = toDocumentPosition(inSnippet, mark.request.snippet.start);
    const uri = vscode.Uri.parse(mark.document, true);
    const document = openDocument(mark.document);
    const line = Math.max(0, Math.min(position.line + lineShift, (document?.lineCount ?? Number.MAX_SAFE_INTEGER) - 1));
    const diagnostic = new vscode.Diagnostic(
      errorRange(document, line, position.character),
      errorHeadline(error, 1_000),
    );
    diagnostic.source = 'Web Data';
    diagnostic.severity = vscode.DiagnosticSeverity.Error;
    const others = (this.#diagnostics.get(uri) ?? []).filter(
      ({ range, message }) => !range.isEqual(diagnostic.range) || message !== diagnostic.message,
    );
    this.#diagnostics.set(uri, [...others, diagnostic]);
    // A result is shown after the code that ran, an error where it occurred.
    mark.lastLine = line;
    mark.lastLineLength = lengthOfLine(document, line);
  }

  #trackEdits(change: vscode.TextDocumentChangeEvent): void {
    const uri = change.document.uri.toString();
    const marks = [...this.#marks.values()].filter((mark) => mark.document === uri);
    if (marks.length === 0 || change.contentChanges.length === 0) return;
    for (const { range, text } of change.contentChanges) {
      const lines = {
        startLine: range.start.line,
        startCharacter: range.start.character,
        endLine: range.end.line,
        text,
      };
      for (const mark of marks) {
        if (mark.lastLine !== undefined) mark.lastLine = trackLine(mark.lastLine, mark.lastLineLength, lines);
        mark.firstLine = trackLine(mark.firstLine, 0, lines) ?? mark.firstLine;
      }
    }
    this.#drawDocument(uri);
  }

  #drawDocument(document: string): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === document) this.#draw(editor);
    }
  }

  #draw(editor: vscode.TextEditor): void {
    const uri = editor.document.uri.toString();
    const marks = [...this.#marks.values()].filter((mark) => mark.document === uri);
    editor.setDecorations(this.#value, lineEndDecorations(editor, marks, 'ok'));
    editor.setDecorations(this.#failure, lineEndDecorations(editor, marks, 'failed'));
    const running = marks.filter((mark) => mark.state === 'running');
    editor.setDecorations(
      this.#running,
      running.flatMap(({ firstLine, lastLine }) => wholeLines(firstLine, lastLine ?? firstLine)),
    );
  }

  #remove(runId: string): void {
    const mark = this.#marks.get(runId);
    this.#marks.delete(runId);
    if (mark) this.#drawDocument(mark.document);
  }

  #keepOnly(runIds: ReadonlySet<string>): void {
    for (const [id, mark] of this.#marks) {
      if (runIds.has(id)) continue;
      this.#marks.delete(id);
      this.#diagnostics.delete(vscode.Uri.parse(mark.document, true));
      this.#drawDocument(mark.document);
    }
  }

  #forget(uri: vscode.Uri): void {
    this.#diagnostics.delete(uri);
    for (const [id, mark] of this.#marks) {
      if (mark.document === uri.toString() && mark.state !== 'running') this.#marks.delete(id);
    }
  }
}

function openDocument(uri: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

function lengthOfLine(document: vscode.TextDocument | undefined, line: number): number {
  return document && line < document.lineCount ? document.lineAt(line).text.length : 0;
}

function lineEndDecorations(
  editor: vscode.TextEditor,
  marks: readonly Mark[],
  state: Mark['state'],
): vscode.DecorationOptions[] {
  return marks.flatMap(({ state: own, lastLine, text, hover }) => {
    if (own !== state || lastLine === undefined || !text || lastLine >= editor.document.lineCount) return [];
    const { end } = editor.document.lineAt(lastLine).range;
    const hoverMessage = hover ? new vscode.MarkdownString().appendCodeblock(hover, 'text') : undefined;
    return [{ range: new vscode.Range(end, end), hoverMessage, renderOptions: { after: { contentText: text } } }];
  });
}

function wholeLines(first: number, last: number): vscode.Range[] {
  return Array.from({ length: last - first + 1 }, (_, index) => new vscode.Range(first + index, 0, first + index, 0));
}

/** Returns the range from the error's column to the end of the line's text, or all the text if the column is outside it. */
function errorRange(document: vscode.TextDocument | undefined, line: number, character: number): vscode.Range {
  if (!document) return new vscode.Range(line, character, line, character + 1);
  const { text, firstNonWhitespaceCharacterIndex: first } = document.lineAt(line);
  const end = text.trimEnd().length;
  const start = character >= end ? Math.min(first, end) : Math.max(character, Math.min(first, end));
  return new vscode.Range(line, start, line, Math.max(end, start));
}
