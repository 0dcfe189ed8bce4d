import * as vscode from 'vscode';
import { Disposables } from '../../ui/lifecycle.ts';
import { readSetting } from '../../ui/settings.ts';
import { errorHeadline, inlineText } from '../results/outcome.ts';
import type { RunRequest } from '../run-request.ts';
import type { Run, RunStore } from '../run-store.ts';
import { linesOf } from './cells.ts';
import { toDocumentPosition } from './error-position.ts';
import { isReplacedBy, isUnchanged, type Mark, trackChange } from './marks.ts';
import type { Position } from './snippet.ts';

/** Shows results after the last line of the code, errors where they occurred, and a bar beside running code. */
export class EditorMarks extends Disposables {
  #marks = new Map<string, Mark>();
  #diagnostics = this.add(vscode.languages.createDiagnosticCollection('webdata'));
  #value = this.add(atLineEnd('editorCodeLens.foreground'));
  #failure = this.add(atLineEnd('errorForeground'));
  // An icon in the gutter would widen it beside other icons, and move the text.
  #running = this.add(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderStyle: 'solid',
      borderWidth: '0 0 0 2px',
      borderColor: new vscode.ThemeColor('progressBar.background'),
      overviewRulerColor: new vscode.ThemeColor('progressBar.background'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
  );
  /** The errors set for each document. */
  #shownErrors = new Map<string, string>();

  constructor(store: RunStore) {
    super();
    this.add(vscode.workspace.onDidChangeTextDocument((change) => this.#trackEdits(change)));
    this.add(vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document.uri)));
    this.add(
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#draw(editor);
      }),
    );
    this.add(revealResults((document) => this.#newestLine(document)));
    this.add(
      store.onChange.on(({ kind }) => {
        if (kind === 'removed' || kind === 'replaced') this.#keepOnly(new Set(store.runs.map(({ id }) => id)));
      }),
    );
  }

  /** Marks code as running. Removes earlier results and errors of the same code. */
  start(runId: string, request: RunRequest): void {
    const { document, snippet } = request;
    if (document === undefined) return;
    for (const [id, mark] of this.#marks) if (isReplacedBy(mark, request)) this.#marks.delete(id);
    this.#marks.set(runId, {
      document,
      request,
      firstLine: snippet.start.line,
      lastLine: snippet.lastLine,
      shownLine: snippet.lastLine,
      shownLineLength: lengthOfLine(openDocument(document), snippet.lastLine),
      state: 'running',
      stale: false,
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
    // Nothing says where the code was when it was killed.
    if (run.state === 'failed' && (knownPosition || !run.killed)) locateError(run, mark, knownPosition);
    this.#drawDocument(mark.document);
  }

  #trackEdits(change: vscode.TextDocumentChangeEvent): void {
    const uri = change.document.uri.toString();
    const marks = [...this.#marks.values()].filter((mark) => mark.document === uri);
    if (marks.length === 0 || change.contentChanges.length === 0) return;
    for (const { range, text } of change.contentChanges) {
      const { start, end } = range;
      const lineChange = { startLine: start.line, startCharacter: start.character, endLine: end.line, text };
      for (const mark of marks) trackChange(mark, lineChange);
    }
    const lines = marks.some(({ request }) => request.snippet.isCell) ? linesOf(change.document.getText()) : [];
    for (const mark of marks) mark.stale = !isUnchanged(mark, lines);
    this.#drawDocument(uri);
  }

  /** The line at which the newest run of a document shows its result. */
  #newestLine(document: string): number | undefined {
    return [...this.#marks.values()].findLast((mark) => mark.document === document && !mark.stale)?.shownLine;
  }

  #drawDocument(document: string): void {
    this.#showErrors(document);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === document) this.#draw(editor);
    }
  }

  /** Errors are set only when they change: VS Code moves them with their lines. */
  #showErrors(uri: string): void {
    const marks = [...this.#marks.values()].filter((mark) => mark.document === uri && mark.error && !mark.stale);
    const shown = marks.map(({ request, error, state }) =>
      JSON.stringify([request.snippet.start, error?.message, state]),
    );
    const key = shown.join('\n');
    if ((this.#shownErrors.get(uri) ?? '') === key) return;
    if (key) this.#shownErrors.set(uri, key);
    else this.#shownErrors.delete(uri);
    const document = openDocument(uri);
    const diagnostics = marks.flatMap(({ error }) => (error ? diagnosticOf(document, error) : []));
    const isFirst = ({ range, message }: vscode.Diagnostic, index: number) =>
      diagnostics.findIndex((other) => other.range.isEqual(range) && other.message === message) === index;
    this.#diagnostics.set(vscode.Uri.parse(uri, true), diagnostics.filter(isFirst));
  }

  #draw(editor: vscode.TextEditor): void {
    const uri = editor.document.uri.toString();
    const marks = [...this.#marks.values()].filter((mark) => mark.document === uri);
    editor.setDecorations(this.#value, lineEndDecorations(editor, marks, 'ok'));
    editor.setDecorations(this.#failure, lineEndDecorations(editor, marks, 'failed'));
    const running = marks.filter((mark) => mark.state === 'running');
    editor.setDecorations(
      this.#running,
      running.flatMap(({ firstLine, lastLine }) => wholeLines(firstLine, lastLine)),
    );
  }

  #keepOnly(runIds: ReadonlySet<string>): void {
    for (const [id, mark] of this.#marks) {
      if (runIds.has(id)) continue;
      this.#marks.delete(id);
      this.#drawDocument(mark.document);
    }
  }

  #forget(uri: vscode.Uri): void {
    this.#diagnostics.delete(uri);
    this.#shownErrors.delete(uri.toString());
    for (const [id, mark] of this.#marks) {
      if (mark.document === uri.toString() && mark.state !== 'running') this.#marks.delete(id);
    }
  }
}

/** What is written behind the end of a line. */
function atLineEnd(color: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
    after: { margin: '0 0 0 2em', fontStyle: 'normal', color: new vscode.ThemeColor(color) },
  });
}

