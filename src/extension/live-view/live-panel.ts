import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  type AgentShown,
  type Events,
  type Requests,
  requests,
  type Shown,
} from '../../webviews/live-view/messages.ts';
import type { Access } from '../connection/connection.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { currentMark } from '../ui/session-mark.ts';
import { agentState, requestText } from '../ui/text/agent-texts.ts';
import { label, shortId } from '../ui/text/text.ts';
import { WebviewChannel } from '../ui/webview-host.ts';
import { LastEditor } from './last-editor.ts';
import type { LiveViewsOptions } from './live-view.ts';
import { saveDownload, saveFile, saveFrames, saveName } from './save-files.ts';
import { SessionView } from './session-view.ts';
import { LiveTraffic } from './traffic/traffic.ts';
import { followedSession } from './view-source.ts';

export interface LivePanelOptions extends Omit<LiveViewsOptions, 'connection' | 'state'> {
  panel: vscode.WebviewPanel;
  sessionId: string;
  /** Whether it stays on its session instead of following the current one. */
  pinned: boolean;
  /** Whether it takes control of its session. */
  control?: boolean;
  /** Whether pages have a fixed size instead of the panel's, for all live views of the user. */
  fixedSize: { get(): boolean; set(fixed: boolean): void };
  access(): Promise<Access | undefined>;
}

const screenshotTexts = {
  title: l10n.t('Save Screenshot'),
  filter: l10n.t('Screenshot'),
  saved: l10n.t('Web Data: Screenshot saved.'),
};
const recordingTexts = {
  title: l10n.t('Save Recording'),
  filter: l10n.t('Recording'),
  saved: l10n.t('Web Data: Recording saved.'),
};

/** A live view beside the editor. It follows the window's current session unless pinned, and relays the service's messages to the webview, and the user's input to the service. */
export class LivePanel extends Disposables {
  readonly panel: vscode.WebviewPanel;
  #sessionId: string;
  #pinned: boolean;
  #options: LivePanelOptions;
  #channel: WebviewChannel<Events, Requests>;
  #traffic: LiveTraffic;
  #lastEditor = this.add(new LastEditor());
  #view: SessionView;

