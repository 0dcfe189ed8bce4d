import { type Box, type Direction, type Piece, turnedBox, wordsOf } from './pieces.ts';

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
  defaultAppearanceData?: { fontSize?: number };
}

/** Bits of an annotation's flags: hidden, and not shown on the screen (ISO 32000-1, table 165). */
const notShown = 0b100010;
const shownSchemes = /^(https?|mailto):/i;
/** A value without a size of its own is written in this one, in points, if its box is high enough. */
const usualSize = 10;

/** Adds the links and the values of a form to a page's text. Returns links that have no text, such as those of images. */
export function addAnnotations(annotations: readonly Annotation[], directions: Direction[]): string[] {
  const shown = annotations.filter(({ annotationFlags = 0 }) => (annotationFlags & notShown) === 0);
  for (const annotation of shown) {
    const value = valueOf(annotation);
    if (value !== '') addValue(value, annotation, directions);
  }
  const linked = new Set<string>();
  const links = shown.filter(({ subtype, url }) => subtype === 'Link' && url !== undefined && shownSchemes.test(url));
  for (const { url = '', rect, quadPoints } of links) {
    for (const box of boxesOf(rect, quadPoints)) {
      for (const direction of directions) if (link(direction, turnedBox(box, direction.angle), url)) linked.add(url);
    }
  }
  return [...new Set(links.map(({ url = '' }) => url))].filter((url) => !linked.has(url));
}

/** A link over several lines has a rectangle for each. */
function boxesOf(rect: readonly number[], quadPoints: ArrayLike<number> | null | undefined): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; quadPoints && at + 7 < quadPoints.length; at += 8) {
    const xs = [0, 2, 4, 6].map((each) => quadPoints[at + each] ?? 0);
    const ys = [1, 3, 5, 7].map((each) => quadPoints[at + each] ?? 0);
    boxes.push([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]);
  }
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  return boxes.length > 0 ? boxes : [[left, bottom, right, top]];
}

/** Links the words within a rectangle. */
function link(direction: Direction, [left, bottom, right, top]: Box, href: string): boolean {
  let found = false;
  direction.pieces = direction.pieces.flatMap((piece) => {
    const middle = piece.y + 0.3 * piece.size;
    if (middle < bottom || middle > top || piece.right <= left || piece.left >= right) return [piece];
    const inside = (each: Piece) => (each.left + each.right) / 2 >= left && (each.left + each.right) / 2 <= right;
    if (piece.left >= left - 1 && piece.right <= right + 1) {
      found = true;
      return [{ ...piece, href }];
    }
    const words = wordsOf(piece);
    if (!words.some(inside)) return [piece];
    found = true;
    return grouped(words, inside, href);
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

/** Returns what a person sees in a field of a form, or in a note that is written on the page. */
function valueOf(annotation: Annotation): string {
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

function oneLine(text: string | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}

/** Writes a value after the label before it on its line, or else where its box is. */
function addValue(text: string, { rect, defaultAppearanceData }: Annotation, directions: Direction[]): void {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  let direction = directions[0];
  if (!direction) directions.push((direction = { angle: 0, pieces: [] }));
  const [from, low, to, high] = turnedBox([left, bottom, right, top], direction.angle);
  const besides = direction.pieces.filter(({ y, size }) => y + 0.6 * size > low && y < high - 0.1 * size);
  const labels = besides.filter((piece) => piece.right <= from + 0.5 * piece.size);
  const label = labels.reduce<Piece | undefined>((near, piece) => (near && near.right >= piece.right ? near : piece), undefined);
  const beside = label ?? besides[0];
  const size = beside?.size ?? Math.min(high - low, defaultAppearanceData?.fontSize || usualSize);
  // Several lines stand in a high box: the label is beside the first one.
  const y = beside?.y ?? (high - low > 3 * size ? high - size : (low + high) / 2 - 0.35 * size);
  const start = label && !labels.some(({ right: end }) => end > label.right) ? label.right + 0.3 * size : from;
  const width = Math.min(to - from, text.length * 0.5 * size);
  direction.pieces.push({ text, left: start, right: start + width, y, size, rightToLeft: false });
}
