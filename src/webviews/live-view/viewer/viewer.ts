import * as l10n from '@vscode/l10n';
import type { FromViewer, LiveDialog, LiveDownload, LivePick, ToViewer } from '../../../contract/sessions/live-view.ts';
import { element, textButton } from '../../common/dom.ts';
import { Bar } from './bar.ts';
import { BlankPage, isBlank } from './blank-page.ts';
import { dialogElement } from './dialog.ts';
import { DownloadList } from './downloads.ts';
import { FieldChoice } from './field-choice.ts';
import { Keyboard } from './keyboard.ts';
import { PaneSize } from './pane-size.ts';
import { ElementPicker } from './picker.ts';
import { Picture } from './picture.ts';
import { followPointer } from './pointer.ts';

const noticeMs = 6_000;
const showWaitingAfterMs = 600;

/** What a viewer needs from its host, which also carries its messages. */
export interface ViewerOptions {
  root: HTMLElement;
  send(message: FromViewer): void;
  /** Takes and releases control. Without it, the opened URL decides whether the viewer is in control. */
  control?(take: boolean): void;
  /** Puts text on the user's clipboard. */
  copy(text: string): Promise<void>;
  onDrawn?(jpeg: Uint8Array, at: number): void;
  /** Called when the user chooses between a fixed page size and the pane's. */
  onFixedSize?(fixed: boolean): void;
  /** Creates a new session after this one has ended. */
  newSession?(): void;
  /** Tries to connect again after the connection was lost. */
  retry(): void;
  /** What becomes of an element that is picked, and a call when picking begins or ends. */
  picking?: { onPicked(picked: LivePick): void; onChange(active: boolean): void };
  /** Saves the file of a download that is complete. */
  saveDownload(download: LiveDownload): Promise<void>;
  /** What is shown below the bar. */
  strip?: HTMLElement;
  /** What is shown below the picture. */
  below?: HTMLElement;
  /** Additional buttons of the bar. */
  extra?: readonly HTMLElement[];
}

