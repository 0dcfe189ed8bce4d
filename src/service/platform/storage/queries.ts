import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../../../storage/storage.ts';
import type { Database } from './schema.ts';

/**
 * Whose rows are left behind: those of every service, since no other uses the database; of the nodes of a fleet that are
 * gone; or of one of these nodes.
 */
export type LeftBy = 'every service' | 'gone nodes' | { node: string };

/** Returns the condition on rows with a `node` that a service or node left behind. */
export function leftBehind(by: LeftBy): RawBuilder<boolean> {
  if (by === 'every service') return sql<boolean>`1 = 1`;
  if (by === 'gone nodes') return sql<boolean>`(node IS NULL OR node NOT IN (SELECT id FROM node))`;
  return sql<boolean>`node = ${by.node}`;
}

/**
 * Makes transactions of one team that check a limit take turns, until this one ends. SQLite's transactions always do.
 */
export async function lockTeam(tx: Database, team: string): Promise<void> {
  if (isPostgres(tx)) await sql`SELECT pg_advisory_xact_lock(1, hashtext(${team}))`.execute(tx);
}

/** Makes `lockAlone` with one of these names fail until the transaction ends. For PostgreSQL. */
export async function lockTogether(tx: Database, names: readonly string[]): Promise<void> {
  const locked = sql`SELECT pg_advisory_xact_lock_shared(2, hashtext(name)) FROM unnest(${[...names]}::text[]) AS name`;
  await locked.execute(tx);
}

/** Makes `lockTogether` with this name wait until the transaction ends. Returns false if a transaction has it. For PostgreSQL. */
export async function lockAlone(tx: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(2, hashtext(${name})) AS locked`.execute(tx);
  return rows[0]?.locked === true;
}

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
