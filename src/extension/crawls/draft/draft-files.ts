import * as vscode from 'vscode';
import { isObject } from '../../../contract/lenient-texts.ts';
import { type Check, fields, isNumber, isText, list, optional } from '../../../webviews/common/messages.ts';
import { draftScheme } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import type { CrawlDraft } from './draft.ts';

/** A draft and the crawl that was started from it. */
export interface DraftFile extends CrawlDraft {
  /** The id of the crawl last started from it. */
  startedId?: string | undefined;
}

const stateKey = 'webdata.crawlDrafts';
/** Drafts that survive a reload although they aren't open. */
const maxKept = 20;
const maxKeptLength = 100_000;

/** An in-memory file system for crawl drafts, which can be edited and saved, survive a reload, and close without a prompt. */
export class DraftFiles extends Disposables implements vscode.FileSystemProvider {
  #drafts = new Map<string, DraftFile & { modifiedAt: number }>();
  #changed = this.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  #state: vscode.Memento;
  readonly onDidChangeFile = this.#changed.event;

  constructor(state: vscode.Memento) {
    super();
    this.#state = state;
    const stored = state.get<unknown>(stateKey);
    for (const { path, draft } of Array.isArray(stored) ? stored.filter(isKept) : [])
      this.#drafts.set(path, { ...draft, modifiedAt: 0 });
    this.add(vscode.workspace.registerFileSystemProvider(draftScheme, this, { isCaseSensitive: true }));
  }

  /** Creates the file of a draft, named after `name`. A draft that is closed makes way for it. */
  create(name: string, draft: CrawlDraft): vscode.Uri {
    const open = openPaths();
    let path = `/${name}.crawl.json`;
    for (let count = 2; this.#drafts.has(path) && open.has(path); count++) path = `/${name}-${count}.crawl.json`;
    this.#drafts.set(path, { ...draft, modifiedAt: Date.now() });
    this.#keep();
    return vscode.Uri.from({ scheme: draftScheme, path });
  }

  find(uri: vscode.Uri): DraftFile | undefined {
    return uri.scheme === draftScheme ? this.#drafts.get(uri.path) : undefined;
  }

  /** Records the crawl started from a draft. */
  started(uri: vscode.Uri, crawlId: string): void {
    const draft = this.#drafts.get(uri.path);
    if (uri.scheme !== draftScheme || !draft) return;
    this.#drafts.set(uri.path, { ...draft, startedId: crawlId });
    this.#keep();
  }

  watch(): vscode.Disposable {
    return { dispose() {} };
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { text, modifiedAt } = this.#get(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: modifiedAt, size: Buffer.byteLength(text) };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.#get(uri).text);
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const draft = this.#drafts.get(uri.path) ?? { sentence: undefined, fromSentence: {} };
    this.#drafts.set(uri.path, { ...draft, text: Buffer.from(content).toString('utf8'), modifiedAt: Date.now() });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    this.#keep();
  }

  delete(uri: vscode.Uri): void {
    this.#drafts.delete(uri.path);
    this.#changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
    this.#keep();
  }

  readDirectory(): [string, vscode.FileType][] {
    return [...this.#drafts.keys()].map((path) => [path.slice(1), vscode.FileType.File]);
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #get(uri: vscode.Uri): DraftFile & { modifiedAt: number } {
    const draft = this.#drafts.get(uri.path);
    if (!draft) throw vscode.FileSystemError.FileNotFound(uri);
    return draft;
  }

  #keep(): void {
    const open = openPaths();
    const newest = new Set([...this.#drafts.keys()].slice(-maxKept));
    const kept = [...this.#drafts]
      .filter(([path, { text }]) => text.length <= maxKeptLength && (open.has(path) || newest.has(path)))
      .map(([path, { modifiedAt: _, ...draft }]) => ({ path, draft }));
    void this.#state.update(stateKey, kept);
  }
}

/** Returns the paths of the drafts that are open: their editors come back after a reload. */
function openPaths(): Set<string> {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const uris = inputs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return new Set(uris.filter(({ scheme }) => scheme === draftScheme).map(({ path }) => path));
}

const texts = list(isText);
const isSources: Check<Record<string, string[]>> = (value): value is Record<string, string[]> =>
  isObject(value) && Object.values(value).every(texts);
const isKept = fields({
  path: isText,
  draft: fields({
    text: isText,
    sentence: optional(isText),
    fromSentence: isObject,
    notUnderstood: optional(texts),
    notFound: optional(texts),
    guessed: optional(texts),
    lists: optional(list(fields({ path: isText, pages: isNumber, leadsTo: isNumber }))),
    sources: optional(isSources),
  }),
});
