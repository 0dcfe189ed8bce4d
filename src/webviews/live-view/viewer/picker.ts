import * as l10n from '@vscode/l10n';
import type { LivePick } from '../../../contract/sessions/live-view.ts';
import { element } from '../../common/dom.ts';
import type { Picture, Point } from './picture.ts';

export interface PickerOptions {
  picture: Picture;
  /** Asks for the element at a point of the page. */
  ask(point: Point): void;
  /** Called with the element that the user chose. */
  onPicked(picked: LivePick): void;
  /** Called when picking begins or ends. */
  onChange(): void;
}

/** Outlines the element under the pointer with its locator, until one is chosen. The page gets none of it. */
export class ElementPicker {
  #options: PickerOptions;
  #active = false;
  /** Whether a response is awaited: a page that is busy isn't asked again meanwhile. */
  #asked = false;
  #next: Point | undefined;
  /** Whether the element at the last point was chosen. */
  #chosen = false;
  #box = element('div', { class: 'pick-box', hidden: true });
  #label = element('p', { class: 'pick-label', role: 'status', hidden: true });

  constructor(options: PickerOptions) {
    this.#options = options;
    const { canvas, pane } = options.picture;
    pane.append(this.#box, this.#label);
    canvas.addEventListener('mousemove', (event) => this.#point(event));
    canvas.addEventListener('click', (event) => this.#point(event, true));
    canvas.addEventListener('mouseleave', () => this.#hide());
    document.addEventListener('keydown', (event) => this.#key(event), { capture: true });
  }

  get active(): boolean {
    return this.#active;
  }

  set active(active: boolean) {
    if (active === this.#active) return;
    this.#active = active;
    this.#asked = false;
    this.#chosen = false;
    this.#next = undefined;
    this.#hide();
    this.#options.onChange();
  }

  /** Shows the element that was asked for. */
  receive(picked: LivePick | null): void {
    this.#asked = false;
    if (!this.#active) return;
    if (this.#next) return this.#ask();
    this.#show(picked);
    if (!this.#chosen) return;
    this.#chosen = false;
    if (!picked) return;
    this.active = false;
    this.#options.onPicked(picked);
  }

  #point(event: MouseEvent, chosen = false): void {
    if (!this.#active) return;
    event.preventDefault();
    const { x, y } = this.#options.picture.pointAt(event);
    this.#next = { x: Math.round(x), y: Math.round(y) };
    this.#chosen ||= chosen;
    if (!this.#asked) this.#ask();
  }

  #ask(): void {
    if (!this.#next) return;
    this.#asked = true;
    this.#options.ask(this.#next);
    this.#next = undefined;
  }

  #key(event: KeyboardEvent): void {
    if (!this.#active || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.active = false;
  }

  #show(picked: LivePick | null): void {
    if (!picked) return this.#hide();
    const { left, top, width, height } = this.#options.picture.placeOf(picked.box);
    Object.assign(this.#box.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    this.#box.hidden = false;
    this.#label.hidden = false;
    this.#label.textContent = picked.javascript;
    this.#label.title = l10n.t('Click to insert this locator');
    this.#options.picture.putBeside(this.#label, picked.box, 4);
  }

  #hide(): void {
    this.#box.hidden = true;
    this.#label.hidden = true;
  }
}
