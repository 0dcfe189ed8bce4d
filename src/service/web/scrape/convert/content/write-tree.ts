import type { ContentWriter, Shape } from './content-writer.ts';
import { isHeading } from './measure.ts';
import { elementsIn, type PageElement } from './page-tree.ts';
import { cellsOf, isDataTable, rowsOf } from './tables.ts';

const maxSpan = 100;

/** Writes an element and what is in it, without what is left out. */
export function writeTree(root: PageElement, writer: ContentWriter, shape: Shape): void {
  let depth = 0;
  let preAt = 0;
  let tables = 0;
  /** Attributes of the link around a heading. */
  let cardLink: PageElement['attributes'] | undefined;

  function write(element: PageElement): void {
    const { name } = element;
    if (element.leftOut !== '') return;
    if (name === '' || name === 'html' || name === 'body' || name === 'noscript') return writeIn(element);
    if (shape === 'markdown') {
      if (name === 'br' && preAt > 0) return writer.text('\n');
      if (name === 'math') {
        const tex = texOf(element);
        if (tex !== undefined) return writer.text(element.attributes.display === 'block' ? `$$${tex}$$` : `$${tex}$`);
      }
      if (name === 'a' && element.has.headings > 0 && tables === 0) return writeCard(element);
      if (cardLink && isHeading(name)) return writeLinked(element, cardLink);
      if (name === 'table' && preAt === 0) return isDataTable(element) ? writeTable(element) : writeLayout(element);
    }
    depth++;
    if (name === 'pre') preAt ||= depth;
    writer.open(name, element.attributes, depth);
    writeIn(element);
    writer.close(name, depth);
    if (preAt === depth) preAt = 0;
    depth--;
  }

  function writeIn({ children }: PageElement): void {
    for (const child of children) {
      if (typeof child === 'string') writer.text(child);
      else write(child);
    }
  }

  function within(name: string, attributes: PageElement['attributes'], inner: () => void): void {
    depth++;
    writer.open(name, attributes, depth);
    inner();
    writer.close(name, depth);
    depth--;
  }

  /** Markdown has no link around a heading, but headings with a link in them. */
  function writeCard(link: PageElement): void {
    const outer = cardLink;
    cardLink = link.attributes;
    within('div', {}, () => writeIn(link));
    cardLink = outer;
  }

  function writeLinked(heading: PageElement, link: PageElement['attributes']): void {
    cardLink = undefined;
    within(heading.name, heading.attributes, () => within('a', link, () => writeIn(heading)));
    cardLink = link;
  }

  /** The cells of a layout follow one another. */
  function writeLayout(table: PageElement): void {
    within('div', {}, () => {
      for (const row of rowsOf(table)) for (const cell of cellsOf(row)) within('div', {}, () => writeIn(cell));
    });
  }

  /** Cells that a cell of a row above reaches into are empty. */
  function writeTable(table: PageElement): void {
    /** For each column, how many of the rows below are taken. */
    const taken: number[] = [];
    const fill = (column: number) => {
      let at = column;
      for (; (taken[at] ?? 0) > 0; at++) {
        taken[at] = (taken[at] ?? 0) - 1;
        within('td', {}, () => {});
      }
      return at;
    };
    tables++;
    within('table', table.attributes, () => {
      for (const part of elementsIn(table)) {
        if (part.name === 'tr') writeRow(part);
        else if (part.name === 'caption' || part.name === 'colgroup') write(part);
        else within(part.name, part.attributes, () => elementsIn(part).forEach(writeRow));
      }
    });
    tables--;
    function writeRow(row: PageElement): void {
      if (row.name !== 'tr') return write(row);
      within('tr', row.attributes, () => {
        let column = 0;
        for (const cell of elementsIn(row)) {
          column = fill(column);
          write(cell);
          const columns = spanOf(cell.attributes.colspan);
          for (let each = 0; each < columns; each++) taken[column++] = spanOf(cell.attributes.rowspan) - 1;
        }
        fill(column);
      });
    }
  }

  write(root);
}

function spanOf(written = '1'): number {
  return Math.min(maxSpan, Math.max(1, Number.parseInt(written, 10) || 1));
}

/** The TeX that MathML was made from, as its source text. */
function texOf(element: PageElement): string | undefined {
  for (const child of elementsIn(element)) {
    if (child.name === 'annotation' && child.attributes.encoding === 'application/x-tex')
      return child.children
        .filter((each) => typeof each === 'string')
        .join('')
        .trim();
    const inner = texOf(child);
    if (inner !== undefined) return inner;
  }
  return element.name === 'math' ? element.attributes.alttext : undefined;
}
