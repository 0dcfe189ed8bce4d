import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isOtherLanguage } from '../../../contract/english.ts';
import { codeLens } from '../../ui/code-lens.ts';
import { commands, draftScheme } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { label, shortId } from '../../ui/text/text.ts';
import { type CrawlDraft, parameterOffsets } from './draft.ts';
import type { DraftEstimates } from './draft-estimates.ts';
import type { DraftFiles } from './draft-files.ts';
import { notesOf, settingsText } from './draft-notes.ts';

/** Parts of a sentence that the line above the parameters names; its hover has all. */
const maxPartsShown = 2;

/** The documents that a crawl can be started from: drafts and `*.crawl.json` files. */
export const crawlDocuments: vscode.DocumentSelector = [{ scheme: draftScheme }, { pattern: '**/*.crawl.json' }];

/** The "Start crawl" code lens above the parameters, and notes behind their lines: what the sentence set, and what is left out. */
export class DraftMarks extends Disposables implements vscode.CodeLensProvider {
  #drafts: DraftFiles;
  #estimates: DraftEstimates;
  #hasModel: () => boolean;
  /** Of lines whose values the sentence set, and of others. */
  #mark: vscode.TextEditorDecorationType;
  #note: vscode.TextEditorDecorationType;
  #changed = this.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.#changed.event;

  /** @param hasModel whether a language model reads sentences */
  constructor(drafts: DraftFiles, estimates: DraftEstimates, hasModel: () => boolean) {
    super();
    this.#hasModel = hasModel;
    this.#drafts = drafts;
    this.#estimates = estimates;
    this.add(estimates.onDidChange.on((uri) => this.redraw(uri)));
    const after = {
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
      margin: '0 0 0 2em',
      // High contrast themes have no dim color.
      fontStyle: 'italic',
    };
    this.#note = this.add(vscode.window.createTextEditorDecorationType({ isWholeLine: true, after }));
    this.#mark = this.add(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
        overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
        after,
      }),
    );
    this.add(vscode.languages.registerCodeLensProvider(crawlDocuments, this));
    this.add(
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => void this.#draw(editor))),
    );
    this.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#drafts.find(document.uri)) this.redraw(document.uri);
      }),
    );
    for (const editor of vscode.window.visibleTextEditors) this.#draw(editor);
  }

  /** What matters most comes first: the line is cut off where the editor ends. The lines of the parameters say the rest. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const draft = this.#drafts.find(document.uri);
    const start = draft?.startedId ? l10n.t('$(play) Start again') : l10n.t('$(play) Start crawl');
    const lenses: vscode.Command[] = [
      { title: start, command: commands.submitCrawl, arguments: [document.uri] },
      ...this.#estimates.lensesOf(document.uri),
      ...this.#notUnderstood(draft),
      ...notFound(draft),
    ];
    if (draft?.startedId) {
      const title = l10n.t('$(check) Started as {0}', shortId(draft.startedId));
      lenses.push({ title, command: commands.openCrawl, arguments: [{ crawlId: draft.startedId }] });
    }
    const first = new vscode.Position(0, 0);
    const offsets = parameterOffsets(document.getText());
    const listed = this.#estimates.listedLensesOf(document);
    const at = (place: vscode.Position) => (command: vscode.Command) =>
      codeLens(new vscode.Range(place, place), command);
    const above = (name: string) => at(document.positionAt(offsets.get(name) ?? 0));
    return [
      ...lenses.map(at(first)),
      ...this.#estimates.startLensesOf(document).map(above('url')),
      ...(listed?.lenses.map(above(listed.name)) ?? []),
    ];
  }

  /** Names the parts of the request that are missing from the parameters, and what may understand them. */
  #notUnderstood(draft: CrawlDraft | undefined): vscode.Command[] {
    const { notUnderstood = [], sentence = '' } = draft ?? {};
    if (notUnderstood.length === 0) return [];
    const parts = notUnderstood.slice(0, maxPartsShown).map((part) => l10n.t('“{0}”', label(part, 30)));
    const more = notUnderstood.length - maxPartsShown;
    const title =
      more > 0
        ? l10n.t('$(warning) Not understood: {0} and {1} more', parts.join(', '), more)
        : l10n.t('$(warning) Not understood: {0}', parts.join(', '));
    const all = notUnderstood.map((part) => l10n.t('“{0}”', label(part, 200)));
    const tooltip = [...all, settingsText()].join('\n');
    if (this.#hasModel() || !isOtherLanguage(sentence)) return [{ title, tooltip, command: '' }];
    const setUp = l10n.t('Only English is understood: Set Up a Language Model…');
    return [
      { title, tooltip, command: '' },
      { title: setUp, command: commands.setUpLanguageModel },
    ];
  }

  /** Redraws the marks of a document. */
  redraw(uri: vscode.Uri): void {
    this.#changed.fire();
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === uri.toString()) this.#draw(editor);
    }
  }

  #draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    const draft = this.#drafts.find(document.uri);
    if (!draft) return;
    const notes = notesOf(document.getText(), draft, this.#estimates.leftOut(document.uri));
    const drawn = (isFromSentence: boolean) =>
      notes
        .filter((note) => note.isFromSentence === isFromSentence)
        .map(({ offset, text, hover }) => ({
          range: document.lineAt(document.positionAt(offset).line).range,
          // A hover is Markdown: untrusted text is added as plain text.
          hoverMessage: new vscode.MarkdownString().appendText(hover),
          renderOptions: { after: { contentText: text } },
        }));
    editor.setDecorations(this.#mark, drawn(true));
    editor.setDecorations(this.#note, drawn(false));
  }
}

/** Names the parts of the site that the request asks for and that were not found on it. */
function notFound(draft: CrawlDraft | undefined): vscode.Command[] {
  if (!draft?.notFound?.length) return [];
  const parts = draft.notFound.map((part) => l10n.t('“{0}”', label(part, 30))).join(', ');
  const tooltip = l10n.t(
    'No page found so far has this in its URL or title, or only lists of pages in other sections do. Choose another word, or change the path patterns.',
  );
  return [{ title: l10n.t('$(warning) Not found on the site: {0}', parts), tooltip, command: '' }];
}
