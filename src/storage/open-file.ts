import { DatabaseSync } from 'node:sqlite';

/** A script, or what changes a file in a transaction. */
export type SqliteMigration = string | ((file: DatabaseSync) => void);

export interface SqliteOptions {
  /** Statements for every connection, such as pragmas. */
  setUp: string;
  /** The schema's migrations, by number: a file at version N (`PRAGMA user_version`) has had the first N applied. */
  migrations?: readonly SqliteMigration[];
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

/** Opens an SQLite file in the current thread and migrates it, for SQL of one's own. Throws SQLite's errors and NewerSchema. */
export function openSqliteFile(path: string, { setUp, migrations, readOnly = false }: SqliteOptions): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly });
  try {
    file.exec(setUp);
    if (migrations) migrate(file, migrations);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

function migrate(file: DatabaseSync, migrations: readonly SqliteMigration[]): void {
  const { user_version: version } = file.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) throw new NewerSchema(version, migrations.length);
  migrations.slice(version).forEach((migration, index) => {
    file.exec('BEGIN IMMEDIATE');
    try {
      if (typeof migration === 'string') file.exec(migration);
      else migration(file);
      file.exec(`PRAGMA user_version = ${version + index + 1}; COMMIT`);
    } catch (error) {
      if (file.isTransaction) file.exec('ROLLBACK');
      throw error;
    }
  });
}
