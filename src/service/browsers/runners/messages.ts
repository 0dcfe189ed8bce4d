import { limits } from '../../../contract/limits.ts';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';
import { createTurn } from '../../platform/async.ts';
import type { RunPlace } from './place.ts';
import type { RunRequest } from './runner.ts';

/**
 * Messages between the service and a runner program, as lines of JSON: to the program over file descriptor 3, from it over
 * 4. A third pipe, 5, carries no data: it closes when the service exits.
 */
export type ToRunner = StartMessage | RunMessage;

/** The first message: the URL of the browser. Not passed in argv, which other users can read. */
export interface StartMessage {
  type: 'start';
  cdpUrl: string;
  /** Folder of the browser's downloads, where Playwright looks for them. */
  downloads?: string | undefined;
  /** For a program in another language: the JavaScript function that returns what a handle stands for, and its limits. */
  handles: { source: string; length: number; timeoutMs: number };
}

/** Its place is absent if the code has no file, and runs in the session's own folder. */
export interface RunMessage
  extends Partial<Pick<RunPlace, 'file' | 'line' | 'directory'>>,
    Pick<RunRequest, 'code' | 'tab'> {
  type: 'run';
  /** Identifies the run. Only the runner's own code sees it, so that a snippet's output can't pass for a result. */
  nonce: string;
  /** Maximum bytes of the result. */
  resultLimit: number;
  /** Environment variables that change: null removes one. */
  environment: Readonly<Record<string, string | null>>;
}

export type FromRunner =
  /** `error` says why the browser can't be reached. */
  | { type: 'ready'; error?: string | undefined }
  /** The code is about to run. If the process exits before this message, the code isn't the cause. */
  | { type: 'started'; nonce: string }
  | ResultMessage;

export interface ResultMessage {
  type: 'result';
  nonce: string;
  exitCode: number;
  /** Text of the last value. Absent if there is none. */
  result?: string | undefined;
  error?: string | undefined;
  /** Bytes of the result before it was cut. Absent if it wasn't. */
  size?: number | undefined;
  /** Members of the value, if it is a list. */
  rows?: number | undefined;
}

/** Maximum bytes of a line: enough for a result and an error message with all their characters escaped. */
const maxLineLength = 16 * 1024 * 1024;
/** The same for a result that is kept whole. */
export const maxWholeLineLength = 6 * limits.wholeResult.each + maxLineLength;

/** Bytes from which on a line takes a moment to parse, and at its beginning, where it says which run it is about. */
const [longLine, headLength] = [64 * 1024, 200];

/**
 * Creates a reader that splits bytes into lines and parses each as JSON. Ignores lines that aren't messages. It reads in short
 * turns, however many lines a chunk has: it takes the next chunk once it has resolved. Never rejects.
 * @param nonce returns that of the current run, unless its snippet knows it: lines without it are a snippet's, and aren't parsed
 */
export function createMessageReader(
  onMessage: (message: FromRunner) => void,
  nonce: () => string | undefined,
  maxLength = maxLineLength,
): (chunk: Buffer) => Promise<void> {
  let received = new ReceivedBytes();
  return async (chunk) => {
    const turn = createTurn();
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (turn.isOver) await turn.end();
      let line = chunk.subarray(start, end);
      if (received.length > 0) {
        received.push(line);
        line = received.whole();
        received = new ReceivedBytes();
      }
      const own = nonce();
      const mayBeMessage =
        own === undefined ? line.length <= longLine : line.subarray(0, headLength).includes(`"${own}"`);
      const message = mayBeMessage ? parse(line) : undefined;
      if (message) onMessage(message);
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (received.length + rest.length > maxLength) received = new ReceivedBytes();
    else received.push(rest);
  };
}

function parse(line: Buffer): FromRunner | undefined {
  try {
    const message = JSON.parse(line.toString()) as FromRunner | null;
    const isResult = message?.type === 'result' && Number.isInteger(message.exitCode);
    return isResult || message?.type === 'ready' || message?.type === 'started' ? message : undefined;
  } catch {
    return undefined;
  }
}
