import { type FromViewer, isInput, maxViewerMessage, type ToViewer } from '../../../contract/sessions/live-view.ts';
import { isWatchOnly, liveProtocol } from '../../../contract/sessions/live-view-wire.ts';
import { messageOf } from '../../platform/errors.ts';
import { sessionCapabilities } from '../../platform/http/capabilities.ts';
import { acceptSockets } from '../../platform/http/unread-sockets.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Relay } from '../chrome/relay/relay.ts';
import type { Tabs } from '../chrome/tabs.ts';
import type { Downloads } from './downloads.ts';
import type { FetchAsBrowser } from './icons.ts';
import type { WatchedTab } from './live-tab.ts';
import { createOpenDialogs } from './open-dialogs.ts';
import { createPageSizes } from './page-sizes.ts';
import { listedTabs, ShownTabs } from './shown-tabs.ts';
import { Viewer } from './viewer.ts';
import { createViewerActions } from './viewer-actions.ts';
import { WatchedBrowser } from './watched-browser.ts';

/** How often titles are refreshed while the session is watched. */
const titleRefreshMs = 1_000;
/** How long to wait before a live view that couldn't be opened is opened again. */
const reopenMs = 1_000;
/** How often viewers are told about the progress of downloads. */
const downloadsEveryMs = 200;

export interface LiveViewOptions extends Pick<Platform, 'clock' | 'log' | 'capabilities'> {
  sessionId: string;
  team: string;
  relay: Relay;
  tabs: Tabs;
  fetch: FetchAsBrowser;
  /** The browser's downloads. */
  downloads(onChange: () => void): Pick<Downloads, 'list' | 'open'>;
  /** HTTP origin of this service. */
  origin(): string;
  /** Called for every input of a viewer in control. */
  onInput(): void;
  /** Called when a viewer connects. */
  onViewer(): void;
  /** Called when the first viewer takes control, and when the last one releases it. */
  onControl(controlled: boolean): void;
  /** Whether code is running in the session. */
  isBusy(): boolean;
}

const sockets = acceptSockets(maxViewerMessage, {
  handleProtocols: (offered) => offered.has(liveProtocol) && liveProtocol,
});

