import { type getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { toRows } from './lines.ts';
import { isBullet } from './marks.ts';
import { type Box, boxAround, type Direction } from './pieces.ts';
import { regionsOf } from './regions.ts';
import { mayNeedRules } from './tables.ts';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;
type Matrix = [number, number, number, number, number, number];

/** A mark is at most this high and wide, and stands at most this far before its text, in font sizes. */
const mark = { least: 0.1, most: 0.75, before: 3 };
/** A line is at most this thick, in points, and at least this long across a page, or high down it. */
const rule = { thick: 2.5, long: 20, high: 8 };
const maxShapes = 20_000;
const maxMarks = 300;
/** A page with more texts than this is none that people read. */
const maxPieces = 20_000;

/** Returns the extents of what is drawn on a page; nothing if its drawing is damaged. */
export async function shapesOn(page: Page): Promise<Box[]> {
  const { AnnotationMode, OPS: ops } = await getResolvedPDFJS();
  const operators = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE }).catch(() => undefined);
  const { fnArray = [], argsArray = [] } = operators ?? {};
  const shapes: Box[] = [];
  const saved: Matrix[] = [];
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  for (let index = 0; index < fnArray.length && shapes.length < maxShapes; index++) {
    const operator = fnArray[index];
    const args = argsArray[index];
    if (operator === ops.save) saved.push(matrix);
    else if (operator === ops.restore || operator === ops.paintFormXObjectEnd) matrix = saved.pop() ?? matrix;
    else if (operator === ops.transform) matrix = multiplied(matrix, args as Matrix);
    else if (operator === ops.paintFormXObjectBegin) {
      saved.push(matrix);
      const own = (args as [ArrayLike<number> | null])[0];
      if (own) matrix = multiplied(matrix, Array.from(own) as Matrix);
    } else if (operator === ops.constructPath) {
      const box = (args as [unknown, unknown, ArrayLike<number> | null])[2];
      if (box) shapes.push(shapeOf(matrix, box));
    }
  }
  return shapes;
}

function multiplied([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix {
  return [a * A + c * B, b * A + d * B, a * C + c * D, b * C + d * D, a * E + c * F + e, b * E + d * F + f];
}

function shapeOf([a, b, c, d, e, f]: Matrix, box: ArrayLike<number>): Box {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = Array.from(box);
  return boxAround([
    [a * x1 + c * y1 + e, b * x1 + d * y1 + f],
    [a * x2 + c * y2 + e, b * x2 + d * y2 + f],
  ]);
}

/** Whether what is drawn on a page can tell something about its text. Reading it takes nearly as long as reading the text. */
export function drawingNeeds({ pieces }: Direction): { cells: boolean; bullets: boolean } {
  if (pieces.length > maxPieces) return { cells: false, bullets: true };
  const rows = toRows(pieces);
  return {
    // The lines of a table may be drawn between its cells, which may seem to be the words of a text.
    cells:
      rows.some(({ pieces }, at) => pieces.length > 1 && rows[at + 1]?.pieces.length === pieces.length) ||
      regionsOf(rows).some((region) => region.kind === 'columns' && mayNeedRules(region.columns, region.gutters)),
    // Bullets are written, as then on all pages.
    bullets: rows.some(({ pieces: [first] }) => first && isBullet(first.text)),
  };
}

/** Marks the texts before which a bullet is drawn. */
export function addMarks(shapes: readonly Box[], { pieces }: Direction): void {
  if (shapes.length === 0) return;
  const largest = pieces.reduce((most, { size }) => Math.max(most, size), 0);
  const small = shapes.filter(({ left, right, bottom, top }) => {
    const [width, height] = [right - left, top - bottom];
    return Math.max(width, height) <= Math.min(mark.most * largest, 1.6 * Math.min(width, height));
  });
  // A map or a chart has many small shapes, and a page not so many items.
  if (small.length > maxMarks) return;
  for (const { left, right, bottom, top } of small) {
    const width = right - left;
    const middle = (bottom + top) / 2;
    for (const piece of pieces) {
      const { size, y } = piece;
      if (width < mark.least * size || width > mark.most * size) continue;
      if (middle < y - 0.1 * size || middle > y + 0.8 * size) continue;
      if (piece.left < right - 0.1 * size || piece.left - right > mark.before * size) continue;
      // The mark of a sentence's end or of a chart has text before it.
      if (pieces.some((other) => other !== piece && Math.abs(other.y - y) < 0.3 * size && other.left < piece.left))
        continue;
      piece.marked = true;
      break;
    }
  }
}

/** Returns the lines that are drawn across a page and down it, and the edges of boxes that are. */
export function rulesOf(shapes: readonly Box[]): Box[] {
  const rules: Box[] = [];
  for (const { left, right, bottom, top } of shapes) {
    const heights = top - bottom <= rule.thick ? [(bottom + top) / 2] : [bottom, top];
    if (right - left >= rule.long) for (const y of heights) rules.push({ left, right, bottom: y, top: y });
    if (top - bottom >= rule.high) for (const x of [left, right]) rules.push({ left: x, right: x, bottom, top });
  }
  return rules;
}
