import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isOtherLanguage } from '../../../contract/english.ts';
import { commands, draftScheme } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { count, label, shortId } from '../../ui/text/text.ts';
import { type CrawlDraft, parameterOffsets, stillFromSentence } from './draft.ts';
import type { DraftEstimates } from './draft-estimates.ts';
import type { DraftFiles } from './draft-files.ts';

const maxPartsShown = 4;

/** The documents that a crawl can be started from: drafts and `*.crawl.json` files. */
export const crawlDocuments: vscode.DocumentSelector = [{ scheme: draftScheme }, { pattern: '**/*.crawl.json' }];

/** The "Start crawl" code lens above the parameters, and a mark after each one set from the sentence. */
export class DraftMarks extends Disposables implements vscode.CodeLensProvider {
  #drafts: DraftFiles;
  #estimates: DraftEstimates;
  #hasModel: () => boolean;
  #mark: vscode.TextEditorDecorationType;
  #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  /** @param hasModel whether a language model reads sentences */
  constructor(drafts: DraftFiles, estimates: DraftEstimates, hasModel: () => boolean) {
    super();
    this.#hasModel = hasModel;
    this.#drafts = drafts;
    this.#estimates = estimates;
    this.add(this.#changed);
    this.add(estimates.onDidChange.on(() => this.#changed.fire()));
    this.#mark = this.add(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
        overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
        after: {
          color: new vscode.ThemeColor('editorCodeLens.foreground'),
          margin: '0 0 0 2em',
          fontStyle: 'normal',
        },
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

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const top = new vscode.Range(0, 0, 0, 0);
    const draft = this.#drafts.find(document.uri);
    const start = draft?.startedId ? l10n.t('$(play) Start again') : l10n.t('$(play) Start crawl');
    const target = [document.uri];
    const lenses: vscode.Command[] = [{ title: start, command: commands.submitCrawl, arguments: target }];
    if (draft?.startedId) {
      const title = l10n.t('$(check) Started as {0}', shortId(draft.startedId));
      lenses.push({ title, command: commands.openCrawl, arguments: [{ crawlId: draft.startedId }] });
    }
    if (draft?.sentence !== undefined) {
      lenses.push({ title: whatIsSet(document.getText(), draft, label(draft.sentence, 40)), command: '' });
    }
    const lists = listsLeftOut(document.getText(), draft);
    if (lists.length > 0) {
      const paths = lists.slice(0, maxPartsShown).map(({ path }) => label(path, 40));
      if (lists.length > maxPartsShown) paths.push('…');
      const tooltip = [
        l10n.t(
          'These pages only list what you ask for, so they are read for their links. To keep them, edit includePaths.',
        ),
        ...lists.map(({ path, pages, leadsTo }) =>
          l10n.t('{0}: {1}, with links to up to {2} others', label(path, 200), count(pages, 'page'), leadsTo),
        ),
      ].join('\n');
      lenses.push({ title: l10n.t('Lists, read only for their links: {0}', paths.join(', ')), tooltip, command: '' });
    }
    // Above everything else: these parts of the request are missing from the parameters.
    const { notUnderstood = [] } = draft ?? {};
    if (notUnderstood.length > 0) {
      const parts = notUnderstood.slice(0, maxPartsShown).map((part) => l10n.t('“{0}”', label(part, 60)));
      const more = notUnderstood.length - maxPartsShown;
      const title =
        more > 0
          ? l10n.t('$(warning) Not understood: {0} and {1} more', parts.join(', '), more)
          : l10n.t('$(warning) Not understood: {0}', parts.join(', '));
      lenses.unshift({ title, command: '' });
      const needsModel = !this.#hasModel() && isOtherLanguage(draft?.sentence ?? '');
      lenses.splice(1, 0, {
        title: needsModel
          ? l10n.t('$(info) Without a language model, only English is understood. Set Up a Language Model…')
          : l10n.t('$(info) Understood: parts of the site, limits, depth, pauses…'),
        tooltip: settingsText(),
        command: needsModel ? commands.setUpLanguageModel : '',
      });
    }
    lenses.splice(1, 0, ...this.#estimates.lensesOf(document.uri));
    return lenses.map((command) => new vscode.CodeLens(top, command));
  }

  /** Redraws the marks of a document. */
  redraw(uri: vscode.Uri): void {
    this.#changed.fire();
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === uri.toString()) this.#draw(editor);
    }
  }

  #draw(editor: vscode.TextEditor): void {
    const draft = this.#drafts.find(editor.document.uri);
    if (!draft) return;
    const text = editor.document.getText();
    const offsets = parameterOffsets(text);
    const hoverMessage =
      draft.sentence === undefined ? '' : l10n.t('From your description: {0}', label(draft.sentence, 300));
    editor.setDecorations(
      this.#mark,
      stillFromSentence(text, draft.fromSentence).flatMap((name) => {
        const offset = offsets.get(name);
        if (offset === undefined) return [];
        const { range } = editor.document.lineAt(editor.document.positionAt(offset).line);
        const contentText = originOf(draft, name);
        return [{ range, hoverMessage: plain(hoverMessage), renderOptions: { after: { contentText } } }];
      }),
    );
  }
}

/** Says which parameters still have the values that a sentence set, or why none has. */
function whatIsSet(text: string, { fromSentence }: CrawlDraft, sentence: string): string {
  const names = stillFromSentence(text, fromSentence);
  if (names.length > 0) return l10n.t('From “{0}”: {1}', sentence, names.map((name) => label(name, 40)).join(', '));
  return Object.keys(fromSentence).length > 0
    ? l10n.t('You changed everything that “{0}” had set', sentence)
    : l10n.t('“{0}” sets no parameters', sentence);
}

/** Says which wishes a crawl has parameters for. */
function settingsText(): string {
  return l10n.t(
    "A sentence can set: which parts of the site to crawl or skip, by their name or path; how many pages, levels or clicks; the pause between requests; the sitemap, robots.txt, query parameters, similar pages, subdomains and other websites. Pages can't be chosen by what is on them, such as a price or an author.",
  );
}

/** Returns the lists that a draft leaves out, while its patterns are those that do. */
function listsLeftOut(text: string, draft: CrawlDraft | undefined): NonNullable<CrawlDraft['lists']> {
  const isKept = draft && stillFromSentence(text, draft.fromSentence).includes('includePaths');
  return (isKept && draft.lists) || [];
}

/** Says where a parameter comes from: the words of the sentence, or a language model. */
function originOf({ sources, guessed, purpose, lists = [] }: CrawlDraft, name: string): string {
  if (purpose !== undefined) return purpose;
  if (guessed?.includes(name)) return l10n.t("the model's guess: check it before you start");
  const words = sources?.[name]?.map((part) => l10n.t('“{0}”', label(part, 60))).join(', ');
  const from = words ? l10n.t('from {0}', words) : l10n.t('from your description');
  return name === 'includePaths' && lists.length > 0 ? l10n.t('{0}, without the pages that list them', from) : from;
}

/** A hover is Markdown: untrusted text is added as plain text. */
function plain(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString().appendText(text);
}
