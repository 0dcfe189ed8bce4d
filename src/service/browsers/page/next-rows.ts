/** What a button says that shows the next rows of a list, in common languages, without arrows. */
export const nextLabel = new RegExp(
  `^(?:${[
    '(?:go to )?(?:the )?next(?: (?:page|results?|items|entries))?|older(?: (?:posts|entries|items))?',
    'weiter|nächste(?: seite)?|suivante?s?|page suivante|(?:página )?siguiente',
    '(?:página )?(?:próxim[ao]|seguinte)|(?:pagina )?successiv[ao]|avanti|volgende(?: pagina)?',
    'nästa(?: sida)?|neste(?: side)?|næste(?: side)?|seuraava|następna(?: strona)?|dalej|další',
    'следующ(?:ая|ие)(?: страница)?|далее|вперёд|sonraki(?: sayfa)?|次(?:へ|のページ)?|下一?[页頁]|다음(?: 페이지)?',
  ].join('|')})$`,
  'iu',
);

/** A button that shows the next rows of a list in the place of those that are there. */
export interface NextButton {
  text: string;
  /** Selects it. */
  selector: string;
}

/** What a step of `nextRows` returns. */
interface Steps {
  /** Finds a button that was not found before, and keeps the rows of its list. What lies in a form isn't to be pressed. */
  find: (NextButton & { isInForm: boolean }) | null;
  /** Keeps the rows of the list beside the element that a selector finds. */
  follow: NextButton | null;
  /** Presses the button. False: it is gone, or can't be pressed. */
  press: boolean;
  /** Keeps the rows that are new. */
  keep: { fresh: number; isFull: boolean; movedTo?: string };
  /** The button as it is now. */
  rest: NextButton | null;
  /** Puts all rows that were kept in the place of those that are there. */
  restore: true;
}

export type StepResult<Step extends keyof Steps> = Steps[Step];

/** Returns an expression for a step. What the steps before it kept is there as long as the document is. */
export function nextRows(step: keyof Steps, selector?: string): string {
  return `(${script})(${JSON.stringify(step)}, ${JSON.stringify(selector)})`;
}

