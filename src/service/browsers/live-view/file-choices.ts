import type { ViewerInput } from '../../../contract/sessions/live-view.ts';
import { messageOf } from '../../platform/errors.ts';
import type { FileChooser } from './file-chooser.ts';
import type { Viewer } from './viewer.ts';

type Files = Extract<ViewerInput, { type: 'files' }>;

/** The file chooser that each viewer was asked about last. */
export class FileChoices {
  #open = new Map<Viewer, FileChooser>();

  /** Asks a viewer, instead of whatever it was asked before. */
  ask(viewer: Viewer, chooser: FileChooser): void {
    this.cancel(viewer);
    this.#open.set(viewer, chooser);
    viewer.send({ type: 'chooser', chooser: chooser.shown });
  }

  /** Takes a viewer's answer. Returns the chooser that it is for, if it is open. */
  answer(viewer: Viewer, { chooser: id, files }: Files): FileChooser | undefined {
    const chooser = this.#open.get(viewer);
    if (chooser?.shown.id !== id) return undefined;
    chooser
      .answer(files, (piece) => viewer.send({ type: 'send-file', ...piece }))
      .catch((error: unknown) => viewer.send({ type: 'notice', text: `No files were chosen: ${messageOf(error)}` }));
    return chooser;
  }

  receive(viewer: Viewer, bytes: Buffer): void {
    if (!this.#open.get(viewer)?.receive(bytes)) viewer.drop();
  }

  /** Tells the page that a viewer chooses nothing. */
  cancel(viewer: Viewer): void {
    const chooser = this.#open.get(viewer);
    this.#open.delete(viewer);
    chooser?.answer([], () => undefined).catch(() => undefined);
  }
}
