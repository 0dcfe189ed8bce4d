import type { LiveField, LiveStatement } from '../../../../contract/sessions/live-view.ts';
import type { CdpSend } from '../../chrome/protocol.ts';
import { FieldPickers } from '../fields/field-pickers.ts';
import type { FileChooser } from '../file-chooser.ts';
import type { WatchedTabOptions } from '../live-tab.ts';
import { evaluateIn } from '../page-objects.ts';
import { pickAt } from '../picking/picker.ts';
import { Recorder } from '../recorder/recorder.ts';
import type { Step } from '../recorder/statements.ts';
import type { Size } from '../viewer.ts';
import { GestureQueue, withinAfter } from './gesture-queue.ts';
import { type Gesture, Gestures } from './input.ts';
import { selectionExpression } from './selection.ts';

/** How long it is waited for a page to handle input. */
const maxHandledMs = 1_000;
/** How long the end of a recording waits for what was done before it. */
const maxEndMs = 5_000;

export interface TabInputOptions extends Pick<WatchedTabOptions, 'targetId' | 'mac' | 'url' | 'after'> {
  send: CdpSend;
  /** Returns the size of the page's viewport in CSS pixels. */
  size(): Size;
  /** Whether a dialog keeps the page from answering. */
  hasDialog(): boolean;
  onField(field: LiveField): void;
}

/** What viewers in control do in the page of a tab: it goes to the page, to the lists of its fields, and to a recording. */
export class TabInput {
  #options: TabInputOptions;
  #gestures: Gestures;
  #queue: GestureQueue;
  #fields: FieldPickers;
  #recorder: Recorder | undefined;
  /** Whether the button that is down went to the list or the picker of a field. */
  #isFieldPressed = false;

  constructor(options: TabInputOptions) {
    this.#options = options;
    const { send, targetId, mac, size, after } = options;
    this.#gestures = new Gestures({ send, size, mac });
    this.#fields = new FieldPickers(send, targetId, mac);
    this.#queue = new GestureQueue({
      apply: (gesture) => this.#gestures.apply(gesture),
      takes: (gesture) => this.#takes(gesture),
      after,
    });
  }

  gesture(gesture: Gesture): void {
    this.#queue.add(gesture);
  }

  /** Gives a field what was chosen in its list or picker. */
  async choose(id: string, value: string): Promise<void> {
    await this.#recorded((recorder) => recorder.chosen({ label: this.#fields.labelOf(id, value), value }));
    await this.#fields.choose(id, value);
  }

  /** Returns the selected text; `cut` also removes it. */
  async selection(cut: boolean): Promise<string> {
    const { send, targetId } = this.#options;
    // Input takes another way to the page than commands do, which may overtake it.
    await withinAfter(this.#options.after, maxHandledMs, this.#queue.idle);
    await this.#handled();
    const expression = selectionExpression(cut);
    const { value } = await evaluateIn(send, targetId, { expression, returnByValue: true, timeout: 2_000 });
    return String(value ?? '');
  }

  /** Begins to record what is done in the page, beginning with its address; without `emit`, ends that once all is emitted. */
  async record(emit?: (statement: LiveStatement) => void): Promise<void> {
    await this.#recorded((recorder) => recorder.flush(), maxEndMs);
    this.#recorder = undefined;
    if (!emit) return;
    const { send, targetId, after } = this.#options;
    const recorder = new Recorder({ send, mainFrame: targetId, handled: () => this.#handled(), emit, after });
    const url = this.#options.url();
    if (/^https?:/.test(url)) await recorder.step({ kind: 'goto', url });
    this.#recorder = recorder;
    // Loads what finds locators, so that the first click needn't wait for it.
    await pickAt(send, targetId, { x: 0, y: 0 }).catch(() => undefined);
  }

  /** Records what is about to be done with the page as a whole. */
  async recordStep(step: Step): Promise<void> {
    await this.#recorded((recorder) => recorder.step(step));
  }

  recordFiles({ field }: FileChooser, names: readonly string[]): void {
    if (names.length > 0) void this.#recorded((recorder) => recorder.files(field, names));
  }

  /** Resolves when something is recorded, if anything is. */
  async #recorded(work: (recorder: Recorder) => Promise<void>, ms = maxHandledMs): Promise<void> {
    const recorder = this.#recorder;
    if (!recorder) return;
    const recorded = this.#queue.idle.then(() => work(recorder)).catch(() => undefined);
    await withinAfter(this.#options.after, ms, recorded);
  }

  #takes(gesture: Gesture): boolean | Promise<boolean> {
    const recorder = this.#options.hasDialog() ? undefined : this.#recorder;
    if (!recorder?.records(gesture)) return this.#opensField(gesture);
    // What can't be recorded is done all the same.
    const recording = this.#handled()
      .then(() => recorder.before(gesture))
      .catch(() => undefined);
    return recording.then(() => this.#opensField(gesture));
  }

  /** Whether a gesture opens the list or the picker of a field, which is shown to its viewer instead. */
  #opensField(gesture: Gesture): boolean | Promise<boolean> {
    const show = (field: LiveField | undefined) => {
      if (field) this.#options.onField(field);
      return field !== undefined;
    };
    if (gesture.type === 'key') {
      // Which field has the focus is decided by what was done before.
      const focused = () => this.#handled().then(() => this.#fields.focused(gesture));
      return this.#fields.mayOpen(gesture) && focused().then(show);
    }
    if (gesture.type !== 'mouse' || gesture.button !== 'left' || this.#options.hasDialog()) return false;
    if (gesture.action === 'up') {
      const isTaken = this.#isFieldPressed;
      this.#isFieldPressed = false;
      return isTaken;
    }
    // An answer that came too late for its press says nothing of this one.
    this.#isFieldPressed = false;
    return this.#fields.at(gesture).then((field) => {
      this.#isFieldPressed = show(field);
      return this.#isFieldPressed;
    });
  }

  /** Resolves when the page has handled the input so far. */
  async #handled(): Promise<void> {
    await withinAfter(this.#options.after, maxHandledMs, this.#gestures.handled);
  }
}
