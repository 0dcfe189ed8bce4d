// `node floor.mjs PLAYWRIGHT`: loads Playwright, then connects it to the browser whose CDP URL comes on standard input. Prints
// `ready` once it has a page.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { chromium } = createRequire(import.meta.url)(process.argv[2]);
for await (const cdpUrl of createInterface({ input: process.stdin })) {
  const browser = await chromium.connectOverCDP(cdpUrl);
  const [context] = browser.contexts();
  console.log(context.pages().length > 0 ? 'ready' : 'no page');
  break;
}
process.exit(0);
