import { stripVTControlCharacters, types } from 'node:util';
import { cutText } from '../output.ts';
import { originalMessage } from './rewrite/names.ts';
import { classifyFrame, ownPosition, projectFrame, withFirstFrame } from './stack.ts';
import { inspectSafely } from './values.ts';

const messageLimit = 64 * 1024;
const maxFrames = 20;
/** The head of an error that Node.js found in a file: its position, the source line and carets below it, or nothing at its end. */
const sourceHead =
  /^((?:file:\/\/|\/|[A-Za-z]:[\\/])[^\n]*):(\d+)\n(?:(?:[^\n]*\n){0,20}?([^\S\n]*)\^+[^\n]*\n+|\n+(?=SyntaxError))/;

/** Describes a value that a snippet threw. `report` is for stderr: message, frames of the snippet, cause and other properties. */
export function describeThrown(thrown: unknown): { report: string; message: string } {
  try {
    if (types.isNativeError(thrown) || (!types.isProxy(thrown) && thrown instanceof Error))
      return describeError(thrown);
  } catch {
    // An accessor of the error throws.
  }
  const message = cutText(`Uncaught ${inspectSafely(thrown)}`, messageLimit).text;
  return { report: message, message };
}

function describeError(thrown: Error) {
  hideRepeated(thrown);
  const found = stackOf(thrown);
  const stack = withoutSourceHead(found);
  if (stack !== found) Reflect.set(thrown, 'stack', stack);
  const lines = stack.split('\n');
  const end = lines.findIndex((line) => classifyFrame(line) !== 'no frame');
  const head = (end === -1 ? lines : lines.slice(0, end)).join('\n').trimEnd();
  const report = originalMessage(withName(thrown, showFrames(stripVTControlCharacters(inspectSafely(thrown)))));
  // If an error comes from Node.js itself, the position in the snippet may be only in its cause.
  const position = ownPosition(stack) ?? ownPosition(report);
  const frames = shownFrames(lines) || (position === undefined ? '' : `\n    at ${position}`);
  return { report, message: cutText(originalMessage(withName(thrown, head)), messageLimit).text + frames };
}

/** Returns the frames of a stack with one of a module of the project, each on a line. */
function shownFrames(lines: readonly string[]): string {
  if (!lines.some((line) => classifyFrame(line) === 'project')) return '';
  return lines
    .filter((line) => ['shown', 'project'].includes(classifyFrame(line)))
    .slice(0, maxFrames)
    .map((line) => `\n    ${(projectFrame(line) ?? line).trim()}`)
    .join('');
}

/** Returns a stack with the position that its head with the source line states as its first frame. */
function withoutSourceHead(stack: string): string {
  const [head = '', file = '', line, indent = ''] = sourceHead.exec(stack) ?? [];
  const frame = projectFrame(`    at ${file}:${line}:${indent.length + 1}`);
  return withFirstFrame(stack.slice(head.length), frame?.trim().slice(3));
}

function stackOf(error: Error): string {
  try {
    const { stack } = error;
    return stripVTControlCharacters(typeof stack === 'string' && stack !== '' ? stack : String(error));
  } catch {
    return 'Error';
  }
}

/** Hides the name and log of a Playwright error, which `util.inspect` would repeat after the message. */
function hideRepeated(error: Error): void {
  const isSaid = (line: unknown) => error.message.includes(String(line).trim());
  for (const key of ['name', 'log']) {
    const own = Object.getOwnPropertyDescriptor(error, key);
    const isRepeated =
      key === 'name' ? typeof own?.value === 'string' : Array.isArray(own?.value) && own.value.every(isSaid);
    if (own?.configurable && isRepeated) Object.defineProperty(error, key, { ...own, enumerable: false });
  }
}

/** Adds the name of an error to its text, which Playwright omits. */
function withName(error: Error, text: string): string {
  const { name } = error;
  return typeof name !== 'string' || name === 'Error' || text.includes(name) ? text : `${name}: ${text}`;
}

/** Removes hidden frames from an inspected error. */
function showFrames(inspected: string): string {
  const lines: string[] = [];
  let isStack = false;
  for (const line of inspected.split('\n')) {
    const frame = classifyFrame(line);
    if (frame !== 'no frame' && !isStack) while (lines.at(-1)?.trim() === '') lines.pop();
    isStack ||= frame !== 'no frame';
    if (frame !== 'hidden') lines.push(frame === 'project' ? (projectFrame(line) ?? line) : line);
    // The brace before the error's properties follows the last frame.
    else if (line.endsWith(' {')) lines.push(`${lines.pop() ?? ''} {`);
  }
  return lines.join('\n');
}
