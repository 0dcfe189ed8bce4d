import type { FromViewer, LiveDialog, ToViewer } from '../../../contract/live-view.ts';
import { element } from '../../common/dom.ts';
import { Bar } from './bar.ts';
import { dialogElement } from './dialog.ts';
import { Keyboard } from './keyboard.ts';
import { Picture } from './picture.ts';
import { followPointer } from './pointer.ts';

const noticeMs = 6_000;
const waitingMs = 600;

/** What a viewer needs of where it is shown. How messages travel is its business alone. */
export interface ViewerOptions {
  root: HTMLElement;
  send(message: FromViewer): void;
  /** Where control is asked for and given back; without it the address that was opened decides. */
  control?: { take(): void; release(): void };
  /** Puts text on the person's clipboard. */
  copy(text: string): Promise<void>;
  onDrawn?(jpeg: Uint8Array, at: number): void;
  /** Offers a new session when this one has ended. */
  newSession?(): void;
  /** Tries to connect again after the connection was lost. */
  retry(): void;
  /** More buttons of the bar. */
  extra?: readonly HTMLElement[];
}

/** The live view as people see it: one piece for the service's page and for VS Code. */
export class Viewer {
  readonly picture: Picture;
  #options: ViewerOptions;
  #bar: Bar;
  #keyboard: Keyboard;
  #control = false;
  #browserMac = false;
  #dialog: LiveDialog | null = null;
  #fitted = false;
  #over = false;
  #stage: HTMLElement;
  #dialogPlace = element('div', { class: 'dialog-place' });
  #cover = element('div', { class: 'cover', role: 'status', hidden: true });
  #notice = element('p', { class: 'notice', role: 'status' });
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;
  #status = element('span', { class: 'status' });
  #controlButton = element('button', { class: 'button secondary control', type: 'button' });

