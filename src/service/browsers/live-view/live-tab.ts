import type { LiveDialog, LiveField, LivePick, LiveTab, ToViewer } from '../../../contract/sessions/live-view.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import { navigationHistory } from '../chrome/navigation-history.ts';
import type { CdpCommand, CdpEvent, CdpEvents, CdpParams, CdpResult } from '../chrome/protocol.ts';
import { httpToTry } from './address-bar.ts';
import { FileChooser } from './file-chooser.ts';
import { type EncodedFrame, type FrameSender, levels } from './frame-sender.ts';
import type { Icons } from './icons.ts';
import { TabInput } from './input/tab-input.ts';
import { pickAt } from './picking/picker.ts';
import { Screencast } from './screencast.ts';
import type { Size } from './viewer.ts';

/** State of a tab that viewers show in addition to its title and URL. */
type TabState = Extract<ToViewer, { type: 'state' }>;

/** What happens in a tab that viewers are told of. */
export interface TabEvents {
  onState(tab: WatchedTab): void;
  onLoaded(): void;
  onIcon(tab: WatchedTab): void;
  onDialog(tab: WatchedTab): void;
  onChooser(tab: WatchedTab, chooser: FileChooser): void;
  onField(tab: WatchedTab, field: LiveField): void;
  /** `open` is an address that a button opens. */
  onNotice(tab: WatchedTab, text: string, open?: string): void;
}

export interface WatchedTabOptions extends TabEvents {
  client: CdpClient;
  icons: Icons;
  targetId: string;
  mac: boolean;
  nextSeq(): number;
  after(ms: number, callback: () => void): () => void;
  url(): string;
}

const historySteps = { back: -1, forward: 1 } as const;

/** A tab that is or was watched: its frames, its state, and the input of viewers in control. */
export class WatchedTab {
  readonly targetId: string;
  readonly state: TabState = { type: 'state', canGoBack: false, canGoForward: false, loading: false, sizedBy: 'page' };
  dialog: LiveDialog | undefined;
  icon: LiveTab['icon'];
  /** What viewers in control do in the page. */
  readonly input: TabInput;
  #options: WatchedTabOptions;
  #session: Promise<string>;
  #sessionId: string | undefined;
  #casts: Screencast[];
  #size: Size = { width: 1280, height: 720 };
  /** The size that viewers gave the page. */
  #fitted: Size | null = null;
  /** The last frame, for new viewers: a page that doesn't change, or waits for a dialog, sends none. */
  #lastFrame: EncodedFrame | undefined;
  #viewers = new Set<FrameSender>();
  #controlled = false;
  #iconFor = '';
  #stopListening: (() => void)[] = [];

