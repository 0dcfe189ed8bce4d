/** Tabs of a page that aren't chosen and whose panels are empty: a click may fill them. */
export interface EmptyPanels {
  count: number;
  /** Selects the first one. */
  selector: string;
  /** The name of the first one. */
  text: string;
}

/**
 * An expression for the tabs that aren't chosen and whose panels are empty; null if there are none. Not those that are links, or have
 * no name in words, as the dots of a slide show.
 */
export const emptyPanels = `(() => {
  const mostTabs = 1000, longest = 1000;
  const content = 'img, picture, video, audio, canvas, svg, iframe, object, embed, input, button, select, textarea';
  const elsewhere = 'form, dialog, [role=dialog], [aria-roledescription=carousel]';
  const known = new Map();
  const isFilled = (panel) => {
    if (!known.has(panel))
      known.set(panel, panel.textContent.trim() !== '' || panel.querySelector(content) !== null ||
        [panel, ...panel.querySelectorAll('*')].some((each) => each.shadowRoot));
    return known.get(panel);
  };
  const labelled = new Map();
  for (const panel of document.querySelectorAll('[role=tabpanel][aria-labelledby]'))
    labelled.set(panel.getAttribute('aria-labelledby'), panel);
  let first = null;
  let count = 0;
  for (const tab of [...document.querySelectorAll('[role=tab]')].slice(0, mostTabs)) {
    const controlled = tab.getAttribute('aria-controls');
    const panel = (controlled && document.getElementById(controlled)) || (tab.id && labelled.get(tab.id));
    if (!panel || panel.getAttribute('role') !== 'tabpanel' || isFilled(panel)) continue;
    if (tab.getAttribute('aria-selected') === 'true' || tab.matches(':disabled, [aria-disabled=true]')) continue;
    if (!tab.checkVisibility({ visibilityProperty: true }) || tab.closest(elsewhere)) continue;
    const text = (tab.innerText ?? '').slice(0, longest).replace(/\\s+/g, ' ').trim();
    const link = tab.closest('a[href]') ?? tab.querySelector('a[href]');
    if (!/\\p{L}/u.test(text) || (link && !/^(#|javascript:)/i.test(link.getAttribute('href')))) continue;
    const selector = tab.id ? '#' + CSS.escape(tab.id) : '[role=tab][aria-controls="' + CSS.escape(controlled) + '"]';
    if (selector.length > longest) continue;
    count++;
    first ??= { selector, text };
  }
  return first && { count, ...first };
})()`;
