/** How to show a result. */
export type ResultModel =
  | { kind: 'text' }
  | { kind: 'image'; source: string }
  | { kind: 'tree'; value: object }
  | { kind: 'table'; columns: string[]; rows: string[][] }
  /** JSON too large for a tree. Shown as text. */
  | { kind: 'big' };

export const maxNodes = 200;
const maxColumns = 20;
const maxParsedLength = 256 * 1024;
const imagePattern = /^data:image\/(?:png|jpeg|gif|webp|bmp|avif);base64,[A-Za-z0-9+/=\s]+$/;

/** Returns how to show a result: as an image, a table, a tree or plain text. */
export function resultModel(text: string): ResultModel {
  if (text.startsWith('data:image/'))
    return imagePattern.test(text) ? { kind: 'image', source: text } : { kind: 'text' };
  if (!/^\s*[[{]/.test(text)) return { kind: 'text' };
  if (text.length > maxParsedLength) return { kind: 'big' };
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return { kind: 'text' };
  if (countNodes(value, maxNodes + 1) > maxNodes) return { kind: 'big' };
  return table(value) ?? { kind: 'tree', value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Counts the values in a JSON value, itself included. Stops at `limit`. */
function countNodes(value: unknown, limit: number): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0 && count < limit) {
    const next = pending.pop();
    count++;
    if (typeof next === 'object' && next !== null) pending.push(...Object.values(next));
  }
  return count;
}

function table(value: object): ResultModel | undefined {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isFlat)) return undefined;
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > maxColumns) return undefined;
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
