import type { ViewerInput } from '../../../../contract/sessions/live-view.ts';
import { modifierBits } from '../../../../contract/sessions/live-view-wire.ts';
import type { CdpCommand, CdpParams, CdpSend } from '../../chrome/protocol.ts';
import { keyEvent } from './keys.ts';

type InputOf<Type extends ViewerInput['type']> = Extract<ViewerInput, { type: Type }>;
export type Gesture = InputOf<'mouse' | 'wheel' | 'key' | 'text' | 'compose'>;

export interface GesturesOptions {
  send: CdpSend;
  /** Returns the size of the page's viewport in CSS pixels; positions outside it are moved to its edge. */
  size(): { width: number; height: number };
  mac: boolean;
}

/** Dispatches a viewer's mouse, keyboard and text input to a page. CDP methods are fixed here; none comes from a viewer. */
export class Gestures {
  #options: GesturesOptions;
  /** Whether a mouse move is in progress, and the newest since then: clicks never queue behind old moves. */
  #moving = false;
  #nextMove: InputOf<'mouse'> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GesturesOptions) {
    this.#options = options;
  }

  /** Resolves when the page has handled what was dispatched so far. */
  get handled(): Promise<unknown> {
    return this.#last;
  }

  apply(input: Gesture): void {
    if (input.type === 'mouse' && input.action === 'move') return this.#move(input);
    this.#flushMove();
    if (input.type === 'mouse') this.#button(input);
    else if (input.type === 'wheel') this.#wheel(input);
    else if (input.type === 'key') this.#send('Input.dispatchKeyEvent', keyEvent(input, this.#options.mac));
    else if (input.type === 'text') this.#send('Input.insertText', { text: input.text.toWellFormed() });
    else this.#compose(input);
  }

  #move(input: InputOf<'mouse'>): void {
    if (this.#moving) {
      this.#nextMove = input;
      return;
    }
    this.#moving = true;
    void this.#sendMove(input).finally(() => {
      this.#moving = false;
      const next = this.#nextMove;
      this.#nextMove = undefined;
      if (next) this.#move(next);
    });
  }

  #flushMove(): void {
    const next = this.#nextMove;
    this.#nextMove = undefined;
    if (next) void this.#sendMove(next);
  }

  #sendMove({ buttons, modifiers, ...at }: InputOf<'mouse'>): Promise<unknown> {
    const held = buttons & 1 ? 'left' : buttons & 2 ? 'right' : buttons & 4 ? 'middle' : 'none';
    return this.#send('Input.dispatchMouseEvent', {
      type: 'mouseMoved',
      ...this.#inside(at),
      button: held,
      buttons,
      modifiers,
    });
  }

  #button({ action, button, buttons, clicks, modifiers, ...at }: InputOf<'mouse'>): void {
    this.#send('Input.dispatchMouseEvent', {
      type: action === 'down' ? 'mousePressed' : 'mouseReleased',
      ...this.#inside(at),
      button,
      buttons,
      clickCount: clicks,
      modifiers,
    });
  }

  #wheel({ dx, dy, modifiers, ...at }: InputOf<'wheel'>): void {
    this.#send('Input.dispatchMouseEvent', {
      type: 'mouseWheel',
      ...this.#inside(at),
      deltaX: dx,
      deltaY: dy,
      // Ctrl+wheel would zoom the browser, invisibly to viewers.
      modifiers: modifiers & ~modifierBits.ctrl,
    });
  }

  #compose({ text, caret }: InputOf<'compose'>): void {
    const at = Math.min(caret, text.length);
    this.#send('Input.imeSetComposition', { text: text.toWellFormed(), selectionStart: at, selectionEnd: at });
  }

  #inside({ x, y }: { x: number; y: number }): { x: number; y: number } {
    const { width, height } = this.#options.size();
    const clamp = (value: number, length: number) => Math.min(Math.max(value, 0), Math.max(length - 1, 0));
    return { x: clamp(x, width), y: clamp(y, height) };
  }

  /** Sends a command; ignores failures, such as those of a tab that is closing. */
  #send<Command extends CdpCommand>(command: Command, params: CdpParams<Command>): Promise<unknown> {
    this.#last = this.#options.send(command, params).catch(() => undefined);
    return this.#last;
  }
}
