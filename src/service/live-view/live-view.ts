import { WebSocketServer } from 'ws';
import {
  type FromViewer,
  isInput,
  livePathPrefix,
  maxViewerMessage,
  type ToViewer,
  type ViewerInput,
} from '../../contract/live-view.ts';
import type { Relay } from '../chrome/relay.ts';
import type { Tabs } from '../chrome/tabs.ts';
import type { Clock } from '../clock.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Log } from '../log.ts';
import { addressOf } from './addresses.ts';
import type { WatchedTab } from './live-tab.ts';
import { ShownTabs } from './shown-tabs.ts';
import { Viewer } from './viewer.ts';
import { WatchedBrowser } from './watched-browser.ts';

/** A dialog that opens this soon after an input is the answer to it. */
const claimMs = 5_000;
/** A dialog that nobody answers is dismissed, so that its page does not stand still for ever. */
const unansweredDialogMs = 10_000;
/** How often titles are read while somebody watches. */
const titlesMs = 1_000;

export interface LiveViewOptions {
  sessionId: string;
  relay: Relay;
  tabs: Tabs;
  capabilities: Capabilities;
  /** HTTP origin of this service. */
  origin(): string;
  clock: Clock;
  log: Log;
  /** A viewer in control did something. */
  onInput(): void;
  /** Whether code runs in the session. */
  isBusy(): boolean;
}

/** The live view of a session: a URL to watch, a URL to act, and everybody who came by one of them. */
export interface LiveView {
  readonly url: string;
  readonly interactiveUrl: string;
  /** Tells every viewer why, and ends both URLs for good. */
  end(reason: string): void;
}

const sockets = new WebSocketServer({ noServer: true, maxPayload: maxViewerMessage, perMessageDeflate: false });

