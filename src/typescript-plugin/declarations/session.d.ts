import type { Browser, BrowserContext, Page } from 'playwright-core';

/** The names that every snippet finds in its session. The plugin declares them in each snippet. */
export declare namespace session {
  /** The open tab of the browser session. Assign another tab to keep working on that one. */
  let page: Page;
  /** The browser context of the session: its tabs, cookies and permissions. */
  let context: BrowserContext;
  /** The browser of the session. */
  let browser: Browser;
}
