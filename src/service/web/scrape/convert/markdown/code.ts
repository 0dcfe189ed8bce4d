import { decodeHTML } from 'entities';
import { all, type PageElement } from '../content/page-tree.ts';
import { codeLanguage } from './code-language.ts';
import { blocks, decoded, hasPre } from './elements.ts';

/** Names of the numbers of lines, and of boxes with them. */
const numberNames =
  /(?:^|[\s_-])(?:line-?(?:no|num|number)s?(?:div|link)?|linenos?|line-?nums?|blob-num|gutter|ln|lnt|hljs-ln-n)(?=$|[\s_-])|linenumber/i;
const copyNames = /(?:^|[\s_-])(?:copy|clipboard|copybtn|toolbar)(?=$|[\s_-])/i;
/** Names of what can't be selected, such as a prompt. */
const unselectable = /(?:^|\s)(?:no-?select|unselectable|(?:user-)?select-none)(?=$|\s)/i;
const lineNames = /(?:^|[\s_-])line(?=$|\s)/i;
/** A number of a line, or several, and the signs beside them. */
const numbers = /^[\s\d.:|▸▾]*$/u;
/** Characters of the name of a button. */
const longestName = 20;
/** Boxes around code that can name its language. */
const boxes = 5;

/** Returns whether an element beside or in code isn't code: a number, a button, or what can't be selected. */
export function isBesideCode(element: PageElement): boolean {
  const { name, attributes, leftOut } = element;
  if (leftOut !== '' || name === 'button' || attributes.role === 'button') return true;
  if (name === 'pre' || name === 'code') return false;
  const { class: classes = '', style = '' } = attributes;
  if (attributes['aria-hidden'] === 'true' || /user-select\s*:\s*none/i.test(style) || unselectable.test(classes))
    return true;
  if (classes === '') return false;
  if (isLineNumber(element)) return true;
  return copyNames.test(classes) && sourceOf(element, longestName + 1).trim().length <= longestName;
}

/** Returns whether an element is named as a number of a line, or as several of them. */
export function isLineNumber(element: PageElement): boolean {
  return numberNames.test(element.attributes.class ?? '') && numbers.test(sourceOf(element, 4000));
}

/** Returns whether a cell has only the numbers of the lines of code beside it. */
export function isGutter(cell: PageElement): boolean {
  if (isBesideCode(cell)) return true;
  const found = sourceOf(cell, 100_000).trim().split(/\s+/);
  return (
    found.length > 1 &&
    /^\d+$/.test(found[0] ?? '') &&
    found.every((each, at) => Number(each) === Number(found[0]) + at)
  );
}

/** Whether a table lays out code: a line in each row, beside its number. */
export function isCodeTable(table: PageElement): boolean {
  const parts = allElements(table).flatMap((part) => (part.name === 'tr' ? [part] : allElements(part)));
  const rows = parts.filter(({ name }) => name === 'tr');
  return (
    rows.length > 0 &&
    rows.every((row) => {
      const [first, second] = allElements(row);
      return first && second && isLineNumber(first) && !hasPre(second);
    })
  );
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

/** The text of code with noncharacters where an element that is a line begins and ends. */
function sourceOfLines(element: PageElement): string {
  const beside = allElements(element);
  const filled = new Set(beside.filter(({ children }) => children.length > 0).map(({ name }) => name));
  const hasCodes = element.name === 'pre' && beside.filter(({ name }) => name === 'code').length > 1;
  const isLine = ({ name, attributes }: PageElement) => {
    if (name === 'code' || name === 'td' || name === 'th') return name === 'code' && hasCodes;
    return (blocks.has(name) && filled.has(name)) || lineNames.test(attributes.class ?? '');
  };
  let text = '';
  for (const child of element.children) {
    if (typeof child === 'string') text += decodeHTML(child).replace(/\r\n?/g, '\n');
    else if (child.name === 'br') text += '\n';
    else if (!isBesideCode(child)) text += isLine(child) ? `\ufdd0${sourceOfLines(child)}\ufdd1` : sourceOfLines(child);
  }
  return text;
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
