/** What a page shows only when it is clicked, as far as the page says so itself. */
export interface ShownByClick {
  /** Tabs that aren't chosen and whose content isn't in the page: the first ones, and how many there are. */
  tabs: { text: string; selector: string }[];
  tabCount: number;
  /** Rows that have no address that could be read, with the text of the first one. The selector is as far as tag and classes can say. */
  rows: { count: number; selector: string; text: string } | null;
}

/**
 * An expression for the tabs (WAI-ARIA) with an empty panel of their own, or with one panel for all of them, beside a chosen one whose
 * panel is filled; and for the largest group of rows that show a hand to the pointer and have nothing in them that could be followed or
 * pressed. Not what opens a part of the page, or belongs to a menu or dialog.
 * @param addressed what a script does on a click that leads to an address written in it
 */
export const shownByClick = (addressed: RegExp) => `(() => {
  const addressed = ${addressed};
  const fewest = 3, shortest = 12, mostParents = 20000, mostTabs = 200, mostNamed = 3, mostNodes = 5000, longest = 1000, longestSelector = 200;
  const apart = 'form, nav, header, footer, aside, dialog, [role=dialog], [role=alertdialog], [aria-modal=true], [role=navigation], [role=banner], ' +
    '[role=contentinfo], [role=complementary], [role=search], [role=menu], [role=toolbar], [aria-roledescription], [contenteditable], ' +
    ['cookie', 'consent', 'carousel', 'slider', 'swiper'].map((name) => ':is([class*=' + name + ' i], [id*=' + name + ' i]):not(html, body)').join();
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const textOf = (element) => (element.innerText ?? '').slice(0, longest).replace(/\\s+/g, ' ').trim();
  const hasAddress = (element) => element.matches('[data-href]') ||
    [element, ...element.querySelectorAll('[onclick]')].some((each) => addressed.test(each.getAttribute('onclick') ?? ''));

  /** Elements by their ids; null where several have it. */
  const byId = new Map();
  for (const each of document.querySelectorAll('[id]:not(form, [id=""])')) byId.set(each.id, byId.has(each.id) ? null : each);
  const labelled = new Map([...document.querySelectorAll('[role=tabpanel][aria-labelledby]:not(form)')].map((each) => [each.getAttribute('aria-labelledby'), each]));
  const panelOf = (tab) => {
    const controlled = tab.getAttribute('aria-controls');
    const panel = controlled ? byId.get(controlled) : byId.get(tab.id) && labelled.get(tab.id);
    return panel && panel.matches('[role=tabpanel]') && !panel.closest(apart) ? panel : null;
  };
  let left = mostNodes;
  const some = (panel, test) => {
    const nodes = document.createTreeWalker(panel, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = panel; node; node = nodes.nextNode()) if (--left < 0 || test(node)) return true;
    return false;
  };
  /** A custom element may have a closed shadow tree. */
  const isFilled = (panel) => some(panel, (node) => node instanceof Text ? node.data.trim() !== '' :
    (node !== panel && !/^(div|span|section|article|p|br)$/.test(node.localName)) || node.shadowRoot || node.matches(':defined') && node.localName.includes('-'));
  const isPainted = (panel) => some(panel, (node) => node instanceof Element &&
    (getComputedStyle(node).backgroundImage !== 'none' || (node.clientHeight > 0 && isShown(node))));
  const bare = (text) => text.replace(/\\s+/g, '');
  /** Whether a panel shows all that it has. A list may be the same in another order, or have all that it has for another tab. */
  const showsOne = (panel) => bare(panel.innerText) === bare(panel.textContent) &&
    panel.querySelectorAll('a[href], article, li, tr, [role=article], [role=listitem], [role=row]').length < fewest;
  const bareUrl = (url) => url.split('#')[0];
  const canClick = (tab) => {
    const link = tab.closest('a[href]') ?? tab.querySelector('a[href]');
    // Links of drawings have none as a text.
    const url = link && (link.href.baseVal ?? link.href);
    const leads = link && !/^javascript:/i.test(url) && (bareUrl(url) !== bareUrl(location.href) || /#!?\\//.test(url));
    const { width, height } = tab.getBoundingClientRect();
    return !leads && !hasAddress(tab) && width > 0 && height > 0 && isShown(tab) &&
      !tab.matches(':disabled, [aria-disabled=true], [aria-haspopup], [class*=disabled], [class*=disabled] > *');
  };
  const selectorOf = (tab) => ['#' + CSS.escape(tab.id), '[role=tab][aria-controls="' + CSS.escape(tab.getAttribute('aria-controls') ?? '') + '"]']
    .find((each) => each !== '#' && each.length <= longestSelector && document.querySelector(each) === tab);

  function tabsIn(list) {
    const tabs = [...list.querySelectorAll('[role=tab]:not(form)')].slice(0, mostTabs);
    const panels = tabs.map(panelOf);
    const [chosen, ...others] = tabs.filter((tab) => tab.ariaSelected === 'true');
    const shown = panels[tabs.indexOf(chosen)];
    // Where something is entered, as to log in or to register, the others are for that, too.
    if (!shown || others.length > 0 || !isFilled(shown) || shown.querySelector('form, input, select, textarea, [role=textbox]')) return [];
    const areShared = panels.every((each) => each === shown);
    if (areShared && (labelled.get(chosen.id) !== shown || !showsOne(shown))) return [];
    const isEmpty = (panel) => panel && panels.indexOf(panel) === panels.lastIndexOf(panel) && !isFilled(panel) && !isPainted(panel);
    return tabs.filter((tab, at) => tab !== chosen && canClick(tab) && (areShared || isEmpty(panels[at])));
  }

  const wordsOf = (element) => element.textContent.replace(/\\s+/g, ' ').trim().toLowerCase();
  /** What else is there by these names, such as the same content in parts that open on a phone. */
  const headed = new Set([...document.querySelectorAll('h1, h2, h3, h4, h5, h6, summary, dt, :is(button, [role=button]):not([role=tab])')].map(wordsOf));
  /** Not those without a name in words, as the dots of a slide show, or that say themselves that they have nothing. */
  const tabs = [...document.querySelectorAll('[role=tablist]:not(form)')].filter((list) => !list.closest(apart)).slice(0, mostTabs).flatMap(tabsIn)
    .filter((tab) => !headed.has(wordsOf(tab))).map((tab) => ({ text: textOf(tab).replaceAll('"', "'"), selector: selectorOf(tab) }))
    .filter(({ text, selector }) => selector && /\\p{L}/u.test(text) && !/(?<![\\d.,])0\\)?$/.test(text));

  const followed = 'a[href], area[href], [data-href], button, input, select, textarea, summary, label, iframe';
  const elsewhere = 'a[href], button, label, summary, thead, [role=tablist], [role=listbox], [aria-expanded], [aria-controls], ' + apart;
  const handAt = (element) => getComputedStyle(element).cursor === 'pointer';
  const opensInPlace = (row) => [row.nextElementSibling, ...row.children].some((each) => each && !isShown(each) && each.textContent.trim() !== '');
  let rows = null;
  let looked = 0;
  for (const parent of document.querySelectorAll('body *')) {
    if (parent.childElementCount < fewest) continue;
    if (++looked > mostParents) break;
    for (const group of Map.groupBy(parent.children, (child) => child.localName + ' ' + (child.getAttribute('class') ?? '')).values()) {
      const [first] = group;
      if (group.length < fewest || group.length <= (rows?.count ?? 0) || handAt(parent) || !handAt(first)) continue;
      // Parts of a drawing are no rows.
      if (!(first instanceof HTMLElement) || first.closest(elsewhere) || /^(option|script|style|th|td)$/.test(first.localName)) continue;
      const found = group.filter((row) => row.textContent.trim().length >= (row.matches('[role=link]') ? 1 : shortest) && isShown(row) && handAt(row) &&
        !row.querySelector(followed) && !hasAddress(row) && !row.matches('[aria-expanded], [aria-controls], [role=tab]') && !opensInPlace(row));
      if (found.length < fewest || found.length <= (rows?.count ?? 0)) continue;
      const selector = first.localName + [...first.classList].map((name) => '.' + CSS.escape(name)).join('');
      if (selector.length <= longest) rows = { count: found.length, selector, text: textOf(found[0]) };
    }
  }
  return { tabs: tabs.slice(0, mostNamed), tabCount: tabs.length, rows };
})()`;
