import { stripVTControlCharacters } from 'node:util';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CutPart } from '../../../contract/sessions/kept-runs.ts';
import {
  type Events,
  isActRequest,
  isPartRequest,
  isRevealRequest,
  isSaveRequest,
  type Part,
  type Requests,
  type ShownRun,
  wholeSize,
} from '../../../webviews/run-results/messages.ts';
import { failureStatus } from '../../connection/failures.ts';
import { UserError } from '../../ui/commands.ts';
import { commands, views } from '../../ui/ids.ts';
import { Disposables, Signal } from '../../ui/lifecycle.ts';
import { registerWebviewView } from '../../ui/stand-ins/views.ts';
import { byteSize, shortId } from '../../ui/text/text.ts';
import type { VirtualDocuments } from '../../ui/virtual-documents/virtual-documents.ts';
import { WebviewChannel, webviewOptions, webviewPage } from '../../ui/webview-host.ts';
import type { Run, RunChange, RunStore } from '../run-store.ts';
import { ImageFiles } from './image-files.ts';
import { errorHeadline } from './outcome.ts';
import { goToCode, revealLocation, saveResult } from './result-actions.ts';

/** Output is batched before it is sent to the view. */
const outputIntervalMs = 40;

/** The Run Results view in the panel. */
export class ResultsView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly onRunAgain = new Signal<string>();
  readonly onStop = new Signal<string>();
  /** Fires when the view shows the runs for the first time, and when it is opened again. */
  readonly onShown = new Signal<void>();
  #store: RunStore;
  #documents: VirtualDocuments;
  #extensionUri: vscode.Uri;
  #log: vscode.LogOutputChannel;
  #view: vscode.WebviewView | undefined;
  #channel: WebviewChannel<Events, Requests> | undefined;
  #pending = new Map<string, { id: string; stream: 'stdout' | 'stderr'; text: string }>();
  #flushTimer: NodeJS.Timeout | undefined;
  #hasLiveView: (sessionId: string) => boolean;
  #readWhole: (runId: string, part: CutPart) => Promise<string>;
  #currentSessionId: string | undefined;
  #disposables = new Disposables();
  #images = this.#disposables.add(new ImageFiles());

  constructor(options: {
    store: RunStore;
    documents: VirtualDocuments;
    extensionUri: vscode.Uri;
    log: vscode.LogOutputChannel;
    hasLiveView(sessionId: string): boolean;
    /** Returns a whole part of a run that was cut. */
    readWhole(runId: string, part: CutPart): Promise<string>;
  }) {
    this.#store = options.store;
    this.#documents = options.documents;
    this.#extensionUri = options.extensionUri;
    this.#log = options.log;
    this.#hasLiveView = options.hasLiveView;
    this.#readWhole = options.readWhole;
    this.#disposables.add(registerWebviewView(views.runResults, this));
    this.#disposables.add(this.#store.onChange.on((change) => this.#storeChanged(change)));
    this.#disposables.add({ dispose: () => clearTimeout(this.#flushTimer) });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#channel?.dispose();
    this.#view = view;
    view.webview.options = webviewOptions(this.#extensionUri);
    const channel = new WebviewChannel<Events, Requests>({
      webview: view.webview,
      log: this.#log,
      onReady: () => {
        channel.send('runs', { runs: this.#store.runs.map((run) => this.#shown(run)) });
        channel.send('current', { sessionId: this.#currentSessionId });
        this.onShown.fire();
      },
      handlers: {
        act: { check: isActRequest, run: (params) => this.#act(params) },
        copy: { check: isPartRequest, run: (params) => this.#copy(params) },
        open: { check: isPartRequest, run: (params) => this.#open(params) },
        reveal: {
          check: isRevealRequest,
          run: ({ id, location }) => this.#with(id, (run) => revealLocation(run, location)),
        },
        save: { check: isSaveRequest, run: (params) => this.#with(params.id, (run) => saveResult(run, params)) },
      },
    });
    this.#channel = channel;
    view.onDidDispose(() => {
      channel.dispose();
      if (this.#channel === channel) this.#channel = undefined;
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = webviewPage(view.webview, this.#extensionUri, 'run-results', l10n.t('Run Results'), {
      inlineStyles: true,
    });
  }

  /** Marks the runs of the session that runs use now. */
  setCurrentSession(sessionId: string | undefined): void {
    if (sessionId === this.#currentSessionId) return;
    this.#currentSessionId = sessionId;
    this.#channel?.send('current', { sessionId });
  }

  /** Shows the view without moving focus from the editor. */
  async reveal(): Promise<void> {
    if (this.#view?.visible) return;
    if (this.#view) this.#view.show(true);
    else await vscode.commands.executeCommand(`${views.runResults}.focus`, { preserveFocus: true });
  }

  dispose(): void {
    this.#channel?.dispose();
    this.#disposables.dispose();
  }

  #storeChanged(change: RunChange): void {
    const channel = this.#channel;
    if (!channel) return;
    if (change.kind === 'output') return this.#queueOutput(change);
    this.#flush();
    if (change.kind === 'replaced') channel.send('runs', { runs: this.#store.runs.map((run) => this.#shown(run)) });
    else if (change.kind === 'removed') channel.send('removed', { id: change.run.id });
    else channel.send('run', { run: this.#shown(change.run) });
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
    for (const output of this.#pending.values()) this.#channel?.send('output', output);
    this.#pending.clear();
  }

  #shown(run: Run): ShownRun {
    const {
      id,
      sessionId,
      title,
      file,
      state,
      phase,
      startedAt,
      durationMs,
      notice,
      result,
      stdout,
      stderr,
      error,
      truncated,
      sizes,
      unkept,
      unread,
    } = run;
    return {
      id,
      sessionId,
      session: run.sessionName || (sessionId && shortId(sessionId)),
      title,
      file,
      state,
      phase,
      startedAt,
      durationMs,
      notice,
      headline: error === undefined ? undefined : errorHeadline(error),
      result,
      stdout,
      stderr,
      error,
      truncated,
      sizes,
      unkept,
      unread,
      can: {
        runAgain: run.repeatable,
        again: run.repeatable ? run.again : undefined,
        fix: run.remedy?.title,
        goToCode: run.document !== undefined || run.code !== undefined,
        openLiveView: this.#hasLiveView(sessionId),
        showAll: Boolean(sizes?.kept?.includes('result')) && result !== undefined,
        openAll: sizes?.kept ?? [],
      },
    };
  }

  async #act({ action, id }: Requests['act']['params']): Promise<null> {
    const run = this.#store.find(id);
    if (!run) return null;
    if (action === 'stop') this.onStop.fire(id);
    else if (action === 'runAgain') this.onRunAgain.fire(id);
    else if (action === 'fix') await this.#fix(run);
    else if (action === 'showAll') await this.#showAll(run);
    else if (action === 'openLiveView') {
      await vscode.commands.executeCommand(commands.openLiveView, { sessionId: run.sessionId });
    } else await goToCode(run);
    return null;
  }

  /** Replaces the beginning of a result with all of it. */
  async #showAll(run: Run): Promise<void> {
    this.#store.setWhole(run.id, await this.#load(run, 'result'));
  }

  async #load(run: Run, part: CutPart): Promise<string> {
    const load = () => this.#readWhole(run.id, part);
    try {
      return await vscode.window.withProgress({ location: { viewId: views.runResults } }, load);
    } catch (error) {
      if (error instanceof UserError || failureStatus(error) === 404) this.#store.loseWhole(run.id, part);
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
  async #with(id: string, work: (run: Run) => Promise<void>): Promise<null> {
    const run = this.#store.find(id);
    if (run) await work(run);
    return null;
  }

  async #copy({ id, part }: Requests['copy']['params']): Promise<null> {
    const run = this.#store.find(id);
    const text = (run && (await this.#whole(run, part))) ?? '';
    await vscode.env.clipboard.writeText(text);
    const received = Buffer.byteLength(text);
    const size = run && wholeSize(run, part, received);
    if (size !== undefined) {
      void vscode.window.showWarningMessage(
        l10n.t('Web Data: Copied only the first {0} of {1}.', byteSize(received), byteSize(size)),
      );
    }
    return null;
  }

  async #open({ id, part }: Requests['open']['params']): Promise<null> {
    const run = this.#store.find(id);
    if (!run || run[part] === undefined) return null;
    const text = (await this.#whole(run, part)) ?? '';
    if (part === 'result' && /^data:image\/\w+;base64,/.test(text)) {
      await this.#images.open(`run ${run.id.slice(0, 4)} result`, text);
      return null;
    }
    const { name, content } = documentFor(part, text);
    await this.#documents.open(`run ${run.id.slice(0, 4)}/${name}`, content);
    return null;
  }
}

/** Returns a part of a run as a document: JSON indented, other text without terminal control sequences. */
export function documentFor(part: string, text: string): { name: string; content: string } {
  const json = part === 'result' ? indentedJson(text) : undefined;
  return json === undefined
    ? { name: `${part}.txt`, content: stripControls(text) }
    : { name: `${part}.json`, content: json };
}

function indentedJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

const otherControls = /[^\P{Cc}\t\n\r]/gu;

/** Removes terminal control sequences and control characters. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replace(otherControls, '');
}