  constructor(options: ViewerOptions) {
    this.#options = options;
    const { send } = options;
    this.picture = new Picture({
      acknowledge: (seq) => send({ type: 'ack', seq }),
      onDrawn: (jpeg, at) => {
        this.#root.dataset.frames = String(Number(this.#root.dataset.frames ?? 0) + 1);
        if (!this.#over) this.#cover.hidden = true;
        options.onDrawn?.(jpeg, at);
      },
    });
    this.#keyboard = new Keyboard({
      send,
      onEscape: () => this.#letGo(),
      viewerMac: /Mac/i.test(navigator.platform),
      browserMac: () => this.#browserMac,
    });
    this.#bar = new Bar({
      send,
      onActualSize: () => this.toggleActualSize(),
      onFit: () => this.toggleFit(),
      extra: options.extra ?? [],
    });
    followPointer({
      picture: this.picture,
      send,
      active: () => this.#control && !this.#over && this.#dialog === null,
      onPress: (event) => this.#takeKeyboard(event),
    });
    this.#controlButton.hidden = !options.control;
    this.#controlButton.addEventListener('click', () => this.toggleControl());
    this.picture.pane.append(this.#keyboard.field);
    this.#stage = element('div', { class: 'stage' }, this.picture.pane, this.#dialogPlace, this.#cover);
    options.root.replaceChildren(
      this.#bar.element,
      this.#stage,
      this.#notice,
      element('footer', { class: 'foot' }, this.#status, this.#controlButton),
    );
    options.root.classList.add('viewer');
    for (const name of ['focus', 'blur']) this.#keyboard.field.addEventListener(name, () => this.#showStatus());
    document.addEventListener('visibilitychange', () => {
      if (!this.#over) send({ type: 'watch', on: !document.hidden });
    });
    setInterval(() => this.#showStatus(), 1_000);
    setTimeout(() => {
      if (this.picture.isEmpty && !this.#over && this.#cover.hidden) this.#showCover('Waiting for the first picture…');
    }, waitingMs);
    this.#showControl();
  }

  /** Takes a message of the service. */
  receive(message: ToViewer): void {
    if (message.type === 'welcome') this.#welcome(message);
    else if (message.type === 'tabs') {
      this.#bar.setTabs(message.tabs, message.shown);
      this.#describe();
    } else if (message.type === 'state') {
      this.#fitted = message.fitted;
      this.#bar.setState(message);
    } else if (message.type === 'dialog') this.#showDialog(message.dialog);
    else if (message.type === 'notice') this.say(message.text);
    else if (message.type === 'clipboard') void this.#copy(message.text);
    else if (message.type === 'ended') this.over(`The session has ended: ${message.reason.replace(/\.$/, '')}.`);
  }

  /** Takes a picture as it came over the wire. */
  frame(bytes: Uint8Array): void {
    if (!this.#over) this.picture.take(bytes);
  }

  /** There is nothing more to see, and why; the last picture stays. */
  over(text: string): void {
    this.#over = true;
    this.#setControl(false);
    this.#showDialog(null);
    this.#root.classList.add('ended');
    const { newSession } = this.#options;
    const again = newSession && element('button', { class: 'button', type: 'button' }, 'New session');
    again?.addEventListener('click', () => newSession?.());
    this.#showCover(text, again);
    this.#showStatus();
  }

  /** The connection is gone; the session may still be there. */
  lost(text: string): void {
    if (this.#over) return;
    this.#setControl(false);
    this.#root.classList.add('lost');
    const again = element('button', { class: 'button', type: 'button' }, 'Try again');
    again.addEventListener('click', () => this.#options.retry());
    this.#showCover(text, again);
    this.#showStatus();
  }

  /** Says something for a few seconds. */
  say(text: string): void {
    clearTimeout(this.#noticeTimer);
    this.#notice.textContent = text;
    this.#noticeTimer = setTimeout(() => {
      this.#notice.textContent = '';
    }, noticeMs);
  }

  toggleControl(): void {
    if (this.#over) return;
    if (this.#control) this.#options.control?.release();
    else this.#options.control?.take();
  }

  toggleActualSize(): void {
    this.picture.actualSize = !this.picture.actualSize;
    this.#bar.setActualSize(this.picture.actualSize);
  }

  /** Makes the page as large as the pane, or as it was. */
  toggleFit(): void {
    if (!this.#control) return this.say('Take control first: fitting changes the page.');
    const { clientWidth, clientHeight } = this.picture.pane;
    const side = (pixels: number) => Math.min(Math.max(pixels, 100), 4_096);
    this.#options.send(
      this.#fitted ? { type: 'unfit' } : { type: 'fit', width: side(clientWidth), height: side(clientHeight) },
    );
  }

  get #root(): HTMLElement {
    return this.#options.root;
  }

  #welcome({ control, mac }: Extract<ToViewer, { type: 'welcome' }>): void {
    this.#browserMac = mac;
    this.#root.classList.remove('lost');
    this.#cover.hidden = true;
    this.#setControl(control);
    if (document.hidden) this.#options.send({ type: 'watch', on: false });
  }

  #setControl(control: boolean): void {
    const changed = control !== this.#control;
    this.#control = control;
    this.#bar.setControl(control);
    this.#showControl();
    if (this.#dialog) this.#showDialog(this.#dialog);
    if (!changed) return;
    if (control) this.#keyboard.field.focus();
    else if (document.activeElement === this.#keyboard.field) this.#controlButton.focus();
  }

  #showControl(): void {
    this.#root.classList.toggle('in-control', this.#control);
    this.#root.dataset.control = String(this.#control);
    this.#controlButton.textContent = this.#control ? 'Release (Esc)' : 'Take control';
    this.#controlButton.disabled = this.#over;
    this.#keyboard.field.tabIndex = this.#control ? 0 : -1;
    this.picture.pane.tabIndex = this.#control ? -1 : 0;
    this.#showStatus();
  }

  /** Escape: control is given back where that is possible; everywhere the keyboard leaves the page. */
  #letGo(): void {
    if (this.#options.control) this.#options.control.release();
    else this.#bar.address.focus();
  }

  #takeKeyboard(event: MouseEvent): void {
    const { field } = this.#keyboard;
    const box = this.picture.pane.getBoundingClientRect();
    // Input methods open their windows where the field is.
    field.style.left = `${event.clientX - box.left + this.picture.pane.scrollLeft}px`;
    field.style.top = `${event.clientY - box.top + this.picture.pane.scrollTop}px`;
    field.focus({ preventScroll: true });
  }

  #showDialog(dialog: LiveDialog | null): void {
    this.#dialog = dialog;
    this.#dialogPlace.replaceChildren(
      ...(dialog && !this.#over ? [dialogElement(dialog, this.#control, this.#options.send)] : []),
    );
    if (!this.#control) return;
    if (dialog) this.#dialogPlace.querySelector<HTMLElement>('input, button')?.focus();
    else if (document.activeElement === document.body) this.#keyboard.field.focus();
  }

  async #copy(text: string): Promise<void> {
    if (!text) return this.say('Nothing is selected on the page.');
    try {
      await this.#options.copy(text);
      this.say('Copied.');
    } catch {
      this.say('This browser did not let the text onto the clipboard.');
    }
  }

  #showCover(text: string, ...more: (HTMLElement | undefined)[]): void {
    this.#cover.replaceChildren(
      element('div', { class: 'cover-text' }, element('p', {}, text), ...more.filter((one) => one !== undefined)),
    );
    this.#cover.hidden = false;
  }

  #describe(): void {
    this.picture.canvas.setAttribute('role', 'img');
    this.picture.canvas.setAttribute('aria-label', `Picture of ${this.#bar.title || 'the page'}`);
  }

  #showStatus(): void {
    this.#status.textContent = this.#statusText();
    this.#root.classList.toggle('typing', this.#control && document.activeElement === this.#keyboard.field);
  }

  #statusText(): string {
    if (this.#over) return 'ended';
    if (this.#root.classList.contains('lost')) return 'not connected';
    const rate = this.picture.framesPerSecond;
    const speed = rate === 0 ? 'still' : `${rate} fps`;
    if (!this.#control) return `watching · read-only · ${speed}`;
    if (this.#dialog) return `in control · the page waits for an answer · ${speed}`;
    const typing = document.activeElement === this.#keyboard.field;
    return `in control · ${typing ? 'keys go to the page' : 'click the picture to type'} · ${speed}`;
  }
}
