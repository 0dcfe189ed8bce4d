/** A piece of text as pdf.js gives it: in points, from the lower left corner of the page. */
export interface TextPiece {
  str: string;
  transform: number[];
  width: number;
  height: number;
}

/** Adjacent text of one line. */
export interface Cell {
  text: string;
  left: number;
  right: number;
}

/** A line of text; its cells are apart from each other, as columns are. */
export interface Line {
  cells: Cell[];
  /** Height of the baseline. */
  y: number;
  /** Size of the font. */
  size: number;
}

/** A gap of more than this many font sizes separates two cells; of more than `wordGap`, two words. */
const cellGap = 1.5;
const wordGap = 0.15;
/** Pieces belong to one line if their baselines differ by at most this many font sizes. */
const baselineGap = 0.4;

/** Joins the pieces of a page into lines. Keeps their order, which is the reading order in most files. */
export function toLines(pieces: readonly TextPiece[]): Line[] {
  const lines: Line[] = [];
  let current: { pieces: (Cell & { size: number })[]; y: number; size: number } | undefined;
  const end = () => {
    if (current) lines.push({ cells: toCells(current.pieces), y: current.y, size: current.size });
    current = undefined;
  };
  for (const { str, transform, width, height } of pieces) {
    if (str.trim() === '') continue;
    const [, , skew = 0, scale = 0, left = 0, y = 0] = transform;
    const size = Math.hypot(skew, scale) || height || 1;
    if (current && Math.abs(current.y - y) > baselineGap * Math.max(size, current.size)) end();
    current ??= { pieces: [], y, size };
    current.size = Math.max(current.size, size);
    current.pieces.push({ text: str, left, right: left + Math.max(0, width), size });
  }
  end();
  return lines;
}

function toCells(pieces: (Cell & { size: number })[]): Cell[] {
  const cells: Cell[] = [];
  for (const { text, left, right, size } of pieces.sort((one, other) => one.left - other.left)) {
    const last = cells.at(-1);
    const gap = last ? left - last.right : Number.POSITIVE_INFINITY;
    if (!last || gap > cellGap * size) {
      cells.push({ text, left, right });
      continue;
    }
    const apart = gap > wordGap * size && !/\s$/.test(last.text) && !/^\s/.test(text);
    last.text += apart ? ` ${text}` : text;
    last.right = Math.max(last.right, right);
  }
  for (const cell of cells) cell.text = cell.text.replaceAll(/\s+/g, ' ').trim();
  return cells.filter(({ text }) => text !== '');
}
