import * as l10n from '@vscode/l10n';
import type { FromViewer } from '../../../contract/sessions/live-view.ts';
import { maxTextPiece, modifierBits } from '../../../contract/sessions/live-view-wire.ts';
import { element } from '../../common/dom.ts';

export interface KeyboardOptions {
  send(message: FromViewer): void;
  /** The user pressed Escape. */
  onEscape(): void;
  /** Whether the viewer runs on a Mac, and whether the browser does: their shortcuts differ. */
  viewerMac: boolean;
  browserMac(): boolean;
}

/** Keys of input methods, whose text comes with other events. */
const inputMethodKeys = new Set(['Dead', 'Process', 'Unidentified']);
const maxPasteLength = 1_000_000;

/** Returns the modifiers of an event as bits. If only one of viewer and browser is on a Mac, Ctrl and Command are swapped. */
export function modifiersOf(
  event: Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
  viewerMac = false,
  browserMac = viewerMac,
): number {
  const swapped = viewerMac !== browserMac;
  const ctrl = swapped && !(event.ctrlKey && event.altKey) ? event.metaKey : event.ctrlKey;
  const meta = swapped && !(event.ctrlKey && event.altKey) ? event.ctrlKey : event.metaKey;
  return (
    (event.altKey ? modifierBits.alt : 0) |
    (ctrl ? modifierBits.ctrl : 0) |
    (meta ? modifierBits.meta : 0) |
    (event.shiftKey ? modifierBits.shift : 0)
  );
}

/** Splits a text into pieces that each fit into a message, never inside a character. */
export function textPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of text.slice(0, maxPasteLength)) {
    if (piece.length + character.length > maxTextPiece) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return piece ? [...pieces, piece] : pieces;
}

/** Sends keys, pasted text and text of input methods to the page while its field has the focus. */
export class Keyboard {
  /** Has the focus. It is placed over the picture where input methods should open, and stays empty. */
  readonly field = element('textarea', {
    class: 'keyboard',
    'aria-label': l10n.t('Keyboard input to the page. Press Escape to leave.'),
    autocapitalize: 'off',
    autocomplete: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
    tabindex: '-1',
  });
  #options: KeyboardOptions;
  #pressed = new Map<string, KeyboardEvent>();
  #composing = false;

  constructor(options: KeyboardOptions) {
    this.#options = options;
    const { field } = this;
    field.addEventListener('keydown', (event) => this.#down(event));
    field.addEventListener('keyup', (event) => this.#up(event));
    field.addEventListener('paste', (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.insert(event.clipboardData?.getData('text/plain') ?? '');
    });
    for (const name of ['copy', 'cut'] as const) {
      field.addEventListener(name, (event) => {
        event.preventDefault();
        event.stopPropagation();
        this.#options.send({ type: 'copy', cut: name === 'cut' });
      });
    }
    field.addEventListener('compositionstart', () => {
      this.#composing = true;
    });
    field.addEventListener('compositionupdate', ({ data }) => this.#compose(data));
    field.addEventListener('compositionend', ({ data }) => {
      this.#composing = false;
      field.value = '';
      if (data) this.insert(data);
      else this.#compose('');
    });
    // Text that comes neither from keys nor from an input method: dictation, an emoji picker.
    field.addEventListener('input', () => {
      if (this.#composing) return;
      this.insert(field.value);
      field.value = '';
    });
    field.addEventListener('blur', () => this.#releaseAll());
  }

  insert(text: string): void {
    for (const piece of textPieces(text)) this.#options.send({ type: 'text', text: piece });
  }

  #compose(text: string): void {
    const shown = text.slice(0, 1_000);
    this.#options.send({ type: 'compose', text: shown, caret: shown.length });
  }

  #down(event: KeyboardEvent): void {
    // Neither the browser nor VS Code may act on keys for the page.
    event.stopPropagation();
    if (event.key === 'Escape' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.#options.onEscape();
      return;
    }
    if (event.isComposing || event.keyCode === 229 || inputMethodKeys.has(event.key)) return;
    const command = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    // Left to the browser, which then fires the clipboard events above.
    if (command && !event.altKey && (letter === 'v' || letter === 'x')) return;
    if (event.shiftKey && (event.key === 'Insert' || event.key === 'Delete')) return;
    event.preventDefault();
    if (command && !event.altKey && letter === 'c') this.#options.send({ type: 'copy', cut: false });
    this.#pressed.set(event.code, event);
    this.#key('down', event);
  }

  #up(event: KeyboardEvent): void {
    event.stopPropagation();
    // Compared by code: Shift may have changed the name of the key by now.
    if (this.#pressed.delete(event.code)) this.#key('up', event);
  }

  #releaseAll(): void {
    for (const event of this.#pressed.values()) this.#key('up', event);
    this.#pressed.clear();
  }

  #key(action: 'down' | 'up', event: KeyboardEvent): void {
    const { viewerMac, send } = this.#options;
    const browserMac = this.#options.browserMac();
    // A swapped modifier is sent only with the keys that it modifies.
    if (viewerMac !== browserMac && (event.key === 'Meta' || event.key === 'Control')) return;
    const alone = event.key === 'Escape';
    send({
      type: 'key',
      action,
      key: event.key.slice(0, 32),
      code: event.code.slice(0, 32),
      keyCode: Math.min(event.keyCode, 255),
      location: Math.min(event.location, 3),
      repeat: event.repeat,
      modifiers: alone ? 0 : modifiersOf(event, viewerMac, browserMac),
    });
  }
}
