import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { connectionOf, SqliteFile } from './connection.ts';
import { type SqliteConnections, sqliteDialect } from './dialect.ts';
import { placeOf } from './file-place.ts';
import { connectInThread } from './thread-connection.ts';

export interface SqliteOptions {
  /** Statements for every connection, such as pragmas. */
  setUp: string;
  /** The schema's migrations, by number: a file at version N (`PRAGMA user_version`) has had the first N applied. */
  migrations?: readonly string[];
  /** Functions of a text that migrations may call. */
  functions?: Readonly<Record<string, (text: string) => string>>;
  readOnly?: boolean;
}

/** A file was written by a newer version of the program. */
export class NewerSchema extends Error {
  readonly found: number;
  readonly supported: number;

  constructor(found: number, supported: number) {
    super(`The database has schema ${found}; this version supports ${supported}.`);
    this.found = found;
    this.supported = supported;
  }
}

/**
 * Opens an SQLite file in the current thread, which it blocks, with one connection whose transactions take turns, and
 * migrates it. Throws SQLite's errors and NewerSchema.
 */
export function openSqlite<Schema>(path: string, options: SqliteOptions): Kysely<Schema> {
  return databaseOf({ main: connectionOf(new SqliteFile(openSqliteFile(path, options))) });
}

export interface ThreadOptions extends Omit<SqliteOptions, 'readOnly'> {
  /** Whether queries outside transactions have a thread of their own, so that they wait for no transaction. */
  reader: boolean;
  /** Whether statements fail while the file was removed or replaced, until it is back. */
  staysInPlace?: boolean;
}

/**
 * Opens an SQLite file and migrates it, as `openSqlite` does, and from then on uses it in other threads, which start
 * when they are needed. `setUp` has to choose WAL.
 */
export function openSqliteInThreads<Schema>(
  path: string,
  { reader, staysInPlace = false, ...options }: ThreadOptions,
): Kysely<Schema> {
  const file = openSqliteFile(path, options);
  const place = staysInPlace ? placeOf(path) : undefined;
  const main = connectInThread({ path, setUp: options.setUp, readOnly: false, place });
  const connections = {
    main: {
      ...main,
      async close() {
        // Whichever connection closes last writes the log into the file, which can take long.
        file.close();
        await main.close();
      },
    },
    ...(reader && { reader: connectInThread({ path, setUp: 'PRAGMA busy_timeout = 5000', readOnly: true, place }) }),
  };
  return databaseOf(connections);
}

function databaseOf<Schema>(connections: SqliteConnections): Kysely<Schema> {
  const { dialect, use } = sqliteDialect(connections);
  const database = new Kysely<Schema>({ dialect });
  use(database);
  return database;
}

/** Opens an SQLite file in the current thread and migrates it, for SQL of one's own. Throws SQLite's errors and NewerSchema. */
export function openSqliteFile(
  path: string,
  { setUp, migrations, functions = {}, readOnly = false }: SqliteOptions,
): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly });
  try {
    file.exec(setUp);
    for (const [name, call] of Object.entries(functions))
      file.function(name, { deterministic: true }, (text) => call(String(text)));
    if (migrations) migrate(file, migrations);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

function migrate(file: DatabaseSync, migrations: readonly string[]): void {
  const { user_version: version } = file.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) throw new NewerSchema(version, migrations.length);
  migrations.slice(version).forEach((script, index) => {
    file.exec('BEGIN IMMEDIATE');
    try {
      file.exec(`${script}; PRAGMA user_version = ${version + index + 1}; COMMIT`);
    } catch (error) {
      if (file.isTransaction) file.exec('ROLLBACK');
      throw error;
    }
  });
}
