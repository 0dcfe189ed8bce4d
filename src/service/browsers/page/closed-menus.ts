/** A fragment that isn't a route. */
const place = /#(?![!/]).*/;

/**
 * Returns an expression for the links that a page has once what it declares as closed is open, as a side bar that writes the
 * pages of a group only then. Not those that are there already, hidden; nor of what opens over the page, or belongs to a form.
 * @param url where the page was read: nothing is opened on another one
 */
export const linksOfClosedMenus = (url: string) => `(async () => {
  const mostClicks = 20, mostInVain = 2, mostLinks = 2000, longestMs = 150, pauseMs = 25;
  const closed = ':is(button, [role=button], [role=treeitem])[aria-expanded=false]';
  const others = 'form *, dialog *, [role=dialog] *, [role=combobox], [aria-haspopup]:not([aria-haspopup=false]), :disabled, ' +
    '[aria-disabled=true], a[href]:not([href^="#"])';
  const isHere = () => location.href.replace(${place}, '') === ${JSON.stringify(url.replace(place, ''))};
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const hasLinks = (button) => {
    const part = document.getElementById(button.getAttribute('aria-controls') ?? '');
    const links = (part ?? button.closest('[role=treeitem], li') ?? button.parentElement).querySelectorAll('a[href]');
    return part ? links.length > 0 : [...links].some((link) => !isShown(link));
  };
  const noLabel = 'ul, ol, [role=group], a, button, input, select, textarea, label, [tabindex], [aria-haspopup], [draggable=true], ' +
    '[role=button], [role=link], [role=checkbox], [role=switch]';
  /** Where a person clicks: the item of a tree can leave that to its label. What is beside a link has none of its own. */
  const labelOf = (item) => {
    if (!item.matches('[role=treeitem]') || item.querySelector('a[href]')) return item;
    for (let label = item; ; ) {
      const first = [...label.childNodes].find((node) => node instanceof Element || (node instanceof Text && node.data.trim()));
      if (!(first instanceof HTMLElement) || first.matches(noLabel)) return label;
      label = first;
    }
  };
  const known = new Set([...document.links].map(({ href }) => href));
  const found = new Set(), pressed = new Set();
  for (let vain = 0; isHere() && vain < mostInVain && pressed.size < mostClicks && found.size < mostLinks; ) {
    const button = [...document.querySelectorAll(closed)].find(
      (each) => !pressed.has(each) && !each.matches(others) && isShown(each) && !hasLinks(each));
    if (!button) break;
    pressed.add(button);
    const before = found.size;
    labelOf(button).click();
    for (let waited = 0; waited < longestMs && found.size === before; waited += pauseMs) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      for (const { href } of document.links) if (!known.has(href)) found.add(href);
    }
    if (found.size === before) vain++;
  }
  return [...found].slice(0, mostLinks);
})()`;
