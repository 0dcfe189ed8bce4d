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

/** Those of them that also lead on where there is no list. */
const goOn = /^(?:weiter|avanti|dalej|další|далее|вперёд)$/iu;

/** A button of a page that shows more: further rows of a list in the place of those that are there, or beside them. */
export interface MoreButton {
  text: string;
  /** Selects it; in a page that is only fetched, as far as its own attributes can. */
  selector: string;
}

/** What a step of `nextRows` returns. */
interface Steps {
  /** Finds a button that stands beside a list. */
  find: MoreButton | null;
  /** Keeps the rows of the list beside the element that a selector finds. */
  follow: MoreButton | null;
  /** Keeps the rows that are new. Null: another page is there, with which those that were kept are gone. */
  keep: { fresh: number; isFull: boolean } | null;
  /** Puts all rows that were kept in the place of those that are there. */
  restore: true;
}

export type StepResult<Step extends keyof Steps> = Steps[Step];

/** Returns an expression for the button to click next: the one that a selector finds, or after `follow` the one with the next number. */
export function buttonOf(selector: string): string {
  return `((globalThis.nextRows?.number > 0) ? globalThis.nextRows.target() : document.querySelector(${JSON.stringify(selector)}))`;
}

/** Returns an expression for a step. What the steps before it kept is there as long as the document is. */
export function nextRows(step: keyof Steps, selector?: string): string {
  return `(${script})(${JSON.stringify(step)}, ${JSON.stringify(selector)})`;
}

