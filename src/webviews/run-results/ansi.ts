/** How a piece of output looks. Colours are `ansi-red` or `ansi-bright-red` of the theme, or `r, g, b`. */
export interface AnsiLook {
  color?: string;
  background?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
}

export interface AnsiPiece extends AnsiLook {
  text: string;
}

// One at a time: a CSI with its parameters and final byte; OSC, DCS, SOS, PM and APC with all that they carry;
// any other escape; any other control but tab, line feed and carriage return. The end of the text ends what is not finished.
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what this finds
  /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~]|$)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|(?=\x1b)|$)|\x1b(?!\[)[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;

/** Output cut into pieces by its colours, without any other control sequence. */
export function ansiPieces(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let look: AnsiLook = {};
  let from = 0;
  const add = (to: number) => {
    const part = text.slice(from, to);
    if (part) pieces.push({ text: part, ...look });
  };
  for (const match of text.matchAll(control)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm' && /^[\d;:]*$/.test(match[1] ?? '')) look = nextLook(look, match[1] ?? '');
  }
  add(text.length);
  return withoutOverwritten(pieces);
}

const colorNames = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** The look after a Select Graphic Rendition with these parameters. */
function nextLook(before: AnsiLook, parameters: string): AnsiLook {
  const codes = parameters.split(/[;:]/).map(Number);
  let look: AnsiLook = { ...before };
  while (codes.length > 0) {
    const code = codes.shift() ?? 0;
    if (code === 0) look = {};
    else if (code === 38) look.color = extendedColor(codes);
    else if (code === 48) look.background = extendedColor(codes);
    else look = simpleLook(look, code);
  }
  return look;
}

function simpleLook(look: AnsiLook, code: number): AnsiLook {
  switch (code) {
    case 1:
      return { ...look, bold: true };
    case 2:
      return { ...look, dim: true };
    case 3:
      return { ...look, italic: true };
    case 4:
      return { ...look, underline: true };
    case 9:
      return { ...look, strikethrough: true };
    case 22:
      return { ...look, bold: undefined, dim: undefined };
    case 23:
      return { ...look, italic: undefined };
    case 24:
      return { ...look, underline: undefined };
    case 29:
      return { ...look, strikethrough: undefined };
    case 39:
      return { ...look, color: undefined };
    case 49:
      return { ...look, background: undefined };
  }
  if (code >= 30 && code <= 37) return { ...look, color: themeColor(code - 30) };
  if (code >= 40 && code <= 47) return { ...look, background: themeColor(code - 40) };
  if (code >= 90 && code <= 97) return { ...look, color: themeColor(code - 90 + 8) };
  if (code >= 100 && code <= 107) return { ...look, background: themeColor(code - 100 + 8) };
  return look;
}

/** What follows 38 or 48: `5;N` for one of 256 colours, `2;R;G;B` for any. */
function extendedColor(codes: number[]): string | undefined {
  const kind = codes.shift();
  if (kind === 2) return codes.splice(0, 3).map(byte).join(', ');
  if (kind !== 5) return undefined;
  const index = byte(codes.shift() ?? 0);
  if (index < 16) return themeColor(index);
  if (index >= 232)
    return Array(3)
      .fill((index - 232) * 10 + 8)
      .join(', ');
  const cube = index - 16;
  const level = (value: number) => (value === 0 ? 0 : value * 40 + 55);
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join(', ');
}

function themeColor(index: number): string {
  return `ansi-${index >= 8 ? 'bright-' : ''}${colorNames[index % 8]}`;
}

function byte(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, 0), 255);
}

/** A line that was written over (a progress bar) shows what was written last. */
function withoutOverwritten(pieces: AnsiPiece[]): AnsiPiece[] {
  if (!pieces.some(({ text }) => text.includes('\r'))) return pieces;
  const kept: AnsiPiece[] = [];
  for (const piece of pieces) {
    const [first = '', ...rewritten] = piece.text.replaceAll('\r\n', '\n').split('\r');
    kept.push({ ...piece, text: first });
    for (const text of rewritten) {
      // A return at the very end of the output takes nothing back: nothing has been written over yet.
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
