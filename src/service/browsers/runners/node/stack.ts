import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Columns } from './rewrite/edits.ts';
import { originalMessage } from './rewrite/names.ts';

/** Matches script names, which distinguish the frames of a run from those of functions that earlier runs defined. */
const scriptName = /snippet-(\d+)\.js:(\d+):(\d+)/;
/** Marks a frame of what rewriting added to a snippet. */
const addedCode = '\u0131added';
/** Matches what distinguishes the URL or path of a module that was read anew after it had changed. */
export const versionMark = /(?:[?&]|%3F)webdata=\d+/;
const versionMarks = new RegExp(versionMark, 'g');
/** URL of the folder of the runner's own modules. */
export const ownFolderUrl = pathToFileURL(`${import.meta.dirname}/`).href;
const ownFolder = fileURLToPath(ownFolderUrl);
/** Position at the end of a frame in a file. */
const filePosition = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*):(\d+):(\d+)\)?(?: \{)?$/;
const ownFrame = /snippet\.js:(\d+):(\d+)/;
/** The position that an error's stack didn't have. */
const addedFrame = /(?:\n {4}at snippet\.js:\d+:\d+)?$/;

let currentRun = 0;
/** The columns of the snippets that ran last, by run. */
const columnsOf = new Map<number, Columns>();
const maxSnippets = 1000;

/** Returns the script name of the run that starts. Stacks show it as `snippet.js`, and those of earlier runs as `earlier snippet`. */
export function nameScript(run: number, columns?: Columns): string {
  currentRun = run;
  if (columns) columnsOf.set(run, columns).delete(run - maxSnippets);
  return `snippet-${run}.js`;
}

/** Ends the current run: from now on, its script is shown as `earlier snippet`. */
export function endScript(): void {
  currentRun = 0;
}

/** Makes all stacks use the names from `nameScript`, without the runner's frames and those below the last of a snippet. */
export function installStackFormat(): void {
  Error.prepareStackTrace = (error: Error, frames: NodeJS.CallSite[]) => {
    const last = frames.findLastIndex((frame) => scriptName.test(String(frame)));
    const kept = last === -1 ? frames : frames.slice(0, last + 1).filter((frame) => frame.getFileName() !== __filename);
    const lines = kept.map((frame) => `\n    at ${frame}`.replace(versionMarks, '').replace(scriptName, shownPosition));
    return headline(error) + lines.filter((line) => !line.includes(addedCode)).join('');
  };
}

function shownPosition(_: string, run: string, line: string, column: string): string {
  const name = Number(run) === currentRun ? 'snippet.js' : 'earlier snippet';
  const columns = columnsOf.get(Number(run));
  const original = columns ? columns(Number(line), Number(column)) : column;
  return original === undefined ? addedCode : `${name}:${line}:${original}`;
}

/** Classifies a line of a stack. Frames of a snippet, a web page or a module of the project are shown. */
export function classifyFrame(line: string): 'no frame' | 'shown' | 'project' | 'hidden' {
  if (!/^\s+at\s\S/.test(line)) return 'no frame';
  if (ownFrame.test(line) || /earlier snippet:\d|https?:\/\//.test(line)) return 'shown';
  return projectFrame(line) === undefined ? 'hidden' : 'project';
}

/** Returns a frame of a module of the project with the path of its file, or undefined if it's another frame. */
export function projectFrame(line: string): string | undefined {
  const file = filePosition.exec(line)?.[1];
  if (file === undefined || /[\\/]node_modules[\\/]/.test(file)) return undefined;
  const path = file.startsWith('file://') ? pathOf(file) : file;
  return path.startsWith(ownFolder) ? undefined : line.replace(file, () => path);
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

/** Returns an error whose stack ends with a position in the snippet, if it lacks one: that of what caused it last. */
export function withPosition<Thrown>(error: Thrown, position: string | undefined): Thrown {
  if (!(error instanceof Error) || position === undefined) return error;
  const stack = String(error.stack).replace(addedFrame, '');
  if (ownPosition(stack) === undefined) Reflect.set(error, 'stack', `${stack}\n    at ${position}`);
  return error;
}

/** Returns a stack whose first frame is a position in a module. */
export function withFirstFrame(stack: string, position: string | undefined): string {
  return position === undefined ? stack : stack.replace(/(?=\n {4}at |$)/, () => `\n    at ${position}`);
}

/** Returns the position in the snippet that called a function of the runner. */
export function callerPosition(): string | undefined {
  return ownPosition(new Error().stack ?? '');
}

/** Returns `snippet.js:LINE:COLUMN` of the first frame in the run's own code. */
export function ownPosition(stack: string): string | undefined {
  return ownFrame.exec(stack)?.[0];
}

/** Returns the first lines of a stack, as V8 writes them: an error's own `toString` doesn't count, except for the code of an error of Node.js. */
function headline(error: NodeJS.ErrnoException): string {
  let text = 'Error';
  try {
    text = originalMessage(Error.prototype.toString.call(error));
    const { name, code } = error;
    if (typeof code !== 'string' || !code.startsWith('ERR_') || name.includes(code)) return text;
    const withCode = `${name} [${code}]: ${error.message}`;
    return String(error) === withCode ? originalMessage(withCode) : text;
  } catch {
    return text;
  }
}