/** Runs apart from the scripts of the page. */
const script = `(step, selector) => {
  const longestName = 40, fewest = 3, mostParents = 5000, mostAround = 12, closest = 3, mostWords = 6, mostButtons = 20, mostShare = 0.7, shortestLink = 12;
  const mostKept = 4 * 1024 * 1024;
  const label = ${nextLabel}, goOn = ${goOn};
  const paging = /pagina|(?<![a-z])pager(?![a-z])|paging|page-?(numbers?|links?|nav|item|list)/i;
  /** Their buttons show other parts of the same, go on without end, or take the visitor's own steps. */
  const elsewhere = /carousel|slide(r|show)|swiper|slick|splide|calendar|date-?picker|lightbox|wizard|stepper|checkout|basket|quiz|survey|onboarding|gallery|glide|flickity/i;
  const pressed = 'button, a, input[type=button], [role=button], [role=link]';
  /** What numbers are pressed for that are not those of pages. */
  const notPages = /rating|(?<![a-z])(rate|stars?|scores?|vote|review|feedback|(key|num|dial)-?pad|pin-?code)(?![a-z])/i;
  const notices = /cookie|consent|newsletter/i;
  const apart = 'dialog, [role=dialog], [aria-modal=true], fieldset, video, audio, [contenteditable], [aria-roledescription=carousel]';
  const noLists = 'nav, header, footer, select, svg, [role=navigation], [role=toolbar], [role=tablist], [role=menu], [role=listbox]';
  const noRows = /^(button|input|label|option|span|br|hr|td|th|col|colgroup|script|style|template|link|meta|svg)$/;
  const clean = (text) => text.replace(/\\s+/g, ' ').trim();
  const classOf = (element) => element.getAttribute('class') ?? '';
  const namesOf = (element) => classOf(element) + ' ' + element.id;
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const around = (element, levels) => {
    const found = [];
    for (let each = element; each && each !== document.body && found.length < levels; each = each.parentElement) found.push(each);
    return found;
  };
  const nameOf = (element) => clean(element.getAttribute('aria-label') || element.innerText || element.value || element.title ||
    element.parentElement?.getAttribute('title') || element.querySelector('[alt]')?.getAttribute('alt') || '');
  const isPaging = (element) => around(element, 4).some((each) => each.matches('nav, [role=navigation], a[href*="Page$"]') ||
    paging.test(namesOf(each) + ' ' + (each.getAttribute('aria-label') ?? '')));
  /** As beside "1 of 4" or "1 2 3". */
  const hasNumbers = (element) => around(element.parentElement, 2).some(({ innerText = '' }) =>
    innerText.length < 100 && /\\d/.test(innerText) && (innerText.match(/\\p{L}+/gu) ?? []).length <= mostWords);

  const numberOf = (element) => Number(/^\\d{1,4}$/.exec(clean(element.innerText || element.value || ''))?.[0] ?? 0);
  const numbersIn = (element) => [...element.querySelectorAll(pressed)].filter(numberOf);
  const pagerOf = (button) => around(button.parentElement, closest).find((each) => numbersIn(each).length > 1);

  /** The button with the number of the next page of a list, where numbers alone are its buttons. */
  function nextNumber() {
    const firsts = numbersIn(document.body).filter((each) => numberOf(each) === 1 && isApart(each));
    // Each row of a list may have numbers of its own, such as marks, above those of the pages.
    const others = firsts.filter((each) => !isPaging(each)).slice(-mostButtons);
    for (const first of [...firsts.filter(isPaging).slice(0, mostButtons), ...others]) {
      const pager = pagerOf(first);
      // Words say what else numbers are there for, such as sizes.
      if (!pager || (!isPaging(first) && /\\p{L}/u.test(pager.innerText))) continue;
      const numbers = numbersIn(pager);
      if (!isPaging(first) && isForOthers(pager, numbers)) continue;
      const current = numbers.find((each) => each.disabled || (each.ariaCurrent ?? 'false') !== 'false' ||
        around(each, 2).some((one) => one !== pager && /(^|[\\s_-])(active|current|selected)($|[\\s_-])/.test(classOf(one)))) ?? first;
      const next = numbers.find((each) => numberOf(each) === numberOf(current) + 1 && canPress(each));
      if (next && listOf(next, isPaging(next) ? mostAround : closest)) return next;
    }
    // The first page of a grid of ASP.NET has a number that isn't a link.
    return numbersIn(document.body).find((each) => each.matches('a[href*="Page$2\\'"]') && canPress(each) && isApart(each) && listOf(each, mostAround));
  }

  /** Whether numbers are those of a scale, of keys or of days. */
  function isForOthers(pager, numbers) {
    const named = around(pager, 3).some((each) => notPages.test(namesOf(each) + ' ' + (each.getAttribute('aria-label') ?? '')));
    const isKeypad = [...pager.querySelectorAll(pressed)].some((each) => /^[0*#]$/.test(clean(each.innerText || each.value || '')));
    return named || isKeypad || pager.closest('[role=radiogroup], [role=grid]') ||
      numbers.some((each) => each.hasAttribute('aria-pressed') || each.hasAttribute('aria-checked'));
  }

  const isOfPages = (element) => isPaging(element) || hasNumbers(element);

  function isNext(element) {
    const name = nameOf(element);
    if (name.length > longestName) return false;
    const words = clean(name.replace(/[‹›«»←→❮❯◀▶<>]/gu, ' '));
    const isStep = goOn.test(words) || (element.form ?? element.closest('form'));
    if (label.test(words) || element.rel === 'next') return !isStep || isOfPages(element);
    if (words !== '') return false;
    if (name === '') return /(^|[-_\\s])next($|[-_\\s])/.test(classOf(element)) && isPaging(element);
    return /^[›»→❯▶>]+$/u.test(name) && isOfPages(element);
  }

  function canPress(element) {
    const href = element.localName === 'a' ? element.getAttribute('href') : null;
    if (href !== null && !/^\\s*(#?\\s*$|javascript:)/i.test(href)) return false;
    if (element.disabled || element.getAttribute('aria-disabled') === 'true' || element.hasAttribute('aria-haspopup')) return false;
    if (!isShown(element)) return false;
    return !around(element, 2).some((each) => /(^|[\\s-])disabled($|\\s)/.test(classOf(each)));
  }

  function buttons() {
    return [...document.querySelectorAll(pressed)].filter((each) =>
      each instanceof HTMLElement && canPress(each) && isNext(each) && isApart(each));
  }

  /** Whether an element is in no part of the page whose buttons are for something else. */
  function isApart(element) {
    return !element.closest(apart) && !around(element, 6).some((each) => elsewhere.test(namesOf(each))) &&
      !around(element, closest).some((each) => notices.test(namesOf(each)));
  }

  const rowsIn = (list, names, button) => [...list.children].filter((row) => names.has(row.localName) && !row.contains(button));

  /** The list with the most text of those nearest to the button: none of its rows is most of it, as a part of a layout is. */
  function listOf(button, most) {
    const form = button.closest('form');
    const scopes = around(button.parentElement, most);
    for (const scope of scopes.length < most ? scopes.concat(document.body) : scopes) {
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
  const state = (globalThis.nextRows ??= {});
  const shown = () => {
    const list = state.list?.();
    return list ? rowsIn(list, state.names, state.button).filter(isShown) : [];
  };

  const described = (button) => ({ text: nameOf(button), selector: selectorOf(button) });

  function start(button, found) {
    const { list, scope, names } = found;
    Object.assign(state, { button, names, list: placeOf(list), scope: placeOf(scope), shell: list.cloneNode(false),
      kept: [], keys: new Set(), added: 0, length: 0 });
    keep();
    return described(button);
  }

  function keep() {
    const rows = shown().map((row) => ({ row, key: keyOf(row), copy: null })).filter(({ key }) => key !== '');
    const now = new Set(rows.map(({ key }) => key));
    const last = state.kept.slice(state.kept.length - state.added);
    // Rows that stay may say something else by now, such as their age.
    if (last.filter(({ key }) => now.has(key)).length > last.length / 2) {
      for (const each of last) if (each.row.isConnected) state.keys.add((each.key = keyOf(each.row)));
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

  switch (step) {
    case 'find': {
      // Farther away, a list may be of something else.
      const button = buttons().slice(0, mostButtons).find((each) => listOf(each, isOfPages(each) ? mostAround : closest)) ?? nextNumber();
      return button ? described(button) : null;
    }
    case 'follow': {
      const goesOn = state.number > 0 && state.selector === selector;
      const button = goesOn ? state.target() : document.querySelector(selector);
      const found = button && listOf(button, mostAround);
      if (!found) return (state.number = 0) || null;
      const pager = placeOf(pagerOf(button) ?? button);
      state.number = pager() === button ? 0 : numberOf(button);
      state.target = () => numbersIn(pager() ?? document.body).find((each) => numberOf(each) === state.number && canPress(each));
      state.selector = selector;
      return start(button, found);
    }
    case 'keep':
      if (state.number > 0) state.number++;
      return state.kept ? keep() : null;
    case 'restore': {
      if (!state.kept) return true;
      const now = new Set(shown().map(keyOf));
      if (state.kept.every(({ key }) => now.has(key))) return true;
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
