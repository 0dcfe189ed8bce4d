import type { LiveStatement } from '../../../../contract/sessions/live-view.ts';
import { modifierBits } from '../../../../contract/sessions/live-view-wire.ts';
import type { CdpSend } from '../../chrome/protocol.ts';
import type { Gesture } from '../input/input.ts';
import { callOn, focusedObject, nodeAt, objectOf, type PageNode } from '../page-objects.ts';
import { frameOf, locatorsOf } from '../picking/picker.ts';
import { type Locators, type Step, statement } from './statements.ts';

export interface RecorderOptions {
  send: CdpSend;
  mainFrame: string;
  /** Resolves when the page has handled the input so far. */
  handled(): Promise<void>;
  emit(statement: LiveStatement): void;
  after(ms: number, callback: () => void): () => void;
}

/** Characters of a field's text that are recorded: a page can fill it with any number. */
const maxValue = 100_000;
/** How long a click waits for a second one. */
const doubleClickMs = 600;

interface Field {
  object: string;
  on: Locators;
  value: string;
  isSecret: boolean;
  /** Whether Enter is part of its text. */
  hasLines: boolean;
}

/** What `describe` returns about an element. */
type Described = Pick<Field, 'value' | 'isSecret' | 'hasLines'> & { kind: 'text' | 'picker' | 'files' | 'other' };

/**
 * Writes down what a person does in a page, with Playwright's own locators. A field is written once it has all of its
 * text; passwords aren't.
 */
export class Recorder {
  #options: RecorderOptions;
  /** The field that text is typed into. */
  #typing: Field | undefined;
  /** A click that may turn out to be the first of two, or only the way into a field. */
  #click: { on: Locators; isField: boolean } | undefined;
  /** The field whose list or picker was opened last. */
  #opened: Locators | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Whether a gesture is recorded, so that it has to wait for `before`. */
  records(gesture: Gesture): boolean {
    if (gesture.type === 'mouse') return gesture.action === 'down' && gesture.button === 'left';
    return (
      gesture.type === 'text' || gesture.type === 'compose' || (gesture.type === 'key' && gesture.action === 'down')
    );
  }

  /** Records a gesture that the page is about to get. */
  async before(gesture: Gesture): Promise<void> {
    if (gesture.type === 'mouse') return await this.#beforeClick(gesture);
    if (gesture.type === 'key' && gesture.key === 'Enter') return await this.#beforeEnter();
    if (gesture.type === 'key' && gesture.key === 'Tab') return await this.flush();
    const { alt, ctrl, meta } = modifierBits;
    const isShortcut = gesture.type === 'key' && (gesture.modifiers & (alt | ctrl | meta)) !== 0;
    const isEditing = gesture.type === 'key' && (gesture.key === 'Backspace' || gesture.key === 'Delete');
    const isText = gesture.type !== 'key' || [...gesture.key].length === 1;
    if (!this.#typing && !isShortcut && (isText || isEditing)) await this.#beforeText();
  }

  /** Records what was chosen in the list or the picker of a field. `label` is that of an option. */
  async chosen({ label, value }: { label: string | undefined; value: string }): Promise<void> {
    const on = this.#opened;
    if (!on) return;
    await this.flush();
    this.#emit(label === undefined ? { kind: 'fill', on, text: value } : { kind: 'select', on, label });
  }

  /** Records the files that were chosen for a field. */
  async files(field: PageNode, names: readonly string[]): Promise<void> {
    const { send, mainFrame } = this.#options;
    const on = await locatorsOf(send, mainFrame, field);
    await this.flush();
    if (on) this.#emit({ kind: 'files', on, names });
  }

  async step(step: Step): Promise<void> {
    await this.flush();
    this.#emit(step);
  }

  /** Writes what is only known to be complete once something else is done. */
  async flush(): Promise<void> {
    const [click, field] = [this.#click, this.#typing];
    this.#click = undefined;
    this.#typing = undefined;
    if (field) {
      await this.#options.handled();
      const described = await this.#describe(field.object).catch(() => undefined);
      if (described && described.value !== field.value) {
        return this.#emit({ kind: 'fill', on: field.on, text: field.isSecret ? undefined : described.value });
      }
    }
    if (click) this.#emit({ kind: 'click', on: click.on });
  }

  async #beforeClick({ x, y, clicks }: { x: number; y: number; clicks: number }): Promise<void> {
    if (clicks === 2 && this.#click && !this.#click.isField) {
      const { on } = this.#click;
      this.#click = undefined;
      return this.#emit({ kind: 'dblclick', on });
    }
    if (clicks > 1) return;
    await this.flush();
    this.#opened = undefined;
    const { send, mainFrame } = this.#options;
    const clicked = await nodeAt(send, mainFrame, { x, y });
    const on = await locatorsOf(send, mainFrame, clicked);
    const { kind } = await this.#describe(await objectOf(send, clicked));
    if (!on) return;
    if (kind === 'picker') this.#opened = on;
    // What is chosen is recorded instead.
    if (kind === 'picker' || kind === 'files') return;
    const click = { on, isField: kind === 'text' };
    this.#click = click;
    // If text follows, the click is part of filling in its field.
    if (kind === 'text') return;
    this.#options.after(doubleClickMs, () => {
      if (this.#click === click) void this.flush();
    });
  }

