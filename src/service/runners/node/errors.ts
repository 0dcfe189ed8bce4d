import { stripVTControlCharacters, types } from 'node:util';
import { cutText } from '../output.ts';
import { judgeFrame, ownPosition } from './stack.ts';
import { inspectSafely } from './values.ts';

/** Bytes kept of an error's message. */
const messageLimit = 64 * 1024;

/** What is told of something thrown. */
export interface Failure {
  /** For standard error: message, frames of the snippet, cause and other properties. */
  report: string;
  /** Message and position. */
  message: string;
}

/**
 * Describes what a snippet threw, whatever it is.
 * @param position `snippet.js:LINE:COLUMN`, for what has no frames: errors of syntax and of imports
 */
export function describeThrown(thrown: unknown, position?: string): Failure {
  if (!isError(thrown)) {
    const message = cut(`Uncaught ${inspectSafely(thrown)}`);
    return { report: message, message };
  }
  hideRepeated(thrown);
  const stack = stackOf(thrown);
  const lines = stack.split('\n');
  const end = lines.findIndex((line) => judgeFrame(line) !== 'no frame');
  const head = (end === -1 ? lines : lines.slice(0, end)).join('\n').trimEnd();
  const report = named(thrown, showFrames(stripVTControlCharacters(inspectSafely(thrown)), position));
  // An error that came out of Node's own code may have its place in the snippet in its cause alone.
  const place = position ?? ownPosition(stack) ?? ownPosition(report);
  return { report, message: cut(named(thrown, head)) + at(place) };
}

/** Whether it is an error of syntax that has no frame in a snippet. */
export function isSyntaxError(thrown: unknown): boolean {
  return isError(thrown) && thrown.name === 'SyntaxError' && ownPosition(stackOf(thrown)) === undefined;
}

function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || (!types.isProxy(thrown) && thrown instanceof Error);
}

function stackOf(error: Error): string {
  try {
    const { stack } = error;
    if (typeof stack === 'string' && stack !== '') return stripVTControlCharacters(stack);
    return String(error);
  } catch {
    return 'Error';
  }
}

/** Playwright's errors carry a name and a log of their own, which `util.inspect` would show besides the message. */
function hideRepeated(error: Error & { log?: unknown }): void {
  hide(error, 'name', (name) => typeof name === 'string');
  hide(error, 'log', (log) => Array.isArray(log) && log.every((line) => error.message.includes(String(line).trim())));
}

function hide(error: Error, key: string, isRepeated: (value: unknown) => boolean): void {
  const own = Object.getOwnPropertyDescriptor(error, key);
  if (own?.configurable && own.enumerable && 'value' in own && isRepeated(own.value)) {
    Object.defineProperty(error, key, { ...own, enumerable: false });
  }
}

/** The text of an error with its name in front: Playwright leaves it out. */
function named(error: Error, text: string): string {
  const { name } = error;
  return typeof name !== 'string' || name === 'Error' || text.includes(name) ? text : `${name}: ${text}`;
}

/** An inspected error with only the frames that are worth showing. */
function showFrames(inspected: string, position: string | undefined): string {
  const lines: string[] = [];
  let framesSeen = false;
  for (const line of inspected.split('\n')) {
    const frame = judgeFrame(line);
    if (frame !== 'no frame' && !framesSeen) {
      framesSeen = true;
      while (lines.at(-1)?.trim() === '') lines.pop();
      if (position !== undefined) lines.push(at(position).slice(1));
    }
    if (frame !== 'hidden') lines.push(line);
    else if (line.endsWith(' {')) lines.push(`${lines.pop() ?? ''} {`);
  }
  return lines.join('\n');
}

function at(position: string | undefined): string {
  return position === undefined ? '' : `\n    at ${position}`;
}

function cut(text: string): string {
  return cutText(text, messageLimit).text;
}
