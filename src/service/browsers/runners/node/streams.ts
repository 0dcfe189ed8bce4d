import { Console } from 'node:console';
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { InspectOptions } from 'node:util';

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Output is held for at most so many bytes and milliseconds, for so many texts at a time. */
const heldLimits = { bytes: 1024 * 1024, ms: 500, texts: 100 } as const;

/** Stands in the output for a text that isn't there yet. It can't be guessed, and is too long for a column of a list. */
const mark = `\0${randomBytes(32).toString('hex')}:`;
const marks = new RegExp(`${mark}(\\d+)\0`, 'g');
/** What marks stand for, by their number. */
const texts = new Map<string, { text: string; isThere: boolean }>();
/** What was written from the first mark on, in order. */
const held: { fd: number; bytes: Buffer; marked: string[]; since: number }[] = [];
let heldBytes = 0;
let lastMark = 0;
let awaited = 0;
let settled: Promise<unknown> = Promise.resolve();
let isExiting = false;

/**
 * Returns what `console` is to print for a text that isn't there yet: a mark. Output is held from there on until the text is
 * found, or for a short time. Returns `instead` where nothing can be held.
 * @param find finds the text, soon. Never rejects
 * @param instead the text until then
 */
export function printLater(find: () => Promise<string>, instead: string): string {
  const isReplaced = [process.stdout, process.stderr].some(({ write }) => write !== Writable.prototype.write);
  if (isExiting || isReplaced || awaited >= heldLimits.texts) return instead;
  const id = String(++lastMark);
  const later = { text: instead, isThere: false };
  texts.set(id, later);
  awaited++;
  const found = find().then((text) => {
    Object.assign(later, { text, isThere: true });
    awaited--;
    release((marked) => marked.every((each) => texts.get(each)?.isThere));
    if (awaited === 0) texts.clear();
  });
  settled = Promise.all([settled, found]);
  return `${mark}${id}\0`;
}

/** Resolves when the texts that are awaited now have been written. */
export async function outputIsWritten(): Promise<void> {
  await settled;
}

/** Writes the output that is held, as far as its marks may be replaced. */
export function release(mayWrite: (marked: readonly string[]) => boolean = () => true): void {
  for (let next = held[0]; next && mayWrite(next.marked); next = held[0]) {
    held.shift();
    heldBytes -= next.bytes.length;
    const text = () => next.bytes.toString().replace(marks, (_, id: string) => texts.get(id)?.text ?? '');
    writeAll(next.fd, next.marked.length > 0 ? Buffer.from(text()) : next.bytes);
  }
}

/** Writes bytes in order, after what is held. */
function write(fd: number, bytes: Buffer): void {
  const isMarked = texts.size > 0 && bytes.includes(mark);
  if (held.length === 0 && !isMarked) return writeAll(fd, bytes);
  const marked = isMarked ? [...bytes.toString().matchAll(marks)].map(([, id = '']) => id) : [];
  // Whoever wrote the bytes may change them.
  held.push({ fd, bytes: Buffer.from(bytes), marked, since: performance.now() });
  heldBytes += bytes.length;
  const [first] = held;
  // Code that goes on without letting a text arrive gets its output too.
  if (heldBytes > heldLimits.bytes || (first && performance.now() - first.since > heldLimits.ms)) release();
}

/** Writes all bytes before it returns, so that no output is lost and a fast writer waits for its reader. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A program that the snippet started may have made the shared descriptor non-blocking.
      if (code === 'EAGAIN') Atomics.wait(pause, 0, 0, 1);
      else if (code === 'EPIPE') return;
      else throw error;
    }
  }
}

/** A standard stream that can't be closed, like those of Node.js. */
class StandardStream extends Writable {
  readonly fd: number;

  constructor(fd: number) {
    super({ decodeStrings: true });
    this.fd = fd;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    write(this.fd, chunk);
    done();
  }

  override end(...args: unknown[]): this {
    const [chunk] = args;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk);
    const done = args.findLast((argument) => typeof argument === 'function');
    if (typeof done === 'function') setImmediate(() => done());
    return this;
  }

  override destroy(): this {
    return this;
  }
}

/** Replaces `process.stdout`, `process.stderr` and `console` with synchronous streams without color. */
export function installStreams(): void {
  const stdout = new StandardStream(1);
  const stderr = new StandardStream(2);
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true, enumerable: true });
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true });
  // The inspection of an object is told that `console` prints it.
  const inspectOptions = { isPrinted: true } as InspectOptions;
  const plain = new Console({ stdout, stderr, colorMode: false, inspectOptions });
  for (const key of Reflect.ownKeys(plain)) {
    const descriptor = Object.getOwnPropertyDescriptor(plain, key);
    if (descriptor) Object.defineProperty(globalThis.console, key, { ...descriptor, configurable: true });
  }
  process.on('exit', () => {
    release();
    isExiting = true;
  });
}
