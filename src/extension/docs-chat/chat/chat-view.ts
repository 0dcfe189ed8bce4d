import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { checks, type Events, type Requests, type ViewAction } from '../../../webviews/docs/messages.ts';
import type { FeatureParts } from '../../connection/feature-parts.ts';
import { commands, views } from '../../ui/ids.ts';
import { copyText, insertCode } from '../../ui/insert-code.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { registerWebviewView } from '../../ui/stand-ins/views.ts';
import { type RequestHandlers, WebviewChannel, webviewOptions, webviewPage } from '../../ui/webview-host.ts';
import type { BundledDocs } from '../evidence/evidence.ts';
import { openEvidence } from '../evidence/open-evidence.ts';
import type { DocsChat } from './chat.ts';
import { shownState, shownTurn } from './shown-turns.ts';

interface Parts extends FeatureParts {
  chat: DocsChat;
  docs: BundledDocs;
  extensionUri: vscode.Uri;
}

/** The "Docs" view: questions and answers. */
export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  #parts: Parts;
  #channel: WebviewChannel<Events, Requests> | undefined;
  #composed: Events['compose'] | undefined;
  /** False while the view is hidden: it is recreated when shown, so messages sent in the meantime are lost. */
  #ready = false;
  #disposables = new Disposables();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { chat, connection } = parts;
    this.#disposables.add(registerWebviewView(views.docs, this));
    this.#disposables.add(
      chat.store.onChange.on((change) => {
        if (change.kind === 'turn') this.#channel?.send('turn', { turn: shownTurn(change.turn) });
        else void this.#sendState();
      }),
    );
    this.#disposables.add(connection.onDidChange.on(() => void this.#sendState()));
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#sendState()));
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri, log } = this.#parts;
    this.#channel?.dispose();
    this.#ready = false;
    view.webview.options = webviewOptions(extensionUri);
    const channel: WebviewChannel<Events, Requests> = new WebviewChannel({
      webview: view.webview,
      log,
      onReady: () => this.#initialize(channel),
      handlers: this.#handlers(),
    });
    this.#channel = channel;
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#ready = false;
    });
    view.onDidDispose(() => {
      channel.dispose();
      if (this.#channel !== channel) return;
      this.#channel = undefined;
      this.#ready = false;
    });
    view.webview.html = webviewPage(view.webview, extensionUri, 'docs', l10n.t('Docs'));
  }

  /** Shows the view and puts a question in its box, which the user can edit and send. */
  async compose(composed: Events['compose']): Promise<void> {
    this.#composed = composed;
    await vscode.commands.executeCommand(`${views.docs}.focus`);
    this.#sendComposed();
  }

  dispose(): void {
    this.#channel?.dispose();
    this.#disposables.dispose();
  }

  async #initialize(channel: WebviewChannel<Events, Requests>): Promise<void> {
    await this.#sendState(channel);
    this.#ready = this.#channel === channel;
    this.#sendComposed();
  }

  async #sendState(channel = this.#channel): Promise<void> {
    if (!channel) return;
    const { chat, connection, docs } = this.#parts;
    const [{ limits }, names] = await Promise.all([import('../../../contract/limits.ts'), docs.names()]);
    channel.send(
      'state',
      shownState(chat.store.turns, {
        target: connection.target,
        trusted: vscode.workspace.isTrusted,
        docs: names,
        maxQuestionLength: limits.question.max,
      }),
    );
  }

  /** Sends the composed question once the view is ready. */
  #sendComposed(): void {
    if (!this.#composed || !this.#ready) return;
    this.#channel?.send('compose', this.#composed);
    this.#composed = undefined;
  }

  #handlers(): RequestHandlers<Requests> {
    const { chat, documents } = this.#parts;
    const handler = <Name extends keyof Requests>(name: Name, run: (params: Requests[Name]['params']) => unknown) => ({
      check: checks[name],
      run: async (params: Requests[Name]['params']) => {
        await run(params);
        return null;
      },
    });
    return {
      // Answers arrive as events: the request doesn't wait for them.
      ask: handler('ask', ({ question }) => void chat.ask(question)),
      again: handler('again', ({ id }) => void chat.again(id)),
      stop: handler('stop', () => chat.stop()),
      openEvidence: handler('openEvidence', ({ id, index }) => this.#openEvidence(id, index)),
      openAnswer: handler('openAnswer', async ({ id }) => {
        const answer = chat.store.find(id)?.answer;
        if (answer !== undefined) await documents.open(`docs ${id.slice(0, 4)}/answer.txt`, answer);
      }),
      openLink: handler('openLink', ({ href }) => this.#open(href, false)),
      copy: handler('copy', ({ text }) => copyText(text)),
      insert: handler('insert', ({ text, language }) => insertCode(text, language)),
      act: handler('act', ({ action }) => vscode.commands.executeCommand(actionCommands[action], action)),
    };
  }

  async #openEvidence(id: string, index: number): Promise<void> {
    const turn = this.#parts.chat.store.find(id);
    const evidence = turn?.evidence[index];
    if (turn && evidence) await this.#open(evidence.pathOrUrl, turn.embedded);
  }

  #open(address: string, embedded: boolean): Promise<void> {
    const { connection, docs, extensionUri } = this.#parts;
    return openEvidence({ connection, docs, folder: vscode.Uri.joinPath(extensionUri, 'docs') }, address, embedded);
  }
}

const actionCommands: Readonly<Record<ViewAction, string>> = {
  connect: commands.connectToServer,
  embedded: commands.useEmbeddedService,
  log: commands.showServiceLog,
  trust: 'workbench.trust.manage',
  addSource: commands.manageDocsSources,
  clear: commands.clearDocs,
};
