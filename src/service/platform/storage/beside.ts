import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { openSqlite } from '../../../storage/storage.ts';
import { silentLog } from '../log.ts';
import { DataDirInUse, lockDataDir } from './data-dir-lock.ts';
import { loadPostgres } from './load-postgres.ts';
import { postgresMigrations, sqliteMigrations } from './migrations.ts';
import type { Database, Schema } from './schema.ts';
import { type DatabaseLocation, databasePath, setUp } from './storage.ts';

/**
 * Opens the service's database for a short time, while a service may be using it. A new database gets its schema; one of
 * another version is left to its service. Throws an Error with a message to show.
 */
export async function openBeside({ dataDir, url }: DatabaseLocation): Promise<Database> {
  if (url !== undefined) return await openPostgresBeside(url);
  const path = databasePath(dataDir);
  if (!existsSync(path)) create(dataDir, path);
  const database = openSqlite<Schema>(path, { setUp });
  const { rows } = await sql<{ user_version: number }>`PRAGMA user_version`.execute(database);
  return await checked(database, rows[0]?.user_version ?? 0, sqliteMigrations.length);
}

function create(dataDir: string, path: string): void {
  let unlock: () => void;
  try {
    unlock = lockDataDir(dataDir);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    throw new Error('The service is starting. Try again in a moment.');
  }
  try {
    void openSqlite(path, { setUp, migrations: sqliteMigrations }).destroy();
  } finally {
    unlock();
  }
}

async function openPostgresBeside(url: string): Promise<Database> {
  const { connectPostgres, describePostgresProblem, migratePostgres, schemaVersion } = await loadPostgres();
  const database = connectPostgres(url, silentLog, 1);
  try {
    let version = await schemaVersion(database);
    if (version === 0) {
      await migratePostgres(url, silentLog);
      version = await schemaVersion(database);
    }
    return await checked(database, version, postgresMigrations.length);
  } catch (error) {
    await database.destroy();
    throw describePostgresProblem(error);
  }
}

async function checked(database: Database, found: number, expected: number): Promise<Database> {
  if (found === expected) return database;
  await database.destroy();
  throw new Error(
    `The database has the schema of another version (${found}; this version has ${expected}). Run the version of the service, or start the service with this version first.`,
  );
}