/** Creates the live view of a session, with one URL to watch and one to control it. It sends nothing to the browser until a viewer connects. */
export function createLiveView(options: LiveViewOptions) {
  const { sessionId, tabs, clock, log } = options;
  const viewers = new Set<Viewer>();
  const shownTabs = new ShownTabs(tabs.list());
  let browser: WatchedBrowser | undefined;
  let opening: Promise<void> | undefined;
  let ended = false;
  /** Whether a viewer is in control. */
  let controlled = false;
  let cancelRefresh: (() => void) | undefined;
  const actions = createViewerActions(options, viewers, () => browser);
  const dialogs = createOpenDialogs({
    clock,
    isBusy: options.isBusy,
    hasControl,
    onDismissed: (tab) =>
      broadcast(viewersOf(tab), { type: 'notice', text: 'A dialog was dismissed because nobody answered it.' }),
  });
  const sizes = createPageSizes({
    clock,
    viewports: options.relay.viewports,
    viewers,
    tabs: () => (ended ? [] : (browser?.tabs ?? [])),
  });

  let cancelDownloads: (() => void) | undefined;
  let sentDownloads = '';
  const downloads = options.downloads(() => {
    if (ended || viewers.size === 0) return;
    cancelDownloads ??= clock.after(downloadsEveryMs, () => {
      cancelDownloads = undefined;
      const message: ToViewer = { type: 'downloads', downloads: downloads.list };
      const text = JSON.stringify(message);
      if (text === sentDownloads) return;
      sentDownloads = text;
      broadcast(viewers, message);
    });
  });

  const capabilities = [false, true].map((control) =>
    options.capabilities.add(
      sessionCapabilities(sessionId)[control ? 'control' : 'watch'],
      (request, socket, head) => {
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          if (ended) return webSocket.close();
          const rights = { control: control && !isWatchOnly(request.url ?? ''), canResize: control };
          const viewer: Viewer = new Viewer(webSocket, rights, clock, {
            onMessage,
            onBytes: actions.receive,
            onRoom: (of) => actions.tabOf(of)?.onRoom(of.sender),
            onLevel: show,
            onClose,
          });
          void welcome(viewer);
        });
      },
      { page: true, team: options.team, ...(control && { download: (id) => downloads.open(id) }) },
    ),
  );

  tabs.onChange(() => {
    if (ended) return;
    const list = tabs.list();
    shownTabs.update(list, viewers);
    browser?.keepOnly(new Set(list.map(({ targetId }) => targetId)));
    for (const viewer of viewers) show(viewer);
    sendTabs();
  });

  options.relay.viewports.onChange((targetId) => {
    const tab = ended ? undefined : browser?.known(targetId);
    if (tab) sizes.sizeTab(tab);
  });

  async function welcome(viewer: Viewer): Promise<void> {
    viewers.add(viewer);
    options.onViewer();
    log.debug({ session: sessionId, control: viewer.control }, 'a viewer connected');
    for (;;) {
      opening ??= open();
      await opening;
      if (!viewers.has(viewer)) return;
      if (browser) break;
      viewer.send({ type: 'notice', text: "The live view couldn't be opened. Trying again…" });
      await new Promise<void>((resolve) => void clock.after(reopenMs, resolve));
    }
    const { control, canResize } = viewer;
    if (canResize) sizes.onConnected();
    viewer.send({ type: 'welcome', control, canResize, mac: browser.mac, downloads: downloads.list });
    show(viewer);
    sendTabs([viewer]);
    setControlled();
    refreshTitles();
  }

  async function open(): Promise<void> {
    try {
      const opened = await WatchedBrowser.open({
        relay: options.relay,
        tabs,
        fetch: options.fetch,
        after: (ms, callback) => clock.after(ms, callback),
        claimsDialogs: () => actions.areRecent() && !options.isBusy() && hasControl(),
        onState: (tab) => broadcast(viewersOf(tab), tab.state),
        onLoaded: refreshTitles,
        onIcon: () => sendTabs(),
        onDialog,
        onChooser: actions.onChooser,
        onField: actions.onField,
        onNotice: (tab, text, open) =>
          broadcast(viewersOf(tab), { type: 'notice', text, ...(open !== undefined && { open }) }),
      });
      if (ended) opened.close();
      else browser = opened;
    } catch (error) {
      // If the browser is gone, the session ends and notifies every viewer.
      opening = undefined;
      if (!ended) log.warn({ session: sessionId, reason: messageOf(error) }, 'a live view could not be opened');
    }
  }

  /** Refreshes titles now, and periodically while the session is watched. */
  function refreshTitles(): void {
    cancelRefresh?.();
    cancelRefresh = undefined;
    if (ended || ![...viewers].some(({ watching }) => watching)) return;
    tabs.refresh().catch(() => undefined);
    cancelRefresh = clock.after(titleRefreshMs, refreshTitles);
  }

  /** Sends a viewer the frames of the tab that it should see now, and of no other. */
  function show(viewer: Viewer): void {
    if (!browser) return;
    const wanted = shownTabs.of(viewer);
    if (viewer.shown !== wanted) {
      actions.tabOf(viewer)?.hide(viewer.sender);
      viewer.sender.drop();
      viewer.shown = wanted;
      if (wanted !== undefined) sendState(viewer, browser.tab(wanted));
      setControlled();
      sizes.sizeAll();
    }
    if (wanted === undefined) return;
    if (viewer.watching) browser.tab(wanted).show(viewer.sender);
    else browser.tab(wanted).hide(viewer.sender);
  }

  function sendState(viewer: Viewer, tab: WatchedTab): void {
    viewer.send(tab.state);
    viewer.send({ type: 'dialog', dialog: tab.dialog ?? null });
  }

  function onClose(viewer: Viewer): void {
    viewers.delete(viewer);
    actions.end(viewer);
    const { control, dropped } = viewer;
    if (dropped > 0)
      log.warn(
        { session: sessionId, control, dropped },
        'a viewer sent messages that are not allowed; they were dropped',
      );
    else log.debug({ session: sessionId, control }, 'a viewer disconnected');
    actions.tabOf(viewer)?.hide(viewer.sender);
    setControlled();
    sizes.onLeft();
    // One that takes control connects again.
    for (const tab of browser?.tabs ?? []) dialogs.look(tab);
  }

  function onMessage(viewer: Viewer, message: FromViewer): void {
    if (isInput(message)) return actions.act(viewer, message);
    if (message.type === 'ack') return viewer.sender.ack(message.seq);
    if (message.type === 'pick') return void actions.pick(viewer, message);
    if (message.type === 'viewport') {
      viewer.viewport = message.size;
      return sizes.onWanted();
    }
    if (message.type === 'watch') {
      viewer.watching = message.on;
      viewer.sender.pause();
    } else viewer.chosen = message.tab;
    show(viewer);
    if (message.type === 'watch') refreshTitles();
    else sendTabs([viewer]);
  }

  function onDialog(tab: WatchedTab): void {
    broadcast(viewersOf(tab), { type: 'dialog', dialog: tab.dialog ?? null });
    dialogs.look(tab);
  }

  function hasControl(tab?: WatchedTab): boolean {
    return [...viewers].some((viewer) => viewer.control && (!tab || viewer.shown === tab.targetId));
  }

  function setControlled(): void {
    if (hasControl() !== controlled) {
      controlled = !controlled;
      options.onControl(controlled);
    }
    for (const tab of browser?.tabs ?? []) tab.setControlled(hasControl(tab));
  }

  function viewersOf(tab: WatchedTab): Viewer[] {
    return [...viewers].filter((viewer) => viewer.shown === tab.targetId);
  }

  function sendTabs(to: Iterable<Viewer> = viewers): void {
    if (!browser) return;
    const list = listedTabs(tabs.list(), (targetId) => browser?.known(targetId)?.icon);
    for (const viewer of to) viewer.send({ type: 'tabs', tabs: list, shown: viewer.shown ?? null });
  }

  const [watch, control] = capabilities.map(({ path }) => `${options.origin()}${path}`);
  return {
    url: watch ?? '',
    interactiveUrl: control ?? '',
    /** Reports the reason to every viewer and revokes both URLs. */
    end(reason: string): void {
      if (ended) return;
      ended = true;
      cancelRefresh?.();
      cancelDownloads?.();
      for (const capability of capabilities) capability.revoke();
      dialogs.end();
      for (const viewer of viewers) viewer.end(reason);
      viewers.clear();
      browser?.close();
    },
  };
}

function broadcast(viewers: Iterable<Viewer>, message: ToViewer): void {
  for (const viewer of viewers) viewer.send(message);
}
