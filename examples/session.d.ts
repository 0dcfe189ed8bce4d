import type { Browser, BrowserContext, Page } from 'playwright-core';

// The globals that every snippet can use.
declare global {
  let page: Page;
  let context: BrowserContext;
  let browser: Browser;
}
