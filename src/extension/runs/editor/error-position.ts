import type { CodeSource } from '../results/source-names.ts';
import type { Position } from './snippet.ts';

/** Names that servers give to a snippet in stack frames, as opposed to the files of Node.js and of libraries. */
const snippetName = String.raw`(?:snippet|script|code|main|index|user[-_]?code)\.[cm]?[jt]s|<anonymous>|evalmachine\.<anonymous>|\[eval\d*\]|\[stdin\]|REPL\d*|<repl>`;
const javascriptFrame = new RegExp(String.raw`(?:^|[\s(/\\])(?:${snippetName}):(\d+)(?::(\d+))?(?=$|[\s),])`, 'gm');
/** Frames of the embedded service, which names no file so: those of the project's modules have their whole path. */
const ownJavascriptFrame = /(?:^|[\s(])snippet\.js:(\d+):(\d+)(?=$|[\s),])/m;
const ownPythonFrame = /File "snippet\.py", line (\d+)/g;
const pythonFrame = /File "(<[^">]*>|[^"\n]*)", line (\d+)/g;
const pythonColumn = /^ {4}(.*)\n {4}( *)\^+/m;
const bashFrame = /(?:^|[\s/])(?:bash|sh|snippet\.sh|script\.sh|environment)(?:: (?:-c|eval))?: line (\d+):/gm;

/**
 * Returns the position of an error in the code that was sent, read from the server's error and stderr.
 * Undefined if neither names the snippet.
 */
export function errorPosition(
  language: string,
  error: string,
  stderr = '',
  source: CodeSource = {},
): Position | undefined {
  const find = { node: javascriptPosition, python: pythonPosition, bash: bashPosition }[language];
  return find?.(error, source) ?? find?.(stderr, source);
}

function javascriptPosition(text: string): Position | undefined {
  javascriptFrame.lastIndex = 0;
  // The innermost frame is first.
  const frame = ownJavascriptFrame.exec(text) ?? javascriptFrame.exec(text);
  if (!frame) return undefined;
  const character = frame[2] === undefined ? caretColumn(text, frame.index) : Number(frame[2]) - 1;
  return position(Number(frame[1]) - 1, character);
}

/** Returns the column of a syntax error: after its head come the source line and then the carets. */
function caretColumn(text: string, from: number): number {
  const [, , carets] = text.slice(from).replace(/^\s/, '').split('\n');
  return carets && /^\s*\^+\s*$/.test(carets) ? carets.indexOf('^') : 0;
}

function pythonPosition(text: string): Position | undefined {
  const others = () => [...text.matchAll(pythonFrame)].filter(([, file = '']) => isSnippetFile(file));
  const frame = [...text.matchAll(ownPythonFrame)].at(-1) ?? others().at(-1);
  if (!frame) return undefined;
  const [, , indent] = pythonColumn.exec(text.slice(frame.index)) ?? [];
  return position(Number(frame.at(-1)) - 1, indent?.length ?? 0);
}

/** Whether a server may call a snippet so. Checked by itself: within a frame it would take the square of a long name. */
function isSnippetFile(file: string): boolean {
  if (/^<[^>]*>$/.test(file)) return true;
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  return name.endsWith('.py') && /snippet|script|code|main|cell/.test(name.slice(0, -3));
}

function bashPosition(text: string, { file, start }: CodeSource): Position | undefined {
  bashFrame.lastIndex = 0;
  const frame = bashFrame.exec(text);
  if (frame) return position(Number(frame[1]) - 1, 0);
  // The embedded service names the file itself, and its lines.
  const [, line] = file === undefined ? [] : (bashFrameIn(file).exec(text) ?? []);
  return line === undefined ? undefined : position(Number(line) - 1 - (start?.line ?? 0), 0);
}

function bashFrameIn(file: string): RegExp {
  const name = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(String.raw`^(?:[^:\n]*/)?${name}: (?:eval: )?line (\d+):`, 'm');
}

function position(line: number, character: number): Position | undefined {
  return line >= 0 && character >= 0 && Number.isSafeInteger(line) ? { line, character } : undefined;
}

/** Converts a position in a snippet to a position in its document. */
export function toDocumentPosition(inSnippet: Position, start: Position): Position {
  const character = inSnippet.line === 0 ? inSnippet.character + start.character : inSnippet.character;
  return { line: inSnippet.line + start.line, character };
}
