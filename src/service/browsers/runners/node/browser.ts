import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { StartMessage } from '../messages.ts';
import { shortenInspection } from './playwright-objects.ts';
import type { Scope } from './scope.ts';

/** Playwright's connection to the session's browser, bound to `page`, `context` and `browser`. */
export type BrowserConnection = ReturnType<typeof createConnection>;

export const browserClosed = "The session's browser has closed";
/** Milliseconds for a tab that has just opened to reach Playwright. */
const newTabTimeoutMs = 5000;

/** @param onClosed called when the browser has closed */
export function createConnection(
  playwright: typeof import('playwright-core'),
  scope: Scope,
  { cdpUrl, downloads }: StartMessage,
  onClosed: () => void,
) {
  const crashed = new WeakSet<object>();
  let browser: Browser | undefined;
  /** What `page` was bound to last. */
  let known: Page | undefined;
  let connecting: Promise<void> | undefined;
  let chosen: string | undefined;

  /** Connects. Rejects if the browser has closed. */
  function connect(): Promise<void> {
    connecting ??= open().finally(() => {
      connecting = undefined;
    });
    return connecting;
  }

  async function open(): Promise<void> {
    const opened = await playwright.chromium
      .connectOverCDP(cdpUrl, downloads === undefined ? {} : { artifactsDir: downloads })
      .catch((error: unknown) => {
        throw new Error(browserClosed, { cause: error });
      });
    const context = opened.contexts()[0] ?? (await opened.newContext());
    context.on('page', watch);
    context.pages().forEach(watch);
    const page = await choosePage(context);
    // A snippet that closes its connection gets a new one. If that fails, the browser has closed.
    opened.once('disconnected', () => connect().catch(onClosed));
    const { keyboard, mouse, touchscreen, clock, coverage } = page;
    const parts = [keyboard, mouse, touchscreen, clock, coverage, page.frameLocator('iframe')];
    for (const object of [opened, context, page, ...parts]) shortenInspection(object);
    bind('browser', opened, browser);
    bind('context', context, known?.context());
    bindPage(page, known);
    browser = opened;
  }

  function watch(page: Page): void {
    page.on('crash', () => crashed.add(page));
  }

  /** Returns the newest tab that hasn't crashed, else a new one. */
  async function choosePage(context: BrowserContext): Promise<Page> {
    return context.pages().findLast((page) => !crashed.has(page)) ?? (await context.newPage());
  }

  /**
   * Rebinds variables whose objects were closed by a run, and `page` to a tab, by its target ID, unless the same was chosen
   * before. Rejects if the browser has closed.
   */
  async function refresh(tab?: string): Promise<void> {
    if (connecting || !browser?.isConnected()) await connect();
    if (!known) return;
    const context = known.context();
    const page = scope.read('page');
    if (page instanceof known.constructor) {
      const current = page as Page;
      if (crashed.has(current)) await current.close();
      if (current.isClosed()) bindPage(await choosePage(context), current);
    }
    if (tab === undefined || tab === chosen) return;
    const isChosen = async (each: Page) => (await targetOf(each)) === tab;
    const opening = context
      .waitForEvent('page', { predicate: isChosen, timeout: newTabTimeoutMs })
      .catch(() => undefined);
    const pages = context.pages();
    const areChosen = await Promise.all(pages.map(isChosen));
    const found = pages[areChosen.indexOf(true)] ?? (await opening);
    if (!found) return;
    bindPage(found, known);
    chosen = tab;
  }

  function bindPage(page: Page, old: Page | undefined): void {
    bind('page', page, old);
    known = page;
  }

  /** Sets a variable, unless a snippet uses it for something else. */
  function bind(name: 'page' | 'context' | 'browser', value: object, old: object | undefined): void {
    const now = scope.read(name);
    if (now !== undefined && now !== old && now?.constructor !== value.constructor) return;
    // A global, which the modules of the project see too.
    if (!scope.write(name, value))
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }

  return { connect, refresh };
}

/** Returns the target ID of a tab; an empty text if it doesn't say. */
async function targetOf(page: Page): Promise<string> {
  try {
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    return targetInfo.targetId;
  } catch {
    return '';
  }
}
