import { element } from '../../common/dom.ts';
import { createVirtualRows } from '../../common/virtual-rows.ts';

/** Pixels, as in the style sheet. */
const rowHeight = 22;

/** A list of entries of which only the visible ones are drawn. It follows the newest while it is scrolled to its end. */
export class EntryList<Entry extends { id: string }> {
  readonly element: HTMLElement;
  #entries: readonly Entry[] = [];
  #active: string | undefined;
  #draw: (entry: Entry) => HTMLElement;
  #open: (id: string) => void;
  #rows = createVirtualRows(rowHeight, (index) => this.#row(index));

  constructor(options: { name: string; draw(entry: Entry): HTMLElement; open(id: string): void }) {
    this.#draw = options.draw;
    this.#open = options.open;
    this.#rows.element.setAttribute('role', 'presentation');
    this.element = element(
      'div',
      { class: 'traffic-list', role: 'listbox', tabindex: '0', 'aria-label': options.name, hidden: true },
      this.#rows.element,
    );
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-entry]') : null;
      if (row?.dataset.entry === undefined) return;
      this.#activate(row.dataset.entry);
      this.#open(row.dataset.entry);
    });
  }

  show(entries: readonly Entry[]): void {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    const atEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
    this.#entries = entries;
    this.element.hidden = entries.length === 0;
    this.#rows.refresh(entries.length);
    if (atEnd) this.element.scrollTop = entries.length * rowHeight;
  }

  #row(index: number): HTMLElement {
    const entry = this.#entries[index];
    if (!entry) return element('div');
    const row = this.#draw(entry);
    row.id = `entry-${entry.id}`;
    row.dataset.entry = entry.id;
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', String(entry.id === this.#active));
    row.setAttribute('aria-setsize', String(this.#entries.length));
    row.setAttribute('aria-posinset', String(index + 1));
    return row;
  }

  #activate(id: string): void {
    this.#active = id;
    this.element.setAttribute('aria-activedescendant', `entry-${id}`);
    this.#rows.refresh(this.#entries.length);
  }

  #key(event: KeyboardEvent): void {
    const last = this.#entries.length - 1;
    const at = this.#entries.findIndex(({ id }) => id === this.#active);
    const page = Math.max(1, Math.floor(this.element.clientHeight / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? last : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last,
    };
    if ((event.key === 'Enter' || event.key === ' ') && this.#active !== undefined) this.#open(this.#active);
    else if (steps[event.key] === undefined) return;
    event.preventDefault();
    const next = this.#entries[Math.min(last, Math.max(0, steps[event.key] ?? at))];
    if (!next) return;
    this.#scrollTo(this.#entries.indexOf(next));
    this.#activate(next.id);
  }

  #scrollTo(index: number): void {
    const { scrollTop, clientHeight } = this.element;
    const top = index * rowHeight;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + rowHeight - clientHeight;
  }
}
