/** Script names: a run's own frames are told apart from those of functions that earlier runs defined. */
const scriptName = /snippet-(\d+)(?:~(\d+))?\.js:(\d+):(\d+)/;
const scriptNames = new RegExp(scriptName, 'g');
const ownFrame = /snippet\.js:(\d+):(\d+)/;

let currentRun = 0;

/**
 * Name of the script of the run that begins; `shift` is by how many columns its first line was moved to the right.
 * A stack shows it as `snippet.js`, and the scripts of earlier runs as `earlier snippet`.
 */
export function nameScript(run: number, shift = 0): string {
  currentRun = run;
  return shift === 0 ? `snippet-${run}.js` : `snippet-${run}~${shift}.js`;
}

/** From now on, what is told of a snippet is told of an earlier one. */
export function endScript(): void {
  currentRun = 0;
}

/** Makes every stack name snippets as said above, and leaves out what lies below the last frame of a snippet. */
export function installStackFormat(): void {
  Error.prepareStackTrace = (error: Error, frames: NodeJS.CallSite[]) => {
    const lines = frames.map((frame) => `\n    at ${frame}`);
    const last = lines.findLastIndex((line) => scriptName.test(line));
    const kept = last === -1 ? lines : lines.slice(0, last + 1);
    return headline(error) + renameScripts(kept.join(''));
  };
}

/** Text with the names of scripts put as people know them. */
export function renameScripts(text: string): string {
  return text.replace(scriptNames, (_, run: string, shift: string | undefined, line: string, column: string) => {
    const name = Number(run) === currentRun ? 'snippet.js' : 'earlier snippet';
    return `${name}:${line}:${Number(column) - (line === '1' ? Number(shift ?? 0) : 0)}`;
  });
}

/** Whether a line of a stack is a frame, and if so whether it is worth showing: a snippet's, or one of a web page. */
export function judgeFrame(line: string): 'no frame' | 'shown' | 'hidden' {
  if (!/^\s+at\s\S/.test(line)) return 'no frame';
  return ownFrame.test(line) || /earlier snippet:\d|https?:\/\//.test(line) ? 'shown' : 'hidden';
}

/** `snippet.js:LINE:COLUMN` of the first frame in the run's own code. */
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
