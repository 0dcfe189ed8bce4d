import { randomUUID } from 'node:crypto';
import type { LiveChooser, ToViewer, ViewerInput } from '../../../contract/sessions/live-view.ts';
import { fileLimits } from '../../../contract/sessions/live-view-wire.ts';
import { messageOf } from '../../platform/errors.ts';
import type { CdpEvents, CdpSend } from '../chrome/protocol.ts';
import { callOn, objectOf, type PageNode } from './page-objects.ts';
import type { Viewer } from './viewer.ts';

type ChosenFile = Extract<ViewerInput, { type: 'files' }>['files'][number];
type Piece = Omit<Extract<ToViewer, { type: 'send-file' }>, 'type'>;

/** How many pieces are on their way at a time: inputs and frames of a slow connection wait for no more than these. */
const piecesAhead = 4;

/**
 * A file chooser that a page has opened. What is chosen is put together in the page, in a world of its own: the browser
 * may run on another machine, or in a sandbox that sees none of the service's files.
 */
export class FileChooser {
  readonly shown: LiveChooser;
  /** The element of the page that takes the files. */
  readonly field: PageNode;
  #send: CdpSend;
  #object: string;
  #files: readonly ChosenFile[] | undefined;
  #left: Iterator<Piece> = [].values();
  /** Pieces that were asked for, oldest first. */
  #asked: Piece[] = [];
  /** How many pieces aren't in the page yet. */
  #missing = 0;
  #work: Promise<void> = Promise.resolve();
  #finish: { ask(piece: Piece): void; resolve(): void; reject(error: unknown): void } | undefined;

  private constructor(send: CdpSend, object: string, field: PageNode, shown: LiveChooser) {
    this.#send = send;
    this.#object = object;
    this.field = field;
    this.shown = shown;
  }

  /** Returns the file chooser of an event of the browser; undefined if it belongs to no field. */
  static async open(send: CdpSend, event: CdpEvents['Page.fileChooserOpened']): Promise<FileChooser | undefined> {
    const { frameId, mode, backendNodeId } = event;
    if (backendNodeId === undefined) return undefined;
    const field = { node: backendNodeId, frame: frameId };
    const chooser = { id: randomUUID(), multiple: mode === 'selectMultiple', accept: '' };
    const opened = new FileChooser(send, await objectOf(send, field), field, chooser);
    chooser.accept = String(await opened.#call('function() { return this.accept; }')).slice(0, 1_000);
    return opened;
  }

  /** Takes the answer of a viewer, and asks for the bytes. Resolves when the page has the files; rejects with what keeps it from them. */
  async answer(files: readonly ChosenFile[], ask: (piece: Piece) => void): Promise<void> {
    if (this.#files) return;
    this.#files = this.shown.multiple ? files : files.slice(0, 1);
    if (this.#files.length === 0) return void (await this.#call(cancel));
    const total = this.#files.reduce((sum, { size }) => sum + size, 0);
    if (total > fileLimits.total) {
      await this.#call(cancel);
      throw new Error(
        `the files have ${megabytes(total)}, but the live view takes up to ${megabytes(fileLimits.total)} at once. Set larger ones from code with page.setInputFiles(…).`,
      );
    }
    this.#left = piecesOf(this.#files);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#finish = { ask, resolve, reject };
    for (let count = 0; count < piecesAhead; count++) this.#askNext();
    if (this.#missing === 0) this.#complete();
    await promise;
  }

  /** Takes the next piece. Returns whether it was asked for. */
  receive(bytes: Buffer): boolean {
    const piece = this.#asked.shift();
    const finish = this.#finish;
    if (!piece || !finish || bytes.byteLength !== piece.end - piece.start) return false;
    this.#work = this.#work.then(async () => {
      await this.#call(addPiece, piece.file, bytes.toString('base64'));
      this.#missing--;
      this.#askNext();
      if (this.#missing === 0) this.#complete();
    });
    this.#work.catch(finish.reject);
    return true;
  }

  #askNext(): void {
    const { value, done } = this.#left.next();
    if (done) return;
    this.#missing++;
    this.#asked.push(value);
    this.#finish?.ask(value);
  }

  #complete(): void {
    const files = this.#files?.map(({ name, mediaType }) => ({ name, type: mediaType }));
    this.#call(choose, files).then(this.#finish?.resolve, this.#finish?.reject);
  }

  async #call(functionDeclaration: string, ...args: unknown[]): Promise<unknown> {
    const { result, exceptionDetails } = await callOn(this.#send, this.#object, functionDeclaration, ...args);
    if (exceptionDetails) throw new Error('the field of the page took no files');
    return result.value;
  }
}

function* piecesOf(files: readonly ChosenFile[]): Generator<Piece, undefined> {
  for (const [file, { size }] of files.entries())
    for (let start = 0; start < size; start += fileLimits.piece)
      yield { file, start, end: Math.min(start + fileLimits.piece, size) };
}

const addPiece = `function(file, text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  ((this.pieces ??= {})[file] ??= []).push(bytes);
}`;

const choose = `function(files) {
  const transfer = new DataTransfer();
  for (const [index, { name, type }] of files.entries())
    transfer.items.add(new File(this.pieces?.[index] ?? [], name, { type }));
  delete this.pieces;
  this.files = transfer.files;
  for (const name of ['input', 'change']) this.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
}`;

const cancel = `function() { this.dispatchEvent(new Event('cancel', { bubbles: true })); }`;

function megabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 1e5) / 10).toFixed(bytes % 1e6 === 0 ? 0 : 1)} MB`;
}

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
