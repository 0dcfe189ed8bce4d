import { stripVTControlCharacters, types } from 'node:util';
import { cutText } from '../output.ts';
import { classifyFrame, ownPosition } from './stack.ts';
import { inspectSafely } from './values.ts';

/** Maximum bytes of an error message. */
const messageLimit = 64 * 1024;

/** A thrown value as text. */
export interface Failure {
  /** For stderr: message, frames of the snippet, cause and other properties. */
  report: string;
  /** Message and position. */
  message: string;
}

/**
 * Describes a value that a snippet threw.
 * @param position `snippet.js:LINE:COLUMN`, for errors without frames: syntax and import errors
 */
export function describeThrown(thrown: unknown, position?: string): Failure {
  if (!isError(thrown)) {
    const message = cut(`Uncaught ${inspectSafely(thrown)}`);
    return { report: message, message };
  }
  hideRepeated(thrown);
  const stack = stackOf(thrown);
  const lines = stack.split('\n');
  const end = lines.findIndex((line) => classifyFrame(line) !== 'no frame');
  const head = (end === -1 ? lines : lines.slice(0, end)).join('\n').trimEnd();
  const report = withName(thrown, showFrames(stripVTControlCharacters(inspectSafely(thrown)), position));
  // If an error comes from Node.js itself, the position in the snippet may be only in its cause.
  const shownPosition = position ?? ownPosition(stack) ?? ownPosition(report);
  return { report, message: cut(withName(thrown, head)) + at(shownPosition) };
}

/** Whether a thrown value is a syntax error without a frame in a snippet. */
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

/** Hides the name and log of a Playwright error, which `util.inspect` would repeat after the message. */
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

/** Adds the name of an error to its text, which Playwright omits. */
function withName(error: Error, text: string): string {
  const { name } = error;
  return typeof name !== 'string' || name === 'Error' || text.includes(name) ? text : `${name}: ${text}`;
}

/** Removes hidden frames from an inspected error. */
function showFrames(inspected: string, position: string | undefined): string {
  const lines: string[] = [];
  let framesSeen = false;
  for (const line of inspected.split('\n')) {
    const frame = classifyFrame(line);
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
