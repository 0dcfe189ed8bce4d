/** How a result is shown. */
export type ResultModel =
  | { kind: 'text' }
  | { kind: 'image'; source: string }
  | { kind: 'tree'; value: object }
  | { kind: 'table'; columns: string[]; rows: string[][] }
  /** JSON too big for a tree here; it is for a document. */
  | { kind: 'big' };

export const mostNodes = 200;
const mostColumns = 20;
const longestParsed = 256 * 1024;
const image = /^data:image\/(?:png|jpeg|gif|webp|bmp|avif);base64,[A-Za-z0-9+/=\s]+$/;

/** Says how a result is shown best: an image, a table, a tree, or the text that it is. */
export function resultModel(text: string): ResultModel {
  if (text.startsWith('data:image/')) return image.test(text) ? { kind: 'image', source: text } : { kind: 'text' };
  if (!/^\s*[[{]/.test(text)) return { kind: 'text' };
  if (text.length > longestParsed) return { kind: 'big' };
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return { kind: 'text' };
  if (countNodes(value, mostNodes + 1) > mostNodes) return { kind: 'big' };
  return table(value) ?? { kind: 'tree', value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Values in a JSON value, itself included; counting stops at `enough`. */
function countNodes(value: unknown, enough: number): number {
  let count = 0;
  const left = [value];
  while (left.length > 0 && count < enough) {
    const next = left.pop();
    count++;
    if (typeof next === 'object' && next !== null) left.push(...Object.values(next));
  }
  return count;
}

function table(value: object): ResultModel | undefined {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isFlat)) return undefined;
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > mostColumns) return undefined;
  const rows = value.map((row: Record<string, unknown>) =>
    columns.map((column) => (Object.hasOwn(row, column) ? cell(row[column]) : '')),
  );
  return { kind: 'table', columns, rows };
}

function isFlat(row: unknown): row is Record<string, unknown> {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return false;
  return Object.values(row).every((value) => typeof value !== 'object' || value === null);
}

function cell(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
