import { notices, otherSteps } from './next-rows.ts';
import { pageElements } from './page-elements.ts';

/** What a page seems to show only when it is clicked: tabs that aren't chosen, or the largest group of rows or cards. */
export interface ShownByClick {
  tabs: (Clicked & { panels: { id: string; name: string }[] }) | null;
  rows: Clicked | null;
}

export interface Clicked {
  count: number;
  /** Selects the first one. */
  selector: string;
  /** The text of the first one, without quotes. */
  text: string;
}

/**
 * An expression for what shows something when it is clicked that isn't in the page: tabs whose own panels are empty, or the only
 * ones that aren't there, and at least three rows that look alike and show a hand to the pointer. Rows of tables and links by their
 * role are for that; others only if they are most of what the page says, as a few of them are choices, filters or parts of a menu.
 * @param addressed what a script does on a click that leads to an address written in it
 */
export const shownByClick = (addressed: RegExp) => `(() => {${pageElements}
  const addressed = ${addressed}, otherSteps = ${otherSteps}, notices = ${notices};
  const fewest = 3, shortest = 8, mostTabs = 1000, longest = 1000, mostAlone = 5, leastShare = 0.5;
  const content = 'img, picture, video, audio, canvas, svg, iframe, object, embed, input, button, select, textarea';
  const apart = 'form, dialog, [role=dialog], [aria-modal=true], [aria-roledescription=carousel], [contenteditable]';
  const clean = (text) => text.replace(/\\s+/g, ' ').trim();
  const wordsOf = (element) => clean((element.innerText ?? '').slice(0, longest)).replaceAll('"', '”');
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const classOf = (element) => element.getAttribute('class') ?? '';
  const group = (elements, keyOf) => [...Map.groupBy(elements, keyOf).values()];
  const described = (found) => found.length > 0 ? { count: found.length, selector: selectorOf(found[0]), text: wordsOf(found[0]) } : null;

  const filled = new Map();
  const isFilled = (panel) => {
    if (!filled.has(panel)) filled.set(panel, panel.textContent.trim() !== '' || panel.matches(content) || panel.querySelector(content) !== null ||
      [panel, ...panel.querySelectorAll('*')].some((each) => each.shadowRoot));
    return filled.get(panel);
  };
  const ties = 'a[href^="#"], [data-bs-target^="#"], [data-target^="#"]';
  const labelled = new Map([...document.querySelectorAll('[role=tabpanel][aria-labelledby]')].map((each) => [each.getAttribute('aria-labelledby'), each]));
  const withId = (id) => document.getElementById(id) ?? document.getElementById(unescape(id));
  const unescape = (id) => { try { return decodeURIComponent(id); } catch { return id; } };
  const panelOf = (tab) => {
    const tie = tab.matches(ties) ? tab : tab.querySelector(ties);
    const to = tie && (tie.getAttribute('data-bs-target') ?? tie.getAttribute('data-target') ?? tie.getAttribute('href')).slice(1);
    return withId(tab.getAttribute('aria-controls') || to || '') ?? labelled.get(tab.id || null) ?? null;
  };
  const isTab = (tab) => {
    const link = tab.closest('a[href]') ?? tab.querySelector('a[href]');
    return /\\p{L}/u.test(wordsOf(tab)) && isShown(tab) && !(link && !/^(#|javascript:)/i.test(link.getAttribute('href'))) &&
      !tab.matches(':disabled, [aria-disabled=true], [aria-expanded]') && !tab.closest(apart);
  };

  function emptyTabs() {
    const byRole = [...document.querySelectorAll('[role=tab]:not(:has([role=tab]))')];
    const others = [...document.querySelectorAll(ties)].filter((each) => !each.closest('[role=tab]') && withId('') !== panelOf(each));
    const tabs = byRole.concat(others).slice(0, mostTabs).map((tab) => ({ tab, panel: panelOf(tab), list: listOf(tab) }));
    for (const each of tabs) each.isChosen = each.tab.ariaSelected === 'true' || (each.tab.ariaSelected !== 'false' && each.panel && isShown(each.panel));
    const tied = new Set(tabs.map(({ panel }) => panel));
    const areAllTied = [...document.querySelectorAll('[role=tabpanel]')].every((panel) => tied.has(panel));
    return group(tabs, ({ list }) => list).flatMap((all) => {
      const [{ list }] = all;
      // Not links within a sentence.
      const isList = list.childElementCount === all.length && [...list.childNodes].every((each) => each.nodeType !== 3 || each.data.trim() === '');
      const chosen = all.filter(({ isChosen }) => isChosen);
      const isOwn = ({ panel }) => all.filter((one) => one.panel === panel).length === 1;
      const isSure = chosen.length === 1 && chosen[0].panel && isOwn(chosen[0]) && isFilled(chosen[0].panel);
      return all.filter(({ tab, panel, isChosen }) => {
        if (isChosen || !isTab(tab)) return false;
        if (!panel) return isSure && areAllTied && tab.role === 'tab' && chosen[0].panel.role === 'tabpanel';
        const isPanel = panel.role === 'tabpanel' || (isSure && isList && !isShown(panel) && parentOf(panel) === parentOf(chosen[0].panel));
        return isPanel && panel !== chosen[0]?.panel && !isFilled(panel);
      });
    });
  }

  /** The list that a tab is in: of those without roles, each may have an element of its own there. */
  function listOf(tab) {
    const parent = parentOf(tab);
    return tab.closest('[role=tablist]') ?? (parent.firstElementChild === parent.lastElementChild ? parentOf(parent) ?? parent : parent);
  }

  const handAt = (element) => getComputedStyle(element).cursor === 'pointer';
  const notRows = 'a[href], label, summary, nav, header, footer, thead, figure, pre, p, [role=navigation], [role=tablist], [role=menu], ' +
    '[role=listbox], [role=toolbar], [role=radiogroup], [role=tree], [aria-expanded], [aria-controls], button *, ' + apart;
  const notInRows = 'a[href], area[href], [data-href], input, select, textarea, summary, label, iframe, audio, video, form, ' +
    '[aria-expanded], [aria-controls], [aria-pressed], [aria-checked], :not(tr, [role=row])[aria-selected]';
  const sure = 'tr, [role=row], [role=link]';
  const stateName = /(?:^|[-_])(?:is-?)?(?:active|selected|current|first|last|odd|even)$/i;
  const isHidden = (element) => element instanceof HTMLElement && !/^(form|script|style|noscript|template|option|optgroup)$/.test(tagOf(element)) &&
    (!isShown(element) || isFolded(element)) && element.textContent.trim() !== '';
  const isFolded = (element) => {
    if (element.clientHeight > 0 || element.scrollHeight === 0) return false;
    const { overflowY, position } = getComputedStyle(element);
    return overflowY === 'hidden' && position !== 'absolute';
  };
  const hasAddress = (row) => [row, ...row.querySelectorAll('[onclick]')].some((each) => addressed.test(each.getAttribute('onclick') ?? ''));
  const hides = (row) => [row, row.nextElementSibling].some((each) => each && tagOf(each) !== 'form' &&
    [each, ...each.querySelectorAll('*')].some(isHidden));
  /** Without numbers; a character of Chinese, Japanese or Korean is as much as three letters. */
  const sizeOf = (words) => words.replace(/[^\\p{L}]/gu, '').replace(/[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}]/gu, 'abc').length;
  /** More than a label: a picture needs more than a caption, and a button a heading. */
  const saysEnough = (row) => sizeOf(wordsOf(row)) >= shortest && !(row.localName === 'button' && !row.querySelector('h1, h2, h3, h4, h5, h6')) &&
    !(row.querySelector('img, picture, canvas') && !/\\S\\s*\\n\\s*\\S/.test(row.innerText));
  const isRow = (row) => (row.matches(sure) || saysEnough(row)) && isShown(row) && (handAt(row) || row.localName === 'button') &&
    /\\p{L}/u.test(wordsOf(row)) && !row.matches(notInRows) && !row.querySelector(notInRows) && !hasAddress(row) && !hides(row);
  const isNamed = (element, levels, names) => {
    for (let each = element; each && levels > 0; each = parentOf(each), levels--) if (names.test(classOf(each) + ' ' + each.id)) return true;
    return false;
  };

  function largestRows() {
    const groups = [];
    for (const parent of document.querySelectorAll('body, body *:not(form, form *)')) {
      if (parent.childElementCount < fewest || !(parent instanceof HTMLElement) || handAt(parent)) continue;
      const names = (each) => each.localName + ' ' + clean(classOf(each)).split(' ').filter((name) => !stateName.test(name)).join(' ');
      for (const alike of group([...parent.children].filter((each) => tagOf(each) !== 'form'), names)) {
        // A column of a layout may have nothing but a card.
        let [first] = alike;
        let depth = 0;
        while (depth < mostAlone && !handAt(first) && first.childElementCount === 1) (first = first.firstElementChild), depth++;
        if (alike.length < fewest || !(first.localName === 'button' || handAt(first)) || first.closest(notRows) || /^(option|th|td)$/.test(first.localName)) continue;
        const rows = alike.map((each) => { for (let at = 0; at < depth && each; at++) each = each.firstElementChild; return each; })
          .filter((each) => each?.localName === first.localName && isRow(each));
        if (rows.length >= fewest && !isNamed(first, 6, otherSteps) && !isNamed(first, 3, notices)) groups.push(rows);
      }
    }
    return groups.sort((a, b) => b.length - a.length).find((rows) => (rows[0].matches(sure) || areMost(rows)) && !haveParts(rows)) ?? [];
  }

  const lengthOf = (elements) => elements.reduce((sum, each) => sum + clean(each.innerText ?? '').length, 0);
  /** Whether rows are most of what the page says. */
  function areMost(rows) {
    const main = rows[0].closest('main, [role=main]') ?? document.body;
    const besides = 'nav, header, footer, aside, dialog, [role=dialog]';
    const others = [...main.querySelectorAll(':is(' + besides + '):not(:is(' + besides + ') *)')];
    return lengthOf(rows) >= (lengthOf([main]) - lengthOf(others)) * leastShare;
  }

  /** Whether the page has hidden parts beside each other, one for each row that isn't chosen. */
  function haveParts(rows) {
    const hidden = [...document.querySelectorAll('body *:not(form, form *)')].filter((each) => isHidden(each) && isShown(parentOf(each)));
    return group(hidden, parentOf).some(({ length }) => length >= rows.length - 1);
  }

  const tabs = emptyTabs();
  const panels = tabs.map(({ tab, panel }) => ({ id: panel?.id ?? '', name: wordsOf(tab) }));
  const tabsFound = described(tabs.map(({ tab }) => tab));
  return { tabs: tabsFound && { ...tabsFound, panels }, rows: described(largestRows()) };
})()`;