/** Sets where the error of a run occurred. It is shown there, a result after the code that ran. */
function locateError(run: Run, mark: Mark, knownPosition: Position | undefined): void {
  const error = run.error ?? '';
  const inSnippet = knownPosition ?? { line: 0, character: 0 };
  const { start } = mark.request.snippet;
  const position = toDocumentPosition(inSnippet, start);
  const document = openDocument(mark.document);
  const lastLine = (document?.lineCount ?? Number.MAX_SAFE_INTEGER) - 1;
  const line = Math.max(0, Math.min(position.line + mark.firstLine - start.line, lastLine));
  mark.shownLine = line;
  mark.shownLineLength = lengthOfLine(document, line);
  mark.error = { line, character: position.character, message: errorHeadline(error, 1_000) };
}

function diagnosticOf(
  document: vscode.TextDocument | undefined,
  { line, character, message }: NonNullable<Mark['error']>,
): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(errorRange(document, line, character), message);
  diagnostic.source = 'Web Data';
  return diagnostic;
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
  return marks.flatMap(({ state: own, stale, shownLine, text, hover }) => {
    if (own !== state || stale || shownLine === undefined || !text || shownLine >= editor.document.lineCount) return [];
    const { end } = editor.document.lineAt(shownLine).range;
    const hoverMessage = hover ? new vscode.MarkdownString().appendCodeblock(hover, 'text') : undefined;
    return [{ range: new vscode.Range(end, end), hoverMessage, renderOptions: { after: { contentText: text } } }];
  });
}

function wholeLines(first: number, last: number): vscode.Range[] {
  return Array.from({ length: last - first + 1 }, (_, index) => new vscode.Range(first + index, 0, first + index, 0));
}

/** Returns the range from the error's column to the end of the line's text, or all the text if the column is outside it. */
function errorRange(document: vscode.TextDocument | undefined, line: number, character: number): vscode.Range {
  if (!document || line >= document.lineCount) return new vscode.Range(line, character, line, character + 1);
  const { text, firstNonWhitespaceCharacterIndex: first } = document.lineAt(line);
  const end = text.trimEnd().length;
  const start = character >= end ? Math.min(first, end) : Math.max(character, Math.min(first, end));
  return new vscode.Range(line, start, line, Math.max(end, start));
}

/** First and last fully visible line of an editor, 0-based. */
interface VisibleLines {
  first: number;
  last: number;
}

/** Scrolls an editor so that the line of its newest result stays visible when the panel opens over it. */
function revealResults(lineOf: (document: string) => number | undefined): vscode.Disposable {
  const visible = new WeakMap<vscode.TextEditor, VisibleLines>();
  function note(editor: vscode.TextEditor): VisibleLines | undefined {
    const [first, last] = [editor.visibleRanges[0]?.start.line, editor.visibleRanges.at(-1)?.end.line];
    if (first === undefined || last === undefined) return undefined;
    visible.set(editor, { first, last });
    return { first, last };
  }
  for (const editor of vscode.window.visibleTextEditors) note(editor);
  return vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors((editors) => {
      for (const editor of editors) if (!visible.has(editor)) note(editor);
    }),
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor: editor }) => {
      const before = visible.get(editor);
      const after = note(editor);
      const line = lineOf(editor.document.uri.toString());
      if (line === undefined || !before || !after || !isCovered(line, before, after)) return;
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.Default);
    }),
  );
}

/** Returns whether a line that was visible no longer is because the editor got shorter. Scrolling changes the first line. */
function isCovered(line: number, before: VisibleLines, after: VisibleLines): boolean {
  return after.first === before.first && line <= before.last && line >= before.first && line > after.last;
}