  async #beforeText(): Promise<void> {
    const field = await this.#focused();
    if (!field) return;
    // A click that leads into the field is part of filling it in.
    if (this.#click?.isField && this.#click.on.javascript === field.on.javascript) this.#click = undefined;
    const click = this.#click;
    this.#click = undefined;
    if (click) this.#emit({ kind: 'click', on: click.on });
    this.#typing = field;
  }

  async #beforeEnter(): Promise<void> {
    const field = this.#typing ?? (await this.#focused());
    if (field?.hasLines) return void (this.#typing ? undefined : await this.#beforeText());
    await this.flush();
    this.#emit({ kind: 'press', on: field?.on, key: 'Enter' });
  }

  /** Returns the field with the focus that text can be typed into. */
  async #focused(): Promise<Field | undefined> {
    const { send, mainFrame } = this.#options;
    const objectId = await focusedObject(send, mainFrame);
    if (objectId === undefined) return undefined;
    const { kind, ...described } = await this.#describe(objectId);
    if (kind !== 'text') return undefined;
    const { node } = await send('DOM.describeNode', { objectId });
    const { backendNodeId } = node;
    const frame = await frameOf(send, backendNodeId);
    const on = await locatorsOf(send, mainFrame, { node: backendNodeId, frame });
    return on && { object: objectId, on, ...described };
  }

  async #describe(objectId: string): Promise<Described> {
    return (await callOn(this.#options.send, objectId, describe)).result.value;
  }

  #emit(step: Step): void {
    this.#options.emit(statement(step));
  }
}

const describe = `function() {
  const element = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement ?? document.body;
  const { localName, type = '' } = element;
  const isInput = localName === 'input';
  const pickers = ['date', 'time', 'datetime-local', 'month', 'week', 'color'];
  const isPicker = (localName === 'select' && !element.multiple && element.size <= 1) || (isInput && pickers.includes(type));
  const isText = (isInput && !['button', 'checkbox', 'file', 'image', 'radio', 'range', 'reset', 'submit'].includes(type)) ||
    localName === 'textarea' || element.isContentEditable;
  const secret = /(^|\\s)((current|new)-password|one-time-code|cc-(number|csc|exp))/.test(element.autocomplete ?? '');
  return {
    kind: isPicker ? 'picker' : isInput && type === 'file' ? 'files' : isText ? 'text' : 'other',
    value: String((element.isContentEditable ? element.innerText : element.value) ?? '').slice(0, ${maxValue}),
    isSecret: type === 'password' || secret,
    hasLines: localName === 'textarea' || element.isContentEditable,
  };
}`;
