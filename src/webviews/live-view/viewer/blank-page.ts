import * as l10n from '@vscode/l10n';
import { element, textButton } from '../../common/dom.ts';
import type { Bar } from './bar.ts';
import type { Picture } from './picture.ts';

/** Milliseconds until a blank page is looked at again. */
const lookAgainMs = 200;

/** Whether a tab shows no page yet. */
export function isBlank(url: string | undefined): boolean {
  return url === undefined || url === '' || url === 'about:blank' || url === 'chrome://newtab/';
}

interface Options {
  bar: Bar;
  picture: Picture;
  state(): { control: boolean; canControl: boolean; ended: boolean };
  /** Leads to the address field. */
  onType(): void;
}

/** What a blank page shows: a button that leads to the address field, or a hint once that has the focus. */
export class BlankPage {
  readonly element = element('div', { class: 'cover blank', hidden: true });
  #options: Options;
  #button: HTMLButtonElement;
  #hint = element('p', { class: 'quiet' });
  #lookedAt = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#button = textButton(l10n.t('Type an address'), options.onType);
    this.element.append(element('div', { class: 'blank-text' }, this.#hint, this.#button));
    const { bar, state } = options;
    // The focus goes to the address: there is nothing else to do.
    window.addEventListener('focus', () => {
      this.show();
      if (state().control && isBlank(bar.url) && document.activeElement === document.body) bar.address.focus();
    });
    bar.address.addEventListener('focus', () => this.show());
    // During the blur event nothing has the focus yet: where it went is known only afterwards.
    bar.address.addEventListener('blur', () => setTimeout(() => this.show()));
  }

  /** A blank page may be filled by code. Looking at all of its picture takes time. */
  look(): void {
    const now = performance.now();
    if (!isBlank(this.#options.bar.url) || now - this.#lookedAt < lookAgainMs) return;
    this.#lookedAt = now;
    this.show();
  }

  /** Shows the blank page, or hides it once there is another one. */
  show(): void {
    const { bar, picture, state } = this.#options;
    const { control, canControl, ended } = state();
    const shown = bar.url !== undefined && isBlank(bar.url) && !ended && picture.isPlain;
    const typing = control && document.activeElement === bar.address;
    const canType = control || canControl;
    this.element.hidden = !shown;
    this.#button.hidden = !canType || typing;
    this.#hint.textContent =
      canType && typing
        ? l10n.t('Type an address above, and press Enter.')
        : l10n.t('No page is open yet. Running code may open one.');
    // In a document that has the focus already, Enter is enough.
    if (shown && !this.#button.hidden && document.hasFocus() && document.activeElement === document.body) {
      this.#button.focus();
    }
  }
}
