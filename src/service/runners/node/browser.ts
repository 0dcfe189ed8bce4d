import { inspect } from 'node:util';
import { runInThisContext } from 'node:vm';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** The session's browser as Playwright has it, bound to `page`, `context` and `browser`. */
export interface BrowserConnection {
  /** Connects. Rejects when there is no browser. */
  connect(): Promise<void>;
  /** Binds anew what a run closed. Resolves at once, as a rule; rejects when the browser is gone. */
  refresh(): Promise<void> | undefined;
  /** Called when the browser is found to be gone. */
  onGone: () => void;
}

type Playwright = typeof import('playwright-core');

export const browserGone = 'The browser of this session is gone';
/** Milliseconds for a tab to say whether it is visible; one that is busy or has crashed does not. */
const visibleLimitMs = 500;

/** Reads and sets the three variables as a snippet would, whether they are properties of the global object or declared. */
const variables = runInThisContext(`({
  page: { get: () => page, set: (value) => { page = value; } },
  context: { get: () => context, set: (value) => { context = value; } },
  browser: { get: () => browser, set: (value) => { browser = value; } },
})`) as Record<'page' | 'context' | 'browser', { get(): unknown; set(value: unknown): void }>;

export interface ConnectionOptions {
  cdpUrl: string;
  /** Folder that the browser's downloads go to. */
  downloads?: string | undefined;
}

export function createConnection(playwright: Playwright, { cdpUrl, downloads }: ConnectionOptions): BrowserConnection {
  const crashed = new WeakSet<object>();
  let browser: Browser | undefined;
  let known: { page: Page; context: BrowserContext } | undefined;
  let connecting: Promise<void> | undefined;

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
        throw new Error(browserGone, { cause: error });
      });
    const context = opened.contexts()[0] ?? (await opened.newContext());
    context.on('page', watch);
    context.pages().forEach(watch);
    const page = await choosePage(context);
    // A snippet that closes its connection gets another; when there is none to get, the browser has gone.
    opened.once('disconnected', () => connect().catch(() => connection.onGone()));
    for (const object of [opened, context, page]) shortenInspection(object);
    bind('browser', opened, browser);
    bind('context', context, known?.context);
    bind('page', page, known?.page);
    browser = opened;
    known = { page, context };
  }

  function watch(page: Page): void {
    page.on('crash', () => crashed.add(page));
  }

  function refresh(): Promise<void> | undefined {
    if (connecting || !browser?.isConnected()) return connect();
    const page = read('page');
    if (!known || !(page instanceof known.page.constructor)) return undefined;
    const current = page as Page;
    if (crashed.has(current)) return current.close().then(() => replacePage(current));
    return current.isClosed() ? replacePage(current) : undefined;
  }

  async function replacePage(closed: Page): Promise<void> {
    if (!known) return;
    known = { ...known, page: await choosePage(known.context) };
    bind('page', known.page, closed);
  }

  const connection: BrowserConnection = { connect, refresh, onGone: () => undefined };
  return connection;
}

/** The newest tab that is visible, as far as this connection has seen them come; a new one if there is none. */
async function choosePage(context: BrowserContext): Promise<Page> {
  const pages = context.pages();
  const newest = pages.at(-1);
  if (!newest) return context.newPage();
  const visible = await Promise.all(pages.length === 1 ? [true] : pages.map(isVisible));
  return pages[visible.lastIndexOf(true)] ?? newest;
}

function isVisible(page: Page): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), visibleLimitMs);
    page
      .evaluate(() => document.visibilityState === 'visible')
      .catch(() => false)
      .then((visible) => {
        clearTimeout(timer);
        resolve(visible);
      });
  });
}

/** Gives the variable its new value, unless a snippet has given it another meaning. */
function bind(name: keyof typeof variables, value: object, old: object | undefined): void {
  const now = read(name);
  if (old === undefined || now === undefined) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  const replaceable = now === undefined || now === old || now?.constructor === value.constructor;
  if (!replaceable) return;
  try {
    variables[name].set(value);
  } catch {
    // Declared by a run that failed before it gave it a value: the next run says so itself.
  }
}

function read(name: keyof typeof variables): unknown {
  try {
    return variables[name].get();
  } catch {
    return undefined;
  }
}

/** Playwright's objects hold the whole connection: shown as themselves they would fill a screen. */
function shortenInspection(object: object): void {
  let base = object;
  for (;;) {
    const above: unknown = Object.getPrototypeOf(base);
    if (typeof above !== 'object' || above === null || /EventEmitter|^Object$/.test(above.constructor.name)) break;
    base = above;
  }
  Object.defineProperty(base, inspect.custom, {
    value: describe,
    configurable: true,
    writable: true,
    enumerable: false,
  });
}

function describe(this: object): string {
  // The build of Playwright decorates the names of its classes.
  const name = this.constructor.name.replace(/^_|\d+$/g, '');
  const own = this as { toString(): string; url?: () => string; status?: () => number; pages?: () => unknown[] };
  const text = own.toString();
  if (text !== '[object Object]') return text;
  const parts = [
    own.status && `status: ${own.status()}`,
    own.url && `url: ${inspect(own.url())}`,
    own.pages && `pages: ${own.pages().length}`,
  ].filter(Boolean);
  return parts.length > 0 ? `${name} { ${parts.join(', ')} }` : `${name} {}`;
}
