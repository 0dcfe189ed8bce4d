/** A list of objects or of lists. */
export interface Table {
  columns: readonly string[];
  rows: readonly object[];
}

export interface Sort {
  column: number;
  descending: boolean;
}

const maxColumns = 200;

/** Returns a value as a table, or undefined if it isn't a list of objects or a list of lists. */
export function tableOf(value: object): Table | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  if (value.every((row) => Array.isArray(row))) return listTable(value);
  if (!value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))) return undefined;
  const columns = new Set<string>();
  for (const row of value as object[]) {
    for (const key of Object.keys(row)) columns.add(key);
    if (columns.size > maxColumns) return undefined;
  }
  return columns.size === 0 ? undefined : { columns: [...columns], rows: value };
}

function listTable(rows: readonly unknown[][]): Table | undefined {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0 || width > maxColumns) return undefined;
  return { columns: Array.from({ length: width }, (_, index) => String(index)), rows };
}

/** Returns the value of a cell; undefined if the row doesn't have one. */
export function cellValue({ columns, rows }: Table, row: number, column: number): unknown {
  const found = rows[row];
  const key = columns[column];
  return found !== undefined && key !== undefined && Object.hasOwn(found, key)
    ? (found as Record<string, unknown>)[key]
    : undefined;
}

/** Returns a value as the text of a cell: strings unchanged, nested values as JSON, nothing for a missing one. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the indexes of the rows that contain a text, ignoring case, in the order of a sort. */
export function arrange(table: Table, filter: string, sort: Sort | undefined): number[] {
  const wanted = filter.trim().toLowerCase();
  const indexes: number[] = [];
  for (let row = 0; row < table.rows.length; row++) {
    if (wanted === '' || rowMatches(table, row, wanted)) indexes.push(row);
  }
  return sort ? sorted(table, indexes, sort) : indexes;
}

function rowMatches(table: Table, row: number, wanted: string): boolean {
  return table.columns.some((_, column) =>
    cellText(cellValue(table, row, column))
      .toLowerCase()
      .includes(wanted),
  );
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Sorts numbers before other values, by value; missing values are last in both directions. */
function sorted(table: Table, indexes: readonly number[], { column, descending }: Sort): number[] {
  const keys = indexes.map((row) => ({ row, value: cellValue(table, row, column) }));
  const isMissing = (value: unknown) => value === undefined || value === null;
  const texts = new Map<number, string>();
  const textOf = (row: number, value: unknown) => {
    const known = texts.get(row);
    if (known !== undefined) return known;
    const text = cellText(value);
    texts.set(row, text);
    return text;
  };
  keys.sort((one, other) => {
    const [missing, otherMissing] = [isMissing(one.value), isMissing(other.value)];
    if (missing || otherMissing) return Number(missing) - Number(otherMissing);
    const order = compare(one, other);
    return descending ? -order : order;
  });
  return keys.map(({ row }) => row);

  function compare(one: (typeof keys)[number], other: (typeof keys)[number]): number {
    const [a, b] = [one.value, other.value];
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
    return collator.compare(textOf(one.row, a), textOf(other.row, b));
  }
}

/** Returns rows of a table with a row of its columns, for a CSV file. Values that aren't plain are as they are shown. */
export function csvRows(table: Table, rows: readonly number[]): (string | number)[][] {
  const cell = (value: unknown) => (typeof value === 'number' ? value : cellText(value));
  return [
    [...table.columns],
    ...rows.map((row) => table.columns.map((_, column) => cell(cellValue(table, row, column)))),
  ];
}
