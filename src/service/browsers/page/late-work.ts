import { mainBox } from './main-box.ts';
import type { Tab } from './tab.ts';

/** Longest delay of a timer that may still write content, in milliseconds: longer ones are for later. */
const maxTimerMs = 2000;
/** Timers that set timers repeat themselves; so many in a row are waited for. */
const maxRepeats = 2;

/** Runs before the scripts of each document. Notes timers that will run soon, and whether the page watches what is scrolled to. */
const notes = `(() => {
  const due = new Map();
  let repeats = 0;
  const work = {
    watchesScrolling: false,
    ms() {
      const now = performance.now();
      let most = 0;
      for (const at of due.values()) most = Math.max(most, at - now, 1);
      return most;
    },
  };
  Object.defineProperty(globalThis, Symbol.for('lateWork'), { value: work });
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  globalThis.setTimeout = function setTimeout(handler, delay, ...args) {
    const ms = Number(delay) || 0;
    if (typeof handler !== 'function' || ms > ${maxTimerMs} || repeats >= ${maxRepeats}) return set(handler, delay, ...args);
    const depth = repeats + 1;
    const id = set(function () {
      due.delete(id);
      repeats = depth;
      try { return handler.apply(this, arguments); } finally { repeats = 0; }
    }, delay, ...args);
    due.set(id, performance.now() + ms);
    return id;
  };
  globalThis.clearTimeout = function clearTimeout(id) {
    due.delete(Number(id));
    clear(id);
  };
  const Observer = globalThis.IntersectionObserver;
  globalThis.IntersectionObserver = class IntersectionObserver extends Observer {
    observe(target) {
      work.watchesScrolling = true;
      super.observe(target);
    }
  };
})()`;

const noting = new WeakSet<Tab>();

/** Notes the late work of the tab's next documents. */
export async function noteLateWork(tab: Tab): Promise<void> {
  if (noting.has(tab)) return;
  noting.add(tab);
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: notes });
}

const lateWork = `globalThis[Symbol.for('lateWork')]`;

/** What a text says, alone, while its page is loading. */
const loadingText =
  '/^(loading|please wait|lädt|wird geladen|chargement|cargando|carregando|加载中|載入中|読み込み中)[ .…]*$/i';

/** An expression for whether the page shows that it is still loading. */
export const showsLoading = `(() => {
  const isShown = (element) => element?.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  if ([...document.querySelectorAll('[aria-busy="true"]')].some(isShown)) return true;
  // document.body is a form or frame of that name, if the page has one.
  const body = document.querySelector('body');
  if (!body) return false;
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < 20_000 && texts.nextNode(); count++) {
    const { data, parentElement } = texts.currentNode;
    if (data.length < 100 && ${loadingText}.test(data.trim()) && isShown(parentElement)) return true;
  }
  return false;
})()`;

/** How often to look at a page that shows that it is loading, in milliseconds. */
const loadingMs = 200;

/**
 * Returns the milliseconds until a page may change once more; 0 if it has settled.
 * @param isLoading whether it shows that it is still loading
 */
export async function msToLateWork(tab: Tab, isLoading: boolean): Promise<number> {
  // Whatever the page may have put in its place, what it says is no more than a number, or nothing.
  const ms = await tab.evaluate<number | undefined>(`+${lateWork}?.ms() || 0`).catch(() => undefined);
  return ms !== undefined && ms > 0 ? ms : isLoading ? loadingMs : 0;
}

/** Whether the page, or its main box, is longer than its window and watches what it is scrolled to, so that it may add content then. */
export async function watchesScrolling(tab: Tab): Promise<boolean> {
  const hasBox = await tab.look<boolean>(`${mainBox} !== null`);
  const watches = await tab.evaluate<boolean | undefined>(
    `${hasBox} || document.scrollingElement?.scrollHeight > innerHeight ? !!${lateWork}?.watchesScrolling : undefined`,
  );
  if (watches !== false) return watches === true;
  const listening = await Promise.all(['window', 'document'].map((target) => listensToScrolling(tab, target, hasBox)));
  return listening.includes(true);
}

/** @param within whether to look at the elements within, too */
async function listensToScrolling(tab: Tab, target: string, within: boolean): Promise<boolean> {
  const { result } = await tab.send('Runtime.evaluate', { expression: target });
  const { objectId = '' } = result;
  const { listeners } = await tab.send('DOMDebugger.getEventListeners', { objectId, depth: within ? -1 : 1 });
  await tab.send('Runtime.releaseObject', { objectId });
  return listeners.some(({ type }) => type === 'scroll' || type === 'scrollend');
}
