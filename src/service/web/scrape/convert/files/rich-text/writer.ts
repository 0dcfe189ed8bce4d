import { createBlocks, escaped, linked, noteNumber, tableHtml, wrapped } from '../html.ts';

/** How text looks. */
export interface Look {
  bold: boolean;
  italic: boolean;
  struck: boolean;
  script: '' | 'sub' | 'sup';
  /** Where it links to. */
  href: string;
}

/** An item of a list. */
export interface Item {
  level: number;
  /** Its number; undefined: a bullet. */
  number: number | undefined;
}

export type Writer = ReturnType<typeof createWriter>;

/** Level of paragraphs that are no headings. */
const noHeading = 9;

interface Cell {
  html: string;
  /** Where it ends, in twips; undefined if the row doesn't say so. */
  edge: number | undefined;
}

/** Writes paragraphs, lists and tables as HTML. */
export function createWriter() {
  const done = createBlocks();
  /** The paragraphs and lists of the cell. */
  let cell = createBlocks();
  let rows: Cell[][] = [];
  let row: Cell[] = [];
  let edges: number[] = [];
  let paragraph = '';
  /** Where its last text links to. */
  let link = '';
  let level = noHeading;
  let inTable = false;
  let item: Item | undefined;
  /** What is in boxes at the paragraph. */
  let boxes = '';

  function takeParagraph(): string {
    const html = paragraph.replaceAll('</strong><strong>', '').replaceAll('</em><em>', '').trim();
    link = '';
    paragraph = '';
    return html;
  }
  function endTable(): void {
    if (rows.length > 0) done.add(tableHtml(withSpans(rows)));
    rows = [];
  }
  function endParagraph(): void {
    const html = takeParagraph();
    if (!inTable) endTable();
    const into = inTable ? cell : done;
    if (html !== '' && item) into.item(html, item.level, item.number);
    else if (html !== '') into.add(wrapped(inTable || level >= 6 ? 'p' : `h${level + 1}`, html));
    if (boxes !== '') into.add(boxes);
    boxes = '';
  }

  return {
    text(text: string, { href, ...look }: Look) {
      let html = escaped(text).replaceAll('\n', '<br>');
      if (text.trim() !== '') for (const tag of tagsOf(look)) html = `<${tag}>${html}</${tag}>`;
      const goesOn = href !== '' && href === link && paragraph.endsWith('</a>');
      if (goesOn) paragraph = `${paragraph.slice(0, -'</a>'.length)}${html}</a>`;
      else paragraph += linked(href, html);
      link = href;
    },
    /** Writes a reference to a note. */
    reference(number: number) {
      paragraph += noteNumber(number);
    },
    /** Writes blocks after the paragraph. */
    follow(html: string) {
      boxes += html;
    },
    startParagraph() {
      level = noHeading;
      inTable = false;
      item = undefined;
    },
    endParagraph,
    setLevel(value: number) {
      level = value;
    },
    setItem(value: Item | undefined) {
      item = value;
    },
    enterTable() {
      inTable = true;
    },
    startRow() {
      if (!inTable && paragraph.trim() !== '') endParagraph();
      edges = [];
    },
    endOfCell(edge: number) {
      edges.push(edge);
    },
    endCell() {
      // A cell that is one paragraph has its text.
      const isMore = !cell.isEmpty() || item !== undefined || boxes !== '';
      if (isMore) endParagraph();
      row.push({ html: isMore ? cell.end() : takeParagraph(), edge: edges[row.length] });
      cell = createBlocks();
    },
    endRow() {
      if (row.length > 0) rows.push(row);
      row = [];
      inTable = false;
    },
    end() {
      inTable = false;
      endParagraph();
      endTable();
      return done.end();
    },
  };
}

/** The elements that show how text looks, from the innermost. */
function tagsOf({ bold, italic, struck, script }: Omit<Look, 'href'>): string[] {
  return [script, struck && 'del', italic && 'em', bold && 'strong'].filter(
    (tag) => typeof tag === 'string' && tag !== '',
  ) as string[];
}

/** A cell that ends where others have ended before goes over several columns. */
function withSpans(rows: readonly (readonly Cell[])[]): { html: string; columns: number }[][] {
  const edges = rows.flatMap((cells) => cells.map(({ edge }) => edge ?? 0));
  const columns = [...new Set(edges)].sort((one, other) => one - other);
  return rows.map((cells) => {
    let column = 0;
    return cells.map(({ html, edge }) => {
      const span = edge === undefined ? 1 : Math.max(1, columns.indexOf(edge) - column + 1);
      column += span;
      return { html, columns: span };
    });
  });
}
