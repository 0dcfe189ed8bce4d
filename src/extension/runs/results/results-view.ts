import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  type Events,
  isActRequest,
  isPartRequest,
  isRevealRequest,
  isSaveRequest,
  type Requests,
  type ShownRun,
} from '../../../webviews/run-results/messages.ts';
import { showError } from '../../ui/commands.ts';
import { commands, views } from '../../ui/ids.ts';
import { Disposables, Signal } from '../../ui/lifecycle.ts';
import { registerWebviewView } from '../../ui/stand-ins/views.ts';
import { shortId } from '../../ui/text/text.ts';
import type { VirtualDocuments } from '../../ui/virtual-documents/virtual-documents.ts';
import { WebviewChannel, webviewOptions, webviewPage } from '../../ui/webview-host.ts';
import type { Run, RunChange, RunStore } from '../run-store.ts';
import { ImageFiles } from './image-files.ts';
import { errorHeadline } from './outcome.ts';
import { goToCode, revealLocation, saveResult } from './result-actions.ts';
import { documentFor } from './result-document.ts';

/** Output is batched before it is sent to the view. */
const outputIntervalMs = 40;

/** The Run Results view in the panel. */
export class ResultsView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly onRunAgain = new Signal<string>();
  readonly onStop = new Signal<string>();
  #store: RunStore;
  #documents: VirtualDocuments;
  #extensionUri: vscode.Uri;
  #log: vscode.LogOutputChannel;
  #view: vscode.WebviewView | undefined;
  #channel: WebviewChannel<Events, Requests> | undefined;
  #pending = new Map<string, { id: string; stream: 'stdout' | 'stderr'; text: string }>();
  #flushTimer: NodeJS.Timeout | undefined;
  #hasLiveView: (sessionId: string) => boolean;
  #currentSessionId: string | undefined;
  #disposables = new Disposables();
  #images = this.#disposables.add(new ImageFiles());

  constructor(options: {
    store: RunStore;
    documents: VirtualDocuments;
    extensionUri: vscode.Uri;
    log: vscode.LogOutputChannel;
    hasLiveView(sessionId: string): boolean;
  }) {
    this.#store = options.store;
    this.#documents = options.documents;
    this.#extensionUri = options.extensionUri;
    this.#log = options.log;
    this.#hasLiveView = options.hasLiveView;
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
      },
      handlers: {
        act: { check: isActRequest, run: (params) => this.#act(params) },
        copy: { check: isPartRequest, run: (params) => this.#copy(params) },
        open: { check: isPartRequest, run: (params) => this.#open(params) },
        reveal: {
          check: isRevealRequest,
          run: ({ id, location }) => this.#try(id, (run) => revealLocation(run, location)),
        },
        save: { check: isSaveRequest, run: (params) => this.#try(params.id, (run) => saveResult(run, params)) },
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
      can: {
        runAgain: run.repeatable,
        again: run.repeatable ? run.again : undefined,
        fix: run.remedy?.title,
        goToCode: run.document !== undefined || run.code !== undefined,
        openLiveView: this.#hasLiveView(sessionId),
      },
    };
  }

  async #act({ action, id }: Requests['act']['params']): Promise<null> {
    const run = this.#store.find(id);
    if (!run) return null;
    if (action === 'stop') this.onStop.fire(id);
    else if (action === 'runAgain') this.onRunAgain.fire(id);
    else if (action === 'fix') await this.#fix(run);
    else if (action === 'openLiveView') {
      await vscode.commands.executeCommand(commands.openLiveView, { sessionId: run.sessionId });
    } else await goToCode(run);
    return null;
  }

  /** Gets what a run lacked, and runs it again where that succeeded at once. */
  async #fix({ id, remedy, repeatable }: Run): Promise<void> {
    if (!remedy) return;
    const isReady = await vscode.commands.executeCommand(remedy.command, ...remedy.args);
    if (remedy.repeats && repeatable && isReady === true) this.onRunAgain.fire(id);
  }

  /** Does something with a run, if it is still listed. Errors are shown. */
  async #try(id: string, work: (run: Run) => Promise<void>): Promise<null> {
    const run = this.#store.find(id);
    if (run) await work(run).catch(showError);
    return null;
  }

  async #copy({ id, part }: Requests['copy']['params']): Promise<null> {
    await vscode.env.clipboard.writeText(this.#store.find(id)?.[part] ?? '');
    return null;
  }

  async #open({ id, part }: Requests['open']['params']): Promise<null> {
    const run = this.#store.find(id);
    const text = run?.[part];
    if (!run || text === undefined) return null;
    if (part === 'result' && /^data:image\/\w+;base64,/.test(text)) {
      await this.#images.open(`run ${run.id.slice(0, 4)} result`, text);
      return null;
    }
    const { name, content } = documentFor(part, text);
    await this.#documents.open(`run ${run.id.slice(0, 4)}/${name}`, content);
    return null;
  }
}
