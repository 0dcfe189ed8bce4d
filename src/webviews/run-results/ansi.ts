/** The style of a piece of output. Colors are as CSS has them: the theme's for the 16 ANSI colors, RGB for all others. */
export interface AnsiStyle {
  color?: string;
  background?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
}

export interface AnsiPiece extends AnsiStyle {
  text: string;
}

// Matches one sequence: a CSI with its parameters and final byte; an OSC, DCS, SOS, PM or APC with its content; any other
// escape; any other control but tab, line feed and carriage return. The end of the text also ends a sequence.
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control sequences
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~]|$)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|(?=\x1b)|$)|\x1b(?!\[)[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;

/** Splits output into styled pieces and removes all other control sequences. */
export function ansiPieces(text: string): AnsiPiece[] {
  return styledPieces(text, {}).pieces;
}

/** Splits output that starts in a style into pieces. Also returns the style at its end. */
export function styledPieces(text: string, start: AnsiStyle): { pieces: AnsiPiece[]; style: AnsiStyle } {
  const pieces: AnsiPiece[] = [];
  let style = start;
  let from = 0;
  const add = (to: number) => {
    const part = text.slice(from, to);
    if (part) pieces.push({ text: part, ...style });
  };
  for (const match of text.matchAll(control)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm' && /^[\d;:]*$/.test(match[1] ?? '')) style = nextStyle(style, match[1] ?? '');
  }
  add(text.length);
  return { pieces: withoutOverwritten(pieces), style };
}

const colorNames = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

/** Returns the style after a Select Graphic Rendition sequence with these parameters. */
function nextStyle(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map(Number).values();
  let style: AnsiStyle = { ...before };
  for (const code of codes) {
    if (code === 0) style = {};
    else if (code === 38) style.color = extendedColor(codes);
    else if (code === 48) style.background = extendedColor(codes);
    else style = { ...style, ...(basicStyles[code] ?? colorOf(code)) };
  }
  return style;
}

/** What codes without parameters change. */
const basicStyles: Readonly<Record<number, AnsiStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  9: { strikethrough: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  29: { strikethrough: undefined },
  39: { color: undefined },
  49: { background: undefined },
};

/** The ANSI colors: 30 and 40 on are those of the text and behind it, 60 higher the bright ones. */
function colorOf(code: number): AnsiStyle {
  const [base, bright] = code >= 90 ? [code - 60, 8] : [code, 0];
  if (base >= 30 && base <= 37) return { color: themeColor(base - 30 + bright) };
  return base >= 40 && base <= 47 ? { background: themeColor(base - 40 + bright) } : {};
}

/** Reads the parameters after 38 or 48: `5;N` for one of 256 colors, `2;R;G;B` for any color. */
function extendedColor(codes: Iterator<number>): string | undefined {
  const next = () => byte(codes.next().value ?? 0);
  const kind = next();
  if (kind === 2) return rgb([next(), next(), next()]);
  if (kind !== 5) return undefined;
  const index = next();
  if (index < 16) return themeColor(index);
  if (index >= 232) return rgb(Array(3).fill((index - 232) * 10 + 8));
  const cube = index - 16;
  const level = (value: number) => (value === 0 ? 0 : value * 40 + 55);
  return rgb([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level));
}

function themeColor(index: number): string {
  return `var(--vscode-terminal-ansi${index >= 8 ? 'Bright' : ''}${colorNames[index % 8]})`;
}

function rgb(channels: number[]): string {
  return `rgb(${channels.join(', ')})`;
}

function byte(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, 0), 255);
}

/** Shows the last content of a line that was overwritten, such as a progress bar. */
function withoutOverwritten(pieces: AnsiPiece[]): AnsiPiece[] {
  if (!pieces.some(({ text }) => text.includes('\r'))) return pieces;
  const kept: AnsiPiece[] = [];
  for (const piece of pieces) {
    const [first = '', ...rewritten] = piece.text.replaceAll('\r\n', '\n').split('\r');
    kept.push({ ...piece, text: first });
    for (const text of rewritten) {
      // A return at the end of the output drops nothing, because nothing has been overwritten yet.
      if (text && !text.startsWith('\n')) dropLastLine(kept);
      kept.push({ ...piece, text });
    }
  }
  return kept.filter(({ text }) => text !== '');
}

function dropLastLine(pieces: AnsiPiece[]): void {
  for (let last = pieces.at(-1); last; last = pieces.at(-1)) {
    const lineStart = last.text.lastIndexOf('\n') + 1;
    last.text = last.text.slice(0, lineStart);
    if (lineStart > 0) return;
    pieces.pop();
  }
}
