import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromViewer } from '../../contract/sessions/live-view.ts';
import { watchOnlyQuery } from '../../contract/sessions/live-view-wire.ts';
import type { Events, Shown } from '../../webviews/live-view/messages.ts';
import { reportFailure } from '../ui/commands.ts';
import { messageOf } from '../ui/text/text.ts';
import { webviewPage } from '../ui/webview-host.ts';
import { actionRecording } from './action-recording.ts';
import { answerFiles } from './choose-files.ts';
import type { LastEditor } from './last-editor.ts';
import type { LivePanelOptions } from './live-panel.ts';
import { LiveSocket, SessionEnded } from './live-socket.ts';
import { type FramesSource, type ViewSource, viewSource } from './view-source.ts';

type Options = Omit<LivePanelOptions, 'sessionId'> & {
  sessionId(): string;
  lastEditor: LastEditor;
  send<Name extends keyof Events>(name: Name, params: Events[Name]): PromiseLike<unknown> | undefined;
  show(shown: Shown, canControl: boolean): void;
};

/** Shows a session in a live view, with its frames over a socket or as the page of its server, and takes control of it. */
export class SessionView {
  readonly recording: ReturnType<typeof actionRecording>;
  /** How the session is shown; undefined until that is known. */
  source: ViewSource | undefined;
  #options: Options;
  #socket: LiveSocket | undefined;
  /** Number of the newest socket opening. A socket of an older one is closed. */
  #opening = 0;
  #control = false;
  /** Whether to take control once the session is shown. */
  #takesControl = false;
  /** Whether a frame has been shown. */
  #watched = false;
  #frameOrigin: string | undefined;
  /** Origins of servers whose live views have been opened over a socket. */
  #streaming = new Set<string>();
  /** The session that is shown as a page, because its server has no socket. */
  #framed: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.recording = actionRecording({
      last: options.lastEditor,
      send: (message) => this.send(message),
      takeControl: async () => {
        await this.setControl(true);
        return this.#control && this.source?.kind === 'frames';
      },
      show: (on) => options.send('recording', { on }),
      onProblem: (error) => reportFailure('live view: record', error, options.log),
    });
  }

  send(message: FromViewer): void {
    this.#socket?.send(message);
  }

  showNotice(text: string): void {
    this.#options.send('live', { message: { type: 'notice', text } });
  }

  /** Takes control of the session, once it is shown. */
  takeControl(): void {
    if (this.source?.kind === 'frames') void this.setControl(true);
    else this.#takesControl = true;
  }

  async setControl(take: boolean): Promise<void> {
    const source = this.source;
    if (!source || take === this.#control) return;
    if (source.kind === 'page') {
      this.#control = take;
      await this.show();
    } else if (source.kind === 'frames') {
      // This window holds a socket that can act only while it is in control.
      if (!take) await this.recording.end();
      const address = take ? source.control : watchingAddress(source);
      if (address) await this.#connect(address, take);
    }
  }

  /** Finds the source of the session and shows it. */
  async show(): Promise<void> {
    const sessionId = this.#options.sessionId();
    try {
      await this.#showFound();
    } catch (error) {
      this.#options.log.error(`Live view: ${messageOf(error)}`);
      if (sessionId !== this.#options.sessionId()) return;
      this.source = { kind: 'nothing', reason: messageOf(error) };
      this.#options.show(this.source, false);
    }
  }

  async #showFound(): Promise<void> {
    const sessionId = this.#options.sessionId();
    const found = await this.#findSource();
    if (sessionId !== this.#options.sessionId()) return;
    const isStream = found.kind === 'page' && this.#streaming.has(found.frames.watch.origin);
    const source = isStream ? found.frames : found;
    if (source.kind === 'page') return await this.#showServer(source);
    this.source = source;
    if (source.kind === 'nothing') this.#options.show(source, false);
    else {
      this.#showFrames(source);
      const control = this.#takesControl ? source.control : undefined;
      this.#takesControl = false;
      await this.#connect(control ?? watchingAddress(source), control !== undefined);
    }
  }

  #showFrames(source: FramesSource): void {
    this.source = source;
    this.#options.show({ kind: 'frames' }, source.control !== undefined);
  }

  /** Shows the frames of another server's session, or its page if there is no socket for them. */
  async #showServer(source: Extract<ViewSource, { kind: 'page' }>): Promise<void> {
    const sessionId = this.#options.sessionId();
    if (this.#framed !== sessionId) {
      const opening = ++this.#opening;
      const socket = await this.#openSocket(watchingAddress(source.frames)).catch((error: unknown) => {
        if (error instanceof SessionEnded) this.#options.onEnded(sessionId);
        return undefined;
      });
      if (opening !== this.#opening) return socket?.close();
      if (socket) {
        this.#streaming.add(source.frames.watch.origin);
        this.#showFrames(source.frames);
        this.#use(socket, false);
        return;
      }
      this.#framed = sessionId;
    }
    this.source = source;
    await this.#showPage(source);
  }

  async #findSource(): Promise<ViewSource> {
    const access = await this.#options.access();
    if (!access) return { kind: 'nothing', reason: l10n.t('The session has ended because its service stopped.') };
    const where = { embedded: access.target.kind === 'embedded', baseUrl: access.baseUrl, control: this.#control };
    return viewSource(this.#options.sessions.find(this.#options.sessionId()), where);
  }

  /** Shows another server's page in a frame. The webview's content security policy allows its origin alone. */
  async #showPage({ address, control, canControl }: Extract<ViewSource, { kind: 'page' }>): Promise<void> {
    const external = await vscode.env.asExternalUri(vscode.Uri.parse(address.href, true));
    const url = new URL(external.toString(true));
    if (this.#frameOrigin !== url.origin) {
      // The webview reloads and reports that it is ready, which leads back here.
      this.load(url.origin);
      return;
    }
    const shown = { kind: 'page' as const, url: url.href, control, canControl };
    this.#options.show(shown, canControl);
    this.#options.onWatched();
  }

  load(frameOrigin?: string): void {
    this.#frameOrigin = frameOrigin;
    const { panel, extensionUri } = this.#options;
    panel.webview.html = webviewPage(panel.webview, extensionUri, 'live-view', l10n.t('Live View'), { frameOrigin });
  }

  /** Ends the view of a session, before another one is shown. */
  leave(): void {
    this.close();
    this.recording.lost();
    this.#socket = undefined;
    this.source = undefined;
    this.#control = false;
  }

  close(): void {
    this.#opening++;
    this.#socket?.close();
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
      this.#options.send('lost', { text: messageOf(error) });
      if (error instanceof SessionEnded) this.#options.onEnded(this.#options.sessionId());
    }
  }

  async #openSocket(address: URL): Promise<LiveSocket> {
    const receiveFiles = answerFiles({
      send: (message) => socket.send(message),
      sendBytes: (bytes) => socket.sendBytes(bytes),
      showNotice: (text) => this.showNotice(text),
    });
    const socket: LiveSocket = await LiveSocket.open(address, {
      onMessage: (message) => {
        if (this.#socket !== socket || receiveFiles(message) || this.recording.receive(message)) return undefined;
        return this.#options.send('live', { message });
      },
      onFrame: (bytes) => {
        if (this.#socket !== socket) return undefined;
        if (!this.#watched) this.#options.onWatched();
        this.#watched = true;
        return this.#options.send('frame', { bytes });
      },
      onClosed: (ended) => {
        if (this.#socket !== socket) return;
        this.#control = false;
        this.recording.lost();
        if (ended) this.#options.onEnded(this.#options.sessionId());
        else this.#options.send('lost', { text: l10n.t('The connection to the service was lost.') });
      },
    });
    return socket;
  }

  #use(socket: LiveSocket, control: boolean): void {
    this.#socket?.close();
    this.recording.lost();
    this.#socket = socket;
    this.#control = control;
    socket.listen();
    if (!this.#options.panel.visible) socket.send({ type: 'watch', on: false });
  }
}

/** Returns the URL to watch a session with. That of control lets this window size the page even while it only watches. */
function watchingAddress({ watch, control }: FramesSource): URL {
  return control ? new URL(`?${watchOnlyQuery}`, control) : watch;
}
