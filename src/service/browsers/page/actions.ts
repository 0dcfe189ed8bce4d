import type { ScrapeAction } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../../platform/errors.ts';
import { capture } from './capture.ts';
import { type ActedOn, clickOn } from './click.ts';
import { parseKey, pressKey } from './keys.ts';
import { mainBox } from './main-box.ts';
import { buttonOf, type MoreButton, nextRows, type StepResult } from './next-rows.ts';
import { PageError } from './page.ts';
import { maxHtmlLength, type PageHtml, pageHtml } from './page-html.ts';
import { takeScreenshot } from './screenshot.ts';
import { scriptValue } from './script.ts';
import { type Deadline, delay, type Quietness, settle } from './settle.ts';
import { PageLeft, type Tab, wasLeft } from './tab.ts';

/** The results of actions. */
export type ActionResults = {
  /** Data URLs. */
  screenshots: string[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  /** Base64. */
  pdfs: string[];
};

class InvalidKey extends Error {}

/** Milliseconds to wait for a selector, unless the deadline comes first. */
const selectorTimeoutMs = 30_000;
/** Maximum number of characters of a script's return value. */
const maxValueLength = 1024 * 1024;
/** Maximum number of characters of all results together. */
const maxLength = 100 * 1024 * 1024;
/** Paper sizes in inches, as CDP expects them. */
const paper: Record<string, [width: number, height: number]> = {
  A0: [33.1, 46.8],
  A1: [23.4, 33.1],
  A2: [16.54, 23.4],
  A3: [11.7, 16.54],
  A4: [8.27, 11.7],
  A5: [5.83, 8.27],
  A6: [4.13, 5.83],
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
};

interface Listeners {
  onStop?(rest?: MoreButton): void;
  onCut?(lacking: string): void;
  onLeft?(lacking: string): void;
}

/**
 * Runs actions on a page, in order. Throws a PageError that names the failed action.
 * @param onStop called if a repeated click ended although its button is still there: with it if that was for the time, without if it added nothing
 * @param onCut called with a sentence about what is missing of a result
 * @param onLeft called with a sentence if a repeated click led to another page
 */
export async function runActions(
  tab: Tab,
  actions: readonly ScrapeAction[],
  quietness: Quietness,
  deadline: Deadline,
  { onStop, onCut = () => undefined, onLeft = () => undefined }: Listeners = {},
): Promise<ActionResults> {
  const page: ActedOn = { tab, quietness, deadline };
  const results: ActionResults = { screenshots: [], scrapes: [], javascriptReturns: [], pdfs: [] };
  for (const [index, action] of actions.entries()) {
    try {
      if (action.type === 'click' && action.repeat) {
        const stopped = await clickRepeatedly(page, action.selector, onLeft);
        if (stopped) onStop?.(stopped.rest);
      } else await run(page, action, { ...results, onCut });
      if (lengthOf(results) > maxLength) throw new Error('the results of all actions together are too large');
    } catch (error) {
      deadline.check();
      const reason = shorten(messageOf(error).split('\n')[0] ?? '', 300);
      const invalidRequest = error instanceof InvalidKey || /is not a valid selector/.test(reason ?? '');
      throw new PageError(`Action ${index + 1} (${action.type}) failed: ${reason}`, { invalidRequest });
    }
  }
  return results;
}

/** Returns the characters of pictures and pages: all other results are short. */
function lengthOf({ screenshots, scrapes, pdfs }: ActionResults): number {
  return [...screenshots, ...pdfs, ...scrapes.map(({ html }) => html)].reduce((sum, { length }) => sum + length, 0);
}

async function run(page: ActedOn, action: ScrapeAction, results: ActionResults & { onCut(lacking: string): void }) {
  const { tab, quietness, deadline } = page;
  switch (action.type) {
    case 'wait':
      if (action.selector !== undefined) return waitForSelector(tab, action.selector, deadline);
      return delay(action.milliseconds ?? 0, deadline);
    case 'click':
      return click(page, action);
    case 'write':
      await tab.send('Input.insertText', { text: action.text });
      return;
    case 'press':
      await press(tab, action.key);
      return settle(quietness, deadline);
    case 'scroll':
      await tab.look(scrollScript(action.direction === 'up' ? -1 : 1, action.selector));
      return settle(quietness, deadline);
    case 'screenshot':
      results.screenshots.push(await takeScreenshot(tab, action, results.onCut, deadline.signal));
      return;
    case 'scrape':
      results.scrapes.push(await scrape(tab));
      return;
    case 'executeJavascript':
      results.javascriptReturns.push(await execute(tab, action.script, results.onCut));
      return settle(quietness, deadline);
    case 'pdf': {
      const [paperWidth, paperHeight] = paper[action.format] ?? [8.5, 11];
      const { landscape, scale } = action;
      const { data } = await capture(tab, 'Page.printToPDF', {
        landscape,
        scale,
        paperWidth,
        paperHeight,
        printBackground: true,
      });
      results.pdfs.push(data);
    }
  }
}

async function scrape(tab: Tab): Promise<{ url: string; html: string }> {
  const page = await tab.look<PageHtml | number>(pageHtml(maxHtmlLength));
  if (typeof page === 'number') throw new Error('the page exceeds the size limit');
  return { url: page.url, html: page.html };
}

/** Waits until an element matches a selector. Throws after `maxMs` milliseconds or at the deadline. */
export async function waitForSelector(
  tab: Tab,
  selector: string,
  deadline: Deadline,
  maxMs = selectorTimeoutMs,
): Promise<void> {
  const timeoutMs = Math.min(maxMs, deadline.left());
  const until = performance.now() + timeoutMs;
  const look = () => `new Promise((resolve) => {
    const find = () => document.querySelector(${JSON.stringify(selector)}) !== null;
    if (find()) return resolve(true);
    const observer = new MutationObserver(() => { if (find()) { observer.disconnect(); resolve(true); } });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    setTimeout(() => { observer.disconnect(); resolve(false); }, ${Math.max(0, until - performance.now())});
  })`;
  let found: boolean | undefined;
  while (found === undefined)
    found = await tab.wait<boolean>(look).catch((error: unknown) => {
      // A page that reloads without end may have the element at any time.
      if (!(error instanceof PageLeft)) throw error;
      return performance.now() < until ? undefined : false;
    });
  if (!found) throw new Error(`no element matched ${selector} within ${Math.round(timeoutMs / 1000)} s`);
}

async function click(page: ActedOn, { selector, all }: { selector: string; all: boolean }): Promise<void> {
  const text = JSON.stringify(selector);
  const count = all ? await page.tab.look<number>(`document.querySelectorAll(${text}).length`) : 1;
  let index = 0;
  while (index < count && (await clickOn(page, `document.querySelectorAll(${text})[${index}]`))) index++;
  if (index === 0) throw new Error(`no element matches ${selector}`);
}

/** Characters of HTML at which nothing more is loaded. */
const maxLoaded = 4 * 1024 * 1024;

/**
 * Clicks an element again as long as it is there and that adds content, for half of the time that is left. If it puts other rows
 * in the place of those of a list, the page has all of them in the end. Returns whether it is still there: with the button of such
 * a list if the time was over, without if a click added nothing.
 * @param onLeft called with a sentence if it led to another page
 */
async function clickRepeatedly(
  page: ActedOn,
  selector: string,
  onLeft: (lacking: string) => void,
): Promise<{ rest?: MoreButton } | undefined> {
  const { tab, deadline } = page;
  const usable = `[${buttonOf(selector)}].find((each) => each?.checkVisibility() && !each.disabled)`;
  const until = performance.now() + deadline.left() / 2;
  const look = () =>
    tab.look<{ text: number; html: number }>(
      `(({ innerText: text, innerHTML: html }) => ({ text: text.length, html: html.length }))(document.querySelector('body'))`,
    );
  const button = await tab.look<StepResult<'follow'>>(nextRows('follow', selector)).catch(() => null);
  const isThere = () => tab.look<boolean>(`${usable} !== undefined`);
  async function end(isStopped: boolean, rest?: MoreButton | null): Promise<{ rest?: MoreButton } | undefined> {
    const stopped = isStopped && (await isThere());
    if (button) await tab.look(nextRows('restore'));
    return stopped ? { ...(rest && { rest }) } : undefined;
  }
  let last = await look();
  if (!(await clickOn(page, usable))) throw new Error(`no element matches ${selector}`);
  for (;;) {
    const now = await look();
    const kept = button && (await tab.look<StepResult<'keep'>>(nextRows('keep')));
    if (button && !kept) {
      onLeft(`Clicking "${shorten(button.text, 60)}" led to another page, and only its rows are there.`);
      return undefined;
    }
    const { fresh, isFull } = kept ?? { fresh: 0, isFull: false };
    if (now.text <= last.text && fresh === 0) return await end(true);
    if (performance.now() >= until || now.html > maxLoaded || isFull) return await end(button !== null, button);
    if (!(await clickOn(page, usable))) return await end(false);
    last = now;
  }
}

async function press(tab: Tab, name: string): Promise<void> {
  const key = parseKey(name);
  if (!key)
    throw new InvalidKey(`"${shorten(name, 60)}" isn't a valid key; use a KeyboardEvent.key name, such as Enter or a`);
  await pressKey(tab.send, key);
}

/** Without a selector, what a wheel turns: the window, or the page's main box where the window doesn't move. */
function scrollScript(sign: 1 | -1, selector: string | undefined): string {
  const [target, other] =
    selector === undefined
      ? ['document.scrollingElement', mainBox]
      : [`document.querySelector(${JSON.stringify(selector)})`, 'null'];
  return `(() => {
    const turn = (element) => {
      const height = element === document.scrollingElement ? innerHeight : element.clientHeight;
      const before = element.scrollTop;
      element.scrollBy({ top: ${sign} * Math.max(100, height * 0.9), behavior: 'instant' });
      return element.scrollTop !== before;
    };
    const element = ${target};
    if (!element) throw new Error('no element matches the selector');
    const other = turn(element) ? null : ${other};
    if (other) turn(other);
  })()`;
}

async function execute(
  tab: Tab,
  script: string,
  onCut: (lacking: string) => void,
): Promise<{ type: string; value: unknown }> {
  const evaluated = tab.evaluate(
    `(async () => { const value = await ${scriptValue(script)}; return JSON.stringify({ type: value === null ? 'null' : typeof value, value: typeof value === 'function' || typeof value === 'symbol' ? String(value) : typeof value === 'bigint' ? String(value) : value }); })()`,
  );
  const json = await evaluated.catch((error: unknown) => {
    // It may have led to another page itself, as a click does.
    if (!wasLeft(error)) throw error;
    onCut("The page was left before a script of the actions ended, so the script's value is unknown.");
    return JSON.stringify({ type: 'undefined' });
  });
  // A page can put something else in the place of what makes the JSON.
  if (typeof json !== 'string' || json.length > maxValueLength) throw new Error('the return value is too large');
  const { type, value = null } = JSON.parse(json) as { type: string; value?: unknown };
  return { type, value };
}
