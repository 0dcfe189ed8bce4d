import { notices, otherSteps } from './next-rows.ts';
import { selectorOf } from './selector-of.ts';

/** What a page seems to show only when it is clicked: tabs that aren't chosen, or the largest group of rows or cards. */
export interface ShownByClick {
  tabs: Clicked | null;
  rows: Clicked | null;
}

export interface Clicked {
  count: number;
  /** Selects the first one. */
  selector: string;
  /** The text of the first one. */
  text: string;
}

/**
 * An expression for the elements that look alike, in one place of the page, and show something when they are clicked: tabs, and rows
 * or cards that show a hand to the pointer and say more than a label. Not those that only choose, or whose click shows what is in
 * the page already: an address, a panel with content, or text that is hidden in them or beside them.
 * @param addressed what a script does on a click that leads to an address written in it
 */
export const shownByClick = (addressed: RegExp) => `(() => {
  const addressed = ${addressed}, otherSteps = ${otherSteps}, notices = ${notices}, selectorOf = ${selectorOf};
  const fewestRows = 3, shortest = { ofTwo: 10, ofOne: 20 }, most = 20000, mostTabs = 1000, longest = 1000, near = 3, around = 6;
  const content = 'img, picture, video, audio, canvas, svg, iframe, object, embed, input, button, select, textarea';
  const apart = 'form, dialog, [role=dialog], [aria-modal=true], [aria-roledescription=carousel], [contenteditable]';
  const besides = 'nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=complementary]';
  const noRows = besides + ', a[href], label, summary, thead, figure, pre, code, option, th, td, [role=tablist], [role=menu], ' +
    '[role=listbox], [role=toolbar], [role=radiogroup], button *';
  const inRows = 'a[href], area[href], [data-href], input, select, textarea, summary, label, iframe, audio, video';
  const others = '[aria-expanded], [aria-controls], [aria-pressed], [aria-checked], [aria-selected], [aria-haspopup]';
  const states = /(?<![a-z])(is|active|selected|current|first|last|odd|even)(?![a-z])/gi;
  const classOf = (element) => element.getAttribute('class') ?? '';
  const clean = (text) => text.slice(0, longest).replace(/\\s+/g, ' ').trim();
  const wordsOf = (element) => clean(element.innerText ?? '');
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const handAt = (element) => getComputedStyle(element).cursor === 'pointer';
  const isHidden = (element) => element instanceof HTMLElement && !element.matches('script, style, noscript, option, optgroup') &&
    (!isShown(element) || (element.offsetHeight === 0 && getComputedStyle(element).overflowY === 'hidden')) &&
    element.textContent.trim() !== '';
  const upFrom = (element, levels) => {
    const found = [];
    for (let each = element; each && each !== document.body && found.length < levels; each = each.parentElement) found.push(each);
    return found;
  };
  /** Whether it is the only child of its parent, whose children aren't counted: that takes a walk for each of them. */
  const isAlone = ({ parentElement: { firstElementChild, lastElementChild, localName } }) =>
    firstElementChild === lastElementChild && localName !== 'body';
  const isNamed = (element, levels, name) => upFrom(element, levels).some((each) => name.test(classOf(each) + ' ' + each.id));
  const isElsewhere = (element) => element.closest(apart) || isNamed(element, around, otherSteps) || isNamed(element, near, notices);
  const isLink = (element) => {
    const link = element.closest('a[href]') ?? element.querySelector('a[href]');
    return link !== null && !/^(#|javascript:)/i.test(link.getAttribute('href'));
  };
  const described = (found) => {
    const selector = found.length > 0 ? selectorOf(found[0]) : '';
    return selector === '' || selector.length > longest ? null : { count: found.length, selector, text: wordsOf(found[0]) };
  };

  const filled = new Map();
  const isFilled = (panel) => {
    if (!filled.has(panel)) filled.set(panel, panel.textContent.trim() !== '' || panel.querySelector(content) !== null ||
      [panel, ...panel.querySelectorAll('*')].some((each) => each.shadowRoot));
    return filled.get(panel);
  };
  const labelled = new Map([...document.querySelectorAll('[role=tabpanel][aria-labelledby]')].map((each) => [each.getAttribute('aria-labelledby'), each]));
  const panelOf = (tab) => {
    const link = tab.closest('a[href^="#"]') ?? tab.querySelector('a[href^="#"]');
    const name = tab.getAttribute('aria-controls') || link?.getAttribute('href').slice(1);
    return (name && document.getElementById(name)) || labelled.get(tab.id || null);
  };
  const isChosen = (tab) => tab.ariaSelected === 'true' || (tab.ariaSelected !== 'false' &&
    [tab, tab.parentElement].some((each) => /(?<![a-z])(active|selected|current)(?![a-z])/i.test(classOf(each))));
  const articles = document.querySelectorAll('article');
  const main = (articles.length === 1 ? articles[0] : document.querySelector('main, [role=main]')) ?? document;
  /** The tabs of a list, of which one is chosen, whose own panels are empty or not in the page. */
  const emptyIn = (tabs, list) => {
    const chosen = new Set(tabs.filter(isChosen));
    const taken = new Set([...chosen].map(panelOf));
    const isThere = chosen.size !== 1 || !main.contains(list) || list.closest(besides) || upFrom(list, near).some((each) => hiding.has(each));
    return tabs.filter((tab) => {
      if (chosen.has(tab) || tab.matches(':disabled, [aria-disabled=true]') || !isShown(tab)) return false;
      if (!/\\p{L}/u.test(wordsOf(tab)) || isLink(tab)) return false;
      const panel = panelOf(tab);
      return panel && !taken.has(panel) ? !isFilled(panel) : !isThere;
    });
  };

  const groups = new Map();
  const add = (list, key, element) => {
    const kinds = groups.get(list) ?? groups.set(list, new Map()).get(list);
    if (!kinds.get(key)?.push(element)) kinds.set(key, [element]);
  };
  for (const tab of [...document.querySelectorAll('[role=tab]:not(:has([role=tab]))')].slice(0, mostTabs))
    add(tab.closest('[role=tablist]') ?? tab.parentElement, 'tab', tab);
  const hidden = new Set(), hiding = new Set();
  for (const element of [...document.querySelectorAll('body *')].slice(0, most)) {
    if (hidden.has(element.parentElement) || isHidden(element)) {
      hidden.add(element);
      for (let each = element.parentElement; each && !hiding.has(each); each = each.parentElement) hiding.add(each);
      continue;
    }
    const isHand = element.localName === 'button' || handAt(element);
    if (!(element instanceof HTMLElement) || element.role === 'tab' || !isHand) continue;
    if (handAt(element.parentElement) || (!element.matches('button, a') && getComputedStyle(element).display === 'inline')) continue;
    let item = element, path = element.localName + clean(classOf(element).replace(states, ''));
    for (; isAlone(item); item = item.parentElement) path += '/';
    add(item.parentElement, path, element);
  }

  const heading = 'h1, h2, h3, h4, h5, h6';
  const headings = new Set([...document.querySelectorAll(heading)].filter((each) => !handAt(each)).map(wordsOf));
  /** Whether it says more than a label: two things, such as lines or cells, or a longer one. A button does what it says, but for a card. */
  const saysEnough = (row, words) => row.role === 'link' || ((words.match(/\\p{L}|\\p{N}/gu) ?? []).length >=
    (/[\\n\\t]/.test(row.innerText.trim()) ? shortest.ofTwo : shortest.ofOne) && (row.localName !== 'button' || row.querySelector(heading)));
  const opensNothing = (row) => row.matches(others) || row.querySelector(inRows) || row.querySelector(others) ||
    row.matches('[data-href]') || [row, ...row.querySelectorAll('[onclick]')].some((each) => addressed.test(each.getAttribute('onclick') ?? '')) ||
    hiding.has(row) || hidden.has(row.nextElementSibling);
  const rowsIn = (group) => {
    const said = new Set();
    return group.filter((row) => {
      const words = wordsOf(row);
      const isRow = saysEnough(row, words) && !headings.has(words) && !said.has(words) && isShown(row) && !opensNothing(row);
      return isRow && said.add(words);
    });
  };
  const tabs = [];
  let rows = [];
  for (const [list, kinds] of groups) {
    for (const [key, group] of kinds) {
      const isTabs = key === 'tab' || /(?<![a-z])tabs?(?![a-z])/i.test(classOf(list) + ' ' + classOf(group[0]));
      if (!(isTabs || group.length >= fewestRows) || isElsewhere(group[0])) continue;
      if (isTabs) tabs.push(...emptyIn(group, list));
      else if (group.length > rows.length && !group[0].closest(noRows)) {
        const found = rowsIn(group);
        if (found.length >= fewestRows && found.length > rows.length) rows = found;
      }
    }
  }
  return { tabs: described(tabs), rows: described(rows) };
})()`;
