import type { LiveDialog, LiveTab } from '../../contract/live-view.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import { type Frame, type FrameSender, levels } from './frame-sender.ts';
import type { Icons } from './icons.ts';
import { type Gesture, Gestures } from './input/input.ts';
import { selectionExpression } from './input/selection.ts';
import { Screencast } from './screencast.ts';

/** What viewers are told of a tab beside its title and address. */
export interface TabState {
  canGoBack: boolean;
  canGoForward: boolean;
  loading: boolean;
  fitted: boolean;
}

export interface WatchedTabOptions {
  client: CdpClient;
  icons: Icons;
  targetId: string;
  mac: boolean;
  nextSeq(): number;
  after(ms: number, callback: () => void): () => void;
  url(): string;
  onState(): void;
  onLoaded(): void;
  onIcon(): void;
  onDialog(): void;
  onNotice(text: string): void;
}

const historySteps = { back: -1, forward: 1 } as const;

/** One tab that somebody watches or has watched: its pictures, its state, and what viewers in control do to it. */
export class WatchedTab {
  readonly targetId: string;
  readonly state: TabState = { canGoBack: false, canGoForward: false, loading: false, fitted: false };
  dialog: LiveDialog | undefined;
  icon: LiveTab['icon'];
  #options: WatchedTabOptions;
  #session: Promise<string>;
  #sessionId: string | undefined;
  #casts: Screencast[];
  #gestures: Gestures;
  #size = { width: 1280, height: 720 };
  /** What was seen last: a page that stands still, or waits for a dialog to be answered, sends nothing by itself. */
  #last: Frame | undefined;
  #viewers = new Set<FrameSender>();
  #controlled = false;
  #iconFor = '';
  #stopListening: (() => void)[] = [];

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
          onPicture: (picture, size) => {
            this.#last = picture;
            this.#size = size;
          },
        }),
    );
    this.#gestures = new Gestures({
      send: (method, params) => this.#send(method, params),
      size: () => this.#size,
      mac: options.mac,
    });
    this.#listen();
    this.#session = this.#attach();
    this.#session.catch(() => undefined);
  }

  /** Begins to send this tab's pictures to a viewer. */
  show(viewer: FrameSender): void {
    if (!this.#viewers.has(viewer) && this.#last) viewer.offer(this.#last);
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) this.#lookVisible(true);
    for (const [level, cast] of this.#casts.entries()) {
      if (level === viewer.level) cast.add(viewer);
      else cast.remove(viewer);
    }
  }

  hide(viewer: FrameSender): void {
    for (const cast of this.#casts) cast.remove(viewer);
    if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this.#lookVisible(false);
  }

  roomFor(viewer: FrameSender): void {
    for (const cast of this.#casts) cast.roomFor(viewer);
  }

  /** Whether anybody is in control: file inputs are refused only then, since scripts may want to fill them. */
  setControlled(controlled: boolean): void {
    if (controlled === this.#controlled) return;
    this.#controlled = controlled;
    this.#try('Page.setInterceptFileChooserDialog', { enabled: controlled });
    if (!controlled) this.fit(undefined);
  }

  gesture(gesture: Gesture): void {
    this.#gestures.apply(gesture);
  }

  navigate(url: string): void {
    this.#send('Page.navigate', { url }).then(
      ({ errorText }) => {
        if (errorText) this.#options.onNotice(`The page did not load: ${String(errorText)}.`);
      },
      () => undefined,
    );
  }

  async move(to: 'back' | 'forward' | 'reload' | 'stop'): Promise<void> {
    if (to === 'reload') return this.#try('Page.reload');
    if (to === 'stop') return this.#try('Page.stopLoading');
    const { currentIndex, entries } = await this.#history();
    const entry = entries[currentIndex + historySteps[to]];
    if (entry) await this.#send('Page.navigateToHistoryEntry', { entryId: entry.id });
  }

  /** The selected text; `cut` removes it. */
  async selection(cut: boolean): Promise<string> {
    const frameId = this.targetId;
    const world = await this.#send('Page.createIsolatedWorld', { frameId, worldName: 'live-view' });
    const { result } = await this.#send('Runtime.evaluate', {
      contextId: world.executionContextId,
      expression: selectionExpression(cut),
      returnByValue: true,
      timeout: 2_000,
    });
    return String((result as { value?: unknown }).value ?? '');
  }

  answerDialog(accept: boolean, text?: string): void {
    if (!this.dialog) return;
    this.#try('Page.handleJavaScriptDialog', {
      accept,
      ...(text !== undefined && { promptText: text.toWellFormed() }),
    });
  }

  /** Makes the page this large, or as it was. */
  fit(size: { width: number; height: number } | undefined): void {
    if (!size && !this.state.fitted) return;
    if (size) this.#try('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 0, mobile: false });
    else this.#try('Emulation.clearDeviceMetricsOverride');
    this.state.fitted = size !== undefined;
    this.#options.onState();
  }

  /** The tab is gone, or nobody wants to know of it any more. */
  close(): void {
    for (const stop of this.#stopListening) stop();
    if (this.#sessionId)
      this.#options.client.send('Target.detachFromTarget', { sessionId: this.#sessionId }).catch(() => undefined);
  }

  /** A tab in the background draws nothing; one that believes to have the focus does, with nothing changed for the others. */
  #lookVisible(enabled: boolean): void {
    this.#try('Emulation.setFocusEmulationEnabled', { enabled });
  }

  async #attach(): Promise<string> {
    const { client, targetId } = this.#options;
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    const session = String(sessionId);
    this.#sessionId = session;
    await client.send('Page.enable', {}, session);
    void this.#readHistory();
    void this.#readIcon();
    return session;
  }

  #listen(): void {
    const { onState, onDialog, onNotice } = this.#options;
    const on = (method: string, listener: (params: Record<string, unknown>) => void) => {
      const own = (params: Record<string, unknown>, session?: string) => {
        if (session !== undefined && session === this.#sessionId) listener(params);
      };
      this.#stopListening.push(this.#options.client.on(method, own));
    };
    const whenMain = (listener: () => void) => (params: Record<string, unknown>) => {
      if ((params.frameId ?? (params.frame as { id?: string })?.id) === this.targetId) listener();
    };
    const setLoading = (loading: boolean) =>
      whenMain(() => {
        this.state.loading = loading;
        onState();
        if (loading) return;
        this.#options.onLoaded();
        void this.#readIcon();
      });
    on('Page.frameStartedLoading', setLoading(true));
    on('Page.frameStoppedLoading', setLoading(false));
    on(
      'Page.frameNavigated',
      whenMain(() => void this.#readHistory()),
    );
    on(
      'Page.navigatedWithinDocument',
      whenMain(() => void this.#readHistory()),
    );
    on('Page.javascriptDialogOpening', (params) => {
      this.dialog = {
        kind: params.type as LiveDialog['kind'],
        message: String(params.message ?? '').slice(0, 10_000),
        text: String(params.defaultPrompt ?? '').slice(0, 10_000),
      };
      onDialog();
    });
    on('Page.javascriptDialogClosed', () => {
      this.dialog = undefined;
      onDialog();
    });
    on('Page.fileChooserOpened', () =>
      onNotice('Files cannot be chosen in a live view. Fill the input from a run: page.setInputFiles(…).'),
    );
    on('Inspector.targetCrashed', () => onNotice('The page of this tab crashed. Reload it.'));
  }

  async #history(): Promise<{ currentIndex: number; entries: { id: number }[] }> {
    return (await this.#send('Page.getNavigationHistory')) as { currentIndex: number; entries: { id: number }[] };
  }

  async #readHistory(): Promise<void> {
    const history = await this.#history().catch(() => undefined);
    if (!history) return;
    this.state.canGoBack = history.currentIndex > 0;
    this.state.canGoForward = history.currentIndex < history.entries.length - 1;
    this.#options.onState();
  }

  async #readIcon(): Promise<void> {
    const url = this.#options.url();
    this.#iconFor = url;
    const session = await this.#session.catch(() => undefined);
    const icon = session && (await this.#options.icons.of(session, this.targetId, url).catch(() => undefined));
    if (this.#iconFor !== url || icon === this.icon) return;
    this.icon = icon;
    this.#options.onIcon();
  }

  async #send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    // Without a wait where none is needed: what one viewer does stays in order.
    const session = this.#sessionId ?? (await this.#session);
    return await this.#options.client.send(method, params, session);
  }

  #try(method: string, params?: Record<string, unknown>): void {
    this.#send(method, params).catch(() => undefined);
  }
}
