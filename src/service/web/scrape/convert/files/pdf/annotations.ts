import { isFollowed } from '../html.ts';
import { type Box, boxAround, type Direction, type Piece, partsOf, turnedBox } from './pieces.ts';

/** What is used of an annotation as pdf.js gives it. */
export interface Annotation {
  subtype?: string;
  rect: number[];
  annotationFlags?: number;
  url?: string;
  quadPoints?: ArrayLike<number> | null;
  contentsObj?: { str: string };
  fieldType?: string;
  fieldValue?: unknown;
  password?: boolean;
  checkBox?: boolean;
  radioButton?: boolean;
  exportValue?: string;
  buttonValue?: string;
  options?: { exportValue: string; displayValue: string }[];
}

/** Bits of an annotation's flags: hidden, and not shown on the screen (ISO 32000-1, table 165). */
const notShown = 0b100010;
const marks = /^(Highlight|Underline|Squiggly|StrikeOut)$/;
const comments = /^(Text|Highlight|Underline|Squiggly|StrikeOut|Caret|Ink|Square|Circle|Line|Polygon|PolyLine|Stamp)$/;
/** Size of the values of a form without other text, in points. */
const usualSize = 10;
/** The label of a box to check stands at most this many font sizes after it. */
const boxGap = 2;

/** Returns what a page's readers added to it that isn't read: comments, by marks and by drawings, and files. */
export function unreadOf(annotations: readonly Annotation[], directions: readonly Direction[]): string[] {
  return shownOf(annotations).flatMap((annotation) => {
    const { subtype = '', contentsObj, rect, quadPoints } = annotation;
    if (subtype === 'FileAttachment') return ['embedded files'];
    const comment = withoutBlanks(contentsObj?.str);
    if (comment === '' || !comments.test(subtype)) return [];
    // Some programs write into a mark the text that it marks.
    const isRepeated = directions.some(({ angle, pieces }) => {
      const boxes = boxesOf(rect, quadPoints).map((box) => turnedBox(box, angle));
      const marked = pieces.filter((piece) => boxes.some((box) => isIn(piece, box)));
      return withoutBlanks(marked.map(({ text }) => text).join('')).includes(comment);
    });
    return isRepeated && marks.test(subtype) ? [] : ['comments'];
  });
}

function shownOf(annotations: readonly Annotation[]): Annotation[] {
  return annotations.filter(({ annotationFlags = 0 }) => (annotationFlags & notShown) === 0);
}

/** Adds the links and the values of a form to a page's text. Returns links that have no text, such as those of images. */
export function addAnnotations(annotations: readonly Annotation[], directions: Direction[]): string[] {
  const shown = shownOf(annotations);
  addValues(shown, directions);
  const linked = new Set<string>();
  const links = shown.filter(({ subtype, url }) => subtype === 'Link' && url !== undefined && isFollowed(url));
  for (const { url = '', rect, quadPoints } of links) {
    for (const box of boxesOf(rect, quadPoints)) {
      for (const direction of directions) if (link(direction, turnedBox(box, direction.angle), url)) linked.add(url);
    }
  }
  return [...new Set(links.map(({ url = '' }) => url))].filter((url) => !linked.has(url));
}

function addValues(annotations: readonly Annotation[], directions: Direction[]): void {
  const values = annotations
    .map((annotation) => [shownValue(annotation), annotation] as const)
    .filter(([value]) => value !== '');
  if (values.length === 0) return;
  if (directions.length === 0) directions.push({ angle: 0, pieces: [] });
  const direction = directions[0] as Direction;
  const sizes = direction.pieces.map(({ size }) => size).sort((one, other) => one - other);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? usualSize;
  direction.pieces.push(...values.map(([value, annotation]) => valuePiece(value, annotation, direction, usual)));
}

/** A link over several lines has a rectangle for each. */
function boxesOf(rect: readonly number[], quadPoints: ArrayLike<number> | null | undefined): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; quadPoints && at + 7 < quadPoints.length; at += 8)
    boxes.push(boxAround([0, 2, 4, 6].map((each) => [quadPoints[at + each] ?? 0, quadPoints[at + each + 1] ?? 0])));
  return boxes.length > 0 ? boxes : [boxOf(rect)];
}

function boxOf([left = 0, bottom = 0, right = 0, top = 0]: readonly number[]): Box {
  return { left, bottom, right, top };
}

function isIn(piece: Piece, { left, bottom, right, top }: Box): boolean {
  const middle = piece.y + 0.3 * piece.size;
  return middle >= bottom && middle <= top && piece.right > left && piece.left < right;
}

