import { joined } from './joined.ts';
import { isEnded, type Line, type Run, textOf } from './lines.ts';
import { type Mark, marksOf } from './marks.ts';
import type { LinesPart, Part } from './page.ts';
import type { Style } from './style.ts';
import type { Cells } from './tables.ts';

/** What Markdown can express: a heading, a paragraph, an item of a list, code or a table. */
export type Block =
  | TextBlock
  | { kind: 'table'; page: number; rows: Cells }
  | { kind: 'code'; page: number; text: string };

export interface TextBlock {
  kind: 'text';
  page: number;
  runs: Run[];
  /** 1 to 6 for headings; 0 for others. */
  level: number;
  size: number;
  left: number;
  /** Where the text after its mark starts, if white space tells. */
  textLeft: number | undefined;
  /** Marks that may make it an item of a list. */
  marks: Mark[];
  /** Set once it is known to be an item of a list. */
  item?: Mark | undefined;
  /** Whether the lines after the first one are below its text rather than below its mark. */
  hangs: boolean;
  /** Whether it goes on with the block before it, unless it is an item. */
  continues: boolean;
  /** Whether it starts a column or page. */
  startsColumn: boolean;
  /** White space after its last line, in points. */
  room: number;
}

/** Lines further apart than this many times their usual distance belong to different paragraphs. */
const paragraphGap = 1.25;
const headingGap = 1.45;
/** How far to the right an indented line starts, in sizes of its type. */
export const indent = 0.8;
/** A line without text in this share of its width is the last one of a paragraph. */
const clearRoom = 0.35;
/** Shorter texts don't go on in the next column: labels and titles. */
const minText = 25;

interface Open {
  block: TextBlock;
  last: Line;
  lines: Line[];
}

/** Joins the lines of a page to headings, paragraphs and items. */
export function blocksOf(parts: readonly Part[], style: Style, page: number): Block[] {
  const blocks: Block[] = [];
  parts.forEach((part, index) => {
    if (part.kind === 'table') blocks.push({ kind: 'table', rows: part.rows, page });
    else blocks.push(...blocksIn(part, style, page, index === 0 || part.startsColumn));
  });
  return blocks;
}

function blocksIn(part: LinesPart, style: Style, page: number, startsColumn: boolean): Block[] {
  const blocks: Block[] = [];
  let open: Open | undefined;
  const written = part.lines.filter(({ text }) => text !== '');
  for (let at = 0; at < written.length; at++) {
    const line = written[at] as Line;
    const found = marksOf(line);
    const follows = open !== undefined && continues(open, line, part, style);
    // Slides have items in large type, whose other lines are to the right of their marks. One that stands alone above a text is its heading.
    const isInItem = follows && open?.block.marks.some(isBulleted) && line.left > open.block.left;
    const [before, next] = [written[at - 1], written[at + 1]];
    const isAlone = next && next.size < 0.9 * line.size && !(before && isAsLarge(before, line));
    const level = isInItem || (!isAlone && found.some(isBulleted)) ? 0 : style.levelOf(line);
    if (level === 0 && style.isCode(line)) {
      const end = written.findIndex((each, index) => index > at && !style.isCode(each));
      const code = written.slice(at, end < 0 ? undefined : end);
      blocks.push({ kind: 'code', page, text: codeOf(code) });
      at += code.length - 1;
      open = undefined;
      continue;
    }
    const marks = level > 0 ? [] : found;
    const goesOn = follows && open?.block.level === level;
    if (open && goesOn && marks.length === 0) {
      open.block.runs = joined(open.block.runs, line.runs, style.hyphenated);
      if (open.block.marks.length > 0 && open.lines.length === 1)
        open.block.hangs = line.left > open.last.left + 0.3 * line.size;
      open.lines.push(line);
      open.last = line;
    } else {
      const block: TextBlock = {
        kind: 'text',
        page,
        runs: line.runs,
        level,
        size: line.size,
        left: line.left,
        textLeft: line.textLeft,
        marks,
        hangs: false,
        continues: goesOn,
        startsColumn: startsColumn && blocks.length === 0,
        room: 0,
      };
      blocks.push(block);
      open = { block, last: line, lines: [line] };
    }
    open.block.room = roomAfter(line, part);
  }
  return blocks;
}

function isAsLarge(one: Line, { size }: Line): boolean {
  return Math.abs(one.size - size) <= 0.1 * size;
}

/** Whether a mark has no number. */
export function isBulleted({ kind }: Mark): boolean {
  return kind === 'bullet' || kind === 'dash';
}

/** Writes lines of code with their indents, and with the lines that are empty between them. */
function codeOf(lines: readonly Line[]): string {
  const left = Math.min(...lines.map((line) => line.left));
  const distances = lines.slice(1).map(({ y }, index) => (lines[index]?.y ?? y) - y);
  const leading = Math.min(...distances.filter((distance) => distance > 0));
  return lines
    .map((line, index) => {
      const width = (line.right - line.left) / line.text.length;
      const empty = index === 0 ? 0 : Math.min(3, Math.round((distances[index - 1] ?? leading) / leading) - 1);
      return (
        '\n'.repeat(Math.max(0, empty)) + ' '.repeat(Math.min(80, Math.round((line.left - left) / width))) + line.text
      );
    })
    .join('\n');
}

