import { type ChildNode, Element, isTag, isText, type ParentNode } from 'domhandler';
import { escapeUTF8 } from 'entities';
import { parseDocument } from 'htmlparser2';

/** Escapes text for HTML. */
export const escaped = escapeUTF8;

/** Parses XML. Entities that the document itself declares aren't expanded. */
export function parseXml(xml: string): ParentNode {
  return parseDocument(xml, { xmlMode: true });
}

/** Returns an element's name without its namespace prefix. */
export function nameOf(element: Element): string {
  return element.name.slice(element.name.indexOf(':') + 1);
}

/** Returns an attribute's value by its name, with any namespace prefix. */
export function attributeOf(element: Element, name: string): string | undefined {
  if (name in element.attribs) return element.attribs[name];
  const found = Object.keys(element.attribs).find((each) => each.endsWith(`:${name}`));
  return found === undefined ? undefined : element.attribs[found];
}

/** Returns the child elements, of one name if given. */
export function elementsOf(parent: ParentNode | undefined, name?: string): Element[] {
  const all = (parent?.children ?? []).filter(isTag);
  return name === undefined ? all : all.filter((each) => nameOf(each) === name);
}

/** Returns the first child element of each name in turn; undefined if one is missing. */
export function elementAt(parent: ParentNode | undefined, ...path: string[]): Element | undefined {
  let current: ParentNode | undefined = parent;
  for (const name of path) current = elementsOf(current, name)[0];
  return current instanceof Element ? current : undefined;
}

/** Returns all elements of a name below a node, in document order. */
export function descendants(parent: ParentNode | undefined, name: string): Element[] {
  const found: Element[] = [];
  const open: ChildNode[] = [...(parent?.children ?? [])].reverse();
  for (let node = open.pop(); node; node = open.pop()) {
    if (!isTag(node)) continue;
    if (nameOf(node) === name) found.push(node);
    for (let index = node.children.length - 1; index >= 0; index--) open.push(node.children[index] as ChildNode);
  }
  return found;
}

/** Returns the text below a node. */
export function textOf(parent: ParentNode | undefined): string {
  const open: ChildNode[] = [...(parent?.children ?? [])].reverse();
  let text = '';
  for (let node = open.pop(); node; node = open.pop()) {
    if (isText(node)) text += node.data;
    else if ('children' in node) {
      for (let index = node.children.length - 1; index >= 0; index--) open.push(node.children[index] as ChildNode);
    }
  }
  return text;
}

/** Maximum number of cells of a table; further rows are left out. */
const maxCells = 500_000;

/** A table as HTML. */
export interface HtmlTable {
  html: string;
  /** Rows that were left out because the table is too large. */
  leftOut: number;
}

/** Writes a table of texts as HTML, with its first row as the header. Empty rows, and columns that are empty throughout, are left out. */
export function tableOf(rows: readonly (readonly string[])[]): HtmlTable {
  const used = new Set<number>();
  const filled: (readonly string[])[] = [];
  for (const row of rows) {
    let empty = true;
    row.forEach((cell, column) => {
      if (cell.trim() === '') return;
      used.add(column);
      empty = false;
    });
    if (!empty) filled.push(row);
  }
  if (filled.length === 0) return { html: '', leftOut: 0 };
  const columns = [...used].sort((one, other) => one - other);
  const kept = filled.slice(0, Math.max(1, Math.floor(maxCells / columns.length)));
  const lines = kept.map((row, index) => {
    const tag = index === 0 ? 'th' : 'td';
    return `<tr>${columns.map((column) => `<${tag}>${cellText(row[column] ?? '')}</${tag}>`).join('')}</tr>`;
  });
  const [head = '', ...body] = lines;
  return {
    html: `<table><thead>${head}</thead><tbody>${body.join('')}</tbody></table>`,
    leftOut: filled.length - kept.length,
  };
}

function cellText(text: string): string {
  return escaped(text.trim()).replaceAll(/\r?\n/g, '<br>');
}
