import { shorten } from '../../../../contract/shorten.ts';
import { messageOf } from '../../../platform/errors.ts';
import { type AddressPolicy, portOf } from '../../../platform/network/address-policy/address-policy.ts';
import { navigationHistory } from '../../chrome/navigation-history.ts';
import type { CdpCommand, CdpParams, CdpResult } from '../../chrome/protocol.ts';
import { parseKey, pressKey } from '../keys.ts';
import { takeScreenshot, withinLimits } from '../screenshot.ts';
import { type Deadline, delay, watchQuietness } from '../settle.ts';
import type { Tab } from '../tab.ts';
import { type Consequences, consequencesScript } from './consequences.ts';
import { type DrivenBrowser, type DrivenState, driveTab } from './driven-tab.ts';
import {
  boxOf,
  call,
  fillScript,
  focusedElement,
  type Handle,
  handleOf,
  isShown,
  PageProblem,
  StaleReference,
  selectScript,
  textScript,
} from './element.ts';
import { type Download, noteDialogs, noteDownloads } from './events.ts';
import { framesOf } from './frames.ts';
import { giveFiles } from './give-files.ts';
import { clickElement, moveMouseTo } from './mouse.ts';
import { plain } from './plain.ts';
import { refsOf } from './refs.ts';
import { tabChoice } from './tab-choice.ts';
import { describePage, type PageView, readView } from './view.ts';

export { type Download, type DrivenState, describePage, PageProblem, type PageView, plain };

export type ClickKind = 'click' | 'double' | 'right' | 'hover';

/** What an action could lead to, and where it happens. */
export interface Foreseen extends Consequences {
  /** URL of the document with the element. */
  url: string;
  /** CSS selectors of the frames around the element, the outermost first. */
  frames: string[];
}

/** Acts on the page in a browser's newest tab, by the references of its snapshots. */
export type PageDriver = Awaited<ReturnType<typeof openPageDriver>>;

/** What a page is awaited to show, or no longer; with neither a text nor a selector, to be quiet. */
export interface WaitedFor {
  text?: string | undefined;
  /** A CSS selector of a visible element. */
  selector?: string | undefined;
  gone: boolean;
}

async function urlOf(tab: Tab): Promise<string> {
  const { currentIndex, entries } = await navigationHistory(tab.send);
  return entries[currentIndex]?.url ?? '';
}

/** How often a page is looked at while something is awaited, in milliseconds. */
const lookMs = 150;
/** JPEG quality of screenshots: text stays legible at a fraction of a PNG's size. */
const quality = 80;

/**
 * Attaches to the newest tab, or to the chosen one, until `close` is called. When an action opens a tab, the next one acts in
 * that tab. `state` is kept for the next driver.
 */
