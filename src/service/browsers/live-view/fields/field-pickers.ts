import { randomUUID } from 'node:crypto';
import type { LiveField, ViewerInput } from '../../../../contract/sessions/live-view.ts';
import { modifierBits } from '../../../../contract/sessions/live-view-wire.ts';
import type { CdpSend } from '../../chrome/protocol.ts';
import { boxOf, callOn, focusedObject, nodeAt, objectOf } from '../page-objects.ts';

type Key = Extract<ViewerInput, { type: 'key' }>;

const objectGroup = 'live-view-fields';
/** Most options of a list that are shown. */
const maxOptions = 5_000;

/** The lists and pickers of fields that Chrome draws outside the page, so that its picture lacks them. */
export class FieldPickers {
  #send: CdpSend;
  #frame: string;
  #mac: boolean;
  #open: { object: string; field: LiveField } | undefined;

  constructor(send: CdpSend, mainFrame: string, mac: boolean) {
    this.#send = send;
    this.#frame = mainFrame;
    this.#mac = mac;
  }

  /** Returns the field at a point of the viewport that opens a list or a picker there. It gets the focus. */
  async at(point: { x: number; y: number }): Promise<LiveField | undefined> {
    this.#forget();
    const found = await nodeAt(this.#send, this.#frame, point);
    return await this.#describe(await objectOf(this.#send, found, { objectGroup }), '');
  }

  /** Whether a key may open what belongs to the focused field. */
  mayOpen({ action, key, modifiers }: Key): boolean {
    if (action !== 'down') return false;
    const isArrow = key === 'ArrowDown' || key === 'ArrowUp';
    return key === ' ' || key === 'F4' || key === 'Enter' || (isArrow && (this.#mac || modifiers === modifierBits.alt));
  }

  /** Returns the focused field, if this key opens its list or picker. */
  async focused({ key }: Key): Promise<LiveField | undefined> {
    this.#forget();
    return await this.#describe(await focusedObject(this.#send, this.#frame, { objectGroup }), key);
  }

  /** Gives the field what was chosen: the index of an option, or a value. */
  async choose(id: string, chosen: string): Promise<void> {
    if (this.#open?.field.id !== id) return;
    const { object } = this.#open;
    this.#open = undefined;
    await callOn(this.#send, object, setField, chosen);
  }

  /** Returns the label of an option of the list that is open. */
  labelOf(id: string, index: string): string | undefined {
    const field = this.#open?.field;
    return field?.id === id ? field.options.find((option) => String(option.index) === index)?.label : undefined;
  }

  /** Lets the page's memory go of what was asked about before. */
  #forget(): void {
    this.#open = undefined;
    this.#send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => undefined);
  }

  async #describe(objectId: string | undefined, key: string): Promise<LiveField | undefined> {
    if (objectId === undefined) return undefined;
    const { result } = await callOn(this.#send, objectId, describeField, key, maxOptions);
    const found: Omit<LiveField, 'id' | 'box'> | null = result.value;
    if (!found) return undefined;
    const { model } = await this.#send('DOM.getBoxModel', { objectId });
    const field = { id: randomUUID(), box: boxOf(model.border), ...found };
    this.#open = { object: objectId, field };
    return field;
  }
}

const describeField = `function(key, maxOptions) {
  const isSelect = this.localName === 'select' && !this.multiple && this.size <= 1;
  const pickers = ['date', 'time', 'datetime-local', 'month', 'week', 'color'];
  const kind = isSelect ? 'select' : this.localName === 'input' && pickers.includes(this.type) ? this.type : undefined;
  if (!kind || this.readOnly || this.matches(':disabled')) return null;
  if (key === 'Enter' && kind !== 'color') return null;
  if (key.startsWith('Arrow') && kind === 'color') return null;
  this.focus({ preventScroll: true });
  const text = (value) => String(value ?? '').trim().slice(0, 300);
  const options = isSelect ? [...this.options].slice(0, maxOptions) : [];
  const groupOf = ({ parentElement: parent }) => (parent?.localName === 'optgroup' ? parent : undefined);
  return {
    kind,
    name: text(this.labels?.[0]?.textContent || this.getAttribute('aria-label') || this.title || this.name),
    value: isSelect ? String(this.selectedIndex) : this.value,
    ...(isSelect ? {} : { min: text(this.min), max: text(this.max), step: text(this.step) }),
    options: options.flatMap((option, index) => {
      if (option.hidden || getComputedStyle(option).display === 'none') return [];
      const group = groupOf(option);
      const disabled = option.disabled || group?.disabled === true;
      return [{ index, label: text(option.label), group: text(group?.label), disabled }];
    }),
    missing: isSelect ? Math.max(0, this.options.length - maxOptions) : 0,
  };
}`;

const setField = `function(chosen) {
  const isSelect = this.localName === 'select';
  if (chosen === (isSelect ? String(this.selectedIndex) : this.value)) return;
  if (isSelect) this.selectedIndex = Number(chosen);
  else this.value = chosen;
  for (const name of ['input', 'change']) this.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
}`;
