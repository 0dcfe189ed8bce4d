/** Matches script names, which distinguish the frames of a run from those of functions that earlier runs defined. */
const scriptName = /snippet-(\d+)(?:~(\d+))?\.js:(\d+):(\d+)/;
const scriptNames = new RegExp(scriptName, 'g');
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
    const lines = frames.map((frame) => `\n    at ${frame}`);
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

/** Classifies a line of a stack. Frames of a snippet or a web page are shown. */
export function classifyFrame(line: string): 'no frame' | 'shown' | 'hidden' {
  if (!/^\s+at\s\S/.test(line)) return 'no frame';
  return ownFrame.test(line) || /earlier snippet:\d|https?:\/\//.test(line) ? 'shown' : 'hidden';
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
