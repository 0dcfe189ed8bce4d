import { element } from './dom.ts';

/** Rows drawn above and below the visible area. */
const overscan = 20;

/** Creates a list of rows of one height, of which only those in the visible area of the panel are drawn. */
export function createVirtualRows(rowHeight: number, draw: (index: number) => HTMLElement) {
  const created = element('div', { class: 'virtual-rows' });
  let rowCount = 0;
  let drawn = new Map<number, HTMLElement>();
  let scheduled = false;
  let listening = false;

  function update(): void {
    scheduled = false;
    listen(created.isConnected);
    if (!created.isConnected) return;
    const { top } = created.getBoundingClientRect();
    if (created.offsetParent === null) return;
    const first = Math.max(0, Math.floor(-top / rowHeight) - overscan);
    const last = Math.min(rowCount, Math.ceil((window.innerHeight - top) / rowHeight) + overscan);
    const next = new Map<number, HTMLElement>();
    const fresh: HTMLElement[] = [];
    for (let index = first; index < last; index++) {
      const row = drawn.get(index) ?? draw(index);
      if (!drawn.has(index)) {
        row.style.setProperty('top', `${index * rowHeight}px`);
        fresh.push(row);
      }
      next.set(index, row);
    }
    for (const [index, row] of drawn) if (!next.has(index)) row.remove();
    created.append(...fresh);
    drawn = next;
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(update);
  }

  /** Follows what moves the list while it is in the page. */
  function listen(on: boolean): void {
    if (on === listening) return;
    listening = on;
    if (on) window.addEventListener('scroll', schedule, { capture: true, passive: true });
    else window.removeEventListener('scroll', schedule, true);
    // A change above the list moves it.
    for (const root of [document.documentElement, document.body]) {
      if (on) observer.observe(root);
      else observer.unobserve(root);
    }
  }

  const observer = new ResizeObserver(schedule);
  // Reports when the list is put into the page, the first time or again.
  observer.observe(created);
  return {
    element: created,
    /** Draws the rows anew, perhaps with another count. */
    refresh(count: number): void {
      rowCount = count;
      for (const row of drawn.values()) row.remove();
      drawn = new Map();
      created.style.setProperty('height', `${count * rowHeight}px`);
      schedule();
    },
  };
}
