import type { FromViewer, ToViewer } from '../../contract/sessions/live-view.ts';
import type { LastEditor } from './last-editor.ts';
import { RecordedSnippet } from './recorded-snippet.ts';

/** How long the service may take to write what is pending when a recording ends. */
const endMs = 8_000;

export interface ActionRecordingOptions {
  last: LastEditor;
  send(message: FromViewer): void;
  /** Takes control of the session; returns whether that has worked. */
  takeControl(): Promise<boolean>;
  /** Shows whether what the user does is recorded. */
  show(on: boolean): void;
  onProblem(error: unknown): void;
}

/** Records what the user does in control of a session as a snippet. */
export class ActionRecording {
  #options: ActionRecordingOptions;
  #snippet: RecordedSnippet;
  #on = false;
  #onEnd: (() => void) | undefined;

  constructor(options: ActionRecordingOptions) {
    this.#options = options;
    this.#snippet = new RecordedSnippet(options.last);
  }

  /** Handles a message of the service; returns whether it is about recording. */
  receive(message: ToViewer): boolean {
    if (message.type === 'recorded') this.#snippet.add(message.statement).catch(this.#options.onProblem);
    else if (message.type === 'recording') this.#set(message.on);
    else return false;
    return true;
  }

  /** Ends the recording, if there is one, once all of it is written. */
  async end(): Promise<void> {
    if (!this.#on) return;
    this.#options.send({ type: 'record', on: false });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, endMs);
      this.#onEnd = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The connection that recorded is gone. */
  lost(): void {
    if (this.#on) this.#set(false);
  }

  async begin(): Promise<void> {
    if (!(await this.#options.takeControl())) return;
    await this.#snippet.begin();
    this.#options.send({ type: 'record', on: true });
  }

  #set(on: boolean): void {
    this.#on = on;
    this.#options.show(on);
    if (!on) this.#onEnd?.();
  }
}
