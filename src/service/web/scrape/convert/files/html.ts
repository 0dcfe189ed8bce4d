import { escapeUTF8 } from 'entities';
import { shorten } from '../../../../../contract/shorten.ts';

/** Escapes text for HTML, also in attributes. */
export const escaped = escapeUTF8;

/** Maximum number of cells of a table; further rows are left out. */
const maxCells = 500_000;

/** A cell of a table, and over how many columns and rows it goes. */
export interface Cell {
  html: string;
  columns?: number;
  rows?: number;
}

/** Writes an element; nothing if nothing is in it. */
export function wrapped(tag: string, html: string): string {
  return html.trim() === '' ? '' : `<${tag}>${html}</${tag}>`;
}

/** Writes a link to a page or an address; only what it shows if it leads elsewhere. */
export function linked(url: string | undefined, html: string): string {
  return url && isFollowed(url) ? `<a href="${escaped(url)}">${html}</a>` : html;
}

export function isFollowed(url: string): boolean {
  return /^(https?|mailto):/i.test(url);
}

/** Returns the URL of a field that links, by its instruction: `HYPERLINK "https://…" \\l "place" \\o "tip"`. */
export function targetOfField(instruction: string): string {
  const [, quoted, bare = ''] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))/i.exec(instruction) ?? [];
  const [, place] = /\\l\s+"([^"]+)"/i.exec(instruction) ?? [];
  const url = quoted ?? bare;
  return url === '' || place === undefined || url.includes('#') ? url : `${url}#${place}`;
}

/** Writes notes, whose numbers `noteNumber` writes in the text. */
export function notesHtml(notes: readonly string[]): string {
  return wrapped('ol', notes.map((note) => `<li>${note}</li>`).join(''));
}

export function noteNumber(number: number): string {
  return `<sup>[${number}]</sup>`;
}

/** Returns one of a document's properties as its metadata has it. */
export function propertyText(text: unknown): string {
  return typeof text === 'string' ? text.trim().slice(0, 2000) : '';
}

/** Writes a table with its first row as the header. */
export function tableHtml(rows: readonly (readonly Cell[])[]): string {
  const written = rows.map((row, at) => {
    const tag = at === 0 ? 'th' : 'td';
    const cells = row.map(({ html, columns, rows: below }) => {
      const spans = `${spanOf('colspan', columns)}${spanOf('rowspan', below)}`;
      return `<${tag}${spans}>${html}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  // In one group of rows: a cell of the header may go over rows below it.
  return wrapped('table', written.join(''));
}

function spanOf(name: string, span = 1): string {
  return span > 1 ? ` ${name}="${Math.min(span, 1000)}"` : '';
}

/** A cell of a sheet: its text, and where that links to. */
export type SheetCell = string | { text: string; url: string };

/**
 * Writes a table of texts, below the title above its header. Empty rows, and columns that are empty throughout, are left
 * out. Returns how many rows are left out because it is too large.
 */
export function tableOf(rows: readonly (readonly SheetCell[])[]): { html: string; leftOut: number } {
  const used = new Set<number>();
  const filled = rows.filter((row) => {
    let isEmpty = true;
    row.forEach((cell, column) => {
      if (textIn(cell).trim() === '') return;
      used.add(column);
      isEmpty = false;
    });
    return !isEmpty;
  });
  const columns = [...used].sort((one, other) => one - other);
  const kept = filled.slice(0, Math.max(1, Math.floor(maxCells / columns.length)));
  const cell = (each: SheetCell = '') => {
    const html = escaped(textIn(each).trim()).replaceAll(/\r?\n/g, '<br>');
    return { html: typeof each === 'string' ? html : linked(each.url, html) };
  };
  const written = kept.map((row) => columns.map((column) => cell(row[column])));
  const [above = [], heads = []] = written.slice(0, 2).map((row) => row.filter(({ html }) => html !== ''));
  const isAlone = above.length === 1 && above[0] === written[0]?.[0];
  // Above two columns, it may be the name of the first one.
  const hasTitle = isAlone && heads.length > 2 && !heads.some(({ html }) => /^\W*\d/.test(html));
  const title = hasTitle ? wrapped('p', written.shift()?.[0]?.html ?? '') : '';
  const html = title + tableHtml(written);
  return { html, leftOut: filled.length - kept.length };
}

function textIn(cell: SheetCell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** Writes the sheets of a workbook, each below its name. Returns warnings for those that are too large. */
export function sheetsHtml(sheets: readonly { name: string; rows: readonly SheetCell[][]; cut: boolean }[]) {
  const warnings: string[] = [];
  const parts = sheets.map(({ name, rows, cut }) => {
    const { html, leftOut } = tableOf(rows);
    if (leftOut > 0 || cut)
      warnings.push(`The sheet "${shorten(name, 60)}" is too large: its last rows were left out.`);
    return `<h2>${escaped(name)}</h2>${html}`;
  });
  return { html: parts.join('\n'), warnings };
}

/** Writes a slide below its title, or below its number if it has none, and what is said beside it. */
export function slideHtml(number: number, title: string, html: string, spoken: string): string {
  return `<h2>${title || `Slide ${number}`}</h2>${html}${wrapped('blockquote', spoken)}`;
}

/** Writes blocks: items become lists, which may be in lists. */
export function createBlocks() {
  let html = '';
  const open: { tag: string; kind: string; level: number }[] = [];
  const endFrom = (level: number) => {
    while ((open.at(-1)?.level ?? -1) >= level) html += `</li></${open.pop()?.tag}>`;
  };
  return {
    /**
     * @param number undefined: it has a bullet
     * @param kind items of different kinds aren't of one list
     */
    item(item: string, level: number, number?: number, kind = ''): void {
      const tag = number === undefined ? 'ul' : 'ol';
      endFrom(level + 1);
      const last = open.at(-1);
      if (last?.level === level && last.tag === tag && last.kind === kind) html += '</li><li>';
      else {
        endFrom(level);
        html += number === undefined || number === 1 ? `<${tag}><li>` : `<${tag} start="${number}"><li>`;
        open.push({ tag, kind, level });
      }
      html += item;
    },
    add(block: string): void {
      endFrom(0);
      html += block;
    },
    isEmpty: () => html === '',
    end(): string {
      endFrom(0);
      return html;
    },
  };
}
