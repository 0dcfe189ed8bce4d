/** Returns a table without inherited names: looking up a text such as "constructor" finds nothing. */
export function ownNames<Table extends Readonly<Record<string, unknown>>>(table: Table): Table {
  return Object.assign(Object.create(null) as Table, table);
}
