import * as l10n from '@vscode/l10n';
import type { FromViewer, LiveField } from '../../../contract/sessions/live-view.ts';
import { element, textButton } from '../../common/dom.ts';
import type { Picture } from './picture.ts';

/** How many options are shown before the list scrolls. */
const maxShown = 10;

export interface FieldChoiceOptions {
  picture: Picture;
  send(message: FromViewer): void;
  /** Called when a choice ends that had the focus. */
  onClose(): void;
}

/** The list of a field, or its picker, over the picture: what the browser itself draws outside the page. */
export class FieldChoice {
  #options: FieldChoiceOptions;
  #shown: HTMLElement | undefined;
  #box: LiveField['box'] = { x: 0, y: 0, width: 0, height: 0 };

  constructor(options: FieldChoiceOptions) {
    this.#options = options;
    new ResizeObserver(() => this.#place()).observe(options.picture.pane);
  }

  show(field: LiveField): void {
    this.close();
    const choose = (value: string) => {
      this.#options.send({ type: 'choose', field: field.id, value });
      this.close();
    };
    const control = field.kind === 'select' ? listOf(field, choose) : inputOf(field, choose);
    const shown = element('div', { class: 'field-choice row' }, ...control);
    shown.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' && event.key !== 'Tab') return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    });
    const { pane } = this.#options.picture;
    pane.append(shown);
    this.#shown = shown;
    this.#box = field.box;
    this.#place();
    const first = shown.querySelector<HTMLElement>('select, input');
    first?.focus({ preventScroll: true });
    shown.addEventListener('focusout', ({ relatedTarget }) => {
      // A picker of the browser itself takes the focus from the document.
      if (document.hasFocus() && relatedTarget !== null && !shown.contains(relatedTarget as Node)) this.close();
    });
  }

  close(): void {
    const shown = this.#shown;
    if (!shown) return;
    this.#shown = undefined;
    const hadFocus = shown.contains(document.activeElement);
    shown.remove();
    if (hadFocus) this.#options.onClose();
  }

  #place(): void {
    const { picture } = this.#options;
    if (!this.#shown) return;
    this.#shown.style.minWidth = `${Math.min(picture.placeOf(this.#box).width, picture.pane.clientWidth)}px`;
    picture.putBeside(this.#shown, this.#box);
  }
}

function listOf(field: LiveField, choose: (value: string) => void): HTMLElement[] {
  const groups = new Set(field.options.map(({ group }) => group).filter((group) => group !== ''));
  const list = element('select', {
    size: String(Math.min(Math.max(field.options.length + groups.size, 2), maxShown)),
    'aria-label': field.name || l10n.t('Options'),
  });
  let group: HTMLOptGroupElement | undefined;
  for (const { index, label, group: name, disabled } of field.options) {
    const selected = String(index) === field.value;
    if (name === '') group = undefined;
    else if (group?.label !== name) {
      group = element('optgroup', { label: name });
      list.append(group);
    }
    (group ?? list).append(element('option', { value: String(index), disabled, selected }, label));
  }
  const accept = () => {
    if (list.value !== '') choose(list.value);
  };
  list.addEventListener('click', ({ target }) => target instanceof HTMLOptionElement && !target.disabled && accept());
  list.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter' || key === ' ') accept();
  });
  if (field.missing === 0) return [list];
  const note = l10n.t('{0} more options can only be chosen from code.', field.missing);
  return [list, element('p', { class: 'quiet' }, note)];
}

function inputOf(field: LiveField, choose: (value: string) => void): HTMLElement[] {
  const { kind, min, max, step, name } = field;
  const input = element('input', {
    class: 'field',
    type: kind,
    min: min || undefined,
    max: max || undefined,
    step: step || undefined,
    'aria-label': name || l10n.t('Value'),
  });
  input.value = field.value;
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') choose(input.value);
  });
  return [input, textButton(l10n.t('Set'), () => choose(input.value))];
}
