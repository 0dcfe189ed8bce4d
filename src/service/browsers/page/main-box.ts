/**
 * An expression for the box of a page that scrolls in place of its window: over the middle of the window, and at least a third as wide and
 * high. Null if there is none, or if the window itself scrolls: by a quarter of itself at most if the box covers most of it and hides far
 * more. Not a box for something else, such as a menu or a chat. To be evaluated apart from the scripts of the page, where it stays the same
 * box as long as that is shown.
 */
export const mainBox = `(() => {
  const kept = Symbol.for('mainBox');
  if (globalThis[kept]?.checkVisibility()) return globalThis[kept];
  const fewest = 16;
  const apart = 'nav, aside, header, footer, dialog, pre, code, textarea, select, svg, [contenteditable], [role=navigation], [role=complementary], ' +
    '[role=dialog], [aria-modal=true], [role=log], [role=menu], [role=listbox]';
  const page = document.scrollingElement;
  const hidden = (page?.scrollHeight ?? 0) - innerHeight;
  const least = hidden > fewest ? 3 / 4 : 1 / 3;
  const contentOf = ({ clientWidth, scrollHeight }) => clientWidth * scrollHeight;
  const isLong = (each) => each !== page && each.scrollHeight - each.clientHeight > Math.max(fewest, 4 * hidden) && each.clientWidth >= innerWidth * least &&
    each.clientHeight >= innerHeight * least && /auto|scroll/.test(getComputedStyle(each).overflowY) && !each.closest(apart);
  const [box = null] = hidden > innerHeight / 4 ? [] :
    document.elementsFromPoint(innerWidth / 2, innerHeight / 2).filter(isLong).sort((one, other) => contentOf(other) - contentOf(one));
  return (globalThis[kept] = box);
})()`;
