import { type ChildNode, Element, isTag, isText, type ParentNode } from 'domhandler';
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
import { attributeOf, countOf, descendants, elementAt, elementsOf, nameOf, parseXml, textOf } from '../xml.ts';
import { listWriter } from './open-lists.ts';
import { stylesOf } from './open-styles.ts';
import { notRead, propertiesOf } from './properties.ts';

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
  const writer = createWriter(allStyles, (name) => archive.text(`${name}/content.xml`));
  const kind = nameOf(body);
  const sheets = kind === 'spreadsheet' ? sheetsHtml(elementsOf(body, 'table').map(writer.sheet)) : undefined;
  let html = sheets?.html ?? '';
  if (kind === 'presentation' || kind === 'drawing') html = elementsOf(body, 'page').map(writer.slide).join('');
  else if (!sheets) html = writer.blocks(body);
  const warnings = [...(sheets?.warnings ?? []), ...notRead([...writer.unread])];
  return { html: html + writer.notes(), metadata: propertiesOf(archive.xml('meta.xml')), warnings };
}

/** @param objectAt returns the content of an embedded object */
function createWriter(allStyles: readonly (ParentNode | undefined)[], objectAt: (name: string) => string | undefined) {
  const styles = stylesOf(allStyles);
  const list = listWriter(allStyles, blocks);
  const notes: string[] = [];
  const unread = new Set<string>();
  /** Whether a style hides the text that is written. */
  let isTextHidden = false;

  function blocks(parent: ParentNode): string {
    const html = elementsOf(parent).map(block).join('');
    // Programs begin a list at each of its items.
    return html.replaceAll('</pre><pre>', '\n').replaceAll(/<\/(blockquote|ul)><\1>/g, '');
  }

  /** Whether an element is hidden: by its section, or by a condition that was met. */
  function isHidden(element: Element): boolean {
    const section = nameOf(element) === 'section' ? element : undefined;
    if (section && attributeOf(section, 'display') === 'none') return true;
    const conditional = section ?? elementAt(element, 'hidden-paragraph');
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
      case 'note':
        notes.push(descendants(node, 'note-body').map(blocks).join(''));
        return noteNumber(notes.length);
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
