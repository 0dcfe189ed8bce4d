import { element } from '../../common/dom.ts';

/** Rows drawn above and below the visible area. */
const overscan = 20;

/** A list of rows of one height, of which only those in the visible area of the panel are drawn. */
export interface VirtualRows {
  readonly element: HTMLElement;
  /** Draws the rows anew, perhaps with another count. */
  refresh(count: number): void;
}

export function createVirtualRows(rowHeight: number, draw: (index: number) => HTMLElement): VirtualRows {
  const created = element('div', { class: 'virtual-rows' });
  let rowCount = 0;
  let drawn = new Map<number, HTMLElement>();
  let scheduled = false;
  let wasConnected = false;

  function update(): void {
    scheduled = false;
    if (!created.isConnected) {
      if (wasConnected) stop();
      return;
    }
    wasConnected = true;
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

  function stop(): void {
    window.removeEventListener('scroll', schedule, true);
    observer.disconnect();
  }

  window.addEventListener('scroll', schedule, { capture: true, passive: true });
  // Also reports when the list appears or moves because of a change above it.
  const observer = new ResizeObserver(schedule);
  observer.observe(document.documentElement);
  observer.observe(document.body);
  return {
    element: created,
    refresh(count) {
      rowCount = count;
      for (const row of drawn.values()) row.remove();
      drawn = new Map();
      created.style.setProperty('height', `${count * rowHeight}px`);
      schedule();
    },
  };
}
