import { stripVTControlCharacters } from 'node:util';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import type { CutPart } from '../../../contract/sessions/execution.ts';
import {
  type Events,
  type Part,
  type Requests,
  type RunAction,
  requests,
  type ShownRun,
  wholeSize,
} from '../../../webviews/run-results/messages.ts';
import { failureStatus } from '../../connection/failures.ts';
import { UserError } from '../../ui/commands.ts';
import { commands, imageScheme, views } from '../../ui/ids.ts';
import { Disposables, Signal } from '../../ui/lifecycle.ts';
import { byteSize, shortId } from '../../ui/text/text.ts';
import { type FileSource, provideFiles } from '../../ui/virtual-documents/read-only-files.ts';
import type { VirtualDocuments } from '../../ui/virtual-documents/virtual-documents.ts';
import { WebviewView } from '../../ui/webview-host.ts';
import type { Run, RunChange, RunStore } from '../run-store.ts';
import { errorHeadline } from './outcome.ts';
import { goToCode, revealLocation, saveResult } from './result-actions.ts';

/** Output is batched before it is sent to the view. */
const outputIntervalMs = 40;

interface ResultsOptions {
  store: RunStore;
  documents: VirtualDocuments;
  extensionUri: vscode.Uri;
  log: vscode.LogOutputChannel;
  hasLiveView(sessionId: string): boolean;
  /** Returns a whole part of a run that was cut. */
  readWhole(runId: string, part: CutPart): Promise<string>;
}

/** The Run Results view in the panel. */
export class ResultsView extends Disposables {
  readonly onRunAgain = new Signal<string>();
  readonly onStop = new Signal<string>();
  /** Fires when the view shows the runs for the first time, and when it is opened again. */
  readonly onShown = new Signal<void>();
  #options: ResultsOptions;
  #view: WebviewView<Events, Requests>;
  #pending = new Map<string, { id: string; stream: 'stdout' | 'stderr'; text: string }>();
  #flushTimer: NodeJS.Timeout | undefined;
  #currentSessionId: string | undefined;
  #images = this.add(new ImageFiles());

  constructor(options: ResultsOptions) {
    super();
    this.#options = options;
    this.#view = this.add(
      new WebviewView<Events, Requests>({
        ...options,
        id: views.runResults,
        title: l10n.t('Run Results'),
        bundle: 'run-results',
        inlineStyles: true,
        requests,
        handlers: {
          act: ({ id, action }) => this.#with(id, (run) => this.#act(run, action)),
          copy: ({ id, part }) => this.#copy(options.store.find(id), part),
          open: ({ id, part }) => this.#with(id, (run) => this.#openPart(run, part)),
          reveal: ({ id, location }) => this.#with(id, (run) => revealLocation(run, location)),
          save: (params) => this.#with(params.id, (run) => saveResult(run, params)),
        },
        onReady: () => {
          this.#sendAll();
          this.#view.send('current', { sessionId: this.#currentSessionId });
          this.onShown.fire();
        },
      }),
    );
    this.add(options.store.onChange.on((change) => this.#storeChanged(change)));
    this.add({ dispose: () => clearTimeout(this.#flushTimer) });
  }

  /** Marks the runs of the session that runs use now. */
  setCurrentSession(sessionId: string | undefined): void {
    if (sessionId === this.#currentSessionId) return;
    this.#currentSessionId = sessionId;
    this.#view.send('current', { sessionId });
  }

  /** Shows the view without moving focus from the editor. */
  async reveal(): Promise<void> {
    const { view } = this.#view;
    if (view?.visible) return;
    if (view) view.show(true);
    else await vscode.commands.executeCommand(`${views.runResults}.focus`, { preserveFocus: true });
  }

  #storeChanged(change: RunChange): void {
    if (!this.#view.view) return;
    if (change.kind === 'output') return this.#queueOutput(change);
    this.#flush();
    if (change.kind === 'replaced') this.#sendAll();
    else if (change.kind === 'removed') this.#view.send('removed', { id: change.run.id });
    else this.#view.send('run', { run: this.#shown(change.run) });
  }

  #sendAll(): void {
    this.#view.send('runs', { runs: this.#options.store.runs.map((run) => this.#shown(run)) });
  }

  #queueOutput({ run, stream, text }: Extract<RunChange, { kind: 'output' }>): void {
    const key = `${stream} ${run.id}`;
    const queued = this.#pending.get(key);
    this.#pending.set(key, { id: run.id, stream, text: (queued?.text ?? '') + text });
    this.#flushTimer ??= setTimeout(() => this.#flush(), outputIntervalMs);
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    for (const output of this.#pending.values()) this.#view.send('output', output);
    this.#pending.clear();
  }

  #shown(run: Run): ShownRun {
    // What a run has goes to the view, but for code, which may be long: the view has to know only whether there is some.
    const { code, document, remedy, ...shown } = run;
    const { sessionId, error, sizes, result } = shown;
    return {
      ...shown,
      session: run.sessionName || (sessionId && shortId(sessionId)),
      headline: error === undefined ? undefined : errorHeadline(error),
      can: {
        runAgain: run.repeatable,
        again: run.repeatable ? run.again : undefined,
        fix: remedy?.title,
        goToCode: document !== undefined || code !== undefined,
        openLiveView: this.#options.hasLiveView(sessionId),
        showAll: Boolean(sizes?.kept?.includes('result')) && result !== undefined,
        openAll: sizes?.kept ?? [],
      },
    };
  }

  async #act(run: Run, action: RunAction): Promise<void> {
    if (action === 'stop') this.onStop.fire(run.id);
    else if (action === 'runAgain') this.onRunAgain.fire(run.id);
    else if (action === 'fix') await this.#fix(run);
    else if (action === 'showAll') this.#options.store.setWhole(run.id, await this.#load(run, 'result'));
    else if (action === 'openLiveView') {
      await vscode.commands.executeCommand(commands.openLiveView, { sessionId: run.sessionId });
    } else await goToCode(run);
  }

  async #load(run: Run, part: CutPart): Promise<string> {
    const load = () => this.#options.readWhole(run.id, part);
    try {
      return await vscode.window.withProgress({ location: { viewId: views.runResults } }, load);
    } catch (error) {
      if (error instanceof UserError || failureStatus(error) === 404) this.#options.store.loseWhole(run.id, part);
      throw error;
    }
  }

  /** Returns a part of a run, whole if the service has kept it. */
  async #whole(run: Run, part: Part): Promise<string | undefined> {
    return part !== 'error' && run.sizes?.kept?.includes(part) ? await this.#load(run, part) : run[part];
  }

