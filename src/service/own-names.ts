/** Returns a table that has no names but its own: a text such as "constructor", looked up in it, is not found. */
export function ownNames<Table extends Readonly<Record<string, unknown>>>(table: Table): Table {
  return Object.assign(Object.create(null) as Table, table);
}
