import { decodeHTML } from 'entities';
import { all, type PageElement } from '../page-tree/page-tree.ts';
import { rowsOf } from '../page-tree/tables.ts';
import { codeLanguage } from './code-language.ts';
import { decoded, hasPre, isBlock } from './elements.ts';

/** Names of the numbers of lines, and of boxes with them. */
const numberNames =
  /(?:^|[\s_-])(?:line-?(?:no|num|number)s?(?:div|link)?|linenos?|lines?-?nums?|blob-num|gutter|ln|lnt|hljs-ln-n)(?=$|[\s_-])|linenumber/i;
const copyNames = /(?:^|[\s_-])(?:copy|clipboard|copybtn|toolbar)(?=$|[\s_-])/i;
/** Elements of code, which may be in a `pre`. */
const codes = /^(code|kbd|samp|tt|var)$/;
/** Names of what can't be selected, such as a prompt. */
const unselectable = /(?:^|\s)(?:no-?select|unselectable|(?:user-)?select-none)(?=$|\s)/i;
const lineNames = /(?:^|[\s_-])line(?=$|\s)/i;
/** A number of a line, or several, and the signs beside them. */
const numbers = /^[\s\d.:|▸▾]*$/u;
/** Characters of the name of a button. */
const longestName = 20;
/** How deep the numbers of lines are in their cell. */
const numbersDepth = 4;
/** Boxes around code that can name its language. */
const boxes = 5;

/** Returns whether an element beside or in code isn't code: a number, a button, or what can't be selected. */
export function isBesideCode(element: PageElement): boolean {
  const { name, attributes, leftOut } = element;
  if (leftOut !== '' || name === 'button' || attributes.role === 'button') return true;
  if (name === 'pre' || name === 'code') return false;
  const { class: classes = '', style = '' } = attributes;
  // Elements of a site's own have names like those of classes.
  if (name.includes('-') && copyNames.test(name)) return true;
  if (attributes['aria-hidden'] === 'true' || /user-select\s*:\s*none/i.test(style) || unselectable.test(classes))
    return true;
  if (classes === '') return false;
  return isLineNumber(element) || isTool(element);
}

/** A copy button or the like. Within code, a name says nothing of that. */
function isTool(element: PageElement): boolean {
  const { class: classes } = element.attributes;
  if (classes === undefined || !copyNames.test(classes) || isIn(element, codes)) return false;
  return sourceOf(element, longestName + 1).trim().length <= longestName;
}

/**
 * Whether an element belongs to the code beside it: its tools, or its numbers in a block of their own.
 * @param blocks how many blocks of code are among its siblings and itself
 */
export function isOfCode(element: PageElement, blocks: number): boolean {
  return element.name === 'pre' ? blocks > 1 && isLineNumber(element) : blocks > 0 && isTool(element);
}

/** Returns whether an element is named as a number of a line, or as several of them. */
export function isLineNumber(element: PageElement): boolean {
  return numberNames.test(element.attributes.class ?? '') && numbers.test(sourceOf(element, 4000));
}

/** Returns the cell with code of a row that has only the numbers of its lines beside it. */
export function codeBesideNumbers(row: PageElement): PageElement | undefined {
  const [first, second, ...others] = allElements(row);
  if (!first || !second || others.length > 0 || !hasPre(second)) return undefined;
  return isBesideCode(first) || count([first]) > 1 ? second : undefined;
}

/** Whether a table lays out code with all its lines in a row, below a title or not. */
export function hasCodeInRow(table: PageElement): boolean {
  const rows = rowsOf(table);
  return rows.length < 3 && rows.some(codeBesideNumbers);
}

/** Returns how many lines cells number together; 0 if there is anything else in them. */
function count(cells: readonly PageElement[]): number {
  let lines = 0;
  let next = Number.NaN;
  const isNext = (text: string) => {
    const isGood = /^\d+$/.test(text) && (lines === 0 || Number(text) === next);
    next = Number(text) + 1;
    lines++;
    return isGood;
  };
  const areNumbers = ({ children }: PageElement, depth = 0): boolean =>
    depth <= numbersDepth &&
    children.every((child) =>
      typeof child === 'string'
        ? child.split(/\s+/).every((text) => text === '' || isNext(text))
        : areNumbers(child, depth + 1),
    );
  return cells.every((cell) => areNumbers(cell)) ? lines : 0;
}

/** Whether a table lays out code: a line in each row, beside its number, or all lines in one. */
export function isCodeTable(table: PageElement): boolean {
  const parts = allElements(table).flatMap((part) => (part.name === 'tr' ? [part] : allElements(part)));
  const rows = parts.filter(({ name }) => name === 'tr').map(allElements);
  return (
    rows.length > 0 &&
    rows.every(([first, second, ...others]) => {
      if (!first || !second || hasPre(second)) return false;
      if (isLineNumber(first)) return true;
      if (rows.length > 1 || others.length > 0 || isIn(table, /^table$/)) return false;
      const lines = count([first]);
      return lines > 1 && lines === codeText(second).split('\n').length;
    })
  );
}

function isIn({ parent }: PageElement, names: RegExp): boolean {
  return parent !== undefined && (names.test(parent.name) || isIn(parent, names));
}

