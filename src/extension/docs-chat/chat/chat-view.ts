import * as vscode from 'vscode';
import { checks, type Events, type Requests, type ViewAction } from '../../../webviews/docs/messages.ts';
import type { Connection } from '../../connection/connection.ts';
import { showError } from '../../ui/commands.ts';
import { commands, views } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import type { VirtualDocuments } from '../../ui/virtual-documents.ts';
import { type RequestHandlers, WebviewChannel, webviewOptions, webviewPage } from '../../ui/webview-host.ts';
import type { OwnTexts } from '../evidence/evidence.ts';
import { openEvidence } from '../evidence/open-evidence.ts';
import type { DocsChat } from './chat.ts';
import { copyText, insertCode } from './insert-code.ts';
import { shownState, shownTurn } from './shown-turns.ts';

interface Parts {
  chat: DocsChat;
  connection: Connection;
  texts: OwnTexts;
  documents: VirtualDocuments;
  extensionUri: vscode.Uri;
  log: vscode.LogOutputChannel;
}

/** The "Docs" view: questions and answers. */
export class DocsView implements vscode.WebviewViewProvider, vscode.Disposable {
  #parts: Parts;
  #channel: WebviewChannel<Events, Requests> | undefined;
  #composed: Events['compose'] | undefined;
  /** A view that is hidden is made anew when it is shown: what is said to it meanwhile is lost. */
  #listens = false;
  #disposables = new Disposables();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { chat, connection } = parts;
    this.#disposables.add(vscode.window.registerWebviewViewProvider(views.docs, this));
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
    this.#listens = false;
    view.webview.options = webviewOptions(extensionUri);
    const channel = new WebviewChannel<Events, Requests>({
      webview: view.webview,
      log,
      onReady: () => void this.#begin(channel),
      handlers: this.#handlers(),
    });
    this.#channel = channel;
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#listens = false;
    });
    view.onDidDispose(() => {
      channel.dispose();
      if (this.#channel !== channel) return;
      this.#channel = undefined;
      this.#listens = false;
    });
    view.webview.html = webviewPage(view.webview, extensionUri, 'docs', 'Docs');
  }

  /** Shows the view with the cursor in the box, and a question in it that the person may change and send. */
  async compose(composed: Events['compose']): Promise<void> {
    this.#composed = composed;
    await vscode.commands.executeCommand(`${views.docs}.focus`);
    this.#sendComposed();
  }

  dispose(): void {
    this.#channel?.dispose();
    this.#disposables.dispose();
  }

  async #begin(channel: WebviewChannel<Events, Requests>): Promise<void> {
    await this.#sendState(channel);
    this.#listens = this.#channel === channel;
    this.#sendComposed();
  }

  async #sendState(channel = this.#channel): Promise<void> {
    if (!channel) return;
    const { chat, connection, texts } = this.#parts;
    const [{ limits }, names] = await Promise.all([import('../../../contract/limits.ts'), texts.names()]);
    channel.send(
      'state',
      shownState(chat.store.turns, {
        target: connection.target,
        trusted: vscode.workspace.isTrusted,
        texts: names,
        longestQuestion: limits.question.max,
      }),
    );
  }

  /** Once the view has a box to put it in. */
  #sendComposed(): void {
    if (!this.#composed || !this.#listens) return;
    this.#channel?.send('compose', this.#composed);
    this.#composed = undefined;
  }

  #handlers(): RequestHandlers<Requests> {
    const { chat, documents } = this.#parts;
    const handler = <Name extends keyof Requests>(name: Name, run: (params: Requests[Name]['params']) => unknown) => ({
      check: checks[name],
      run: async (params: Requests[Name]['params']) => {
        try {
          await run(params);
        } catch (error) {
          void showError(error);
        }
        return null;
      },
    });
    return {
      // Answers come as events: the view does not wait for them.
      ask: handler('ask', ({ question }) => void chat.ask(question)),
      again: handler('again', ({ id }) => void chat.again(id)),
      stop: handler('stop', () => chat.stop()),
      rate: handler('rate', ({ id, rating }) => chat.store.change(id, { rating: rating ?? undefined })),
      openEvidence: handler('openEvidence', ({ id, index }) => this.#openEvidence(id, index)),
      openAnswer: handler('openAnswer', async ({ id }) => {
        const answer = chat.store.find(id)?.answer;
        if (answer !== undefined) await documents.open(`docs ${id.slice(0, 4)}/answer.txt`, answer);
      }),
      openLink: handler('openLink', ({ href }) => this.#open(href, false)),
      copy: handler('copy', ({ text }) => copyText(text)),
      insert: handler('insert', ({ text, language }) => insertCode(text, language)),
      act: handler('act', ({ action }) => vscode.commands.executeCommand(actionCommands[action])),
    };
  }

  async #openEvidence(id: string, index: number): Promise<void> {
    const turn = this.#parts.chat.store.find(id);
    const evidence = turn?.evidence[index];
    if (turn && evidence) await this.#open(evidence.pathOrUrl, turn.embedded);
  }

  #open(address: string, embedded: boolean): Promise<void> {
    const { connection, texts, extensionUri } = this.#parts;
    return openEvidence({ connection, texts, folder: vscode.Uri.joinPath(extensionUri, 'docs') }, address, embedded);
  }
}

const actionCommands: Readonly<Record<ViewAction, string>> = {
  connect: commands.connectToServer,
  embedded: commands.useEmbeddedService,
  log: commands.showServiceLog,
  trust: 'workbench.trust.manage',
  addSource: commands.addDocsSource,
  clear: commands.clearDocs,
};
