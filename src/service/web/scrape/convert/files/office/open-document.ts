import { type ChildNode, Element, isTag, isText, type ParentNode } from 'domhandler';
import type { Archive } from '../archive.ts';
import { needsPassword, UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import { attributeOf, descendants, elementAt, elementsOf, escaped, nameOf, parseXml, tableOf } from '../markup.ts';
import { propertiesOf } from './properties.ts';

/** Repetitions of a cell, a row or a blank that are written out; files use huge ones for empty space. */
const maxRepeats = 100;

/** Reads an OpenDocument text, spreadsheet or presentation. Throws an UnreadableFile. */
export function readOpenDocument(archive: Archive): FileReading {
  if (/<manifest:encryption-data\b/.test(archive.text('META-INF/manifest.xml') ?? '')) throw needsPassword('document');
  const root = elementAt(parseXml(archive.text('content.xml') ?? ''), 'document-content');
  const body = elementsOf(elementAt(root, 'body'))[0];
  if (!body) throw new UnreadableFile('The document is damaged: it has no content.');
  const writer = createWriter(stylesOf(elementAt(root, 'automatic-styles')));
  const kind = nameOf(body);
  let html = '';
  if (kind === 'spreadsheet') {
    for (const table of elementsOf(body, 'table')) {
      html += `<h2>${escaped(attributeOf(table, 'name') ?? '')}</h2>${writer.sheet(table)}`;
    }
  } else if (kind === 'presentation' || kind === 'drawing') {
    elementsOf(body, 'page').forEach((page, index) => {
      html += writer.slide(page, index + 1);
    });
  } else html = writer.blocks(body);
  const warnings = writer.cut ? ['A table is too large: its last rows were left out.'] : [];
  return { html: html + writer.notes(), metadata: propertiesOf(archive.text('meta.xml')), warnings };
}

type Style = { bold: boolean; italic: boolean };

function stylesOf(styles: ParentNode | undefined): Map<string, Style> {
  return new Map(
    elementsOf(styles, 'style').map((style) => {
      const { attribs = {} } = elementAt(style, 'text-properties') ?? {};
      const bold = attribs['fo:font-weight'] === 'bold';
      return [attributeOf(style, 'name') ?? '', { bold, italic: attribs['fo:font-style'] === 'italic' }];
    }),
  );
}

function createWriter(styles: ReadonlyMap<string, Style>) {
  const notes: string[] = [];
  let cut = false;

  function blocks(parent: ParentNode): string {
    return elementsOf(parent).map(block).join('');
  }

  function block(element: Element): string {
    switch (nameOf(element)) {
      case 'h': {
        const level = Math.min(6, Math.max(1, Number(attributeOf(element, 'outline-level') ?? 1) || 1));
        return wrapped(`h${level}`, inline(element));
      }
      case 'p':
        return wrapped('p', inline(element)) + shapesIn(element);
      case 'list': {
        const items = elementsOf(element).filter((item) => /^list-(item|header)$/.test(nameOf(item)));
        return wrapped('ul', items.map((item) => wrapped('li', blocks(item))).join(''));
      }
      case 'table':
        return table(element);
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

  /** Text boxes are inside a paragraph; their content follows it. */
  function shapesIn(paragraph: Element): string {
    return descendants(paragraph, 'text-box').map(blocks).join('');
  }

  function inline(parent: ParentNode): string {
    return parent.children.map(piece).join('');
  }

  function piece(node: ChildNode): string {
    if (isText(node)) return escaped(node.data.replaceAll(/\s+/g, ' '));
    if (!isTag(node)) return '';
    switch (nameOf(node)) {
      case 's':
        return ' '.repeat(Math.min(maxRepeats, Number(attributeOf(node, 'c') ?? 1) || 1));
      case 'tab':
        return ' ';
      case 'line-break':
        return '<br>';
      case 'a': {
        const href = attributeOf(node, 'href') ?? '';
        return /^(https?|mailto):/i.test(href) ? `<a href="${escaped(href)}">${inline(node)}</a>` : inline(node);
      }
      case 'span': {
        const { bold = false, italic = false } = styles.get(attributeOf(node, 'style-name') ?? '') ?? {};
        const text = italic ? wrapped('em', inline(node)) : inline(node);
        return bold ? wrapped('strong', text) : text;
      }
      case 'note': {
        notes.push(descendants(node, 'note-body').map(blocks).join(''));
        return `<sup>[${notes.length}]</sup>`;
      }
      case 'annotation':
      case 'frame':
      case 'custom-shape':
        return '';
      default:
        return inline(node);
    }
  }

  function table(element: Element): string {
    let first = true;
    const rows = rowsOf(element).map((row) => {
      const tag = first ? 'th' : 'td';
      first = false;
      const cells = elementsOf(row, 'table-cell').map((cell) => `<${tag}>${linesOf(cell)}</${tag}>`);
      return `<tr>${cells.join('')}</tr>`;
    });
    return `<table>${rows.join('')}</table>`;
  }

  /** A cell's paragraphs as lines: tables in Markdown can't contain blocks. */
  function linesOf(cell: Element): string {
    return elementsOf(cell)
      .map((each) => (/^(p|h)$/.test(nameOf(each)) ? inline(each) : blocks(each)))
      .filter(Boolean)
      .join('<br>');
  }

  function sheet(element: Element): string {
    const rows: string[][] = [];
    for (const row of rowsOf(element)) {
      const cells: string[] = [];
      for (const cell of elementsOf(row).filter((each) => /^(covered-)?table-cell$/.test(nameOf(each)))) {
        const text = descendants(cell, 'p').map(plainText).join('\n');
        const repeats = Number(attributeOf(cell, 'number-columns-repeated') ?? 1) || 1;
        if (text === '') cells.length = Math.min(16_384, cells.length + repeats);
        else for (let count = Math.min(repeats, maxRepeats); count > 0; count--) cells.push(text);
      }
      const repeats = Number(attributeOf(row, 'number-rows-repeated') ?? 1) || 1;
      const filled = Array.from(cells, (cell) => cell ?? '');
      for (let count = filled.some(Boolean) ? Math.min(repeats, maxRepeats) : 0; count > 0; count--) rows.push(filled);
    }
    const { html, leftOut } = tableOf(rows);
    cut ||= leftOut > 0;
    return html;
  }

  function slide(page: Element, number: number): string {
    let title = '';
    let html = '';
    for (const shape of elementsOf(page)) {
      const kind = attributeOf(shape, 'class');
      if (nameOf(shape) === 'notes') continue;
      if (kind === 'title' && title === '') title = descendants(shape, 'p').map(plainText).join(' ');
      else html += blocks(shape);
    }
    const spoken = descendants(elementAt(page, 'notes'), 'text-box').map(blocks).join('');
    return `<h2>${escaped(title) || `Slide ${number}`}</h2>${html}${wrapped('blockquote', spoken)}`;
  }

  return {
    blocks,
    sheet,
    slide,
    get cut() {
      return cut;
    },
    notes: () => wrapped('ol', notes.map((note) => wrapped('li', note)).join('')),
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

function wrapped(tag: string, html: string): string {
  return html.trim() === '' ? '' : `<${tag}>${html}</${tag}>`;
}
