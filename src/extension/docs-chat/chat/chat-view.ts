import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limits } from '../../../contract/limits.ts';
import { type Events, requests, type ViewAction } from '../../../webviews/docs/messages.ts';
import type { FeatureParts } from '../../connection/connection.ts';
import { commands, views } from '../../ui/ids.ts';
import { copyText, insertCode } from '../../ui/insert-code.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { type RequestHandlers, WebviewView } from '../../ui/webview-host.ts';
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
export class ChatView extends Disposables {
  #parts: Parts;
  #view: WebviewView<Events, typeof requests>;
  #composed: Events['compose'] | undefined;
  /** False while the view is hidden: it is recreated when shown, so messages sent in the meantime are lost. */
  #ready = false;

  constructor(parts: Parts) {
    super();
    this.#parts = parts;
    const { chat, connection } = parts;
    this.#view = this.add(
      new WebviewView<Events, typeof requests>({
        ...parts,
        id: views.docs,
        title: l10n.t('Docs'),
        bundle: 'docs',
        requests,
        handlers: this.#handlers(),
        onReady: () => this.#initialize(),
        onVisible: (visible) => {
          if (!visible) this.#ready = false;
        },
      }),
    );
    this.add(
      chat.store.onChange.on((change) => {
        if (change.kind === 'turn') this.#view.send('turn', { turn: shownTurn(change.turn) });
        else void this.#sendState();
      }),
    );
    this.add(connection.onDidChange.on(() => void this.#sendState()));
    this.add(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#sendState()));
  }

  /** Shows the view and puts a question in its box, which the user can edit and send. */
  async compose(composed: Events['compose']): Promise<void> {
    this.#composed = composed;
    await vscode.commands.executeCommand(`${views.docs}.focus`);
    this.#sendComposed();
  }

  async #initialize(): Promise<void> {
    this.#ready = false;
    const { view } = this.#view;
    await this.#sendState();
    this.#ready = view !== undefined && view === this.#view.view && view.visible;
    this.#sendComposed();
  }

  async #sendState(): Promise<void> {
    if (!this.#view.view) return;
    const { chat, connection, docs } = this.#parts;
    const names = await docs.names();
    this.#view.send(
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
    this.#view.send('compose', this.#composed);
    this.#composed = undefined;
  }

  #handlers(): RequestHandlers<typeof requests> {
    const { chat, documents } = this.#parts;
    return {
      // Answers arrive as events: the request doesn't wait for them.
      ask: ({ question }) => void chat.ask(question),
      again: ({ id }) => void chat.again(id),
      stop: () => chat.stop(),
      openEvidence: ({ id, index }) => this.#openEvidence(id, index),
      openAnswer: async ({ id }) => {
        const answer = chat.store.find(id)?.answer;
        if (answer !== undefined) await documents.open(`docs ${id.slice(0, 4)}/answer.txt`, answer);
      },
      openLink: ({ href }) => this.#open(href, false),
      copy: ({ text }) => copyText(text),
      insert: ({ text, language }) => insertCode(text, language),
      act: ({ action }) => vscode.commands.executeCommand(actionCommands[action], action),
      help: async ({ id, action }) => {
        if ((await vscode.commands.executeCommand(actionCommands[action], action)) === true) void chat.again(id);
      },
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
