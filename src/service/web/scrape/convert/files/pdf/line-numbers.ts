import { isEnded, type Row, toRows } from './lines.ts';
import type { Piece } from './pieces.ts';

/** Numbers stand below each other if their edges are within this many points, and count lines in steps of at most this many. */
const column = { near: 2, step: 10 };
/** Numbers that count lines: at least so many on some page. This share of them counts, and this share of their lines goes on with a sentence. */
const least = { each: 4, some: 2, counting: 0.8, going: 0.3 };
/** Lines of prose have this many characters on average. */
const prose = 15;
/** Text that is further than this many font sizes from a line's next one is of another column. */
const columnGap = 1.5;

/** The place of numbers below each other. */
interface Ruler {
  left: number;
  right: number;
  /** How many lines there are from one number to the next. */
  step: number;
}

/**
 * Returns the pages without the numbers of their lines, as drafts and legal texts have them beside each or every fifth one. Items of a list and rows
 * of a table begin where their numbers stand; a line that is counted goes on with the sentence of the one above.
 */
export function withoutLineNumbers(pages: readonly (readonly Piece[])[]): Piece[][] {
  const rulers = pages.flatMap(rulersOf);
  return pages.map((pieces) => {
    const numbers = new Set<Piece>();
    for (const ruler of rulers) {
      // A last page may have a line or two.
      const within = pieces.filter((piece) => isNumber(piece) && isWithin(piece, ruler));
      if (counts(within, ruler.step) && isClear(within, pieces)) for (const piece of within) numbers.add(piece);
    }
    return pieces.filter((piece) => !numbers.has(piece));
  });
}

const isNumber = ({ text }: Piece) => /^\d{1,5}$/.test(text);
const isWithin = ({ left, right }: Piece, ruler: Ruler) =>
  left >= ruler.left - column.near && right <= ruler.right + column.near;

function rulersOf(pieces: readonly Piece[]): Ruler[] {
  const numbers = pieces.filter(isNumber);
  if (numbers.length < least.some) return [];
  const edges = [
    ({ right }: Piece) => right,
    ({ left }: Piece) => left,
    ({ left, right }: Piece) => (left + right) / 2,
  ];
  const aligned = edges.flatMap((edge) => groupedBy(numbers, edge));
  return aligned.flatMap((group) => {
    const step = stepOf(group);
    return isRuler(group, step, pieces) ? [{ ...edgesOf(group), step }] : [];
  });
}

function groupedBy(numbers: readonly Piece[], edge: (piece: Piece) => number): Piece[][] {
  const groups: Piece[][] = [];
  for (const piece of numbers.toSorted((one, other) => edge(one) - edge(other))) {
    const last = groups.at(-1);
    if (last?.[0] && edge(piece) - edge(last[0]) <= column.near) last.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

function edgesOf(group: readonly Piece[]): Omit<Ruler, 'step'> {
  return { left: Math.min(...group.map(({ left }) => left)), right: Math.max(...group.map(({ right }) => right)) };
}

/** Returns how much larger each number is than the one above. */
function stepsOf(group: readonly Piece[]): number[] {
  const values = group.toSorted((one, other) => other.y - one.y).map(({ text }) => Number(text));
  return values.slice(1).map((value, index) => value - (values[index] ?? 0));
}

function stepOf(group: readonly Piece[]): number {
  const steps = stepsOf(group).sort((one, other) => one - other);
  return steps[Math.floor(steps.length / 2)] ?? 0;
}

function counts(group: readonly Piece[], step: number): boolean {
  const steps = stepsOf(group);
  return steps.filter((each) => each === step).length >= least.counting * steps.length;
}

/** Whether no other text stands above or below numbers, up to the first and the last of them. */
function isClear(group: readonly Piece[], pieces: readonly Piece[]): boolean {
  const { left, right } = edgesOf(group);
  const [top, bottom] = [Math.max(...group.map(({ y }) => y)), Math.min(...group.map(({ y }) => y))];
  return pieces.every(
    (piece) => group.includes(piece) || piece.y > top || piece.y < bottom || piece.right <= left || piece.left >= right,
  );
}

function isRuler(group: readonly Piece[], step: number, pieces: readonly Piece[]): boolean {
  if (step < 1 || step > column.step || group.length < (step === 1 ? least.each : least.some)) return false;
  if (!counts(group, step) || !isClear(group, pieces)) return false;
  const { left, right } = edgesOf(group);
  const [top, bottom] = [Math.max(...group.map(({ y }) => y)), Math.min(...group.map(({ y }) => y))];
  const rows = toRows(pieces.filter((piece) => !group.includes(piece) && piece.y > bottom - piece.size));
  const after = rows.map(({ pieces: all }) => textFrom(all.filter((piece) => piece.left >= right)));
  const before = rows.map(({ pieces: all }) => textFrom(all.filter((piece) => piece.right <= left).reverse()));
  const texts = after.some(({ length }) => length > 0) ? after : before;
  const isCounted = ({ y, size }: Row) => group.some((number) => Math.abs(number.y - y) < 0.6 * size);
  const counted = rows.flatMap((row, index) => (row.y < top + row.size && isCounted(row) ? [index] : []));
  const isCode = counted.length > 0 && counted.every((index) => rows[index]?.pieces.every(({ fixed }) => fixed));
  if (goesOn(texts, counted) || (isCode && pieces.some(({ fixed, text }) => !fixed && text.length > prose)))
    return true;
  // Verses don't go on as prose does.
  const apart = counted.slice(1).filter((at, index) => at - (counted[index] ?? 0) === step).length;
  return step > 1 && apart > 1 && apart >= least.counting * (group.length - 1);
}

/** Returns the pieces of a line up to the white space before another column. */
function textFrom(pieces: readonly Piece[]): Piece[] {
  const end = pieces.findIndex((piece, index) => {
    const last = pieces[index - 1];
    return last && Math.max(piece.left - last.right, last.left - piece.right) > columnGap * piece.size;
  });
  return pieces.slice(0, end < 0 ? undefined : end).sort((one, other) => one.left - other.left);
}

/** Whether the lines that are counted go on with sentences of the ones above. */
function goesOn(lines: readonly (readonly Piece[])[], counted: readonly number[]): boolean {
  const texts = lines.map((pieces) => pieces.map(({ text }) => text).join(' '));
  const widths = lines.map((pieces) => (pieces.at(-1)?.right ?? 0) - (pieces[0]?.left ?? 0));
  const width = 0.75 * Math.max(...counted.map((index) => widths[index] ?? 0));
  const written = counted.filter((index) => texts[index]);
  const length = written.reduce((sum, index) => sum + (texts[index] ?? '').length, 0);
  const going = written.filter((index) => {
    const above = texts[index - 1] ?? '';
    return (widths[index - 1] ?? 0) > width && !isEnded(above) && /^[\p{Ll}\p{Lo}]/u.test(texts[index] ?? '');
  });
  return length >= prose * written.length && going.length > 0 && going.length >= least.going * written.length;
}