/** The user interface of a live view, shared by the service's page and VS Code. */
export class Viewer {
  readonly picture: Picture;
  #options: ViewerOptions;
  #bar: Bar;
  #keyboard: Keyboard;
  #picker: ElementPicker;
  #downloads: DownloadList;
  #field: FieldChoice;
  #control = false;
  #canControl: boolean;
  #browserMac = false;
  #dialog: LiveDialog | null = null;
  #question: HTMLElement | undefined;
  #paneSize: PaneSize;
  #blank: BlankPage;
  #canResize = false;
  /** How many times the user has copied without a response of the service yet. */
  #copying = 0;
  /** Whether the user wants to type an address as soon as this viewer is in control. */
  #wantsAddress = false;
  #ended = false;
  /** Whether an agent uses the session, too. */
  #shared = false;
  #recording = false;
  #dialogPlace = element('div', { class: 'dialog-place' });
  #cover = element('div', { class: 'cover', role: 'status', hidden: true });
  #notice = element('p', { class: 'notice', role: 'status' });
  #spoken = element('p', { class: 'spoken', role: 'status' });
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;
  #status = element('span', { class: 'status clipped' });
  #controlButton = textButton('', () => this.toggleControl(), 'button secondary control');

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.#canControl = options.control !== undefined;
    const send = (message: FromViewer) => {
      if (message.type === 'copy') this.#copying++;
      options.send(message);
    };
    this.picture = new Picture({
      acknowledge: (seq) => send({ type: 'ack', seq }),
      onDrawn: (jpeg, at) => {
        this.#root.dataset.frames = String(Number(this.#root.dataset.frames ?? 0) + 1);
        if (!this.#ended) this.#cover.hidden = true;
        this.#blank.look();
        options.onDrawn?.(jpeg, at);
      },
      onLaidOut: (fits) => this.#bar.setFits(fits),
    });
    this.#keyboard = new Keyboard({
      send,
      onEscape: () => this.#leavePage(),
      viewerMac: /Mac/i.test(navigator.platform),
      browserMac: () => this.#browserMac,
    });
    this.#bar = new Bar({
      send,
      onActualSize: () => this.toggleActualSize(),
      onFixedSize: () => this.toggleFixedSize(),
      onAddress: () => this.#typeAddress(),
      extra: options.extra ?? [],
    });
    this.#paneSize = new PaneSize({ pane: this.picture.pane, send });
    this.#blank = new BlankPage({
      bar: this.#bar,
      picture: this.picture,
      state: () => ({ control: this.#control, canControl: this.#canControl, ended: this.#ended }),
      onType: () => this.#typeAddress(),
    });
    followPointer({
      picture: this.picture,
      send,
      active: () => this.#control && !this.#ended && this.#dialog === null && !this.#picker.active,
      onPress: (event) => {
        this.#field.close();
        this.#focusKeyboard(event);
      },
    });
    this.#picker = new ElementPicker({
      picture: this.picture,
      ask: ({ x, y }) => send({ type: 'pick', x, y }),
      onPicked: (picked) => options.picking?.onPicked(picked),
      onChange: () => {
        this.#root.classList.toggle('picking', this.#picker.active);
        this.#showStatus();
        options.picking?.onChange(this.#picker.active);
      },
    });
    this.#field = new FieldChoice({
      picture: this.picture,
      send,
      onClose: () => {
        if (this.#control) this.#keyboard.field.focus({ preventScroll: true });
      },
    });
    this.#downloads = new DownloadList((download) => options.saveDownload(download));
    this.#controlButton.hidden = !this.#canControl;
    this.picture.pane.append(this.#keyboard.field);
    const stage = [this.picture.pane, this.#blank.element, this.#dialogPlace, this.#cover];
    options.root.replaceChildren(
      this.#bar.element,
      ...(options.strip ? [options.strip] : []),
      element('div', { class: 'stage' }, ...stage),
      ...(options.below ? [options.below] : []),
      this.#downloads.element,
      this.#notice,
      this.#spoken,
      element('footer', { class: 'foot row quiet' }, this.#status, this.#controlButton),
    );
    options.root.classList.add('viewer');
    for (const name of ['focus', 'blur']) this.#keyboard.field.addEventListener(name, () => this.#showStatus());
    document.addEventListener('visibilitychange', () => {
      if (!this.#ended) send({ type: 'watch', on: !document.hidden });
    });
    setInterval(() => {
      this.#showStatus();
      this.#blank.look();
    }, 1_000);
    setTimeout(() => {
      if (this.picture.isEmpty && !this.#ended && this.#cover.hidden)
        this.#showCover(l10n.t('Waiting for the first picture…'));
    }, showWaitingAfterMs);
    this.#showControl();
  }

  /** Handles a message of the service. */
  receive(message: ToViewer): void {
    if (message.type === 'welcome') this.#welcome(message);
    else if (message.type === 'tabs') {
      this.#bar.setTabs(message.tabs, message.shown);
      this.#blank.show();
      this.#describe();
    } else if (message.type === 'state') {
      this.#bar.setState(message);
      if (message.loading) this.#field.close();
    } else if (message.type === 'dialog') this.#showDialog(message.dialog);
    else if (message.type === 'notice') this.showNotice(message.text, message.open);
    else if (message.type === 'field' && this.#control) this.#field.show(message.field);
    else if (message.type === 'downloads') this.#downloads.show(message.downloads, this.#canResize);
    else if (message.type === 'picked') this.#picker.receive(message.element);
    else if (message.type === 'clipboard' && this.#copying > 0) void this.#copy(message.text);
    else if (message.type === 'ended')
      this.showEnded(l10n.t('The session has ended: {0}.', message.reason.replace(/\.$/, '')));
  }

  /** Handles a frame as received from the service. */
  frame(bytes: Uint8Array): void {
    if (!this.#ended) this.picture.take(bytes);
  }

  /** Shows that the session is over, and why; the last picture stays. */
  showEnded(text: string): void {
    this.#ended = true;
    this.#picker.active = false;
    this.#blank.show();
    this.#setControl(false);
    this.#showDialog(null);
    this.#root.classList.add('ended');
    const { newSession } = this.#options;
    this.#showCover(text, newSession && textButton(l10n.t('New session'), () => newSession()));
    this.#showStatus();
  }

  /** Shows that the connection was lost; the session may still be running. */
  showLost(text: string): void {
    if (this.#ended) return;
    this.#setControl(false);
    this.#root.classList.add('lost');
    this.#showCover(
      text,
      textButton(l10n.t('Try again'), () => this.#options.retry()),
    );
    this.#showStatus();
  }

  /** Shows a notice for a few seconds, or with a button that opens an address until the next one. */
  showNotice(text: string, open?: string): void {
    clearTimeout(this.#noticeTimer);
    this.#notice.textContent = text;
    const clear = () => this.#notice.replaceChildren();
    if (open === undefined || !this.#control) {
      this.#noticeTimer = setTimeout(clear, noticeMs);
      return;
    }
    const use = () => {
      clear();
      this.#options.send({ type: 'navigate', url: open });
    };
    this.#notice.append(' ', textButton(l10n.t('Use {0}', open.replace(/\/$/, '')), use));
  }

  /** Shows a question over the picture until it is replaced; undefined removes it. A dialog of the page comes first. */
  showQuestion(question: HTMLElement | undefined): void {
    this.#question = question;
    this.#showDialog(this.#dialog);
  }

  /** Shows whether an agent uses the session, too: releasing control hands it back to the agent. */
  setShared(shared: boolean): void {
    if (shared === this.#shared) return;
    this.#shared = shared;
    this.#showControl();
  }

  /** Shows whether what the user does is recorded. */
  setRecording(on: boolean): void {
    this.#recording = on;
    this.#spoken.textContent = on ? l10n.t('recording') : l10n.t('recording ended');
    this.#showStatus();
  }

  toggleControl(): void {
    if (this.#ended) return;
    if (this.#control || this.#canControl) this.#options.control?.(!this.#control);
  }

  /** Begins or ends to pick an element of the page. */
  togglePicking(): void {
    this.#picker.active = !this.#picker.active && !this.#ended && this.#canResize;
  }

  toggleActualSize(): void {
    this.picture.actualSize = !this.picture.actualSize;
    this.#bar.setActualSize(this.picture.actualSize);
  }

  /** Switches between the pane's size and a fixed size of the page. */
  toggleFixedSize(): void {
    this.setFixedSize(!this.#paneSize.fixed);
    this.#options.onFixedSize?.(this.#paneSize.fixed);
  }

  setFixedSize(fixed: boolean): void {
    this.#paneSize.fixed = fixed;
    this.#bar.setSizing(this.#canResize, fixed);
  }

  /** Shows another session, or the same one again. `canControl` is false if nobody can control it here. */
  reset(canControl: boolean): void {
    this.#ended = false;
    this.#root.classList.remove('ended', 'lost');
    this.#cover.hidden = true;
    this.#canControl = canControl;
    this.#setControl(false);
    this.#showDialog(null);
    this.#bar.setTabs([], null);
    this.#downloads.show([], false);
    this.#blank.show();
    this.#controlButton.hidden = !canControl;
  }

  get #root(): HTMLElement {
    return this.#options.root;
  }

  #welcome({ control, canResize, mac, downloads }: Extract<ToViewer, { type: 'welcome' }>): void {
    this.#browserMac = mac;
    this.#root.classList.remove('lost');
    this.#cover.hidden = true;
    this.#canResize = canResize;
    this.#bar.setSizing(canResize, this.#paneSize.fixed);
    this.#setControl(control);
    // First, as they take room from the page.
    this.#downloads.show(downloads, canResize);
    this.#paneSize.connected(canResize);
    if (document.hidden) this.#options.send({ type: 'watch', on: false });
  }

  #setControl(control: boolean): void {
    const changed = control !== this.#control;
    this.#control = control;
    if (!control) this.#field.close();
    this.#bar.setControl(control);
    this.#showControl();
    if (this.#dialog) this.#showDialog(this.#dialog);
    if (!changed) return;
    this.#spoken.textContent = control ? l10n.t('in control') : l10n.t('watching, read-only');
    if (control) this.#focusControl();
    else if (document.activeElement === this.#keyboard.field) this.#controlButton.focus();
  }

  #focusControl(): void {
    if (this.#wantsAddress || isBlank(this.#bar.url)) this.#bar.address.focus();
    else this.#keyboard.field.focus();
    if (this.#wantsAddress) this.#bar.address.select();
    this.#wantsAddress = false;
  }

  /** Leads to the address field, which can be edited in control only. */
  #typeAddress(): void {
    if (this.#ended) return;
    if (this.#control) return this.#bar.address.focus();
    if (!this.#canControl || !this.#options.control) return;
    this.#wantsAddress = true;
    this.#options.control(true);
  }

  #showControl(): void {
    this.#root.classList.toggle('in-control', this.#control);
    this.#root.dataset.control = String(this.#control);
    const release = this.#shared ? l10n.t('Hand back (Esc)') : l10n.t('Release (Esc)');
    this.#controlButton.textContent = this.#control ? release : l10n.t('Take control');
    this.#controlButton.disabled = this.#ended;
    this.#keyboard.field.tabIndex = this.#control ? 0 : -1;
    this.picture.pane.tabIndex = this.#control || this.#ended ? -1 : 0;
    this.#blank.show();
    this.#showStatus();
  }

  /** Handles Escape: releases control if possible; in any case the keyboard leaves the page. */
  #leavePage(): void {
    if (this.#options.control) this.#options.control(false);
    else this.#bar.address.focus();
  }

  #focusKeyboard(event: MouseEvent): void {
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
      ...(dialog && !this.#ended ? [dialogElement(dialog, this.#control, this.#options.send)] : []),
      ...(this.#question && !dialog && this.#control && !this.#ended ? [this.#question] : []),
    );
    if (!this.#control) return;
    if (dialog || this.#question) this.#dialogPlace.querySelector<HTMLElement>('input, button')?.focus();
    else if (document.activeElement === document.body) this.#keyboard.field.focus();
  }

  async #copy(text: string): Promise<void> {
    this.#copying--;
    if (!text) return this.showNotice(l10n.t('Nothing is selected on the page.'));
    try {
      await this.#options.copy(text);
      this.showNotice(l10n.t('Copied.'));
    } catch {
      this.showNotice(
        l10n.t(
          "Couldn't copy: the browser blocked access to the clipboard. Allow it for this page in the browser's settings.",
        ),
      );
    }
  }

  #showCover(text: string, button?: HTMLElement): void {
    this.#cover.hidden = false;
    this.#cover.replaceChildren(element('div', { class: 'cover-text' }, element('p', {}, text), button));
  }

  #describe(): void {
    this.picture.canvas.setAttribute('role', 'img');
    const { title } = this.#bar;
    const name = title ? l10n.t('Picture of {0}', title) : l10n.t('Picture of the page');
    this.picture.canvas.setAttribute('aria-label', name);
  }

  #showStatus(): void {
    this.#status.textContent = this.#statusText();
    this.#root.classList.toggle('typing', this.#control && document.activeElement === this.#keyboard.field);
  }

  #statusText(): string {
    if (this.#ended) return l10n.t('ended');
    if (this.#root.classList.contains('lost')) return l10n.t('not connected');
    if (this.#picker.active) return l10n.t('click an element to insert its locator · Esc to cancel');
    const rate = this.picture.framesPerSecond;
    const speed = rate === 0 ? l10n.t('page not changing') : l10n.t('{0} fps', rate);
    if (!this.#control) return l10n.t('watching · read-only · {0}', speed);
    if (this.#recording) return l10n.t('in control · recording to the editor · {0}', speed);
    if (this.#dialog) return l10n.t('in control · the page is waiting for an answer · {0}', speed);
    const typing = document.activeElement === this.#keyboard.field;
    if (typing) return l10n.t('in control · keys go to the page · {0}', speed);
    return l10n.t('in control · click the picture to type · {0}', speed);
  }
}
