import { type ChildNode, Element, isTag, isText, type ParentNode } from 'domhandler';
import { ownNames } from '../../../../../platform/own-names.ts';
import { equationText } from '../../equations.ts';
import type { Archive } from '../archive.ts';
import { needsPassword, UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import {
  escaped,
  linked,
  noteNumber,
  notesHtml,
  type SheetCell,
  sheetsHtml,
  slideHtml,
  tableHtml,
  wrapped,
} from '../html.ts';
import { attributeOf, descendants, elementAt, elementsOf, nameOf, parseXml, textOf } from '../xml.ts';
import { notRead, propertiesOf } from './properties.ts';

/** Styles that programs have for code and quotes, and the elements of those. */
const named: Readonly<Record<string, string>> = ownNames({
  Preformatted_20_Text: 'pre',
  Quotations: 'blockquote',
  Source_20_Text: 'code',
});

/** Repetitions of a cell, a row or a blank that are written out; files use huge ones for empty space. */
const maxRepeats = 100;

/** What has paragraphs of its own within one. */
const shapes = /^(text-box|custom-shape|rect|ellipse|circle|line|connector|polygon|polyline|path|caption)$/;

/** Reads an OpenDocument text, spreadsheet or presentation. Throws an UnreadableFile. */
export function readOpenDocument(archive: Archive): FileReading {
  const manifest = archive.xml('META-INF/manifest.xml');
  if (descendants(manifest, 'encryption-data').length > 0) throw needsPassword('document');
  const root = elementAt(archive.xml('content.xml'), 'document-content');
  const body = elementsOf(elementAt(root, 'body'))[0];
  if (!body) throw new UnreadableFile('The document is damaged: it has no content.');
  const automatic = elementAt(root, 'automatic-styles');
  const others = elementAt(archive.xml('styles.xml'), 'document-styles');
  // The automatic styles of the other file are those of headers and footers.
  const allStyles = [elementAt(others, 'styles'), automatic];
  const writer = createWriter({
    styles: stylesOf(allStyles.flatMap((each) => elementsOf(each, 'style'))),
    numbered: new Map(allStyles.flatMap(numberedLevels)),
    objectAt: (name) => archive.text(`${name}/content.xml`),
  });
  const kind = nameOf(body);
  const sheets = kind === 'spreadsheet' ? sheetsHtml(elementsOf(body, 'table').map(writer.sheet)) : undefined;
  let html = sheets?.html ?? '';
  if (kind === 'presentation' || kind === 'drawing') html = elementsOf(body, 'page').map(writer.slide).join('');
  else if (!sheets) html = writer.blocks(body);
  const warnings = [...(sheets?.warnings ?? []), ...notRead([...writer.unread])];
  return { html: html + writer.notes(), metadata: propertiesOf(archive.xml('meta.xml')), warnings };
}

interface Style {
  bold: boolean;
  italic: boolean;
  struck: boolean;
  /** The element of what its name says that it is: code or a quote. */
  tag: string;
  /** Undefined: as the text around it. */
  hidden: boolean | undefined;
}

/** Returns styles by their families and names. They have what the style that they are based on has, and come after it. */
function stylesOf(all: readonly Element[]): Map<string, Style> {
  const styles = new Map<string, Style>();
  for (const style of all) {
    const properties = elementAt(style, 'text-properties');
    const family = attributeOf(style, 'family') ?? '';
    const base = styles.get(`${family}/${attributeOf(style, 'parent-style-name')}`);
    const own = (name: string) => properties && attributeOf(properties, name);
    const [weight, slant, display] = [own('font-weight'), own('font-style'), own('display')];
    const [name, line] = [attributeOf(style, 'name') ?? '', own('text-line-through-style')];
    styles.set(`${family}/${name}`, {
      bold: weight === undefined ? base?.bold === true : weight === 'bold',
      italic: slant === undefined ? base?.italic === true : slant === 'italic',
      struck: line === undefined ? base?.struck === true : line !== 'none',
      tag: named[name] ?? base?.tag ?? '',
      hidden: display === undefined ? base?.hidden : display === 'none',
    });
  }
  return styles;
}

/** Returns the levels, from 1, on which lists of each style are numbered, and the first number of each. */
function numberedLevels(styles: ParentNode | undefined): [style: string, levels: Map<number, number>][] {
  return elementsOf(styles, 'list-style').map((style) => {
    const levels = elementsOf(style, 'list-level-style-number');
    // A level without a format shows no number.
    const shown = levels.filter((level) => attributeOf(level, 'num-format') !== '');
    const numbers = shown.map((level) => [countOf(level, 'level'), countOf(level, 'start-value')] as const);
    return [attributeOf(style, 'name') ?? '', new Map(numbers)];
  });
}

interface Surroundings {
  styles: ReadonlyMap<string, Style>;
  numbered: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Returns the content of an embedded object. */
  objectAt(name: string): string | undefined;
}

function createWriter({ styles, numbered, objectAt }: Surroundings) {
  const notes: string[] = [];
  const unread = new Set<string>();
  /** The style of the list that is open, and how deep lists are nested. */
  const lists = { style: '', depth: 0 };
  /** The number of the last item of each list, by its id, and by its style and level. */
  const last = new Map<string, number>();
  /** Whether a style hides the text that is written. */
  let isTextHidden = false;

  function blocks(parent: ParentNode): string {
    const html = elementsOf(parent).map(block).join('');
    // Programs begin a list at each of its items.
    return html.replaceAll('</pre><pre>', '\n').replaceAll(/<\/(blockquote|ul)><\1>/g, '');
  }

  /** Whether an element is hidden: by its section, or by a condition that was met. */
  function isHidden(element: Element): boolean {
    const [section, field] = [
      nameOf(element) === 'section' ? element : undefined,
      elementAt(element, 'hidden-paragraph'),
    ];
    if (section && attributeOf(section, 'display') === 'none') return true;
    const conditional = section ?? field;
    return conditional !== undefined && attributeOf(conditional, 'is-hidden') === 'true';
  }

  const styleOf = (element: Element, family: string) => styles.get(`${family}/${attributeOf(element, 'style-name')}`);

  /** The text of a paragraph, whose parts may be shown though its style hides it. */
  function paragraph(element: Element): string {
    const outer = isTextHidden;
    isTextHidden = styleOf(element, 'paragraph')?.hidden === true;
    const html = inline(element);
    isTextHidden = outer;
    return html;
  }

  function block(element: Element): string {
    if (isHidden(element)) return '';
    switch (nameOf(element)) {
      case 'h': {
        const level = Math.min(6, countOf(element, 'outline-level'));
        return wrapped(`h${level}`, paragraph(element));
      }
      case 'p': {
        const { tag = '' } = styleOf(element, 'paragraph') ?? {};
        // An empty line of code is one; code has no links.
        if (tag === 'pre' && descendants(element, 'a').length === 0)
          return `<pre>${paragraph(element)}</pre>${shapesIn(element)}`;
        const html = wrapped('p', paragraph(element)) + shapesIn(element);
        return tag === 'blockquote' ? wrapped(tag, html) : html;
      }
      case 'list':
        return list(element);
      case 'table':
        return table(element);
      case 'frame':
        return blocks(element) + wrapped('p', alternativeText(element));
      case 'object':
        return wrapped('p', objectText(element));
      case 'tracked-changes':
      case 'sequence-decls':
      case 'annotation':
      case 'forms':
      case 'notes':
        return '';
      default:
        return blocks(element);
    }
  }

  /** A list in a list has the style of the outer one. */
  function list(element: Element): string {
    const outer = { ...lists };
    lists.style = attributeOf(element, 'style-name') ?? lists.style;
    lists.depth++;
    const kind = `${lists.style}/${lists.depth}`;
    const first = numbered.get(lists.style)?.get(lists.depth);
    const id = attributeOf(element, 'id');
    const goesOn = attributeOf(element, 'continue-numbering') === 'true' ? last.get(kind) : undefined;
    let number = last.get(attributeOf(element, 'continue-list') ?? '') ?? goesOn ?? (first ?? 1) - 1;
    let html = '';
    let shown = 0;
    for (const item of elementsOf(element, 'list-item')) {
      const content = blocks(item);
      const parts = elementsOf(item);
      // It only says how deep the inner list is.
      if (parts.length > 0 && parts.every((part) => nameOf(part) === 'list')) {
        html += content;
        continue;
      }
      const written = attributeOf(item, 'start-value');
      number = written === undefined ? number + 1 : countOf(item, 'start-value');
      if (content.trim() === '') continue;
      html +=
        first === undefined || number === ++shown ? `<li>${content}</li>` : `<li value="${number}">${content}</li>`;
      shown = number;
    }
    for (const key of [kind, id]) if (key !== undefined) last.set(key, number);
    Object.assign(lists, outer);
    return elementsOf(element, 'list-header').map(blocks).join('') + wrapped(first === undefined ? 'ul' : 'ol', html);
  }

  /** An equation as its text. Charts and other objects aren't read. */
  function objectText(object: Element): string {
    const name = (attributeOf(object, 'href') ?? '').replace(/^\.\//, '');
    const content = parseXml(name === '' ? '' : (objectAt(name) ?? ''));
    const math = elementAt(content, 'math') ?? elementAt(object, 'math');
    if (math) return escaped(equationText(math));
    unread.add('charts or embedded files');
    return '';
  }

  /** What is said about an image. */
  function alternativeText(frame: Element): string {
    if (!elementAt(frame, 'image') || elementAt(frame, 'object')) return '';
    return escaped((textOf(elementAt(frame, 'title')) || textOf(elementAt(frame, 'desc'))).trim());
  }

  /** Text boxes and shapes are inside a paragraph; their content follows it. */
  function shapesIn(parent: Element): string {
    if (styleOf(parent, 'paragraph')?.hidden) return '';
    return elementsOf(parent)
      .map((each) => (shapes.test(nameOf(each)) ? blocks(each) : shapesIn(each)))
      .join('');
  }

  function inline(parent: ParentNode): string {
    return parent.children.map(piece).join('');
  }

  function piece(node: ChildNode): string {
    if (isText(node)) return isTextHidden ? '' : escaped(node.data.replaceAll(/\s+/g, ' '));
    if (!isTag(node) || (isTextHidden && nameOf(node) !== 'span' && nameOf(node) !== 'a')) return '';
    switch (nameOf(node)) {
      case 's':
        return ' '.repeat(Math.min(maxRepeats, countOf(node, 'c')));
      case 'tab':
        return ' ';
      case 'line-break':
        return '<br>';
      case 'a':
        return linked(attributeOf(node, 'href'), inline(node));
      case 'span': {
        const { tag = '', bold, italic, struck, hidden = isTextHidden } = styleOf(node, 'text') ?? {};
        const outer = isTextHidden;
        isTextHidden = hidden;
        const text = inline(node);
        isTextHidden = outer;
        const tags = [tag, italic && 'em', struck && 'del', bold && 'strong'];
        return tags.reduce<string>((html, each) => (each ? wrapped(each, html) : html), text);
      }
      case 'note': {
        notes.push(descendants(node, 'note-body').map(blocks).join(''));
        return noteNumber(notes.length);
      }
      case 'frame':
        return elementsOf(node, 'object').map(objectText).join('') + alternativeText(node);
      case 'annotation':
        unread.add('comments');
        return '';
      case 'annotation-end':
        return '';
      case 'ruby-text':
        return `(${inline(node)})`;
      default:
        return shapes.test(nameOf(node)) ? '' : inline(node);
    }
  }

  function table(element: Element): string {
    const rows = rowsOf(element).map((row) =>
      elementsOf(row, 'table-cell').flatMap((cell) => {
        const shown = {
          html: cellHtml(cell),
          columns: countOf(cell, 'number-columns-spanned'),
          rows: countOf(cell, 'number-rows-spanned'),
        };
        return Array(Math.min(maxRepeats, countOf(cell, 'number-columns-repeated'))).fill(shown);
      }),
    );
    return tableHtml(rows);
  }

  function cellHtml(cell: Element): string {
    const [only, ...others] = elementsOf(cell);
    return only && nameOf(only) === 'p' && others.length === 0 ? paragraph(only) + shapesIn(only) : blocks(cell);
  }

  function sheet(element: Element) {
    const rows: SheetCell[][] = [];
    for (const row of rowsOf(element)) {
      const cells: SheetCell[] = [];
      for (const cell of elementsOf(row).filter((each) => /^(covered-)?table-cell$/.test(nameOf(each)))) {
        const text = sheetCell(cell);
        const repeats = countOf(cell, 'number-columns-repeated');
        if (text === '') cells.length = Math.min(16_384, cells.length + repeats);
        else for (let count = Math.min(repeats, maxRepeats); count > 0; count--) cells.push(text);
      }
      const repeats = countOf(row, 'number-rows-repeated');
      const filled = Array.from(cells, (cell) => cell ?? '');
      for (let count = filled.some(Boolean) ? Math.min(repeats, maxRepeats) : 0; count > 0; count--) rows.push(filled);
    }
    descendants(element, 'object').forEach(objectText);
    return { name: attributeOf(element, 'name') ?? '', rows, cut: false };
  }

  /** What a cell shows; its value, if a program hasn't written that. Comments are no part of it. */
  function sheetCell(cell: Element): SheetCell {
    if (elementAt(cell, 'annotation')) unread.add('comments');
    const shown = elementsOf(cell).filter((each) => nameOf(each) !== 'annotation');
    const lines = shown.flatMap((each) => (nameOf(each) === 'p' ? [each] : descendants(each, 'p')));
    const text = lines.map(plainText).join('\n');
    if (lines.length === 0) {
      const names = ['string-value', 'date-value', 'time-value', 'boolean-value', 'value'];
      const value = names.map((name) => attributeOf(cell, name)).find((found) => found !== undefined) ?? '';
      const isPercentage = attributeOf(cell, 'value-type') === 'percentage';
      return isPercentage ? `${Number((Number(value) * 100).toPrecision(15))}%` : value;
    }
    const [link, ...others] = descendants(cell, 'a');
    const url = link && others.length === 0 && plainText(link) === text ? attributeOf(link, 'href') : undefined;
    return url === undefined ? text : { text, url };
  }

  function slide(page: Element, index: number): string {
    let title = '';
    let html = '';
    for (const shape of elementsOf(page)) {
      const kind = attributeOf(shape, 'class');
      if (nameOf(shape) === 'notes') continue;
      if (kind === 'title' && title === '') title = descendants(shape, 'p').map(plainText).join(' ');
      else html += block(shape);
    }
    const spoken = elementsOf(elementAt(page, 'notes'))
      .filter((shape) => attributeOf(shape, 'class') !== 'page-number')
      .map(block)
      .join('');
    return slideHtml(index + 1, escaped(title), html, spoken);
  }

  return {
    blocks,
    sheet,
    slide,
    unread,
    notes: () => notesHtml(notes),
  };
}

/** Returns an attribute's number, 1 without one. */
function countOf(element: Element | undefined, name: string): number {
  return Math.max(1, Math.floor(Number((element && attributeOf(element, name)) ?? 1)) || 1);
}

/** Rows of a table, including those of its header and groups. */
function rowsOf(table: Element): Element[] {
  return elementsOf(table).flatMap((each) => {
    const name = nameOf(each);
    if (name === 'table-row') return [each];
    return /^table-(header-rows|rows|row-group)$/.test(name) ? rowsOf(each) : [];
  });
}

function plainText(paragraph: Element): string {
  return paragraph.children
    .map((node) => {
      if (isText(node)) return node.data.replaceAll(/\s+/g, ' ');
      if (!(node instanceof Element) || nameOf(node) === 'note') return '';
      return /^(s|tab|line-break)$/.test(nameOf(node)) ? ' ' : plainText(node);
    })
    .join('');
}