/** Offers the live view of a session. Nothing is asked of its browser before somebody watches. */
export function offerLiveView(options: LiveViewOptions): LiveView {
  const { sessionId, tabs, clock, log } = options;
  const viewers = new Set<Viewer>();
  const shownTabs = new ShownTabs(tabs.list());
  let browser: WatchedBrowser | undefined;
  let opening: Promise<void> | undefined;
  let ended = false;
  let lastInput = Number.NEGATIVE_INFINITY;
  let cancelTitles: (() => void) | undefined;
  const dialogTimers = new Map<WatchedTab, () => void>();

  const capabilities = [false, true].map((control) =>
    options.capabilities.add(
      `${livePathPrefix}/${sessionId}`,
      (request, socket, head) => {
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          if (ended) return webSocket.close();
          const viewer: Viewer = new Viewer(webSocket, control, clock, { onMessage, onRoom, onLevel: show, onGone });
          void welcome(viewer);
        });
      },
      { page: true },
    ),
  );

  tabs.onChange(() => {
    if (ended) return;
    const list = tabs.list();
    shownTabs.update(list, viewers);
    browser?.keepOnly(new Set(list.map(({ targetId }) => targetId)));
    for (const viewer of viewers) show(viewer);
    tellTabs();
  });

  async function welcome(viewer: Viewer): Promise<void> {
    viewers.add(viewer);
    log.debug({ session: sessionId, control: viewer.control }, 'a viewer came');
    opening ??= open();
    await opening;
    if (!viewers.has(viewer) || !browser) return;
    viewer.tell({ type: 'welcome', control: viewer.control, mac: browser.mac });
    show(viewer);
    tellTabs([viewer]);
    setControlled();
    readTitles();
  }

  async function open(): Promise<void> {
    try {
      const opened = await WatchedBrowser.open({
        relay: options.relay,
        tabs,
        after: (ms, callback) => clock.after(ms, callback),
        claimsDialogs: () => clock.monotonic() - lastInput < claimMs && !options.isBusy() && hasControl(),
        onState: (tab) => tell(watching(tab), stateOf(tab)),
        onLoaded: readTitles,
        onIcon: () => tellTabs(),
        onDialog,
        onNotice: (tab, text) => tell(watching(tab), { type: 'notice', text }),
      });
      if (ended) opened.close();
      else browser = opened;
    } catch {
      // The browser is gone: the session ends, and says so to everybody.
    }
  }

  /** Now, and again and again while somebody watches. */
  function readTitles(): void {
    cancelTitles?.();
    cancelTitles = undefined;
    if (ended || ![...viewers].some(({ watching }) => watching)) return;
    attempt(tabs.refresh());
    cancelTitles = clock.after(titlesMs, readTitles);
  }

  /** Sends a viewer the pictures that it should see now, and no others. */
  function show(viewer: Viewer): void {
    if (!browser) return;
    const wanted = shownTabs.of(viewer);
    const before = viewer.shown === undefined ? undefined : browser.known(viewer.shown);
    if (viewer.shown !== wanted) {
      before?.hide(viewer.sender);
      viewer.sender.drop();
      viewer.shown = wanted;
      if (wanted !== undefined) tellAbout(viewer, browser.tab(wanted));
      setControlled();
    }
    if (wanted === undefined) return;
    if (viewer.watching) browser.tab(wanted).show(viewer.sender);
    else browser.tab(wanted).hide(viewer.sender);
  }

  function tellAbout(viewer: Viewer, tab: WatchedTab): void {
    viewer.tell(stateOf(tab));
    viewer.tell({ type: 'dialog', dialog: tab.dialog ?? null });
  }

  function onRoom(viewer: Viewer): void {
    if (viewer.shown !== undefined) browser?.known(viewer.shown)?.roomFor(viewer.sender);
  }

  function onGone(viewer: Viewer): void {
    viewers.delete(viewer);
    const { control, dropped } = viewer;
    if (dropped > 0)
      log.warn({ session: sessionId, control, dropped }, 'a viewer sent what it may not send; it was dropped');
    else log.debug({ session: sessionId, control }, 'a viewer went');
    if (viewer.shown !== undefined) browser?.known(viewer.shown)?.hide(viewer.sender);
    setControlled();
    for (const tab of browser?.tabs ?? []) if (tab.dialog) onDialog(tab);
  }

  function onMessage(viewer: Viewer, message: FromViewer): void {
    if (isInput(message)) return act(viewer, message);
    if (message.type === 'ack') return viewer.sender.ack(message.seq);
    if (message.type === 'watch') {
      viewer.watching = message.on;
      viewer.sender.pause();
    } else viewer.chosen = message.tab;
    show(viewer);
    if (message.type === 'watch') readTitles();
    else tellTabs([viewer]);
  }

  function act(viewer: Viewer, input: ViewerInput): void {
    lastInput = clock.monotonic();
    options.onInput();
    if (!browser) return;
    const client = browser.client;
    if (input.type === 'new-tab') return attempt(client.send('Target.createTarget', { url: 'about:blank' }));
    if (input.type === 'close-tab') return closeTab(viewer, input.tab);
    const tab = viewer.shown === undefined ? undefined : browser.known(viewer.shown);
    if (!tab) return;
    if (input.type === 'navigate') return navigate(viewer, tab, input.url);
    if (input.type === 'history') return attempt(tab.move(input.to));
    if (input.type === 'dialog') return tab.answerDialog(input.accept, input.text);
    if (input.type === 'fit') return tab.fit({ width: input.width, height: input.height });
    if (input.type === 'unfit') return tab.fit(undefined);
    if (input.type === 'copy') {
      return attempt(tab.selection(input.cut).then((text) => viewer.tell({ type: 'clipboard', text })));
    }
    tab.gesture(input);
  }

  function navigate(viewer: Viewer, tab: WatchedTab, entered: string): void {
    const url = addressOf(entered);
    if (url) tab.navigate(url);
    else viewer.tell({ type: 'notice', text: 'This is no http or https address, and nothing else is opened here.' });
  }

  function closeTab(viewer: Viewer, targetId: string): void {
    const list = tabs.list();
    if (!list.some((tab) => tab.targetId === targetId)) return;
    if (list.length === 1) return viewer.tell({ type: 'notice', text: 'The last tab stays: a browser ends with it.' });
    attempt(browser?.client.send('Target.closeTarget', { targetId }));
  }

  function onDialog(tab: WatchedTab): void {
    tell(watching(tab), { type: 'dialog', dialog: tab.dialog ?? null });
    dialogTimers.get(tab)?.();
    dialogTimers.delete(tab);
    if (!tab.dialog) return;
    const cancel = clock.after(unansweredDialogMs, () => {
      if (ended || !tab.dialog) return;
      // A run may be about to answer it, and a person in control may be reading it.
      if (options.isBusy() || hasControl(tab)) return onDialog(tab);
      // A page that asks whether to leave it is left.
      tab.answerDialog(tab.dialog.kind === 'beforeunload');
      tell(watching(tab), { type: 'notice', text: 'A dialog that nobody answered was dismissed.' });
    });
    dialogTimers.set(tab, cancel);
  }

  function hasControl(tab?: WatchedTab): boolean {
    return [...viewers].some((viewer) => viewer.control && (!tab || viewer.shown === tab.targetId));
  }

  function setControlled(): void {
    for (const tab of browser?.tabs ?? []) tab.setControlled(hasControl(tab));
  }

  function watching(tab: WatchedTab): Viewer[] {
    return [...viewers].filter((viewer) => viewer.shown === tab.targetId);
  }

  function tellTabs(to: Iterable<Viewer> = viewers): void {
    if (!browser) return;
    const list = tabs.list().map(({ targetId, title, url }) => {
      const icon = browser?.known(targetId)?.icon;
      return { id: targetId, title: title.slice(0, 300), url: url.slice(0, 8_000), ...(icon && { icon }) };
    });
    for (const viewer of to) viewer.tell({ type: 'tabs', tabs: list, shown: viewer.shown ?? null });
  }

  const [watch, control] = capabilities.map(({ path }) => `${options.origin()}${path}`);
  return {
    url: watch ?? '',
    interactiveUrl: control ?? '',
    end(reason) {
      if (ended) return;
      ended = true;
      cancelTitles?.();
      for (const capability of capabilities) capability.revoke();
      for (const cancel of dialogTimers.values()) cancel();
      for (const viewer of viewers) viewer.end(reason);
      viewers.clear();
      browser?.close();
    },
  };
}

function stateOf({ state }: WatchedTab): ToViewer {
  return { type: 'state', ...state };
}

function tell(viewers: Iterable<Viewer>, message: ToViewer): void {
  for (const viewer of viewers) viewer.tell(message);
}

/** What fails because a tab has just gone is no failure. */
function attempt(work: Promise<unknown> | undefined): void {
  work?.catch(() => undefined);
}
