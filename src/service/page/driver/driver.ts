import type { CdpClient } from '../../chrome/cdp-client.ts';
import type { Tabs } from '../../chrome/tabs.ts';
import { type AddressPolicy, portOf } from '../../fetch/address-policy/address-policy.ts';
import { parseKey } from '../keys.ts';
import { takeScreenshot } from '../screenshot.ts';
import { type Deadline, type Quietness, type SettleTiming, settle, watchQuietness } from '../settle.ts';
import { attachTab, type Tab } from '../tab.ts';
import { type Clickable, findClickable } from './clickable.ts';
import {
  call,
  fillScript,
  type Handle,
  handleOf,
  PageProblem,
  pointOf,
  StaleReference,
  selectScript,
} from './element.ts';
import { type Frame, type FrameProcesses, followProcesses, framesOf } from './frames.ts';
import { type AccessibilityNode, type FrameTree, outline } from './outline.ts';
import { plain } from './plain.ts';
import { refsOf } from './refs.ts';

/** What a page shows. */
export interface PageView {
  url: string;
  title: string;
  /** Its text and elements, in indented lines. */
  outline: string;
}

export { type AccessibilityNode, PageProblem, plain };

export type ClickKind = 'click' | 'double' | 'right' | 'hover';

/** Acts on the page in a browser's newest tab, by the references of its snapshots. */
export interface PageDriver {
  view(): Promise<PageView>;
  click(ref: string, kind: ClickKind): Promise<void>;
  /** Replaces the text of a field. */
  type(ref: string, text: string): Promise<void>;
  select(ref: string, choices: readonly string[]): Promise<void>;
  press(key: string): Promise<void>;
  /** Goes to an http or https URL, or through the tab's history. */
  navigate(to: URL | 'back' | 'forward' | 'reload'): Promise<void>;
  /** Returns a picture of the window, the whole page or an element as a data URL. */
  screenshot(options: { ref?: string | undefined; fullPage: boolean }): Promise<string>;
  /** The messages of dialogs that the page opened; they are accepted. */
  readonly dialogs: readonly string[];
  /** What has been downloaded since the driver was opened. */
  readonly downloads: readonly Download[];
  close(): Promise<void>;
}

/** A file that a page has sent. */
export interface Download {
  id: string;
  /** As the site names it. */
  name: string;
  /** `inProgress`, `completed` or `canceled`. */
  state: string;
  /** Where it was saved, if the browser says so. */
  path?: string;
}

/** The part of a session's browser that is driven. */
export interface DrivenBrowser {
  readonly client: CdpClient;
  readonly tabs: Tabs;
}

/** A person may be watching: what follows an action is awaited, and not everything that the page still does. */
const brisk: SettleTiming = { start: 50, quiet: 50 };
const noClickable: Clickable = { pointer: new Set(), listener: new Set() };
/** JPEG quality of screenshots: text stays legible at a fraction of a PNG's size. */
const quality = 80;

interface History {
  currentIndex: number;
  entries: { id: number; url: string; title: string }[];
}

/** Returns the URL and the title of a tab's page as the browser knows them: scripts of the page can't change what is read. */
async function shownIn(tab: Tab): Promise<{ url: string; title: string }> {
  const { currentIndex, entries } = await tab.send<History>('Page.getNavigationHistory');
  const { url, title } = entries[currentIndex] ?? {};
  return { url: plain(url), title: plain(title) };
}