/** The first cells of a table, or of a part of one, if they number the lines beside them. */
function gutterOf(part: PageElement): ReadonlySet<PageElement> {
  const rows = allElements(part)
    .filter(({ name }) => name === 'tr')
    .map(allElements);
  const cells = rows.flatMap(([first, second]) => (first && second ? [first] : []));
  return new Set(cells.length === rows.length && count(cells) > 1 ? cells : []);
}

/** The elements in an element, also those that are left out, as numbers of lines may be. */
function allElements({ children }: PageElement): PageElement[] {
  return children.filter((child) => typeof child !== 'string');
}

/** Returns the text of code in a line, in which only `br` breaks lines. */
export function spanText({ children }: PageElement, onLink: (link: PageElement) => void): string {
  let text = '';
  for (const child of children) {
    if (typeof child === 'string') text += decodeHTML(child).replace(/[ \t\f\r]*\n[ \t\n\f\r]*/g, ' ');
    else if (child.name === 'br') text += '\n';
    else if (child.name === 'img') text += decoded(child.attributes.alt) ?? '';
    else if (!isBesideCode(child)) {
      if (child.name === 'a') onLink(child);
      text += spanText(child, onLink);
    }
  }
  return text;
}

/** Returns the lines of code in an element: those of its text, and the blocks and elements that are lines. */
export function codeText(pre: PageElement): string {
  const text = sourceOfLines(pre)
    .replace(/(?:\ufdd1\s*)+$/, '')
    .replace(/\n?(?:\ufdd1(?:[ \t]*(?=[\ufdd0\ufdd1\n]))?)+(?:\n(?:[ \t]*(?=\ufdd0))?)?/g, '\n')
    .replace(/(?<=^|\n)\ufdd0+/g, '')
    .replace(/\ufdd0+/g, '\n');
  // The first line feed in a pre is part of its markup, and so is the one at the end.
  const [first] = pre.children;
  const isMarkup = typeof first === 'string' && /^\r?\n/.test(first);
  return (isMarkup ? text.slice(1) : text).replace(/\n[ \t]*$/, '');
}

/**
 * The text of code with noncharacters where an element that is a line begins and ends.
 * @param gutter cells with the numbers of its lines
 */
function sourceOfLines(element: PageElement, gutter = gutterOf(element)): string {
  const beside = allElements(element);
  const filled = new Set(beside.filter(({ children }) => children.length > 0).map(({ name }) => name));
  const hasCodes = element.name === 'pre' && beside.filter(({ name }) => name === 'code').length > 1;
  const isLine = (each: PageElement) => {
    const { name, attributes } = each;
    if (name === 'code' || name === 'td' || name === 'th') return name === 'code' && hasCodes;
    const isMarked = attributes['data-line'] !== undefined || lineNames.test(attributes.class ?? '');
    return isMarked || (filled.has(name) && isBlock(each));
  };
  let text = '';
  for (const child of element.children) {
    if (typeof child === 'string') text += decodeHTML(child).replace(/\r\n?/g, '\n');
    else if (child.name === 'br') text += '\n';
    else if (!gutter.has(child) && !isBesideCode(child)) {
      if (child.name === 'img') text += decoded(child.attributes.alt) ?? '';
      const inner = child.name === 'tr' ? sourceOfLines(child, gutter) : sourceOfLines(child);
      text += isLine(child) ? `\ufdd0${inner}\ufdd1` : inner;
    }
  }
  return text;
}

/** Returns the blocks in a `pre` that aren't in its only `code`, such as a title: they stand before it. */
export function captionsOf(pre: PageElement): { captions: PageElement[]; code: PageElement } {
  const [code, ...others] = all(pre, ({ name }) => name === 'code');
  const captions: PageElement[] = [];
  if (!code || others.length > 0) return { captions, code: pre };
  for (let inner = code; inner !== pre; inner = inner.parent ?? pre) {
    for (const child of inner.parent?.children ?? []) {
      if (child === inner || (typeof child === 'string' ? child.trim() === '' : isBesideCode(child))) continue;
      if (typeof child === 'string' || !isBlock(child)) return { captions: [], code: pre };
      captions.push(child);
    }
  }
  return { captions, code: captions.length > 0 ? code : pre };
}

/** Returns the language of code: of its `code`, of itself, or of a box around it. */
export function languageOf(pre: PageElement): string {
  const codes = all(pre, ({ name }) => name === 'code' || name === 'pre');
  let language = [...codes, pre].map(codeLanguage).find((each) => each !== undefined);
  let box = pre.parent;
  for (let level = 0; level < boxes && box && language === undefined; level++) {
    // A box with more text than code is a part of the page.
    if (box.has.text > pre.has.text * 2 + 200) break;
    language = codeLanguage(box);
    box = box.parent;
  }
  return language ?? '';
}

/** The text of an element as it is in the page, at most so much of it. */
function sourceOf({ children }: PageElement, most: number): string {
  let text = '';
  for (const child of children) {
    if (text.length >= most) break;
    text += typeof child === 'string' ? child : sourceOf(child, most - text.length);
  }
  return text.slice(0, most);
}