  constructor(options: LivePanelOptions) {
    super();
    this.#options = options;
    this.panel = options.panel;
    this.#sessionId = options.sessionId;
    this.#pinned = options.pinned;
    this.#traffic = this.add(
      new LiveTraffic({
        panel: this.panel,
        documents: options.documents,
        client: async () => (await options.access())?.client,
        sessionId: () => this.#sessionId,
        ended: () => options.sessions.find(this.#sessionId)?.status !== 'active',
        saveName: () => this.#saveName(),
        log: options.log,
        send: (name, params) => this.#channel.send(name, params),
      }),
    );
    this.#view = new SessionView({
      ...options,
      sessionId: () => this.#sessionId,
      lastEditor: this.#lastEditor,
      send: (name, params) => this.#channel.send(name, params),
      show: (shown, canControl) => this.#sendShow(shown, canControl),
    });
    if (options.control) this.#view.takeControl();
    this.#channel = this.add(this.#openChannel());
    this.add(options.sessions.onDidChange(() => this.#sessionChanged()));
    this.add(options.agents.onChange.on(() => this.#showAgent()));
    this.add(
      this.panel.onDidChangeViewState(() => {
        this.#view.send({ type: 'watch', on: this.panel.visible });
        this.#traffic.update();
      }),
    );
    this.add(this.panel.onDidDispose(() => this.dispose()));
    this.#sessionChanged();
    this.#view.load();
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get pinned(): boolean {
    return this.#pinned;
  }

  set pinned(pinned: boolean) {
    this.#pinned = pinned;
    this.#channel.send('pinned', { sessionId: this.#sessionId, pinned });
    this.#sessionChanged();
  }

  /** Takes control of the session, once it is shown. */
  takeControl(): void {
    this.#view.takeControl();
  }

  override dispose(): void {
    this.#view.close();
    super.dispose();
  }

  #openChannel(): WebviewChannel<Events, Requests> {
    const { log, agents, fixedSize } = this.#options;
    const name = () => this.#saveName();
    return new WebviewChannel<Events, Requests>(this.panel.webview, {
      log,
      onReady: () => {
        // In a webview that was loaded anew, the pane is closed.
        this.#traffic.watch(null);
        return this.#view.show();
      },
      requests,
      handlers: {
        live: ({ message }) => this.#view.send(message),
        control: ({ take }) => this.#view.setControl(take),
        copy: ({ text }) => vscode.env.clipboard.writeText(text),
        retry: () => this.#view.show(),
        fixedSize: ({ fixed }) => fixedSize.set(fixed),
        pause: ({ paused }) => agents.pause(this.#sessionId, paused),
        answer: ({ id, answer }) => agents.answer(id, answer),
        saveSnippet: () => vscode.commands.executeCommand(commands.saveAsSnippet, { sessionId: this.#sessionId }),
        watchTraffic: ({ tab }) => this.#traffic.watch(tab),
        openRequest: ({ id }) => this.#traffic.openRequest(id),
        openLine: ({ id }) => this.#traffic.openLine(id),
        saveArchive: () => this.#traffic.saveArchive(),
        record: ({ on }) => (on ? this.#view.recording.begin() : this.#view.recording.end()),
        insertLocator: async (locators) => this.#view.showNotice(await this.#lastEditor.insertLocator(locators)),
        saveDownload: (download) => saveDownload(this.#view.source, download),
        newSession: () => this.#newSession(),
        saveScreenshot: ({ png }) => saveFile(png, { name: name(), extension: 'png', texts: screenshotTexts }, log),
        saveVideo: ({ webm }) => saveFile(webm, { name: name(), extension: 'webm', texts: recordingTexts }, log),
        saveFrames: ({ frames }) => saveFrames(frames, name(), log),
      },
    });
  }

  #sendShow(shown: Shown, canControl: boolean): void {
    const [sessionId, pinned, fixedSize] = [this.#sessionId, this.#pinned, this.#options.fixedSize.get()];
    this.#channel.send('show', { sessionId, shown, canControl, pinned, fixedSize });
    this.#showAgent();
  }

  /** Shows what an agent does in the session, and what it waits for. */
  #showAgent(): void {
    const { agents } = this.#options;
    const session = agents.find(this.#sessionId);
    const shown: AgentShown | null = session
      ? {
          name: label(session.agent, 40),
          text: agentState(session) ?? null,
          paused: session.paused,
          controlled: session.controlled,
          recorded: session.actions > 0,
          requests: agents.requestsOf(this.#sessionId).map((request) => ({
            id: request.id,
            text: requestText(request),
            detail: label(request.detail, 300),
            host: request.host && label(request.host, 60),
          })),
        }
      : null;
    this.#channel.send('agent', { agent: shown });
  }

  #showSession(sessionId: string): void {
    this.#sessionId = sessionId;
    this.#view.leave();
    this.#sessionChanged();
    this.#traffic.update();
    void this.#view.show();
  }

  async #newSession(): Promise<void> {
    const sessionId = await vscode.commands.executeCommand<string | undefined>(commands.newBrowserSession);
    // A panel that follows the current session shows it already.
    if (sessionId !== undefined && sessionId !== this.#sessionId) this.#showSession(sessionId);
  }

  #sessionChanged(): void {
    const followed = this.#pinned ? this.#sessionId : followedSession(this.#options.sessions, this.#sessionId);
    if (followed !== this.#sessionId) return this.#showSession(followed);
    const mark = this.#options.sessions.current?.id === this.#sessionId ? `${currentMark.character} ` : '';
    const title = l10n.t('Live: {0}{1}', mark, this.#sessionName());
    if (this.panel.title !== title) this.panel.title = title;
    const session = this.#options.sessions.find(this.#sessionId);
    // Another server's page doesn't always show that its session has ended.
    if (this.#view.source?.kind === 'page' && session && session.status !== 'active') void this.#view.show();
  }

  #saveName(): string {
    return saveName(this.#sessionName(), new Date());
  }

  #sessionName(): string {
    const session = this.#options.sessions.find(this.#sessionId);
    return label(session?.name || shortId(this.#sessionId), 40);
  }
}