  /** Doesn't wait once attached, so that a viewer's inputs stay in order. */
  readonly #send = async <Command extends CdpCommand>(
    command: Command,
    params?: CdpParams<Command>,
  ): Promise<CdpResult<Command>> =>
    await this.#options.client.send(command, params, this.#sessionId ?? (await this.#session));

  constructor(options: WatchedTabOptions) {
    this.#options = options;
    this.targetId = options.targetId;
    const { client, targetId, nextSeq, after } = options;
    this.#casts = levels.map(
      (_, level) =>
        new Screencast({
          client,
          targetId,
          level,
          nextSeq,
          after,
          onFrame: (frame, size) => {
            this.#lastFrame = frame;
            this.#size = size;
          },
          fitted: () => this.#fitted,
        }),
    );
    this.input = new TabInput({
      send: this.#send,
      targetId,
      mac: options.mac,
      size: () => this.#size,
      url: options.url,
      hasDialog: () => this.dialog !== undefined,
      after,
      onField: (field) => options.onField(this, field),
    });
    this.#listen();
    this.#session = this.#attach();
    this.#session.catch(() => undefined);
  }

  /** Starts sending this tab's frames to a viewer. */
  show(viewer: FrameSender): void {
    if (!this.#viewers.has(viewer) && this.#lastFrame) viewer.offer(this.#lastFrame);
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) this.#emulateFocus(true);
    for (const [level, cast] of this.#casts.entries()) {
      if (level === viewer.level) cast.add(viewer);
      else cast.remove(viewer);
    }
  }

  hide(viewer: FrameSender): void {
    for (const cast of this.#casts) cast.remove(viewer);
    if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this.#emulateFocus(false);
  }

  onRoom(viewer: FrameSender): void {
    for (const cast of this.#casts) cast.onRoom(viewer);
  }

  /** Sets whether any viewer is in control. File pickers are intercepted only then: scripts may need them. */
  setControlled(controlled: boolean): void {
    if (controlled === this.#controlled) return;
    this.#controlled = controlled;
    this.#try('Page.setInterceptFileChooserDialog', { enabled: controlled });
  }

  async navigate(url: string): Promise<void> {
    await this.input.recordStep({ kind: 'goto', url });
    this.#send('Page.navigate', { url }).then(
      ({ errorText }) => {
        if (errorText) this.#begin(this.#reportNotLoaded(url, errorText));
      },
      () => undefined,
    );
  }

  async #reportNotLoaded(url: string, errorText: string): Promise<void> {
    const { onNotice } = this.#options;
    const http = httpToTry(url, errorText);
    const answers = http && (await this.#options.icons.answers(http));
    if (answers) onNotice(this, `${new URL(url).host} doesn't support HTTPS, but answers over HTTP.`, http);
    else onNotice(this, `The page didn't load: ${errorText}.`);
  }

  async move(to: 'back' | 'forward' | 'reload' | 'stop'): Promise<void> {
    if (to !== 'stop') await this.input.recordStep({ kind: 'move', to });
    if (to === 'reload') return this.#try('Page.reload');
    if (to === 'stop') return this.#try('Page.stopLoading');
    const { currentIndex, entries } = await navigationHistory(this.#send);
    const entry = entries[currentIndex + historySteps[to]];
    if (entry) await this.#send('Page.navigateToHistoryEntry', { entryId: entry.id });
  }

  /** Returns the element at a point of the viewport, with its best locator. */
  async pick(point: { x: number; y: number }): Promise<LivePick | undefined> {
    return await pickAt(this.#send, this.targetId, point);
  }

  answerDialog(accept: boolean, text?: string): void {
    if (!this.dialog) return;
    this.#try('Page.handleJavaScriptDialog', {
      accept,
      ...(text !== undefined && { promptText: text.toWellFormed() }),
    });
  }

  /** Sets the size of the page's viewport; null restores its own. While code has set a size, that one stays. */
  fit(size: Size | null | 'code'): void {
    const isCode = size === 'code';
    if (isCode) this.#fitted = null;
    else if (size?.width !== this.#fitted?.width || size?.height !== this.#fitted?.height) {
      this.#fitted = size;
      const sized = size
        ? this.#send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 0, mobile: false })
        : this.#send('Emulation.clearDeviceMetricsOverride');
      sized.then(
        () => {
          for (const cast of this.#casts) cast.settle();
        },
        () => undefined,
      );
    }
    const sizedBy = isCode ? 'code' : size ? 'viewer' : 'page';
    if (sizedBy === this.state.sizedBy) return;
    this.state.sizedBy = sizedBy;
    this.#options.onState(this);
  }

  /** Removes listeners and detaches from the tab. */
  close(): void {
    for (const cast of this.#casts) cast.close();
    for (const stop of this.#stopListening) stop();
    if (this.#sessionId)
      this.#options.client.send('Target.detachFromTarget', { sessionId: this.#sessionId }).catch(() => undefined);
  }

  /** Makes a background tab draw by emulating focus, without affecting other tabs. */
  #emulateFocus(enabled: boolean): void {
    this.#try('Emulation.setFocusEmulationEnabled', { enabled });
  }

  async #attach(): Promise<string> {
    const { client, targetId } = this.#options;
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    this.#sessionId = sessionId;
    await client.send('Page.enable', {}, sessionId);
    this.#begin(this.#readHistory());
    this.#begin(this.#readIcon());
    return sessionId;
  }

  #listen(): void {
    const { onState, onDialog, onNotice } = this.#options;
    const on = <Event extends CdpEvent>(event: Event, listener: (params: CdpEvents[Event]) => void) => {
      const stop = this.#options.client.on(event, (params, session) => {
        if (session !== undefined && session === this.#sessionId) listener(params);
      });
      this.#stopListening.push(stop);
    };
    const setLoading = (loading: boolean) => (params: { frameId: string }) => {
      if (params.frameId !== this.targetId) return;
      this.state.loading = loading;
      onState(this);
      if (loading) return;
      this.#options.onLoaded();
      // Right after it has told of a new document, the browser may still have the history without it.
      this.#begin(this.#readHistory());
      this.#begin(this.#readIcon());
    };
    const onMoved = (frameId: string) => {
      if (frameId === this.targetId) this.#begin(this.#readHistory());
    };
    on('Page.frameStartedLoading', setLoading(true));
    on('Page.frameStoppedLoading', setLoading(false));
    on('Page.frameNavigated', ({ frame }) => onMoved(frame.id));
    on('Page.navigatedWithinDocument', ({ frameId }) => onMoved(frameId));
    on('Page.javascriptDialogOpening', ({ type: kind, message, defaultPrompt: text = '' }) => {
      this.dialog = { kind, message: message.slice(0, 10_000), text: text.slice(0, 10_000) };
      onDialog(this);
    });
    on('Page.javascriptDialogClosed', () => {
      this.dialog = undefined;
      onDialog(this);
    });
    on('Page.fileChooserOpened', (params) => this.#begin(this.#openChooser(params)));
    on('Inspector.targetCrashed', () => onNotice(this, 'The page in this tab crashed. Reload it to continue.'));
  }

  async #openChooser(event: CdpEvents['Page.fileChooserOpened']): Promise<void> {
    const chooser = await FileChooser.open(this.#send, event).catch(() => undefined);
    if (chooser) this.#options.onChooser(this, chooser);
    else
      this.#options.onNotice(
        this,
        "Files can't be chosen here: this page doesn't ask for them with a file field of its own.",
      );
  }

  async #readHistory(): Promise<void> {
    const history = await navigationHistory(this.#send).catch(() => undefined);
    if (!history) return;
    this.state.canGoBack = history.currentIndex > 0;
    this.state.canGoForward = history.currentIndex < history.entries.length - 1;
    this.#options.onState(this);
  }

  async #readIcon(): Promise<void> {
    const url = this.#options.url();
    this.#iconFor = url;
    const icon = await this.#options.icons.of(this.#send, this.targetId, url).catch(() => undefined);
    if (this.#iconFor !== url || icon === this.icon) return;
    this.icon = icon;
    this.#options.onIcon(this);
  }

  /** Doesn't wait for work that an answer or an event of the browser has started: if it fails, they are invalid. */
  #begin(work: Promise<void>): void {
    work.catch(this.#options.client.fault);
  }

  #try<Command extends CdpCommand>(command: Command, params?: CdpParams<Command>): void {
    this.#send(command, params).catch(() => undefined);
  }
}
