import { Console } from 'node:console';
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const pause = new Int32Array(new SharedArrayBuffer(4));

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

/** Creates a standard stream that can't be closed, like those of Node.js. */
function createStream(fd: number) {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeAll(fd, chunk);
      done();
    },
  });
  return Object.assign(stream, {
    fd,
    end(...args: unknown[]) {
      const [chunk] = args;
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) stream.write(chunk);
      const done = args.findLast((argument) => typeof argument === 'function');
      if (typeof done === 'function') setImmediate(() => done());
      return stream;
    },
    destroy: () => stream,
  });
}

/** Replaces `process.stdout`, `process.stderr` and `console` with synchronous streams without color. */
export function installStreams(): void {
  const stdout = createStream(1);
  const stderr = createStream(2);
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true, enumerable: true });
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true });
  Object.assign(globalThis.console, new Console({ stdout, stderr, colorMode: false }));
}
