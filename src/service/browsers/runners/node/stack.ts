import { fileURLToPath, pathToFileURL } from 'node:url';

/** Matches script names, which distinguish the frames of a run from those of functions that earlier runs defined. */
const scriptName = /snippet-(\d+)(?:~(\d+))?\.js:(\d+):(\d+)/;
const scriptNames = new RegExp(scriptName, 'g');
/** Matches what distinguishes the URL or path of a module that was read anew after it had changed. */
export const versionMark = /(?:[?&]|%3F)webdata=\d+/;
const versionMarks = new RegExp(versionMark, 'g');
/** URL of the folder of the runner's own modules. */
export const ownFolderUrl = pathToFileURL(`${import.meta.dirname}/`).href;
const ownFolder = fileURLToPath(ownFolderUrl);
/** Position at the end of a frame in a file. */
const filePosition = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*):(\d+):(\d+)\)?(?: \{)?$/;
const ownFrame = /snippet\.js:(\d+):(\d+)/;

let currentRun = 0;

/**
 * Returns the script name of the run that starts. `shift` is how many columns its first line moved right. Stacks show it as
 * `snippet.js`, and the scripts of earlier runs as `earlier snippet`.
 */
export function nameScript(run: number, shift = 0): string {
  currentRun = run;
  return shift === 0 ? `snippet-${run}.js` : `snippet-${run}~${shift}.js`;
}

/** Ends the current run: from now on, its script is shown as `earlier snippet`. */
export function endScript(): void {
  currentRun = 0;
}

/** Makes all stacks use the names from `nameScript`, without the frames below the last frame of a snippet. */
export function installStackFormat(): void {
  Error.prepareStackTrace = (error: Error, frames: NodeJS.CallSite[]) => {
    const lines = frames.map((frame) => `\n    at ${frame}`.replace(versionMarks, ''));
    const last = lines.findLastIndex((line) => scriptName.test(line));
    const kept = last === -1 ? lines : lines.slice(0, last + 1);
    return headline(error) + renameScripts(kept.join(''));
  };
}

/** Replaces script names in a text with the names to show. */
export function renameScripts(text: string): string {
  return text.replace(scriptNames, (_, run: string, shift: string | undefined, line: string, column: string) => {
    const name = Number(run) === currentRun ? 'snippet.js' : 'earlier snippet';
    return `${name}:${line}:${Number(column) - (line === '1' ? Number(shift ?? 0) : 0)}`;
  });
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

/** Positions of errors whose stacks lack them. */
const positions = new WeakMap<object, string>();

/** Remembers the position in a snippet of what caused an error, unless one is known. */
export function rememberPosition(error: unknown, position: string | undefined): void {
  if (typeof error !== 'object' || error === null || position === undefined || positions.has(error)) return;
  positions.set(error, position);
}

export function rememberedPosition(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? positions.get(error) : undefined;
}

/** Returns the position in the snippet that called a function of the runner. */
export function callerPosition(): string | undefined {
  return ownPosition(new Error().stack ?? '');
}

/** Returns `snippet.js:LINE:COLUMN` of the first frame in the run's own code. */
export function ownPosition(stack: string): string | undefined {
  return ownFrame.exec(stack)?.[0];
}

function headline(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}
