import type { Browser, BrowserContext, Page } from 'playwright-core';

// What every snippet finds ready in its session.
declare global {
  let page: Page;
  let context: BrowserContext;
  let browser: Browser;
}