/** Runs apart from the scripts of the page. */
const script = `(step, selector) => {
  const longestName = 40, fewest = 3, mostParents = 5000, mostAround = 12, mostButtons = 20, mostShare = 0.7, shortestLink = 12;
  const mostKept = 4 * 1024 * 1024;
  const label = ${nextLabel};
  const paging = /pagina|pager|paging|page-?(numbers?|links?|nav|item|list)/i;
  /** Their buttons show other parts of the same, go on without end, or take the visitor's own steps. */
  const elsewhere = /carousel|slide(r|show)|swiper|slick|splide|calendar|date-?picker|lightbox|wizard|stepper|checkout|basket|quiz|survey/i;
  const apart = 'dialog, [role=dialog], [aria-modal=true], fieldset, video, audio, [contenteditable], [aria-roledescription=carousel]';
  const noLists = 'nav, header, footer, select, svg, [role=navigation], [role=toolbar], [role=tablist], [role=menu], [role=listbox]';
  const noRows = /^(button|input|label|option|span|br|hr|td|th|col|colgroup|script|style|template|link|meta|svg)$/;
  const clean = (text) => text.replace(/\\s+/g, ' ').trim();
  const classOf = (element) => element.getAttribute('class') ?? '';
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const around = (element, levels) => {
    const found = [];
    for (let each = element; each && each !== document.body && found.length < levels; each = each.parentElement) found.push(each);
    return found;
  };
  const nameOf = (element) => clean(element.getAttribute('aria-label') || element.innerText || element.value || element.title ||
    element.parentElement?.getAttribute('title') || element.querySelector('[alt]')?.getAttribute('alt') || '');
  const isPaging = (element) => around(element, 4).some((each) => each.matches('nav, [role=navigation]') ||
    paging.test(classOf(each) + ' ' + each.id + ' ' + (each.getAttribute('aria-label') ?? '')));
  const hasNumbers = (element) => around(element.parentElement, 2).some(({ innerText = '' }) =>
    innerText.length < 150 && /(^|\\s)\\d/.test(innerText));

  function isNext(element, number) {
    const name = nameOf(element);
    if (name.length > longestName) return false;
    const words = clean(name.replace(/[‹›«»←→❮❯◀▶<>]/gu, ' '));
    if (label.test(words) || element.rel === 'next') return true;
    if (words !== '') return words === String(number) && isPaging(element) && isAfter(element, String(number - 1));
    if (name === '') return /(^|[-_\\s])next($|[-_\\s])/.test(classOf(element)) && isPaging(element);
    return /^[›»→❯▶>]+$/u.test(name) && (isPaging(element) || hasNumbers(element));
  }

  const isAfter = (element, number) => around(element.parentElement, 2).some((each) =>
    [...each.querySelectorAll('*')].some((other) => other.childElementCount === 0 && clean(other.textContent) === number));

  function canPress(element) {
    const href = element.localName === 'a' ? element.getAttribute('href') : null;
    if (href !== null && !/^\\s*(#?\\s*$|javascript:)/i.test(href)) return false;
    if (element.disabled || element.getAttribute('aria-disabled') === 'true' || !isShown(element)) return false;
    return !around(element, 2).some((each) => /(^|[\\s-])disabled($|\\s)/.test(classOf(each)));
  }

  function buttons(root, number) {
    return [...root.querySelectorAll('button, a, input[type=button], [role=button], [role=link]')].filter((each) =>
      each instanceof HTMLElement && canPress(each) && isNext(each, number) && !each.closest(apart) && !around(each, 6).some((one) => elsewhere.test(classOf(one))));
  }

  const rowsIn = (list, names, button) => [...list.children].filter((row) => names.has(row.localName) && !row.contains(button));

  /** The list with the most text of those nearest to the button: none of its rows is most of it, as a part of a layout is. */
  function listOf(button) {
    const form = button.closest('form');
    for (const scope of around(button.parentElement, mostAround).concat(document.body)) {
      let best = null;
      for (const list of [scope, ...scope.querySelectorAll('*')].slice(0, mostParents)) {
        if (list.childElementCount < fewest || list.closest(noLists)) continue;
        const rows = [...list.children].filter((row) => !noRows.test(row.localName) && !row.contains(button) &&
          /\\p{L}{2}/u.test(row.textContent) && isShown(row) && (row.localName !== 'a' || row.textContent.length >= shortestLink));
        const counts = Object.create(null);
        for (const { localName } of rows) counts[localName] = (counts[localName] ?? 0) + 1;
        if (!Object.values(counts).some((count) => count >= fewest)) continue;
        const lengths = rows.map((row) => row.textContent.length);
        const length = lengths.reduce((sum, each) => sum + each, 0);
        if (length <= (best?.length ?? 0) || Math.max(...lengths) > length * mostShare) continue;
        best = { list, length, names: new Set(Object.keys(counts).filter((name) => counts[name] > 1)) };
      }
      if (best) return { ...best, scope };
      if (scope === form) return null;
    }
    return null;
  }

  /** Finds an element again in whose place the page has put another one. */
  function placeOf(element) {
    const path = around(element, Infinity).map((each) => [each.localName,
      [...each.parentElement.children].filter(({ localName }) => localName === each.localName).indexOf(each)]).reverse();
    const again = () => path.reduce((parent, [name, at]) =>
      parent && [...parent.children].filter(({ localName }) => localName === name)[at], document.body);
    return () => (element.isConnected ? element : again());
  }

  /** Without the addresses of pictures, which may be loaded late. */
  const keyOf = (row) => {
    const links = [row, ...row.querySelectorAll('[href]')].map((each) => each.getAttribute('href') ?? '');
    return [clean(row.textContent), ...links].join('\\n').trim() || (row.querySelector('img')?.src ?? '');
  };
  const address = () => location.href.replace(/#$/, '');
  const state = (globalThis.nextRows ??= { found: new WeakSet(), steps: 0 });
  const shown = () => {
    const list = state.list?.();
    return list ? rowsIn(list, state.names, state.button).filter(isShown) : [];
  };

  function start(button, found) {
    const { list, scope, names } = found;
    Object.assign(state, { button, names, list: placeOf(list), scope: placeOf(scope), shell: list.cloneNode(false),
      kept: [], keys: new Set(), added: 0, length: 0, steps: 0, address: address() });
    keep();
    return { text: nameOf(button), selector: selectorOf(button), isInForm: button.closest('form') !== null };
  }

  function keep() {
    const rows = shown().map((row) => ({ row, key: keyOf(row), copy: null })).filter(({ key }) => key !== '');
    const now = new Set(rows.map(({ key }) => key));
    const last = state.kept.slice(-state.added);
    // Rows that stay may say something else by now, such as their age.
    if (last.filter(({ key }) => now.has(key)).length > last.length / 2) {
      for (const each of state.kept) if (each.row.isConnected) state.keys.add((each.key = keyOf(each.row)));
    }
    const fresh = rows.filter(({ key }) => !state.keys.has(key));
    for (const each of fresh) {
      each.copy = each.row.cloneNode(true);
      state.kept.push(each);
      state.keys.add(each.key);
      state.length += each.row.outerHTML.length;
    }
    state.added = fresh.length;
    return { fresh: fresh.length, isFull: state.length > mostKept };
  }

  function selectorOf(element) {
    const name = element.getAttribute('aria-label');
    const classes = [...element.classList].map((each) => '.' + CSS.escape(each)).join('');
    const own = element.id ? '#' + CSS.escape(element.id)
      : element.localName + (name ? '[aria-label=' + JSON.stringify(name) + ']' : classes);
    if (document.querySelector(own) === element) return own;
    return ['body', ...around(element, Infinity).reverse().map((each) => each.localName + ':nth-of-type(' +
      (1 + [...each.parentElement.children].filter(({ localName }) => localName === each.localName).indexOf(each)) + ')')].join(' > ');
  }

  const current = () => buttons(state.scope?.() ?? document.createElement('p'), state.steps + 2)[0];

  switch (step) {
    case 'find':
      for (const button of buttons(document, 2).slice(0, mostButtons)) {
        if (state.found.has(button)) continue;
        state.found.add(button);
        const found = listOf(button);
        if (found) return start(button, found);
      }
      return null;
    case 'follow': {
      const button = document.querySelector(selector);
      const found = button && listOf(button);
      return found ? start(button, found) : null;
    }
    case 'press':
      state.button = current();
      state.button?.click();
      return state.button !== undefined;
    case 'keep': {
      if (!state.kept || address() !== state.address) return { fresh: 0, isFull: false, movedTo: address() };
      state.steps++;
      return keep();
    }
    case 'rest': {
      const button = current();
      return button ? { text: nameOf(button), selector: selectorOf(button) } : null;
    }
    case 'restore': {
      const now = new Set(shown().map(keyOf));
      if (!state.kept || state.kept.every(({ key }) => now.has(key))) return true;
      let list = state.list();
      if (!list) (state.scope() ?? document.body).append((list = state.shell));
      const nodes = state.kept.map(({ row, key, copy }) =>
        keyOf(row) === key && (!row.isConnected || (row.parentElement === list && isShown(row))) ? row : copy);
      const mark = document.createComment('');
      const rows = rowsIn(list, state.names, state.button);
      if (rows[0]) rows[0].before(mark);
      else list.prepend(mark);
      for (const row of rows) row.remove();
      mark.replaceWith(...nodes);
      return true;
    }
  }
}`;
