import type { SourceLocation } from './messages.ts';

/** A piece of text; `location` is set if it names a position in a file. */
export interface LinkedPiece {
  text: string;
  location?: SourceLocation;
}

const path = String.raw`(?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]|\.{1,2}[\\/])?[\w.@~+-]+(?:[\\/][\w.@~+\-]+)*`;
const codeFile = String.raw`${path}\.(?:[cm]?[jt]sx?)`;

/** Returns the pattern of positions in a run's file and in other files. Groups: own or path, then line and column, twice. */
function positionPattern(file: string | undefined): RegExp {
  const own = file === undefined ? '(?!)' : file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const colon = String.raw`(?<![\w./\\-])(?:(?<own1>${own})|(?<path1>${codeFile})):(?<line1>\d{1,9}):(?<column1>\d{1,9})`;
  const python = String.raw`File "(?:(?<own2>${own})|(?<path2>[^"<>\n]{1,4096}\.py))", line (?<line2>\d{1,9})`;
  const shell = String.raw`(?<own3>${own}): line (?<line3>\d{1,9})`;
  return new RegExp(`${colon}|${python}|${shell}`, 'g');
}

/** Creates a function that splits text at the positions it names. `file` is the name of the run's own file. */
export function createLinkFinder(file: string | undefined): (text: string) => LinkedPiece[] {
  const pattern = positionPattern(file);
  return (text) => {
    // Without a number after a colon or a word, there is no position.
    if (!/:\d|line \d/.test(text)) return [{ text }];
    const pieces: LinkedPiece[] = [];
    let from = 0;
    for (const { index, 0: matched, groups } of text.matchAll(pattern)) {
      if (index > from) pieces.push({ text: text.slice(from, index) });
      pieces.push({ text: matched, location: locationOf(groups ?? {}) });
      from = index + matched.length;
    }
    if (from < text.length) pieces.push({ text: text.slice(from) });
    return pieces;
  };
}

function locationOf(groups: Record<string, string | undefined>): SourceLocation {
  const path = groups.path1 ?? groups.path2;
  const line = Number(groups.line1 ?? groups.line2 ?? groups.line3) || 1;
  return { ...(path !== undefined && { path }), line, column: Number(groups.column1) || 1 };
}
