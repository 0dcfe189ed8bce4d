const positions = /(?:\n[ \t]+(?:at [^\n]+:\d+:\d+\)?|File "[^"\n]*", line \d+(?:, in [^\n]+)?))+$/;
const traceback = 'Traceback (most recent call last):';
const chained =
  /(?:The above exception was the direct cause of the following exception:|During handling of the above exception, another exception occurred:)\s*$/;

/**
 * Moves the report of a failure from stderr, where runners write it, to the error, so that it is shown once: the message
 * first, then its frames.
 */
export function joinReport(error: string, stderr: string | undefined): { error: string; stderr: string | undefined } {
  if (!stderr) return { error, stderr: undefined };
  if (stderr.trim() === error.trim()) return { error, stderr: undefined };
  const message = error.trimEnd().replace(positions, '');
  const at = lineIndex(stderr, message);
  if (at === -1) return { error, stderr };
  const end = reportEnd(stderr, at + message.length);
  const frames = stderr.slice(at + message.length, end).trimEnd();
  const start = reportStart(stderr, at);
  const before = stderr.slice(start, at).trimEnd();
  const rest = stderr.slice(0, start) + stderr.slice(end);
  const joined = before ? `${message}\n${before}${frames}` : frames ? `${message}${frames}` : error;
  return { error: joined, stderr: rest.trim() === '' ? undefined : rest };
}

/** Returns the index of the last place where a text starts and ends a line, or -1. */
function lineIndex(text: string, wanted: string): number {
  if (wanted === '') return -1;
  for (let from = text.length; from >= 0; ) {
    const at = text.lastIndexOf(wanted, from);
    if (at === -1) return -1;
    const after = text[at + wanted.length];
    if ((at === 0 || text[at - 1] === '\n') && (after === undefined || /[\s]/.test(after))) return at;
    from = at - 1;
  }
  return -1;
}

/** After the message come indented frames, perhaps with properties of the error up to a closing brace. */
function reportEnd(text: string, from: number): number {
  const rest = /^[^\n]*(?:\n(?:[ \t][^\n]*|\}[ \t]*(?=\n|$)))*\n?/.exec(text.slice(from));
  return from + (rest?.[0].length ?? 0);
}

/** Python's report starts with a traceback before the message; those of exceptions that led to it come first. */
function reportStart(text: string, messageAt: number): number {
  let start = messageAt;
  for (;;) {
    const before = text.slice(0, start);
    const at = before.lastIndexOf(traceback);
    if (at === -1 || !isIndented(before.slice(at + traceback.length))) break;
    start = at;
    const earlier = text.slice(0, start);
    if (!chained.test(earlier)) break;
    // The exception before the sentence ends with its own message; skip back over it.
    const head = earlier.replace(chained, '').trimEnd();
    start = head.lastIndexOf('\n') + 1;
  }
  if (start !== messageAt) return start;
  // A syntax error has no traceback, only the place and the source line.
  const lines = text.slice(0, messageAt).split('\n');
  let size = 0;
  for (let index = lines.length - 2; index >= 0; index--) {
    const line = lines[index] as string;
    if (!/^\s+\S/.test(line)) break;
    size += line.length + 1;
    if (/^\s+File "/.test(line)) return messageAt - size;
  }
  return messageAt;
}

function isIndented(text: string): boolean {
  return text.split('\n').every((line) => line === '' || /^[ \t]/.test(line));
}
