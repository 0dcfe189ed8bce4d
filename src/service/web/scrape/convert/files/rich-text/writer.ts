import { escaped } from '../markup.ts';

/** How text looks. */
export interface Look {
  bold: boolean;
  italic: boolean;
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
  const done: string[] = [];
  const lists: { tag: string; level: number }[] = [];
  let rows: Cell[][] = [];
  let row: Cell[] = [];
  let edges: number[] = [];
  let paragraph = '';
  /** Where its last text links to. */
  let link = '';
  let level = noHeading;
  let inTable = false;
  let item: Item | undefined;

  function takeParagraph(): string {
    const html = paragraph.replaceAll('</strong><strong>', '').replaceAll('</em><em>', '').trim();
    link = '';
    paragraph = '';
    return html;
  }
  function endLists(from: number): void {
    while (lists.length > 0 && (lists.at(-1)?.level ?? 0) >= from) done.push(`</li></${lists.pop()?.tag}>`);
  }
  function addItem(html: string, { level: depth, number }: Item): void {
    const tag = number === undefined ? 'ul' : 'ol';
    endLists(depth + 1);
    const last = lists.at(-1);
    if (last?.level === depth && last.tag === tag) done.push('</li><li>', html);
    else {
      endLists(depth);
      done.push(number === undefined || number === 1 ? `<${tag}><li>` : `<${tag} start="${number}"><li>`, html);
      lists.push({ tag, level: depth });
    }
  }
  function endTable(): void {
    if (rows.length === 0) return;
    endLists(0);
    // A cell that ends where others have ended before goes over several columns.
    const columns = [...new Set(rows.flatMap((cells) => cells.map(({ edge }) => edge ?? 0)))].sort(
      (one, other) => one - other,
    );
    const lines = rows.map((cells, index) => {
      const tag = index === 0 ? 'th' : 'td';
      let column = 0;
      const written = cells.map(({ html, edge }) => {
        const end = edge === undefined ? column : columns.indexOf(edge);
        const span = Math.max(1, end - column + 1);
        column += span;
        return `<${tag}${span > 1 ? ` colspan="${span}"` : ''}>${html}</${tag}>`;
      });
      return `<tr>${written.join('')}</tr>`;
    });
    done.push(`<table>${lines.join('')}</table>`);
    rows = [];
  }
  function endParagraph(): void {
    // Within a table, a paragraph ends with its cell.
    if (inTable) {
      if (paragraph !== '') paragraph += '<br>';
      return;
    }
    endTable();
    const html = takeParagraph();
    if (html === '') return;
    if (item) addItem(html, item);
    else {
      endLists(0);
      done.push(level < 6 ? `<h${level + 1}>${html}</h${level + 1}>` : `<p>${html}</p>`);
    }
  }

  return {
    text(text: string, { bold, italic, href }: Look) {
      let html = escaped(text).replaceAll('\n', '<br>');
      if (text.trim() !== '' && italic) html = `<em>${html}</em>`;
      if (text.trim() !== '' && bold) html = `<strong>${html}</strong>`;
      if (href !== '' && href === link && paragraph.endsWith('</a>')) {
        paragraph = `${paragraph.slice(0, -'</a>'.length)}${html}</a>`;
        return;
      }
      link = href;
      paragraph += href === '' ? html : `<a href="${escaped(href).replaceAll('"', '&quot;')}">${html}</a>`;
    },
    /** Writes a reference to a note. */
    reference(number: number) {
      paragraph += `<sup>[${number}]</sup>`;
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
      row.push({ html: takeParagraph().replace(/(<br>)+$/, ''), edge: edges[row.length] });
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
      endLists(0);
      return done.join('');
    },
  };
}
