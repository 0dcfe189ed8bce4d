import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../../../storage/storage.ts';
import type { Database } from './schema.ts';

type Value = string | number | null;

/**
 * Returns rows to read from in a statement, as the table `item` with these columns. They are one parameter, so
 * that the statement stays the same for any number of rows.
 */
export function jsonRows<Column extends string>(
  database: Database,
  types: Readonly<Record<Column, 'text' | 'bigint'>>,
  rows: readonly Readonly<Record<Column, Value>>[],
): RawBuilder<unknown> {
  const columns = Object.keys(types) as Column[];
  // PostgreSQL doesn't accept unpaired surrogates.
  const text = JSON.stringify(
    rows.map((row) =>
      columns.map((column) => {
        const value = row[column];
        return typeof value === 'string' ? value.toWellFormed() : value;
      }),
    ),
  );
  const onPostgres = isPostgres(database);
  const selected = columns.map((column, index) => {
    const value = sql`value ->> ${sql.lit(index)}`;
    const typed = onPostgres && types[column] === 'bigint' ? sql`(${value})::bigint` : value;
    return sql`${typed} AS ${sql.ref(column)}`;
  });
  const source = onPostgres ? sql`json_array_elements(${text}::json)` : sql`json_each(${text})`;
  return sql`(SELECT ${sql.join(selected)} FROM ${source}) AS item`;
}
