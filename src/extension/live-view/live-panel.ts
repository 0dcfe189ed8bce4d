import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromViewer } from '../../contract/sessions/live-view.ts';
import { watchOnlyQuery } from '../../contract/sessions/live-view-wire.ts';
import {
  type AgentShown,
  type Events,
  type Requests,
  requests,
  type Shown,
} from '../../webviews/live-view/messages.ts';
import type { Access } from '../connection/connection.ts';
import { reportFailure } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { currentMark } from '../ui/session-mark.ts';
import { agentState, requestText } from '../ui/text/agent-texts.ts';
import { label, messageOf, shortId } from '../ui/text/text.ts';
import { WebviewChannel, webviewPage } from '../ui/webview-host.ts';
import { actionRecording } from './action-recording.ts';
import { answerFiles } from './choose-files.ts';
import { LastEditor } from './last-editor.ts';
import { LiveSocket, SessionEnded } from './live-socket.ts';
import type { LiveViewsOptions } from './live-view.ts';
import { saveDownload, saveFile, saveFrames, saveName } from './save-files.ts';
import { LiveTraffic } from './traffic/traffic.ts';
import { type FramesSource, followedSession, type ViewSource, viewSource } from './view-source.ts';

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

/** A live view beside the editor. It follows the window's current session unless pinned, and relays the service's messages to the webview, and the user's input to the service. */
export class LivePanel extends Disposables {
  readonly panel: vscode.WebviewPanel;
  #sessionId: string;
  #pinned: boolean;
  #options: LivePanelOptions;
  #channel: WebviewChannel<Events, Requests>;
  #traffic: LiveTraffic;
  #lastEditor = this.add(new LastEditor());
  #recording: ReturnType<typeof actionRecording>;
  #source: ViewSource | undefined;
  #socket: LiveSocket | undefined;
  /** Number of the newest socket opening. A socket of an older one is closed. */
  #opening = 0;
  #control = false;
  /** Whether to take control once the session is shown. */
  #takesControl: boolean;
  /** Whether a frame has been shown. */
  #watched = false;
  #frameOrigin: string | undefined;
  /** Origins of servers whose live views have been opened over a socket. */
  #streaming = new Set<string>();
  /** The session that is shown as a page, because its server has no socket. */
  #framed: string | undefined;

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
    this.#recording = actionRecording({
      last: this.#lastEditor,
      send: (message) => this.#send(message),
      takeControl: async () => {
        await this.#setControl(true);
        return this.#control && this.#source?.kind === 'frames';
      },
      show: (on) => this.#channel.send('recording', { on }),
      onProblem: (error) => reportFailure('live view: record', error, options.log),
    });
    this.#takesControl = options.control === true;
    this.#channel = this.add(this.#openChannel());
    this.add(options.sessions.onDidChange(() => this.#sessionChanged()));
    this.add(options.agents.onChange.on(() => this.#showAgent()));
    this.add(
      this.panel.onDidChangeViewState(() => {
        this.#socket?.send({ type: 'watch', on: this.panel.visible });
        this.#traffic.update();
      }),
    );
    this.add(this.panel.onDidDispose(() => this.dispose()));
    this.#sessionChanged();
    this.#load(undefined);
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
    if (this.#source?.kind === 'frames') void this.#setControl(true);
    else this.#takesControl = true;
  }

  override dispose(): void {
    this.#opening++;
    this.#socket?.close();
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
        return this.#show();
      },
      requests,
      handlers: {
        live: ({ message }) => this.#send(message),
        control: ({ take }) => this.#setControl(take),
        copy: ({ text }) => vscode.env.clipboard.writeText(text),
        retry: () => this.#show(),
        fixedSize: ({ fixed }) => fixedSize.set(fixed),
        pause: ({ paused }) => agents.pause(this.#sessionId, paused),
        answer: ({ id, answer }) => agents.answer(id, answer),
        saveSnippet: () => vscode.commands.executeCommand(commands.saveAsSnippet, { sessionId: this.#sessionId }),
        watchTraffic: ({ tab }) => this.#traffic.watch(tab),
        openRequest: ({ id }) => this.#traffic.openRequest(id),
        openLine: ({ id }) => this.#traffic.openLine(id),
        saveArchive: () => this.#traffic.saveArchive(),
        record: ({ on }) => (on ? this.#recording.begin() : this.#recording.end()),
        insertLocator: async (locators) => this.#showNotice(await this.#lastEditor.insertLocator(locators)),
        saveDownload: (download) =>
          saveDownload(this.#source?.kind === 'frames' ? this.#source.control : undefined, download),
        newSession: () => this.#newSession(),
        saveScreenshot: ({ png }) => saveFile(png, { name: name(), extension: 'png', texts: screenshotTexts() }, log),
        saveVideo: ({ webm }) => saveFile(webm, { name: name(), extension: 'webm', texts: recordingTexts() }, log),
        saveFrames: ({ frames }) => saveFrames(frames, name(), log),
      },
    });
  }

  /** Finds the source of the session and shows it. */
  async #show(): Promise<void> {
    const sessionId = this.#sessionId;
    try {
      await this.#showFound();
    } catch (error) {
      this.#options.log.error(`Live view: ${messageOf(error)}`);
      if (sessionId !== this.#sessionId) return;
      this.#source = { kind: 'nothing', reason: messageOf(error) };
      this.#sendShow(this.#source, false);
    }
  }

  async #showFound(): Promise<void> {
    const sessionId = this.#sessionId;
    const found = await this.#findSource();
    if (sessionId !== this.#sessionId) return;
    const isStream = found.kind === 'page' && this.#streaming.has(found.frames.watch.origin);
    const source = isStream ? found.frames : found;
    if (source.kind === 'page') return await this.#showServer(source);
    this.#source = source;
    if (source.kind === 'nothing') this.#sendShow(source, false);
    else {
      this.#showFrames(source);
      const control = this.#takesControl ? source.control : undefined;
      this.#takesControl = false;
      await this.#connect(control ?? watchingAddress(source), control !== undefined);
    }
  }

  #showFrames(source: FramesSource): void {
    this.#source = source;
    this.#sendShow({ kind: 'frames' }, source.control !== undefined);
  }

  /** Shows the frames of another server's session, or its page if there is no socket for them. */
  async #showServer(source: Extract<ViewSource, { kind: 'page' }>): Promise<void> {
    const sessionId = this.#sessionId;
    if (this.#framed !== sessionId) {
      const opening = ++this.#opening;
      const socket = await this.#openSocket(watchingAddress(source.frames)).catch((error: unknown) => {
        if (error instanceof SessionEnded) this.#options.onEnded(sessionId);
        return undefined;
      });
      if (opening !== this.#opening) {
        return socket?.close();
      }
      if (socket) {
        this.#streaming.add(source.frames.watch.origin);
        this.#showFrames(source.frames);
        this.#use(socket, false);
        return;
      }
      this.#framed = sessionId;
    }
    this.#source = source;
    await this.#showPage(source);
  }

  async #findSource(): Promise<ViewSource> {
    const access = await this.#options.access();
    if (!access) return { kind: 'nothing', reason: l10n.t('The session has ended because its service stopped.') };
    const where = { embedded: access.target.kind === 'embedded', baseUrl: access.baseUrl, control: this.#control };
    return viewSource(this.#options.sessions.find(this.#sessionId), where);
  }

  /** Shows another server's page in a frame. The webview's content security policy allows its origin alone. */
  async #showPage({ address, control, canControl }: Extract<ViewSource, { kind: 'page' }>): Promise<void> {
    const external = await vscode.env.asExternalUri(vscode.Uri.parse(address.href, true));
    const url = new URL(external.toString(true));
    if (this.#frameOrigin !== url.origin) {
      // The webview reloads and reports that it is ready, which leads back here.
      this.#load(url.origin);
      return;
    }
    const shown = { kind: 'page' as const, url: url.href, control, canControl };
    this.#sendShow(shown, canControl);
    this.#options.onWatched();
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
    this.#opening++;
    this.#socket?.close();
    this.#recording.lost();
    this.#socket = undefined;
    this.#source = undefined;
    this.#control = false;
    this.#sessionChanged();
    this.#traffic.update();
    void this.#show();
  }

  #load(frameOrigin: string | undefined): void {
    this.#frameOrigin = frameOrigin;
    const { webview } = this.panel;
    webview.html = webviewPage(webview, this.#options.extensionUri, 'live-view', l10n.t('Live View'), { frameOrigin });
  }

  async #connect(address: URL, control: boolean): Promise<void> {
    const opening = ++this.#opening;
    const isNewest = () => opening === this.#opening;
    try {
      const socket = await this.#openSocket(address);
      if (!isNewest()) return socket.close();
      this.#use(socket, control);
    } catch (error) {
      if (!isNewest()) return;
      this.#channel.send('lost', { text: messageOf(error) });
      if (error instanceof SessionEnded) this.#options.onEnded(this.#sessionId);
    }
  }

  async #openSocket(address: URL): Promise<LiveSocket> {
    const receiveFiles = answerFiles({
      send: (message) => socket.send(message),
      sendBytes: (bytes) => socket.sendBytes(bytes),
      showNotice: (text) => this.#showNotice(text),
    });
    const socket: LiveSocket = await LiveSocket.open(address, {
      onMessage: (message) => {
        if (this.#socket !== socket || receiveFiles(message) || this.#recording.receive(message)) return;
        this.#channel.send('live', { message });
      },
      onFrame: (bytes) => {
        if (this.#socket !== socket) return;
        this.#channel.send('frame', { bytes });
        if (!this.#watched) this.#options.onWatched();
        this.#watched = true;
      },
      onClosed: (ended) => {
        if (this.#socket !== socket) return;
        this.#control = false;
        this.#recording.lost();
        if (ended) this.#options.onEnded(this.#sessionId);
        else this.#channel.send('lost', { text: l10n.t('The connection to the service was lost.') });
      },
    });
    return socket;
  }

  #use(socket: LiveSocket, control: boolean): void {
    this.#socket?.close();
    this.#recording.lost();
    this.#socket = socket;
    this.#control = control;
    socket.listen();
    if (!this.panel.visible) socket.send({ type: 'watch', on: false });
  }

  #showNotice(text: string): void {
    this.#channel.send('live', { message: { type: 'notice', text } });
  }

  async #setControl(take: boolean): Promise<void> {
    const source = this.#source;
    if (!source || take === this.#control) return;
    if (source.kind === 'page') {
      this.#control = take;
      await this.#show();
    } else if (source.kind === 'frames') {
      // This window holds a socket that can act only while it is in control.
      if (!take) await this.#recording.end();
      const address = take ? source.control : watchingAddress(source);
      if (address) await this.#connect(address, take);
    }
  }

  #send(message: FromViewer): void {
    this.#socket?.send(message);
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
    if (this.#source?.kind === 'page' && session && session.status !== 'active') void this.#show();
  }

  #saveName(): string {
    return saveName(this.#sessionName(), new Date());
  }

  #sessionName(): string {
    const session = this.#options.sessions.find(this.#sessionId);
    return label(session?.name || shortId(this.#sessionId), 40);
  }
}

/** Returns the URL to watch a session with. That of control lets this window size the page even while it only watches. */
function watchingAddress({ watch, control }: Extract<ViewSource, { kind: 'frames' }>): URL {
  return control ? new URL(`?${watchOnlyQuery}`, control) : watch;
}

function screenshotTexts() {
  return {
    title: l10n.t('Save Screenshot'),
    filter: l10n.t('Screenshot'),
    saved: l10n.t('Web Data: Screenshot saved.'),
  };
}

function recordingTexts() {
  return { title: l10n.t('Save Recording'), filter: l10n.t('Recording'), saved: l10n.t('Web Data: Recording saved.') };
}