export async function openPageDriver(
  browser: DrivenBrowser,
  policy: AddressPolicy,
  deadline: Deadline,
  state: DrivenState = {},
) {
  const { client } = browser;
  const refs = refsOf(client);
  const dialogs = noteDialogs(() => state.dialogs?.accept ?? true);
  const downloads = noteDownloads(client);
  let isClosed = false;
  /** The CDP session of the frame that was acted on last, which has the focus: frames in other processes get keys only there. */
  let focused = '';
  const driven = await driveTab(browser, state, { ...deadline, check }, ({ tab }) => {
    dialogs.follow(tab);
    focused = tab.sessionId;
  }).catch((error: unknown) => {
    downloads.stop();
    throw error;
  });

  /** Throws when the time is over, or the driver closed: the page is somebody else's then. */
  function check(): void {
    deadline.check();
    if (isClosed) throw new PageProblem('The call has ended.');
  }

  /** Sends input to the page, or a navigation. */
  async function input<Command extends CdpCommand>(
    command: Command,
    params: CdpParams<Command> | undefined,
    sessionId = driven.current.tab.sessionId,
  ): Promise<CdpResult<Command>> {
    check();
    return await client.send(command, params, sessionId);
  }

  /** Calls a function that acts on an element. */
  async function act<Value>(handle: Handle, source: string, ...values: unknown[]): Promise<Value> {
    check();
    return await call<Value>(driven.current.tab, handle, source, ...values);
  }

  const frames = () => framesOf(driven.current.tab, driven.current.processes);
  const view = (): Promise<PageView> => readView(driven.current.tab, driven.current.processes, refs);

  /** Elements that were looked at before they are acted on. */
  const foreseen = new Map<string, Handle>();

  async function find(ref: string): Promise<Handle> {
    const known = foreseen.get(ref);
    foreseen.delete(ref);
    if (known) {
      focused = known.frame.sessionId;
      return known;
    }
    const element = refs.find(ref);
    if (!element) {
      throw new PageProblem(
        `There is no element ${shorten(ref, 40)}. Use a reference from a snapshot of the page, such as e12.`,
      );
    }
    const frame = (await frames()).find(({ loaderId }) => loaderId === element.loaderId);
    if (!frame) throw new StaleReference(ref);
    focused = frame.sessionId;
    return await handleOf(driven.current.tab, frame, element.backendNodeId, ref);
  }

  /** Whether a page shows a text, or an element. */
  async function shows({ text, selector }: WaitedFor): Promise<boolean> {
    if (text !== undefined) {
      const { title, outline } = await view();
      if (!`${title}\n${outline}`.toLowerCase().includes(text.toLowerCase())) return false;
    }
    return selector === undefined || (await isShown(driven.current.tab, await frames(), selector));
  }

  const clickAt = (handle: Handle, ref: string, how?: Parameters<typeof clickElement>[4]) =>
    clickElement(driven.current.tab, handle, ref, { ...deadline, check }, how);

  return {
    /** The messages of dialogs that the page opened, and how they were answered. */
    dialogs: dialogs.notes,
    /** What has been downloaded since the driver was opened. */
    get downloads(): readonly Download[] {
      return downloads.list();
    },
    /** URL of the page. */
    get url(): Promise<string> {
      return urlOf(driven.current.tab);
    },
    /** Returns what an action on an element could lead to; without a reference, on the one that has the focus. Undefined if none has it. */
    async foresee(ref: string | undefined, how: 'click' | 'Enter' | 'none'): Promise<Foreseen | undefined> {
      const handle = ref === undefined ? await focusedElement(driven.current.tab, await frames()) : await find(ref);
      if (!handle) return undefined;
      const read = await call<Consequences>(driven.current.tab, handle, consequencesScript, how);
      if (ref !== undefined) foreseen.set(ref, handle);
      const around: string[] = [];
      for (let { owner } = handle.frame; owner; { owner } = owner.frame) {
        const element = await handleOf(driven.current.tab, owner.frame, owner.backendNodeId, ref ?? '');
        around.unshift((await call<Consequences>(driven.current.tab, element, consequencesScript, 'none')).css);
      }
      return { ...read, url: handle.frame.url, frames: around };
    },
    view,
    async click(ref: string, kind: ClickKind): Promise<void> {
      const handle = await find(ref);
      if (kind === 'hover') await moveMouseTo(driven.current.tab, handle, ref, { ...deadline, check });
      else await clickAt(handle, ref, { ...(kind === 'right' && { button: kind }), times: kind === 'double' ? 2 : 1 });
      await driven.settle();
    },
    /** Replaces the text of a field. */
    async type(ref: string, text: string): Promise<void> {
      const handle = await find(ref);
      if (await act<boolean>(handle, fillScript, text)) await input('Input.insertText', { text }, focused);
      await driven.settle();
    },
    async select(ref: string, choices: readonly string[]): Promise<void> {
      await act(await find(ref), selectScript, choices);
      await driven.settle();
    },
    async press(name: string): Promise<void> {
      const key = parseKey(name);
      if (!key) {
        throw new PageProblem(
          `"${shorten(name, 40)}" isn't a known key. Use names such as Enter, Tab, ArrowDown, Control+a or a.`,
        );
      }
      await pressKey((command, params) => input(command, params, focused), key);
      await driven.settle();
    },
    /** Goes to an http or https URL, or through the tab's history. */
    async navigate(to: URL | 'back' | 'forward' | 'reload'): Promise<void> {
      const { tab } = driven.current;
      if (to === 'reload') await input('Page.reload', {});
      else if (to === 'back' || to === 'forward') {
        const { currentIndex, entries } = await navigationHistory(tab.send);
        const entry = entries[currentIndex + (to === 'back' ? -1 : 1)];
        if (!entry) throw new PageProblem(`There is no page to go ${to} to.`);
        await input('Page.navigateToHistoryEntry', { entryId: entry.id });
      } else {
        policy.checkUrl(to);
        await policy.checkHost(to.hostname, portOf(to));
        const { errorText } = await input('Page.navigate', { url: to.href });
        // A download isn't a page.
        if (errorText && errorText !== 'net::ERR_ABORTED')
          throw new PageProblem(`The page could not be loaded: ${errorText}`);
      }
      await driven.settle();
    },
    /**
     * Returns a picture of the window, the whole page or an element as a data URL.
     * @param onCut called with a sentence that says what is missing of one that is too large
     */
    async screenshot(
      { ref, fullPage }: { ref?: string | undefined; fullPage: boolean },
      onCut: (lacking: string) => void,
    ): Promise<string> {
      const { tab } = driven.current;
      if (ref === undefined) return await takeScreenshot(tab, { fullPage, quality }, onCut);
      const handle = await find(ref);
      const box = await boxOf(tab, handle, ref);
      const clip = { ...box, ...withinLimits(box, 'element', onCut), scale: 1 };
      const { data } = await tab.send('Page.captureScreenshot', {
        format: 'jpeg',
        quality,
        clip,
        captureBeyondViewport: true,
      });
      return `data:image/jpeg;base64,${data}`;
    },
    /** Evaluates an expression among the scripts of the page and returns its value. Throws a PageProblem with what it throws. */
    async evaluate(expression: string): Promise<unknown> {
      check();
      const value = await driven.current.tab.evaluate(expression).catch((error: unknown) => {
        throw new PageProblem('The JavaScript threw an error.', messageOf(error).split('\n')[0]);
      });
      await driven.settle();
      return value;
    },
    /** Returns the text of an element, or of the page. */
    async readText(ref?: string): Promise<string> {
      if (ref !== undefined) return await call<string>(driven.current.tab, await find(ref), textScript);
      const { tab } = driven.current;
      return String(await tab.evaluate('document.body?.innerText ?? ""'));
    },
    /** Waits until the page is as awaited, at most so many milliseconds. Returns whether it is. */
    async wait(awaited: WaitedFor, ms: number): Promise<boolean> {
      const end = performance.now() + ms;
      if (awaited.text === undefined && awaited.selector === undefined) {
        const quietness = watchQuietness(driven.current.tab);
        try {
          await quietness.loaded(deadline);
          while (!(await quietness.settled(deadline))) if (performance.now() > end) return false;
          return true;
        } finally {
          quietness.stop();
        }
      }
      for (;;) {
        check();
        // While the page changes, it can't be read.
        const shown = await shows(awaited).catch((error: unknown) => {
          if (error instanceof PageProblem) throw error;
          return undefined;
        });
        if (shown !== undefined && shown !== awaited.gone) return true;
        if (performance.now() > end) return false;
        await delay(lookMs, deadline);
        await driven.follow();
      }
    },
    /** Clicks an element that asks for files, and gives it these. */
    async upload(ref: string, files: readonly string[]): Promise<void> {
      const handle = await find(ref);
      const open = () => clickAt(handle, ref);
      await giveFiles({ client, sessionId: handle.frame.sessionId, check }, { ref, files, open });
      await driven.settle();
    },
    /** Sets how dialogs are answered from now on, also by the next drivers. */
    answerDialogs(accept: boolean, promptText: string | undefined): void {
      state.dialogs = { accept, ...(promptText !== undefined && { promptText }) };
    },
    ...tabChoice(browser, driven, state, check),
    /** Stops a download, if it hasn't ended. */
    async cancelDownload(id: string): Promise<void> {
      await client.send('Browser.cancelDownload', { guid: id }).catch(() => undefined);
    },
    /** Leaves the page for a blank one. */
    async leave(): Promise<void> {
      await driven.current.tab.send('Page.navigate', { url: 'about:blank' });
    },
    /** Leaves the page: what is still under way can no longer act on it. */
    async close(): Promise<void> {
      isClosed = true;
      downloads.stop();
      await driven.close();
    },
  };
}
