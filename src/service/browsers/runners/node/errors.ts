import { stripVTControlCharacters, types } from 'node:util';
import { cutText } from '../output.ts';
import { originalMessage } from './rewrite/names.ts';
import { classifyFrame, ownPosition, projectFrame, rememberedPosition } from './stack.ts';
import { inspectSafely } from './values.ts';

const messageLimit = 64 * 1024;
const maxFrames = 20;
/** The head of an error that Node.js found in a file: its position, the source line and carets below it. */
const sourceHead = /^((?:file:\/\/|\/|[A-Za-z]:[\\/])[^\n]*):(\d+)\n(?:[^\n]*\n){0,20}?([^\S\n]*)\^+[^\n]*\n+/;

export interface Failure {
  /** For stderr: message, frames of the snippet, cause and other properties. */
  report: string;
  message: string;
}

/**
 * Describes a value that a snippet threw.
 * @param modulePosition position in a module of the project, for errors without frames
 */
export function describeThrown(thrown: unknown, modulePosition?: string): Failure {
  try {
    if (isError(thrown)) return describeError(thrown, modulePosition);
  } catch {
    // An accessor of the error throws.
  }
  const message = cut(`Uncaught ${inspectSafely(thrown)}`);
  return { report: message, message };
}

function describeError(thrown: Error, modulePosition?: string): Failure {
  hideRepeated(thrown);
  const { text: stack, position: sourcePosition } = splitSourceHead(stackOf(thrown));
  const lines = stack.split('\n');
  const end = lines.findIndex((line) => classifyFrame(line) !== 'no frame');
  const head = (end === -1 ? lines : lines.slice(0, end)).join('\n').trimEnd();
  const inspected = splitSourceHead(stripVTControlCharacters(inspectSafely(thrown))).text;
  const inModule = sourcePosition ?? modulePosition;
  const framed = ownPosition(stack);
  const caused = framed === undefined ? rememberedPosition(thrown) : undefined;
  const added = [inModule, caused].filter((place) => place !== undefined);
  const report = originalMessage(withName(thrown, showFrames(inspected, added)));
  const frames = shownFrames(lines);
  // If an error comes from Node.js itself, the position in the snippet may be only in its cause.
  const places = frames.length > 0 ? added : [inModule, caused ?? framed ?? ownPosition(report)];
  return { report, message: cut(originalMessage(withName(thrown, head))) + frames.join('') + places.map(at).join('') };
}

/** Returns the frames of a stack with one of a module of the project, each on a line. */
function shownFrames(lines: readonly string[]): string[] {
  if (!lines.some((line) => classifyFrame(line) === 'project')) return [];
  return lines
    .filter((line) => ['shown', 'project'].includes(classifyFrame(line)))
    .slice(0, maxFrames)
    .map((line) => `\n    ${(projectFrame(line) ?? line).trim()}`);
}

/** Separates the head with the source line from an error, as the position that it states. */
function splitSourceHead(text: string): { text: string; position?: string } {
  const [head, file = '', line, indent = ''] = sourceHead.exec(text) ?? [];
  if (head === undefined) return { text };
  return {
    text: text.slice(head.length),
    position: projectFrame(`    at ${file}:${line}:${indent.length + 1}`)
      ?.trim()
      .slice(3),
  };
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

/** Removes hidden frames from an inspected error, and adds positions after those that are shown. */
function showFrames(inspected: string, positions: readonly string[]): string {
  const lines: string[] = [];
  let added: number | undefined;
  for (const line of inspected.split('\n')) {
    const frame = classifyFrame(line);
    if (frame !== 'no frame' && added === undefined) {
      while (lines.at(-1)?.trim() === '') lines.pop();
      added = lines.length;
    }
    if (frame === 'hidden') {
      if (line.endsWith(' {')) lines.push(`${lines.pop() ?? ''} {`);
      continue;
    }
    lines.push(frame === 'project' ? (projectFrame(line) ?? line) : line);
    if (frame !== 'no frame' && added === lines.length - 1) added = lines.length;
  }
  if (added === undefined || positions.length === 0) return lines.join('\n');
  // The brace before the error's properties follows the last frame.
  const last = lines[added - 1] ?? '';
  const brace = last.endsWith(' {') ? ' {' : '';
  lines[added - 1] = last.slice(0, last.length - brace.length);
  lines.splice(added, 0, positions.map((position) => at(position).slice(1)).join('\n') + brace);
  return lines.join('\n');
}

function at(position: string | undefined): string {
  return position === undefined ? '' : `\n    at ${position}`;
}

function cut(text: string): string {
  return cutText(text, messageLimit).text;
}
