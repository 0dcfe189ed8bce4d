/** What a page shows only when it is clicked, as far as the page says so itself. */
export interface ShownByClick {
  /** Tabs that aren't chosen and whose content isn't in the page: the first ones, and how many there are. */
  tabs: ClosedPart[];
  tabCount: number;
  /** Closed parts of the content that are empty, such as of an accordion. */
  parts: ClosedPart[];
  partCount: number;
  /** Rows of a table, links by their role, or cards, that have no address that could be read, with the text of the first one. The selector is as far as tag and classes can say. */
  rows: { count: number; selector: string; text: string; isCards: boolean } | null;
}

interface ClosedPart {
  text: string;
  selector: string;
}

/**
 * An expression for the tabs (WAI-ARIA) with an empty panel of their own or none in the page, beside a chosen one whose panel is filled;
 * for closed parts of the content that are empty, or are put into their box only when it is opened; and for the largest group of a table's
 * rows, of links by their role, or of cards that the keyboard reaches, that show a hand to the pointer and have nothing in them that could
 * be followed or pressed. Not what opens a part of the page, is chosen, or belongs to a menu or dialog: a
 * hand alone is also shown by whatever sorts, picks, plays or copies.
 * @param addressed what a script does on a click that leads to an address written in it
 */
export const shownByClick = (addressed: RegExp) => `(() => {
  const fewest = 3, shortest = 12, mostRowsSeen = 20000, mostTabs = 200, mostCounted = 1000, mostInBox = 5, mostNamed = 3, mostNodes = 5000, longest = 1000, longestSelector = 500;
  const apart = 'form, footer, aside, dialog, [role=dialog], [role=alertdialog], [aria-modal=true], [role=complementary], [role=menu], [role=toolbar], [contenteditable]';
  /** Not a navigation, nor the head of a part of the content: they may have the tabs of panels below. */
  const noTabs = apart + ', :is(header, [role=banner]):not(:is(article, main, section) *), [role=contentinfo], [role=search], [aria-roledescription], ' +
    ['cookie', 'consent', 'carousel', 'slider', 'swiper'].map((name) =>
      ':is([class^=' + name + ' i], [class*=" ' + name + '" i], [id^=' + name + ' i]):not(html, body, :has(main, h1))').join();
  const isShown = (element, opacityProperty = false) => element.checkVisibility({ visibilityProperty: true, opacityProperty });
  const textOf = (element) => (element.innerText ?? '').slice(0, longest).replace(/\\s+/g, ' ').trim();
  const hasAddress = (element) => element.matches('[data-href]') ||
    [element, ...element.querySelectorAll('[onclick]')].some((each) => ${addressed}.test(each.getAttribute('onclick') ?? ''));

  /** Elements by their ids; null where several have it. */
  const byId = new Map();
  for (const each of document.querySelectorAll('[id]:not(form, [id=""])')) byId.set(each.id, byId.has(each.id) ? null : each);
  const labelled = Map.groupBy(document.querySelectorAll('[aria-labelledby]:not(form)'), (each) => each.getAttribute('aria-labelledby'));
  const panelOf = (tab) => {
    const controlled = tab.getAttribute('aria-controls');
    const panel = controlled ? byId.get(controlled) : byId.get(tab.id) && labelled.get(tab.id)?.find((each) => each.matches('[role=tabpanel]'));
    return panel && panel.matches('[role=tabpanel]') && !panel.closest(noTabs + ', nav, [role=navigation]') ? panel : null;
  };
  let left = mostNodes;
  const some = (panel, test) => {
    const nodes = document.createTreeWalker(panel, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = panel; node; node = nodes.nextNode()) if (--left < 0 || test(node)) return true;
    return false;
  };
  const fillsNothing = /^(div|span|section|article|p|br|ul|ol|h[1-6]|template|i|b|strong|em)$/;
  /** A custom element may have a closed shadow tree. */
  const isFilled = (panel) => some(panel, (node) => node instanceof Text ? node.data.trim() !== '' :
    (node !== panel && !fillsNothing.test(node.localName)) || node.shadowRoot || node.matches(':defined') && node.localName.includes('-'));
  const isPainted = (panel) => some(panel, (node) => node instanceof Element &&
    (getComputedStyle(node).backgroundImage !== 'none' || (node.clientHeight > 0 && isShown(node, true))));
  const bareUrl = (url) => url.split('#')[0];
  const canClick = (tab) => {
    const link = tab.closest('a[href]') ?? tab.querySelector('a[href]');
    // Links of drawings have none as a text.
    const url = link && (link.href.baseVal ?? link.href);
    const leads = link && !/^javascript:/i.test(url) && (bareUrl(url) !== bareUrl(location.href) || /#!?\\//.test(url));
    const { width, height } = tab.getBoundingClientRect();
    return !leads && !hasAddress(tab) && width > 0 && height > 0 && isShown(tab, true) &&
      !tab.matches(':disabled, [aria-disabled=true], [aria-haspopup], .disabled, .is-disabled, .Mui-disabled, .disabled > *');
  };
  const pathOf = (element) => byId.get(element.id) === element ? '#' + CSS.escape(element.id) : !element.parentElement ? element.localName :
    pathOf(element.parentElement) + ' > ' + element.localName + ':nth-of-type(' +
    (1 + [...element.parentElement.children].filter(({ localName }) => localName === element.localName).indexOf(element)) + ')';
  const selectorOf = (tab) => ['#' + CSS.escape(tab.id), (tab.matches('[role=tab]') ? '[role=tab]' : '') +
    '[aria-controls="' + CSS.escape(tab.getAttribute('aria-controls') ?? '') + '"]', pathOf(tab)]
    .find((each) => each !== '#' && each.length <= longestSelector && document.querySelector(each) === tab);

  const partIdsOf = (tab) => (tab.getAttribute('aria-controls') ?? '').split(/\\s+/).filter((id) => id !== '');
  /** Whether a box has no other words than a part of it. */
  const isBoxOf = (box, panel) => box.textContent.trim() === panel.textContent.trim();
  /** What is shown below tabs that name no panels, unless some of what they show is there and hidden. */
  function onlyPanelBelow(list, tabCount) {
    let above = list;
    while (above.parentElement && above.parentElement !== document.body && isBoxOf(above.parentElement, list)) above = above.parentElement;
    const below = above.nextElementSibling;
    if (!below || below.matches(noTabs + ', [role=tablist]') || textOf(below) === '') return null;
    let box = below;
    while (box.children.length === 1) box = box.children[0];
    // What sorts or filters a list has all of it shown, or elsewhere too.
    const isAlike = (one, other) => one && other && one.localName === other.localName && one.className === other.className;
    if (isAlike(below, below.nextElementSibling)) return null;
    if ([...box.children].filter((each) => isAlike(each, box.children[0]) && each.querySelector('a[href]')).length >= fewest) return null;
    const parts = [...box.children, ...below.querySelectorAll('[role=tabpanel]')];
    if (below.querySelectorAll('[role=tabpanel]').length >= tabCount) return null;
    return parts.some((part) => !isShown(part) && part.textContent.trim() !== '') ? null : below;
  }

  function tabsIn(list) {
    const tabs = [...list.querySelectorAll('[role=tab]:not(form)')].slice(0, mostTabs);
    const panels = tabs.map(panelOf);
    const [chosen, ...others] = tabs.filter((tab) => tab.ariaSelected === 'true');
    const isBare = tabs.every((tab) => !panelOf(tab) && partIdsOf(tab).every((id) => !byId.has(id)));
    const shown = isBare ? onlyPanelBelow(list, tabs.length) : panels[tabs.indexOf(chosen)];
    // Where something is entered, as to log in or to register, the others are for that, too.
    if (!chosen || !shown || others.length > 0 || !isFilled(shown) || shown.querySelector('input:is([type=password], [type=email]), textarea, [role=textbox]')) return [];
    const isAbsent = (tab) => isBare || (partIdsOf(tab).length > 0 && partIdsOf(tab).every((id) => !byId.has(id)));
    const isEmpty = (panel) => panel && panels.indexOf(panel) === panels.lastIndexOf(panel) && !isFilled(panel) && !isPainted(panel);
    const isElsewhere = (tab, panel) => labelled.get(tab.id)?.some((each) => each !== panel && isFilled(each));
    return tabs.filter((tab, at) => tab !== chosen && canClick(tab) && (isEmpty(panels[at]) || isAbsent(tab)) && !isElsewhere(tab, panels[at]));
  }

  const wordsOf = (element) => element.textContent.replace(/\\s+/g, ' ').trim().toLowerCase();
  /** What else is there by these names, such as the same content in parts that open on a phone. */
  const headed = new Set([...document.querySelectorAll('h1, h2, h3, h4, h5, h6, summary, dt, :is(button, [role=button]):not([role=tab])')].map(wordsOf));
  const named = (parts) => parts.map((part) => ({ text: textOf(part), selector: selectorOf(part) }))
    .filter(({ text, selector }) => selector && /\\p{L}/u.test(text) && !/(?<![\\d.,])0\\)?$/.test(text));
  /** Not those without a name in words, as the dots of a slide show, or that say themselves that they have nothing. */
  const namedTabs = () => named([...document.querySelectorAll('[role=tablist]:not(form)')].filter((list) => !list.closest(noTabs)).slice(0, mostTabs)
    .flatMap(tabsIn).filter((tab) => !headed.has(wordsOf(tab))));
  /** What a head of an accordion, or of details, opens. */
  const partsOf = (head) => head.localName === 'summary' ? [...head.parentElement.childNodes].filter((node) => node !== head)
    : [byId.get(head.getAttribute('aria-controls'))].filter((part) => part && !part.matches('[role=listbox], [role=menu], [role=dialog], dialog'));
  /** Whether there is a script, and something by which it would find the parts. */
  const canFill = (head, parts) => document.querySelector('script:not([type*=json])') &&
    [head.parentElement, ...parts].some((part) => part instanceof Element && part.hasAttributes());
  /** What a head would open in its box, which is one of several alike that have nothing but their heads. */
  function isHeadAlone(head) {
    const box = (head.parentElement.matches('h2, h3, h4, h5, h6, dt, [role=heading]') ? head.parentElement : head).parentElement;
    const isAlike = (each) => each !== box && each.localName === box.localName && each.className === box.className;
    return box?.hasAttribute('class') && box.children.length <= mostInBox && isBoxOf(box, head) && [...box.parentElement?.children ?? []].some((each) => isAlike(each) && each.querySelector('[aria-expanded]'));
  }
  const isUnfilled = (part) => !part || (!isFilled(part) && !isPainted(part));
  const bareHeads = ':is(button, [role=button])[aria-expanded=false]';
  const closedInBoxes = () => [...document.querySelectorAll('body ' + bareHeads)].slice(0, mostTabs)
    .filter((head) => isUnfilled(byId.get(head.getAttribute('aria-controls'))) && !head.closest(noTabs + ', nav, [role=navigation]') && canClick(head) && isHeadAlone(head));
  /** What says that a part has so many of something, which has nothing but forms: the last such head of each part. */
  function countedParts() {
    const heads = new Map();
    for (const head of [...document.querySelectorAll('body :is(a[href^="#"], [role=tab], button[aria-controls])')].slice(0, mostCounted)) {
      const part = byId.get(head.getAttribute('aria-controls') ?? head.getAttribute('href')?.slice(1));
      if (part && /\\p{L}.*?(?<![\\d.,])\\(?[1-9]\\d{0,4}\\)?$/u.test(textOf(head)) && !head.closest(noTabs + ', nav, [role=navigation]') && canClick(head) && hasFormsAlone(part)) heads.set(part, head);
    }
    return [...heads.values()];
  }
  /** Whether a part has forms, with what is beside them in boxes of their own, such as a heading, and says nothing else. */
  function hasFormsAlone(part) {
    const boxes = [...part.querySelectorAll('form')].map((form) => form.parentElement === part ? form : form.parentElement);
    return boxes.length > 0 && !some(part, (node) => saysSomething(node) && !boxes.some((box) => box.contains(node)));
  }
  const saysSomething = (node) => node instanceof Text ? node.data.trim() !== '' && !node.parentElement.closest('button, script, style, template, noscript')
    : node.matches('img, video, iframe, canvas, table, svg:not(button *)') || Boolean(node.shadowRoot);
  const closedParts = () => named([...closedInBoxes(), ...countedParts(), ...[...document.querySelectorAll(
    'details:not([open]) > summary, :is(h2, h3, h4, h5, h6, dt, [role=heading]) > :is(button, [role=button])[aria-expanded=false][aria-controls]')]
    .filter((head) => !head.closest(noTabs + ', nav, [role=navigation]') && canClick(head)).slice(0, mostTabs).filter((head) => {
      const parts = partsOf(head);
      return parts.some((part) => part instanceof Element) && canFill(head, parts) && !parts.some((part) => isFilled(part) || (part instanceof Element && isPainted(part)));
    })]);

  const followed = 'a[href], area[href], [data-href], button, input, select, textarea, summary, label, iframe';
  const elsewhere = 'a[href], button, label, summary, thead, nav, header, [role=tablist], [role=listbox], [aria-expanded], [aria-controls], ' + apart;
  const cards = ':is(div, li, article, section)[tabindex="0"]:is(:not([role]), [role=button])';
  /** What some rows or cards are in together: each card may have a box of its own. */
  const groupOf = (row) => row.matches(cards) && row.parentElement.children.length === 1 ? row.parentElement.parentElement : row.parentElement;
  const handAt = (element) => getComputedStyle(element).cursor === 'pointer';
  const opensInPlace = (row) => [row.nextElementSibling, ...row.children].some((each) => each && !isShown(each) && each.textContent.trim() !== '');
  function mostRows() {
    let rows = null;
    const candidates = [...document.querySelectorAll('body :is(tr, [role=row], [role=link], ' + cards + '):not(form, svg *)')].slice(0, mostRowsSeen);
    for (const [parent, children] of Map.groupBy(candidates, groupOf)) {
      for (const group of Map.groupBy(children, (child) => child.localName + ' ' + (child.getAttribute('class') ?? '')).values()) {
        const [first] = group;
        if (group.length < fewest || group.length <= (rows?.count ?? 0) || handAt(parent) || !handAt(first) || first.closest(elsewhere)) continue;
        const found = group.filter((row) => row.textContent.trim().length >= (row.matches('[role=link]') ? 1 : shortest) && isShown(row) && handAt(row) &&
          !row.querySelector(followed) && !hasAddress(row) && !row.matches('[aria-expanded], [aria-controls], [aria-selected], [aria-checked], [role=tab]') && !opensInPlace(row));
        if (found.length < fewest || found.length <= (rows?.count ?? 0)) continue;
        const selector = first.localName + [...first.classList].map((name) => '.' + CSS.escape(name)).join('');
        if (selector.length <= longest) rows = { count: found.length, selector, text: textOf(found[0]), isCards: found[0].matches(cards) };
      }
    }
    return rows;
  }

  const orNull = (look) => { try { return look(); } catch { return null; } };
  const tabs = orNull(namedTabs) ?? [];
  const parts = orNull(closedParts) ?? [];
  return { tabs: tabs.slice(0, mostNamed), tabCount: tabs.length, parts: parts.slice(0, mostNamed), partCount: parts.length, rows: orNull(mostRows) };
})()`;
