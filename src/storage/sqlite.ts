import type { Kysely } from 'kysely';
import { connectionOf, SqliteFile } from './connection.ts';
import { databaseOf } from './dialect.ts';
import { placeOf } from './file-place.ts';
import { openSqliteFile, type SqliteOptions } from './open-file.ts';
import { connectInThread } from './thread-connection.ts';

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
