/** Rows of a page that only a click opens: they have no address that could be read. */
export interface ClickRows {
  count: number;
  /** Selects them, as far as their tag and classes can. */
  selector: string;
  /** The text of the first one. */
  text: string;
}

/**
 * An expression for the largest group of rows that show a hand to the pointer and have nothing in them that could be followed
 * or pressed; null if there is none. Not those that open a part of the page, or belong to a menu.
 * @param addressed what a script does on a click that leads to an address written in it
 */
export const clickRows = (addressed: RegExp) => `(() => {
  const addressed = ${addressed};
  const fewest = 3, shortest = 12, mostParents = 20000, longest = 1000;
  const followed = 'a[href], area[href], [data-href], button, input, select, textarea, summary, label, iframe';
  const elsewhere = 'a[href], button, label, summary, form, nav, header, footer, thead, [role=tablist], [role=menu], [role=listbox], ' +
    '[role=toolbar], [aria-expanded], [aria-controls], [contenteditable]';
  const handAt = (element) => getComputedStyle(element).cursor === 'pointer';
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const hasAddress = (row) => row.matches('[data-href]') ||
    [row, ...row.querySelectorAll('[onclick]')].some((each) => addressed.test(each.getAttribute('onclick') ?? ''));
  const opensInPlace = (row) => {
    const next = row.nextElementSibling;
    if (next && !isShown(next) && next.textContent.trim() !== '') return true;
    return [...row.children].some((child) => !isShown(child) && child.textContent.trim() !== '');
  };
  let most = null;
  let looked = 0;
  for (const parent of document.querySelectorAll('body *')) {
    if (parent.childElementCount < fewest) continue;
    if (++looked > mostParents) break;
    const groups = Object.create(null);
    for (const child of parent.children)
      (groups[child.localName + ' ' + (child.getAttribute('class') ?? '')] ??= []).push(child);
    for (const group of Object.values(groups)) {
      const [first] = group;
      if (group.length < fewest || group.length <= (most?.count ?? 0) || handAt(parent) || !handAt(first)) continue;
      // Parts of a drawing are no rows.
      if (!(first instanceof HTMLElement) || first.closest(elsewhere) || /^(option|script|style|th|td)$/.test(first.localName)) continue;
      const rows = group.filter((row) => row.textContent.trim().length >= (row.matches('[role=link]') ? 1 : shortest) && isShown(row) && handAt(row) &&
        !row.querySelector(followed) && !hasAddress(row) && !row.matches('[aria-expanded], [aria-controls], [role=tab]') && !opensInPlace(row));
      if (rows.length < fewest || rows.length <= (most?.count ?? 0)) continue;
      const classes = [...first.classList].map((name) => '.' + CSS.escape(name)).join('');
      const selector = first.localName + (first.getAttribute('class') === null ? '' : classes);
      if (selector.length > longest) continue;
      const text = rows[0].innerText.slice(0, longest).replace(/\\s+/g, ' ').trim();
      most = { count: rows.length, selector, text };
    }
  }
  return most;
})()`;