/** Links the words within a rectangle. */
function link(direction: Direction, box: Box, href: string): boolean {
  const { left, right } = box;
  let found = false;
  direction.pieces = direction.pieces.flatMap((piece) => {
    if (!isIn(piece, box)) return [piece];
    const inside = (each: Piece) => (each.left + each.right) / 2 >= left && (each.left + each.right) / 2 <= right;
    if (piece.left >= left - 1 && piece.right <= right + 1) {
      found = true;
      return [{ ...piece, href }];
    }
    const words = partsOf(piece);
    if (!words.some(inside)) return [piece];
    found = true;
    return grouped(words, inside, href).flatMap((group) => (group.href === href ? withoutSigns(group) : [group]));
  });
  return found;
}

/** Joins words again that are all within a link, or all outside it. */
function grouped(words: readonly Piece[], inside: (word: Piece) => boolean, href: string): Piece[] {
  const groups: Piece[] = [];
  let linked: boolean | undefined;
  for (const word of words) {
    const last = groups.at(-1);
    if (last && inside(word) === linked) {
      last.text += ` ${word.text}`;
      [last.left, last.right] = [Math.min(last.left, word.left), Math.max(last.right, word.right)];
    } else {
      linked = inside(word);
      groups.push(linked ? { ...word, href } : { ...word, marked: word.marked === true && groups.length === 0 });
    }
  }
  return groups;
}

/**
 * Ends a link within a text before the punctuation after it, and before brackets and quotes that it only opens or closes:
 * its words are estimated, and such signs are mostly those of the sentence.
 */
function withoutSigns(linked: Piece): Piece[] {
  const opens = /[([{\u00ab\u2018\u201c]/.test(linked.text);
  const closes = /[)\]}\u00bb\u2019\u201d]/.test(linked.text);
  const signs = opens
    ? /(?<![.,;:!?])(?=[.,;:!?]+$)/
    : /(?<![.,;:!?)\]}\u00bb\u2019\u201d])(?=[.,;:!?)\]}\u00bb\u2019\u201d]+$)/;
  const [words = linked, ...after] = partsOf(linked, signs);
  const parts =
    opens && !closes ? partsOf(words, /(?<=^[([{\u00ab\u2018\u201c]+)(?![([{\u00ab\u2018\u201c])/) : [words];
  return [...parts.slice(0, -1).map(unlinked), ...parts.slice(-1), ...after.map(unlinked)];
}

const unlinked = (piece: Piece): Piece => ({ ...piece, href: undefined });

/** Returns what a person sees in a field of a form, or in a note that is written on the page. */
function shownValue(annotation: Annotation): string {
  const { subtype, fieldType, fieldValue, password, checkBox, radioButton, options = [] } = annotation;
  if (subtype === 'FreeText') return oneLine(annotation.contentsObj?.str);
  if (subtype !== 'Widget' || password) return '';
  if (fieldType === 'Btn') {
    const own = checkBox ? annotation.exportValue : radioButton ? annotation.buttonValue : undefined;
    if (own === undefined || own === null) return '';
    return fieldValue === own ? '\u2611' : '\u2610';
  }
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return '';
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const shown = values.map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value);
  return oneLine(shown.filter((value) => typeof value === 'string').join(', '));
}

function withoutBlanks(text = ''): string {
  return text.replaceAll(/\s+/g, '');
}

function oneLine(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}

/** Writes a value beside its label: after it, or before it for a box to check; without one on its line, where its box is. */
function valuePiece(text: string, { rect, fieldType }: Annotation, { angle, pieces }: Direction, usual: number): Piece {
  const { left: from, bottom: low, right: to, top: high } = turnedBox(boxOf(rect), angle);
  const besides = pieces.filter(({ y, size }) => y + 0.6 * size > low && y < high - 0.1 * size);
  const before = besides
    .filter((piece) => piece.right <= from + 0.5 * piece.size)
    .sort((one, other) => other.right - one.right)[0];
  const after = besides
    .filter((piece) => piece.left >= to - 0.5 * piece.size)
    .sort((one, other) => one.left - other.left)[0];
  const isBox = fieldType === 'Btn' && after !== undefined && after.left - to < boxGap * after.size;
  const label = isBox ? after : before;
  const size = label?.size ?? usual;
  const width = Math.min(to - from, text.length * 0.5 * size);
  // A high box has several lines, of which the first is beside the label.
  const y = label?.y ?? (high - low > 3 * size ? high - size : (low + high) / 2 - 0.35 * size);
  const start = label === undefined ? from : isBox ? label.left - 0.3 * size - width : label.right + 0.3 * size;
  return { text, left: start, right: start + width, y, size, rightToLeft: false, filledIn: true };
}