/** Attaches to the newest tab until `close` is called. When an action opens a tab, the next one acts in that tab. */
export async function openPageDriver(
  { client, tabs }: DrivenBrowser,
  policy: AddressPolicy,
  deadline: Deadline,
): Promise<PageDriver> {
  const refs = refsOf(client);
  const dialogs: string[] = [];
  const downloads = new Map<unknown, Download>();
  const stops = [
    client.on('Browser.downloadWillBegin', ({ guid, suggestedFilename }) => {
      downloads.set(guid, { id: String(guid), name: plain(suggestedFilename), state: 'inProgress' });
    }),
    client.on('Browser.downloadProgress', ({ guid, state, filePath }) => {
      const download = downloads.get(guid);
      if (!download) return;
      download.state = String(state);
      if (typeof filePath === 'string') download.path = filePath;
    }),
  ];
  let current = await attach();
  /** The CDP session of the frame that was acted on last, which has the focus: frames in other processes get keys only there. */
  let focused = current.tab.sessionId;

  async function attach(): Promise<{ targetId: string; tab: Tab; processes: FrameProcesses; quietness: Quietness }> {
    await tabs.ensureOne();
    const newest = tabs.list().findLast(({ url }) => url !== '') ?? tabs.list().at(-1);
    if (!newest) throw new PageProblem('The browser has no open tab. Open a page with page_navigate.');
    const tab = await attachTab(client, newest.targetId, { close: async () => undefined });
    tab.on('Page.javascriptDialogOpening', ({ type, message }) => {
      dialogs.push(`${plain(type)}: ${plain(message).slice(0, 300)}`);
    });
    return { targetId: newest.targetId, tab, processes: followProcesses(tab), quietness: watchQuietness(tab, brisk) };
  }

  async function detach(): Promise<void> {
    current.quietness.stop();
    current.processes.stop();
    await client.send('Target.detachFromTarget', { sessionId: current.tab.sessionId }).catch(() => undefined);
    await current.tab.close();
  }

  /** Follows the page to a tab that it opened. */
  async function follow(): Promise<void> {
    const newest = tabs.list().findLast(({ url }) => url !== '');
    if (!newest || newest.targetId === current.targetId) return;
    await detach();
    current = await attach();
    focused = current.tab.sessionId;
  }

  async function afterwards(): Promise<void> {
    await settle(current.quietness, deadline);
    const before = current.targetId;
    await follow();
    if (current.targetId !== before) await settle(current.quietness, deadline);
  }

  async function find(ref: string): Promise<Handle> {
    const element = refs.find(ref);
    if (!element) {
      throw new PageProblem(
        `There is no element ${ref.slice(0, 40)}. Use a reference from a page_snapshot, such as e12.`,
      );
    }
    const frame = (await framesOf(current.tab, current.processes)).find(
      ({ loaderId }) => loaderId === element.loaderId,
    );
    if (!frame) throw new StaleReference(ref);
    focused = frame.sessionId;
    return await handleOf(current.tab, frame, element.backendNodeId, ref);
  }

  async function treeOf(frame: Frame, frames: readonly Frame[], clickable: ReadonlyMap<string, Clickable>) {
    const { nodes } = (await client.send(
      'Accessibility.getFullAXTree',
      { frameId: frame.frameId },
      frame.sessionId,
    )) as unknown as { nodes: AccessibilityNode[] };
    const inside = new Map<number, FrameTree>();
    for (const child of frames) {
      if (child.owner?.frame !== frame) continue;
      const tree = await treeOf(child, frames, clickable).catch(() => undefined);
      if (tree) inside.set(child.owner.backendNodeId, tree);
    }
    const { loaderId } = frame;
    const { targetId } = current;
    const tree: FrameTree = {
      nodes,
      clickable: clickable.get(frame.sessionId) ?? noClickable,
      refOf: (backendNodeId) => refs.of({ targetId, loaderId, backendNodeId }),
      frameIn: (backendNodeId) => inside.get(backendNodeId),
    };
    return tree;
  }

  async function mouse(type: string, point: { x: number; y: number }, more: object = {}): Promise<void> {
    await current.tab.send('Input.dispatchMouseEvent', { type, x: point.x, y: point.y, ...more });
  }

  return {
    dialogs,
    get downloads() {
      return [...downloads.values()];
    },
    async view() {
      const { tab, processes } = current;
      const frames = await framesOf(tab, processes);
      const [top] = frames;
      if (!top) throw new PageProblem('The page has no content yet. Take another page_snapshot.');
      const sessions = [...new Set(frames.map(({ sessionId }) => sessionId))];
      const found = await Promise.all(
        sessions.map(async (id) => [id, await findClickable(tab, id).catch(() => noClickable)] as const),
      );
      const tree = await treeOf(top, frames, new Map(found));
      const { url, title } = await shownIn(tab);
      return { url, title, outline: outline(tree) };
    },
    async click(ref, kind) {
      const handle = await find(ref);
      const point = await pointOf(current.tab, handle, ref);
      if (point.covered) {
        throw new PageProblem(
          `${ref} is covered by another element, which would get the click. Close or click that first.`,
          `In front: ${point.covered}`,
        );
      }
      await mouse('mouseMoved', point);
      const button = kind === 'right' ? 'right' : 'left';
      for (let clickCount = 1; clickCount <= (kind === 'double' ? 2 : 1) && kind !== 'hover'; clickCount++) {
        await mouse('mousePressed', point, { button, clickCount });
        await mouse('mouseReleased', point, { button, clickCount });
      }
      await afterwards();
    },
    async type(ref, text) {
      const handle = await find(ref);
      if (await call<boolean>(current.tab, handle, fillScript, text)) {
        await client.send('Input.insertText', { text }, focused);
      }
      await afterwards();
    },
    async select(ref, choices) {
      await call(current.tab, await find(ref), selectScript, choices);
      await afterwards();
    },
    async press(name) {
      const key = parseKey(name);
      if (!key) {
        throw new PageProblem(
          `"${name.slice(0, 40)}" isn't a known key. Use names such as Enter, Tab, ArrowDown, Control+a or a.`,
        );
      }
      const { text, ...silent } = key.stroke;
      const { modifiers } = key;
      const type = text === undefined ? 'rawKeyDown' : 'keyDown';
      await client.send('Input.dispatchKeyEvent', { type, ...key.stroke, modifiers }, focused);
      await client.send('Input.dispatchKeyEvent', { type: 'keyUp', ...silent, modifiers }, focused);
      await afterwards();
    },
    async navigate(to) {
      const { tab } = current;
      if (to === 'reload') await tab.send('Page.reload');
      else if (to === 'back' || to === 'forward') {
        const { currentIndex, entries } = await tab.send<History>('Page.getNavigationHistory');
        const entry = entries[currentIndex + (to === 'back' ? -1 : 1)];
        if (!entry) throw new PageProblem(`There is no page to go ${to} to.`);
        await tab.send('Page.navigateToHistoryEntry', { entryId: entry.id });
      } else {
        policy.checkUrl(to);
        await policy.checkHost(to.hostname, portOf(to));
        const { errorText } = await tab.send<{ errorText?: string }>('Page.navigate', { url: to.href });
        // A download isn't a page.
        if (errorText && errorText !== 'net::ERR_ABORTED')
          throw new PageProblem(`The page could not be loaded: ${errorText}`);
      }
      await afterwards();
    },
    async screenshot({ ref, fullPage }) {
      const { tab } = current;
      if (ref === undefined) return await takeScreenshot(tab, { fullPage, quality });
      const handle = await find(ref);
      const middle = await pointOf(tab, handle, ref);
      const size = await call<{ width: number; height: number }>(
        tab,
        handle,
        'function () { const { width, height } = this.getBoundingClientRect(); return { width, height }; }',
      );
      const { cssLayoutViewport } = await tab.send<{ cssLayoutViewport: { pageX: number; pageY: number } }>(
        'Page.getLayoutMetrics',
      );
      const clip = {
        x: Math.max(0, middle.x - size.width / 2 + cssLayoutViewport.pageX),
        y: Math.max(0, middle.y - size.height / 2 + cssLayoutViewport.pageY),
        ...size,
        scale: 1,
      };
      const { data } = await tab.send<{ data: string }>('Page.captureScreenshot', {
        format: 'jpeg',
        quality,
        clip,
        captureBeyondViewport: true,
      });
      return `data:image/jpeg;base64,${data}`;
    },
    async close() {
      for (const stop of stops) stop();
      await detach();
    },
  };
}