/** Whether a line goes on with the block before it. */
function continues({ block, last, lines }: Open, line: Line, part: LinesPart, style: Style): boolean {
  const { size } = last;
  const gap = last.y - line.y;
  if (!isAsLarge(line, last) || gap <= 0) return false;
  if (block.level > 0) {
    const aligned =
      Math.abs(last.left - line.left) < 0.5 * size || Math.abs(middleOf(last) - middleOf(line)) < 0.5 * size;
    return gap <= headingGap * size && aligned && !/^\d+[.)]/.test(line.text);
  }
  // Within a sentence, raised and lowered text may move lines apart.
  const moved = /^\p{Ll}/u.test(line.text) && !isEnded(last.text) ? line.rise + last.fall : 0;
  if (gap - moved > paragraphGap * style.leadingOf(size)) return false;
  if (block.marks.length > 0) {
    if (line.left < block.left - 0.5 * size) return false;
    if (line.left > block.left + 0.4 * size) return true;
  }
  // Where the next word would have had room, a paragraph has ended.
  const least = Math.max(widthOfFirstWord(line.text, size) + 2 * size, clearRoom * (part.right - part.left));
  const isEnd = roomAfter(last, part) > least;
  if (block.marks.length === 0 && !line.rightToLeft && startsParagraph(lines, line, isEnd)) return false;
  return !(
    (last.filledIn || (isEnd && isEnded(last.text))) &&
    /^["'\u201c\u00ab([]*[\p{Lu}\p{N}\u2610\u2611]/u.test(line.text)
  );
}

/** Whether the first line of a paragraph is indented, or its other lines are. */
function startsParagraph(lines: readonly Line[], line: Line, isEnd: boolean): boolean {
  const [first, second] = lines;
  const last = lines.at(-1);
  if (!first || !last) return false;
  const step = indent * line.size;
  if (line.left > last.left + step)
    return lines.length > 1
      ? !second || second.left < first.left + step || line.left > second.left + step
      : isEnd || isEnded(last.text);
  // The first line of this one was indented, so it is the second one; else its lines hang below the first one.
  return lines.length > 1 && second !== undefined && second.left > first.left + step && line.left < second.left - step;
}

const middleOf = ({ left, right }: Line) => (left + right) / 2;

/** White space at the end of a line, in points. */
function roomAfter(line: Line, part: Pick<LinesPart, 'left' | 'right'>): number {
  return line.rightToLeft ? line.left - part.left : part.right - line.right;
}

/** An estimate, in points. */
function widthOfFirstWord(text: string, size: number): number {
  return (text.split(' ', 1)[0] ?? '').length * 0.5 * size;
}

/** Joins paragraphs that go on in the next column or page, and tables that do. */
export function joinColumns(blocks: readonly Block[], style: Style): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const index = beforeBreak(result, block);
    const previous = result[index];
    if (previous?.kind === 'text' && block.kind === 'text') {
      result[index] = { ...previous, runs: joined(previous.runs, block.runs, style.hyphenated), room: block.room };
    } else if (previous?.kind === 'table' && block.kind === 'table') {
      const repeats = JSON.stringify(previous.rows[0]) === JSON.stringify(block.rows[0]);
      result[index] = { ...previous, rows: [...previous.rows, ...block.rows.slice(repeats ? 1 : 0)] };
    } else result.push(block);
  }
  return result;
}

/** Returns the index of the block that goes on in the next one; -1 if none does. */
function beforeBreak(blocks: readonly Block[], next: Block): number {
  const last = blocks.at(-1);
  if (last?.kind === 'table' && next.kind === 'table' && last.page !== next.page) {
    return last.rows[0]?.length === next.rows[0]?.length ? blocks.length - 1 : -1;
  }
  if (next.kind !== 'text' || !next.startsColumn || next.level > 0 || next.item) return -1;
  // Notes in smaller type stand below the text that goes on.
  for (let index = blocks.length - 1; index >= Math.max(0, blocks.length - 8); index--) {
    const block = blocks[index];
    if (block?.kind !== 'text' || block.level > 0) return -1;
    if (block.size < 0.9 * next.size) continue;
    if (block.size > 1.1 * next.size || hasEnded(block)) return -1;
    if (goesOn(block, next)) return index;
  }
  return -1;
}

/** Whether a sentence goes on from the lines of a page to those of the next. */
export function goesOnIn(lines: readonly Line[], [next]: readonly Line[]): boolean {
  const last = lines.at(-1);
  if (!last || !next || !/^[\p{Ll}\p{Lo}]/u.test(next.text) || marksOf(next).length > 0) return false;
  const [left, right] = [Math.min(...lines.map((line) => line.left)), Math.max(...lines.map((line) => line.right))];
  const room = roomAfter(last, { left, right });
  return isAsLarge(last, next) && !hasEnded(last) && goesOn({ ...last, room }, next);
}

function hasEnded({ runs }: Pick<TextBlock, 'runs'>): boolean {
  const text = textOf(runs);
  return isEnded(text) || text.length < minText;
}

/** Whether a block's last line has no room for the first word of the next one. Captions have. */
function goesOn(block: Pick<TextBlock, 'runs' | 'room'>, next: Pick<TextBlock, 'runs' | 'size'>): boolean {
  const following = textOf(next.runs);
  if (!/^["'\u201c\u00ab([]?[\p{L}\p{N}]/u.test(following)) return false;
  const slack = /^\p{Ll}/u.test(following) ? 4 : 1.5;
  return block.room <= widthOfFirstWord(following, next.size) + slack * next.size;
}
