import { decoded } from '../../../contract/lenient-texts.ts';
import type { Position } from '../editor/snippet.ts';

/** The file that a run's code is from. */
export interface CodeSource {
  /** Name to show, such as "err.js". */
  file?: string;
  /** Start of the code in the file. */
  start?: Position;
}

const javascript = /(?<![\w/\\])snippet\.[cm]?[jt]s:(\d+):(\d+)/g;
const python = /File "<?snippet(?:-\d+)?\.py>?", line (\d+)/g;
const shell = /^(?:bash|sh|(?:[^:\n]*\/)?snippet\.sh|script\.sh|environment)(?:: (?:-c|eval))?: line (\d+):/gm;

/** Replaces the positions in a snippet that a text names with those in its file: `snippet.js:2:12` with `err.js:15:12`. */
export function withSourceNames(text: string, language: string, { file, start }: CodeSource): string {
  if (file === undefined || !start) return text;
  const lineOf = (line: string) => Number(line) + start.line;
  if (language === 'bash') return text.replace(shell, (_, line: string) => `${file}: line ${lineOf(line)}:`);
  if (!text.includes('snippet.')) return text;
  return text
    .replace(javascript, (_, line: string, column: string) => {
      const shift = line === '1' ? start.character : 0;
      return `${file}:${lineOf(line)}:${Number(column) + shift}`;
    })
    .replace(python, (_, line: string) => `File "${file}", line ${lineOf(line)}`);
}

/** Returns the file name in a document's URI; undefined if there is none. */
export function fileNameOf(document: string | undefined): string | undefined {
  const name = document
    ?.replace(/[?#].*$/s, '')
    .split(/[/:]/)
    .at(-1);
  return name ? decoded(name) : undefined;
}
