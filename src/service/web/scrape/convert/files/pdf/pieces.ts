/** Text of one size on one line of a page, as it stands when the page is turned so that it can be read. Lengths are in points. */
export interface Piece {
  text: string;
  left: number;
  right: number;
  /** Height of the baseline, upwards. */
  y: number;
  /** Size of the font. */
  size: number;
  /** Whether all letters of its font are of one width; undefined if that says nothing, since those of its script always are. */
  fixed?: boolean | undefined;
  /** Whether its script is written from right to left. */
  rightToLeft: boolean;
  /** Where it links to. */
  href?: string | undefined;
  /** Whether it stands above the text that it touches. */
  raised?: boolean | undefined;
  /** Whether the mark of a list's item is drawn before it. */
  marked?: boolean;
  /** Whether it is the value of a form's field. */
  filledIn?: boolean;
}

/** A text as pdf.js gives it: from the lower left corner of the page as it is stored. */
export interface TextItem {
  str: string;
  dir: string;
  transform: number[];
  width: number;
  height: number;
  fontName: string;
}

/** What pdf.js knows of fonts, by their names. */
export type FontStyles = Readonly<Record<string, { vertical: boolean; fontFamily: string }>>;

/** A rectangle, in points. */
export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** Texts that run in the same direction. */
export interface Direction {
  /** Counterclockwise, in degrees from 0 to 359. */
  angle: number;
  pieces: Piece[];
}

/** Angles within this many degrees of a right one count as right: scanned pages are slightly askew. */
const askew = 8;
/** Arabic letters in the shape that they have beside others: fonts have them, texts don't. */
const shapedLetters = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;
/** The same text at nearly the same place, in font sizes, is printed twice to look bold. */
const sameplace = 0.1;

/** Turns the texts of a page so that each direction can be read; that of most texts comes first. */
export function directionsOf(items: readonly TextItem[], styles: FontStyles): Direction[] {
  const found = new Map<number, Direction & { length: number }>();
  for (const item of items) {
    const text = item.str
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll(shapedLetters, (shaped) => shaped.normalize('NFKC'));
    if (text === '') continue;
    const { vertical = false, fontFamily } = styles[item.fontName] ?? {};
    const angle = angleOf(item.transform, vertical);
    const direction = found.get(angle) ?? { angle, pieces: [], length: 0 };
    found.set(angle, direction);
    direction.length += text.length;
    const fixed = isFullWidth(text) ? undefined : fontFamily === 'monospace';
    const piece = { ...pieceOf(item, text, angle, vertical), fixed };
    if (!isRepeated(piece, direction.pieces)) direction.pieces.push(...withoutLeaders(piece));
  }
  return [...found.values()].sort((one, other) => other.length - one.length);
}

function angleOf([a = 1, b = 0]: readonly number[], vertical: boolean): number {
  const degrees = (Math.atan2(b, a) * 180) / Math.PI + (vertical ? 270 : 360);
  const right = Math.round(degrees / 90) * 90;
  return (Math.abs(degrees - right) <= askew ? right : Math.round(degrees)) % 360;
}

function pieceOf({ transform, width, height, dir }: TextItem, text: string, angle: number, vertical: boolean): Piece {
  const [, , skew = 0, scale = 0, x = 0, bottom = 0] = transform;
  const size = Math.hypot(skew, scale) || height || 1;
  const [left, y] = turned(x, bottom, angle);
  const length = Math.max(0, vertical ? height : width);
  return { text, left, right: left + length, y: vertical ? y - size / 2 : y, size, rightToLeft: dir === 'rtl' };
}

/** Returns a point after the page is turned back by an angle in degrees. */
export function turned(x: number, y: number, angle: number): [x: number, y: number] {
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  return [x * cos + y * sin, y * cos - x * sin];
}

/** Returns a rectangle after the page is turned back. */
export function turnedBox({ left, bottom, right, top }: Box, angle: number): Box {
  return boxAround([turned(left, bottom, angle), turned(right, top, angle)]);
}

/** The rectangle between the outermost of some points. */
export function boxAround(points: readonly (readonly [x: number, y: number])[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
}

function isRepeated({ text, left, y, size }: Piece, before: readonly Piece[]): boolean {
  for (let index = before.length - 1; index >= Math.max(0, before.length - 40); index--) {
    const other = before[index];
    if (other?.text !== text) continue;
    if (Math.abs(other.left - left) < sameplace * size && Math.abs(other.y - y) < sameplace * size) return true;
  }
  return false;
}

/** The dots that lead from a title to its page in a table of contents. */
const leaders = /(?:\s*\.){5,}\s*/;

/** Divides a piece at its leaders, which are white space to a reader. */
function withoutLeaders(piece: Piece): Piece[] {
  if (!piece.text.includes('..') && !piece.text.includes('. .')) return [piece];
  const [before = '', after = ''] = piece.text.split(leaders, 2);
  if (before === piece.text) return [piece];
  const scale = (piece.right - piece.left) / lengthOf(piece.text);
  return [
    { ...piece, text: before, right: piece.left + lengthOf(before) * scale },
    { ...piece, text: after, left: piece.right - lengthOf(after) * scale },
  ].filter(({ text }) => text !== '');
}

function lengthOf(text: string): number {
  let length = 0;
  for (const character of text) length += widthOf(character);
  return length;
}

const fullWidthLetters = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u30ff\uff00-\uff60]/gu;

function isFullWidth(text: string): boolean {
  return (text.match(fullWidthLetters)?.length ?? 0) * 2 > (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
}

const rightToLeftLetters = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;

/** Whether most letters are of a script that is written from right to left. */
export function isRightToLeft(text: string): boolean {
  const those = text.match(rightToLeftLetters)?.length ?? 0;
  return those > 0 && those * 2 > (text.match(/\p{L}/gu)?.length ?? 0);
}

/** Relative widths of characters, which are near those of most fonts: enough to find the words of a link. */
function widthOf(character: string): number {
  if (/[ijlI.,:;'|!()[\]ftr ]/.test(character)) return 0.3;
  if (/[mwMW@%\u2014]/.test(character)) return 0.85;
  if (/[A-Z]/.test(character)) return 0.68;
  return /[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/.test(character) ? 1 : 0.54;
}

/** Splits a piece into parts, such as its words, each with its estimated place. */
export function partsOf(piece: Piece, between = /(?<= )/): Piece[] {
  const scale = (piece.right - piece.left) / (lengthOf(piece.text) || 1);
  let passed = 0;
  return piece.text.split(between).map((part) => {
    const text = part.trim();
    const from = passed * scale;
    const width = lengthOf(text) * scale;
    passed += lengthOf(part);
    const left = piece.rightToLeft ? piece.right - from - width : piece.left + from;
    return { ...piece, text, left, right: left + width };
  });
}
