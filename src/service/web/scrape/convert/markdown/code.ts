import { decodeHTML } from 'entities';
import type { PageElement } from '../content/page-tree.ts';
import { blocks } from './block-names.ts';
import { codeLanguage } from './code-language.ts';

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

/** Returns the lines of code in an element: those of its text, and the blocks and elements that are lines. */
export function codeText(pre: PageElement): string {
  const parts: string[] = [];
  let atLineStart = true;
  /** A line has ended, and its line feed has not been written yet. */
  let ended = false;
  write(pre);
  const text = parts.join('');
  // The first line feed in a pre is part of its markup, and so is the one at the end.
  const [first] = pre.children;
  return (typeof first === 'string' && /^\r?\n/.test(first) ? text.slice(1) : text).replace(/\n[ \t]*$/, '');

  function write({ children }: PageElement): void {
    const lines = linesIn(children);
    for (const child of children) {
      if (typeof child === 'string') add(decodeHTML(child).replace(/\r\n?/g, '\n'));
      else if (child.name === 'br') add('\n');
      else if (!isBesideCode(child)) {
        if (isLine(child, lines)) writeLine(child);
        else write(child);
      }
    }
  }

  function writeLine(line: PageElement): void {
    if (ended || !atLineStart) put('\n');
    const from = parts.length;
    write(line);
    ended ||= parts.length === from || !atLineStart;
  }

  function add(text: string): void {
    if (!ended) return put(text);
    const [blank] = /^[ \t]*\n/.exec(text) ?? [];
    if (blank === undefined && text.trim() === '') return;
    put('\n');
    put(text.slice(blank?.length ?? 0));
  }

  function put(text: string): void {
    if (text === '') return;
    parts.push(text);
    atLineStart = text.endsWith('\n');
    ended = false;
  }
}

/** The names of blocks that have something, and how many codes there are. */
function linesIn(children: PageElement['children']): { blocks: Set<string>; codes: number } {
  const found = { blocks: new Set<string>(), codes: 0 };
  for (const child of children) {
    if (typeof child === 'string') continue;
    if (child.name === 'code') found.codes++;
    else if (child.children.length > 0 && blocks.has(child.name)) found.blocks.add(child.name);
  }
  return found;
}

/** Whether an element is a line of code: a block, an element that is named so, or one of several codes in a row. */
function isLine({ name, attributes, parent }: PageElement, beside: { blocks: Set<string>; codes: number }): boolean {
  if (name === 'code') return parent?.name === 'pre' && beside.codes > 1;
  if (name === 'td' || name === 'th') return false;
  return beside.blocks.has(name) || (attributes.class !== undefined && lineNames.test(attributes.class));
}

/** Returns the language of code: of its `code`, of itself, or of a box around it. */
export function languageOf(pre: PageElement): string {
  const inner = innerLanguage(pre, 4);
  if (inner !== undefined) return inner;
  let language = codeLanguage(pre);
  let box = pre.parent;
  for (let level = 0; level < boxes && box && language === undefined; level++) {
    // A box with more text than code is a part of the page.
    if (box.has.text > pre.has.text * 2 + 200) break;
    language = codeLanguage(box);
    box = box.parent;
  }
  return language ?? '';
}

function innerLanguage({ children }: PageElement, depth: number): string | undefined {
  for (const child of children) {
    if (typeof child === 'string' || child.leftOut !== '') continue;
    const found =
      (child.name === 'code' || child.name === 'pre' ? codeLanguage(child) : undefined) ??
      (depth > 0 ? innerLanguage(child, depth - 1) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
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
