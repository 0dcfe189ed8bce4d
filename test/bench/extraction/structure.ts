import { type ChildNode, type Element, isTag, isText, type ParentNode } from 'domhandler';
import { parseDocument } from 'htmlparser2';

/** The words of a page, and its structures by what identifies each: the words of headings and items, the start of codes, the cells of tables. */
interface Structures {
  text: string;
  tables: string[][];
  codes: string[];
  headings: string[];
  items: string[];
}

export type Kind = Exclude<keyof Structures, 'text'>;
/** Structures of the true content, and those of them that the Markdown has. */
export type Kept = Record<Kind, { expected: number; kept: number }>;

const unseen = new Set(['head', 'title', 'script', 'style', 'template', 'noscript', 'iframe', 'svg', 'canvas']);
/** Fewer words are found by chance, such as a menu's "About" in a text. */
const minItemWords = 3;
/** What a wiki adds to its headings, and a truth may have, too: a link to edit what is below. */
const editLink = { name: /(^|\s)(mw-)?editsection(\s|$)/, text: /\[edit\]/g };
/** Share of a table's cells that have to be in the truth, or in one table of ours. */
const tableShare = 0.9;

/**
 * Counts the tables, codes, headings and list items of a page that are in its true content, and those of them that are the same
 * kind of structure in ours.
 * @param truth text of the true content
 * @param ours HTML of our Markdown
 */
export function keptStructures(page: string, truth: string, ours: string): Kept {
  const [source, found] = [structuresOf(page), structuresOf(ours, true)];
  const words = ` ${keyOf(truth)} `;
  const lines = new Set(truth.replace(editLink.text, '').split('\n').map(keyOf));
  const squeezed = truth.replace(/\s+/g, '');
  const has = (key: string) => words.includes(` ${key} `);
  const share = (cells: readonly string[], holds: (cell: string) => boolean) =>
    cells.filter(holds).length / cells.length >= tableShare;
  const count = <Each>(all: readonly Each[], kept: (each: Each) => boolean) => ({
    expected: all.length,
    kept: all.filter(kept).length,
  });
  const tables = found.tables.map((cells) => new Set(cells));
  /** Whether the page says the words of an item elsewhere too, as a table of contents and a menu do: the truth may have those. */
  const isElsewhere = (key: string) => timesIn(source.text, key) > source.items.filter((each) => each === key).length;
  return {
    tables: count(
      source.tables.filter((cells) => share(cells, has)),
      (cells) => tables.some((table) => share(cells, (cell) => table.has(cell))),
    ),
    codes: count(
      source.codes.filter((code) => squeezed.includes(code)),
      (code) => found.codes.includes(code),
    ),
    headings: count(
      source.headings.filter((key) => lines.has(key)),
      (key) => found.headings.includes(key),
    ),
    items: count(
      source.items.filter((key) => key.split(' ').length >= minItemWords && has(key) && !isElsewhere(key)),
      (key) => found.items.includes(key),
    ),
  };
}

/** @param isMarkdown whether what looks like a list in the cell of a table is one */
function structuresOf(html: string, isMarkdown = false): Structures {
  const document = parseDocument(html);
  const text = document.children.map((child) => textOf(child)).join(' ');
  const found: Structures = { text: ` ${keyOf(text)} `, tables: [], codes: [], headings: [], items: [] };
  const visit = (node: ParentNode): void => {
    for (const child of node.children) {
      if (!isTag(child) || unseen.has(child.name)) continue;
      if (/^h[1-6]$/.test(child.name)) add(found.headings, keyOf(textOf(child)));
      else if (child.name === 'li') add(found.items, keyOf(textOf(child, (each) => /^[uo]l$/.test(each.name))));
      else if (child.name === 'td' && isMarkdown) found.items.push(...listedIn(child));
      else if (child.name === 'pre') add(found.codes, textOf(child).replace(/\s+/g, '').slice(0, 60));
      else if (child.name === 'table') {
        const cells = cellsOf(child);
        if (cells) found.tables.push(cells);
      }
      visit(child);
    }
  };
  visit(document);
  return found;
}

function add(keys: string[], key: string): void {
  if (key !== '') keys.push(key);
}

/** The items of a list in a cell, where Markdown has only lines that begin with its sign. */
function listedIn(cell: Element): string[] {
  return [...textOf(cell).matchAll(/^\s*(?:-|\d+\.)\s+(.+)/gm)]
    .map(([, item = '']) => keyOf(item))
    .filter((key) => key !== '');
}

/** How often a text of words has others in a row. */
function timesIn(words: string, key: string): number {
  let times = 0;
  for (let at = words.indexOf(` ${key} `); at !== -1; at = words.indexOf(` ${key} `, at + 1)) times++;
  return times;
}

/** The cells of a table of data: two rows of two cells at least, and no table in it. */
function cellsOf(table: Element): string[] | undefined {
  const rows: string[][] = [];
  let isOuter = false;
  const visit = (node: ParentNode): void => {
    for (const child of node.children) {
      if (!isTag(child)) continue;
      if (child.name === 'table') isOuter = true;
      if (child.name === 'tr') rows.push([]);
      if (child.name === 'td' || child.name === 'th') rows.at(-1)?.push(keyOf(textOf(child)));
      visit(child);
    }
  };
  visit(table);
  const cells = rows.flat().filter((cell) => cell !== '');
  return !isOuter && cells.length > 0 && rows.filter((row) => row.length >= 2).length >= 2 ? cells : undefined;
}

function textOf(node: ChildNode, isLeftOut: (element: Element) => boolean = () => false): string {
  if (isText(node)) return node.data;
  if (!isTag(node) || unseen.has(node.name) || isLeftOut(node) || editLink.name.test(node.attribs.class ?? ''))
    return ' ';
  if (node.name === 'br') return '\n';
  const text = node.children.map((child) => textOf(child, isLeftOut)).join('');
  return /^(p|div|li|dt|dd|td|th|tr|h[1-6])$/.test(node.name) ? ` ${text} ` : text;
}

const keyOf = (text: string) => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ');