  /** Gets what a run lacked, and runs it again where that succeeded at once. */
  async #fix({ id, remedy, repeatable }: Run): Promise<void> {
    if (!remedy) return;
    const isReady = await vscode.commands.executeCommand(remedy.command, ...remedy.args);
    if (remedy.repeats && repeatable && isReady === true) this.onRunAgain.fire(id);
  }

  /** Does something with a run, if it is still listed. */
  async #with(id: string, work: (run: Run) => Promise<void>): Promise<void> {
    const run = this.#options.store.find(id);
    if (run) await work(run);
  }

  async #copy(run: Run | undefined, part: Part): Promise<void> {
    const text = (run && (await this.#whole(run, part))) ?? '';
    await vscode.env.clipboard.writeText(text);
    const received = Buffer.byteLength(text);
    const size = run && wholeSize(run, part, received);
    if (size !== undefined) {
      void vscode.window.showWarningMessage(
        l10n.t('Web Data: Copied only the first {0} of {1}.', byteSize(received), byteSize(size)),
      );
    }
  }

  async #openPart(run: Run, part: Part): Promise<void> {
    if (run[part] === undefined) return;
    const text = (await this.#whole(run, part)) ?? '';
    if (part === 'result' && /^data:image\/\w+;base64,/.test(text)) {
      return await this.#images.open(`run ${run.id.slice(0, 4)} result`, text);
    }
    const { name, content } = documentFor(part, text);
    await this.#options.documents.open(`run ${run.id.slice(0, 4)}/${name}`, content);
  }
}

/** Returns a part of a run as a document: JSON indented, other text without terminal control sequences. */
export function documentFor(part: string, text: string): { name: string; content: string } {
  const json = part === 'result' && /^\s*[[{]/.test(text) ? JSON.stringify(jsonIn(text), undefined, 2) : undefined;
  return json === undefined
    ? { name: `${part}.txt`, content: stripControls(text) }
    : { name: `${part}.json`, content: json };
}

const otherControls = /[^\P{Cc}\t\n\r]/gu;

/** Removes terminal control sequences and control characters. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replace(otherControls, '');
}

/** Images of results as read-only files in memory, so that VS Code's image editor can open them. */
class ImageFiles extends Disposables implements FileSource {
  #files = new Map<string, Uint8Array>();

  constructor() {
    super();
    this.add(provideFiles(imageScheme, this));
    this.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed)
          if (input instanceof vscode.TabInputCustom && input.uri.scheme === imageScheme)
            this.#files.delete(input.uri.path);
      }),
    );
  }

  /** Opens the image of a `data:` URL in VS Code's image editor. */
  async open(name: string, dataUrl: string): Promise<void> {
    const [, type = 'png', base64 = ''] = /^data:image\/(\w+);base64,(.*)$/s.exec(dataUrl) ?? [];
    const uri = vscode.Uri.from({ scheme: imageScheme, path: `/${name}.${type === 'jpeg' ? 'jpg' : type}` });
    this.#files.set(uri.path, Buffer.from(base64, 'base64'));
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
