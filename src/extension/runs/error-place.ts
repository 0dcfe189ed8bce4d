import type { Place } from './snippet.ts';

/** Names that servers give to a snippet in stack frames. Other files (Node's own, libraries) are not the snippet. */
const snippetName = String.raw`(?:snippet|script|code|main|index|user[-_]?code)\.[cm]?[jt]s|<anonymous>|evalmachine\.<anonymous>|\[eval\d*\]|\[stdin\]|REPL\d*|<repl>`;
const javascriptFrame = new RegExp(String.raw`(?:^|[\s(/\\])(?:${snippetName}):(\d+)(?::(\d+))?(?=$|[\s),])`, 'gm');
const pythonFrame = /File "(?:<[^">]*>|[^"\n]*(?:snippet|script|code|main|cell)[^"\n/\\]*\.py)", line (\d+)/g;
const pythonColumn = /^ {4}(.*)\n {4}( *)\^+/m;
const bashFrame = /(?:^|[\s/])(?:bash|sh|snippet\.sh|script\.sh|environment)(?:: (?:-c|eval))?: line (\d+):/gm;

/**
 * Where in the code that was sent an error comes from, 0-based, read from what the server said about it.
 * Undefined when nothing in it names the snippet.
 */
export function errorPlace(language: string, error: string, stderr = ''): Place | undefined {
  const find = { node: javascriptPlace, python: pythonPlace, bash: bashPlace }[language];
  return find?.(error) ?? find?.(stderr);
}

function javascriptPlace(text: string): Place | undefined {
  javascriptFrame.lastIndex = 0;
  // The innermost frame comes first.
  const frame = javascriptFrame.exec(text);
  if (!frame) return undefined;
  const character = frame[2] === undefined ? caretColumn(text, frame.index) : Number(frame[2]) - 1;
  return place(Number(frame[1]) - 1, character);
}

/** A syntax error has its line in the head, then the source line, then carets. */
function caretColumn(text: string, from: number): number {
  const [, , carets] = text.slice(from).replace(/^\s/, '').split('\n');
  return carets && /^\s*\^+\s*$/.test(carets) ? carets.indexOf('^') : 0;
}

function pythonPlace(text: string): Place | undefined {
  const frame = [...text.matchAll(pythonFrame)].at(-1);
  if (!frame) return undefined;
  const [, , indent] = pythonColumn.exec(text.slice(frame.index)) ?? [];
  return place(Number(frame[1]) - 1, indent?.length ?? 0);
}

function bashPlace(text: string): Place | undefined {
  bashFrame.lastIndex = 0;
  const frame = bashFrame.exec(text);
  return frame ? place(Number(frame[1]) - 1, 0) : undefined;
}

function place(line: number, character: number): Place | undefined {
  return line >= 0 && character >= 0 && Number.isSafeInteger(line) ? { line, character } : undefined;
}

/** A place in the code that was sent, as a place in the document it was taken from. */
export function inDocument(inSnippet: Place, start: Place): Place {
  const character = inSnippet.line === 0 ? inSnippet.character + start.character : inSnippet.character;
  return { line: inSnippet.line + start.line, character };
}
