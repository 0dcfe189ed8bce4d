import { watchesScrolling } from '../../../browsers/page/late-work.ts';
import { mainBox } from '../../../browsers/page/main-box.ts';
import { type Deadline, type Quietness, settle } from '../../../browsers/page/settle.ts';
import { noteSettledPage, otherPage } from '../../../browsers/page/settled-page.ts';
import type { Tab } from '../../../browsers/page/tab.ts';

/** What scrolling down told about a page. */
export type Scrolled =
  /** It doesn't grow, or has grown to its end. */
  | 'whole'
  /** It was still growing, and needs more time. */
  | 'endless'
  /** It has grown to the longest page that is read, and goes on. */
  | 'too long'
  /** It was whole at its top: it adds nothing, and hides some of that once it is scrolled. */
  | 'hides'
  /** It removes what is scrolled away, so that it is never whole. */
  | 'replaces';

/** Maximum number of times to scroll, and milliseconds that it may take, unless the caller asks for more. */
const maxScrolls = 10;
const maxMs = 6000;
/** Characters of HTML at which a page isn't scrolled any more. */
const maxLength = 4 * 1024 * 1024;

/**
 * The lines that the page and its main box show, the length of its HTML, and their heights. Those that are kept tell whether they are gone
 * later: without numbers, which may change by themselves, unless they are nearly all that there is.
 */
const look = `(() => {
  const box = ${mainBox};
  // document.body is a form or frame of that name, if the page has one.
  const body = document.querySelector('body');
  const linesOf = (element) => (element?.innerText ?? '').split('\\n').filter((line) => line.trim() !== '');
  const hasWord = (text) => /\\p{L}{3}|\\p{Lo}/u.test(text);
  const kept = (lines) => {
    const words = lines.map((line) => line.split('\\t').filter(hasWord).join('\\t')).filter(Boolean);
    return (words.length < lines.length / 10 ? lines : words).map((line) => line.slice(0, 200));
  };
  const lines = [linesOf(body), linesOf(box)];
  return { lines: lines.map((each) => kept(each.slice(0, 20_000))), count: lines[0].length,
    height: document.scrollingElement.scrollHeight + (box?.scrollHeight ?? 0), length: body?.innerHTML.length ?? 0 };
})()`;

/** What a page showed. */
export interface Look {
  /** The beginnings of the first lines of the page, and of its main box. */
  lines: [string[], string[]];
  /** How many lines there were. */
  count: number;
  height: number;
  length: number;
}

/**
 * Looks at a page before it is scrolled; undefined if it neither adds nor removes content then, or is left meanwhile. If it has
 * settled, it keeps its address and title from now on.
 */
export async function lookAt(tab: Tab, settled: boolean): Promise<Look | undefined> {
  if (!(await watchesScrolling(tab).catch(() => false))) return undefined;
  if (settled) await tab.look(noteSettledPage);
  return await tab.look<Look>(look);
}

/** Whether much of what a page showed first is gone. */
export async function hasReplaced(tab: Tab, first: Look): Promise<boolean> {
  return isGone(first, await tab.look<Look>(look));
}

const toEnd = `for (const each of [document.scrollingElement, ${mainBox}])
  each?.scrollTo({ top: each.scrollHeight, behavior: 'instant' })`;

function without(lines: string[], others: string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}

/** One line, such as a clock, may change by itself. */
function isGone(first: Look, now: Look): boolean {
  return first.lines.some((lines, at) => without(lines, now.lines[at] ?? []).length > Math.max(1, lines.length / 4));
}

/** Whether the main box shows less than before, and nothing else. */
function hides({ lines: [, first] }: Look, { lines: [, now] }: Look): boolean {
  return without(first, now).length > 0 && without(now, first).length === 0;
}

/**
 * Scrolls to the end of a page that adds content there, until it doesn't grow any more. If the page isn't whole then, `before` was
 * called while its beginning was there.
 *
 * @param onOther called with the URL of the page that it says it is by now, if that is another one
 * @param isAsked whether the caller asked to scroll, so that half of the time that is left may be used
 */
export async function scrollDown(
  tab: Tab,
  quietness: Quietness,
  deadline: Deadline,
  { isAsked, settled }: { isAsked: boolean; settled: boolean },
  before: () => Promise<void>,
  onOther: (url: string) => void,
): Promise<Scrolled> {
  const first = await lookAt(tab, settled);
  if (!first) return 'whole';
  await before();
  const half = deadline.left() / 2;
  const until = performance.now() + (isAsked ? half : Math.min(maxMs, half));
  let last = first;
  for (let count = 0; (isAsked || count < maxScrolls) && performance.now() < until; count++) {
    await tab.look(toEnd);
    await settle(quietness, deadline);
    const now = await tab.look<Look>(look);
    if (isGone(first, now)) return 'replaces';
    const other = await tab.look<string | undefined>(otherPage);
    if (other !== undefined) onOther(other);
    if (now.count <= last.count && now.height <= last.height) return hides(first, now) ? 'hides' : 'whole';
    if (now.length > maxLength) return 'too long';
    last = now;
  }
  return 'endless';
}
