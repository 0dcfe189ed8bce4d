import { shorten, withoutHidden } from '../../../../contract/shorten.ts';
import { linksOfClosedMenus } from '../../../browsers/page/closed-menus.ts';
import { showsLoading } from '../../../browsers/page/late-work.ts';
import { type MoreButton, nextRows, type StepResult } from '../../../browsers/page/next-rows.ts';
import { maxHtmlLength, type PageHtml, pageHtml } from '../../../browsers/page/page-html.ts';
import type { Deadline, Quietness } from '../../../browsers/page/settle.ts';
import { type ShownByClick, shownByClick } from '../../../browsers/page/shown-by-click.ts';
import { attempt, type Tab } from '../../../browsers/page/tab.ts';
import { within } from '../../../platform/async.ts';
import { bodySteps } from '../../../platform/network/fetch.ts';
import { namesAddress } from '../convert/notes/declared-links.ts';
import { adviceOf, type Lack } from '../lack.ts';
import { ScrapeError } from '../scrape-errors.ts';
import { isAdHost } from './ads.ts';
import type { RenderedPage, RenderRequest } from './render.ts';
import { hasReplaced, type Look, type Scrolled, scrollDown } from './scroll-down.ts';

/** How long a page that hasn't loaded may take to respond, in milliseconds, before its script counts as endless. */
const maxScriptMs = 2000;

/** Stops the script of a page that doesn't respond. Returns whether there was one. */
export async function stopEndlessScript(tab: Tab): Promise<boolean> {
  if (await within(maxScriptMs, attempt(tab.evaluate('true')))) return false;
  await attempt(tab.send('Runtime.terminateExecution'));
  return true;
}

/** How long each look for what isn't the content of a page may take, such as to open its menus, in milliseconds. */
const maxBesidesMs = 5000;

/** Looks for what isn't the content of a page, for so long. What that leads to, such as a redirect, is no reason to lose the page. */
async function lookBesides<Found>(tab: Tab, expression: string, longestMs: number): Promise<Found | undefined> {
  if (longestMs <= 0) return undefined;
  const looking = tab.look<Found>(expression).catch(() => undefined);
  if (await within(longestMs, looking)) return await looking;
  await stopEndlessScript(tab);
  return undefined;
}

/** Returns where the closed menus of a page lead. It changes the page. */
export async function menuLinksOf(tab: Tab, url: string, deadline: Deadline): Promise<string[]> {
  const longestMs = Math.min(maxBesidesMs, deadline.left() / 2);
  return (await lookBesides<string[]>(tab, linksOfClosedMenus(url), longestMs)) ?? [];
}

/** Returns the content of a page, scrolled to its end if that adds to it. Adds what is missing to `lacks` and `besides`. */
export async function wholeContentOf(
  tab: Tab,
  { reserve, actions }: RenderRequest,
  quietness: Quietness,
  deadline: Deadline,
  {
    settled,
    lacks,
    besides,
    before,
  }: Pick<RenderedPage, 'lacks' | 'besides'> & { settled: boolean; before: Look | undefined },
): Promise<PageHtml & { isGrowing: boolean; next: MoreButton | undefined; others: string[] }> {
  const read = () => contentOf(tab, (bytes) => reserve(bytes, deadline.signal));
  let top: PageHtml | undefined;
  let scrolled: Scrolled = 'whole';
  const others = new Set<string>();
  if (before && (await hasReplaced(tab, before))) {
    lacks.push({
      what: 'The page removed content as it was scrolled, and only what it showed at the end was read.',
      advice: 'To get the other parts, set actions: [{"type":"scrape"},{"type":"scroll"},{"type":"scrape"}, …].',
    });
  } else if (actions.length === 0 || before) {
    // After other actions, the page is as the caller wants it.
    const isAsked = actions.some(({ type }) => type === 'scroll');
    const keepTop = async () => {
      top = await read();
    };
    scrolled = await scrollDown(tab, quietness, deadline, { isAsked, settled }, keepTop, (url) => others.add(url));
  }
  if (scrolled === 'too long') {
    const what = 'The page keeps adding content as it is scrolled, and only as much as fits in a document was read.';
    lacks.push({ what });
  } else if (scrolled === 'replaces') {
    lacks.push({
      what: 'The page removes content as it is scrolled, and only its beginning was read.',
      advice: 'To get other parts, set actions: [{"type":"scroll"},{"type":"scrape"}, …].',
    });
  }
  if (!settled && (await tab.look<boolean>(showsLoading))) {
    const time = 'To give it more time, set waitFor to milliseconds.';
    lacks.push({ what: `The page was still loading content when it was read. ${time}` });
  }
  const page = ((scrolled === 'replaces' || scrolled === 'hides') && top) || (await read());
  let next: StepResult<'find'> | undefined;
  if (actions.length === 0) {
    next = await lookBesides(tab, nextRows('find'), deadline.left() / 2);
    const longestMs = Math.min(maxBesidesMs, deadline.left() / 2 - maxScriptMs);
    const clicks = await lookBesides<ShownByClick>(tab, shownByClick(namesAddress), longestMs);
    if (clicks?.rows) lacks.push(opened(clicks.rows));
    if (clicks?.tabs.length) lacks.push(unseen('Tabs', clicks.tabs, clicks.tabCount));
    if (clicks?.parts.length) lacks.push(unseen('Closed parts', clicks.parts, clicks.partCount));
  }
  const frames = page.foreignFrames.filter((url) => !isAdHost(new URL(url).hostname)).slice(0, 5);
  if (frames.length > 0)
    besides.push(
      `The page shows frames that aren't part of the document: ${frames.map((url) => shorten(url)).join(' ')}. Scrape them by their URLs.`,
    );
  return {
    ...page,
    isGrowing: scrolled === 'endless',
    next: next ?? undefined,
    others: page === top ? [] : [...others],
  };
}

/** A text of a page, so that it stays one. */
const quoted = (text: string) => `"${shorten(withoutHidden(text).replaceAll('"', "'"), 60)}"`;

function opened({ count, selector, text, isCards }: NonNullable<ShownByClick['rows']>): Lack {
  return {
    what: `${count} ${isCards ? 'cards' : 'rows'} of the page seem to open something when they are clicked, and have no address, so what they open is missing: ${quoted(text)} and others.`,
    advice: adviceOf('what the first one opens', [{ type: 'click', selector: shorten(selector, 200) }]),
  };
}

function unseen(kind: string, parts: ShownByClick['parts'], count: number): Lack {
  const names = parts.map(({ text }) => quoted(text)).join(', ');
  const others = count > parts.length ? ` and ${count - parts.length} more` : '';
  const clicks = parts.flatMap(({ selector }) => [{ type: 'click', selector }, { type: 'scrape' }]);
  return {
    what: `${kind} of the page may load what they show only when they are clicked, so it may be missing: ${names}${others}.`,
    advice: adviceOf('it', clicks),
  };
}

async function contentOf(tab: Tab, reserve: (bytes: number) => Promise<void> | undefined): Promise<PageHtml> {
  /** Returns only the length of a longer page. */
  const read = (longest: number) => tab.look<PageHtml | number>(pageHtml(longest));
  const short = await read(bodySteps[0]);
  if (typeof short !== 'number') return short;
  await reserve(short);
  const long = await read(maxHtmlLength);
  if (typeof long === 'number') throw new ScrapeError('SCRAPE_SITE_ERROR', 'The rendered page exceeds the size limit.');
  return long;
}
