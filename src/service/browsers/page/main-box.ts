/**
 * An expression for the box of a page that scrolls in place of its window: the one with the most content of those that hide more of it
 * below than the window does. Not a narrow or low one, nor one for something else, such as a menu or a chat. Null if there is none. To be
 * evaluated apart from the scripts of the page, where it stays the same box as long as that is there.
 */
export const mainBox = `(() => {
  if (globalThis.mainBox?.isConnected) return globalThis.mainBox;
  const least = 1 / 3, fewest = 16;
  const apart = 'nav, aside, header, footer, dialog, pre, code, textarea, select, svg, [contenteditable], [role=navigation], [role=complementary], ' +
    '[role=dialog], [aria-modal=true], [role=log], [role=menu], [role=listbox]';
  const page = document.scrollingElement;
  const hidden = Math.max(0, (page?.scrollHeight ?? 0) - innerHeight) + fewest;
  let box = null, most = 0;
  for (const each of document.querySelectorAll('body, body *')) {
    const { clientWidth, clientHeight, scrollHeight } = each;
    if (each === page || scrollHeight - clientHeight <= hidden || clientWidth * scrollHeight <= most) continue;
    if (clientWidth < innerWidth * least || clientHeight < innerHeight * least) continue;
    if (!/auto|scroll/.test(getComputedStyle(each).overflowY) || each.closest(apart) || !each.checkVisibility({ visibilityProperty: true })) continue;
    box = each;
    most = clientWidth * scrollHeight;
  }
  return (globalThis.mainBox = box);
})()`;
