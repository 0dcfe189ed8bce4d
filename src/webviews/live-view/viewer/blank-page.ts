import * as l10n from '@vscode/l10n';
import { element, textButton } from '../../common/dom.ts';

/** Whether a tab shows no page yet. */
export function isBlank(url: string | undefined): boolean {
  return url === undefined || url === '' || url === 'about:blank' || url === 'chrome://newtab/';
}

/** What a blank page shows: a button that leads to the address field, or a hint once that has the focus. */
export class BlankPage {
  readonly element = element('div', { class: 'cover blank', hidden: true });
  #button: HTMLButtonElement;
  #hint = element('p', { class: 'quiet' });

  constructor(onType: () => void) {
    this.#button = textButton(l10n.t('Type an address'), onType);
    this.element.append(element('div', { class: 'blank-text' }, this.#hint, this.#button));
  }

  /** Shows or hides the blank page; without `canType`, an address can't be typed. */
  show(shown: boolean, { canType, typing }: { canType: boolean; typing: boolean }): void {
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
