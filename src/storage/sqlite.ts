import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery as Compiled,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type KyselyPlugin,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { isInTransactionOf } from './transactions.ts';

export interface SqliteOptions {
  /** Statements for every connection, such as pragmas. */
  setUp: string;
  /** The schema's migrations, by number: a file at version N (`PRAGMA user_version`) has had the first N applied. */
  migrations?: readonly string[];
  /** Functions of a text that migrations may call. */
  functions?: Readonly<Record<string, (text: string) => string>>;
  readOnly?: boolean;
  plugins?: KyselyPlugin[];
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

/** Opens an SQLite file, with one connection whose transactions take turns, and migrates it. Throws SQLite's errors and NewerSchema. */
export function openSqlite<Schema>(
  path: string,
  { setUp, migrations, functions = {}, readOnly = false, plugins = [] }: SqliteOptions,
): Kysely<Schema> {
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
  const driver = new SqliteDriver(file);
  const database = new Kysely<Schema>({
    plugins,
    dialect: {
      createAdapter: () => new OneConnectionAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  driver.database = database;
  return database;
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

/** Leaves it to the driver to let those who need the connection take turns. */
class OneConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** One connection to a file. Whoever has it, for a query or a transaction, has it alone. */
class SqliteDriver implements Driver {
  database: object | undefined;
  readonly #connection: SqliteConnection;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(file: DatabaseSync) {
    this.#connection = new SqliteConnection(file);
  }

  async init(): Promise<void> {
    // The file is open already.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#taken) {
      if (isInTransactionOf(this.database))
        throw new Error('This query would wait for the transaction that it is made in. Pass the transaction to it.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#taken = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(begin);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(commit);
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollBack();
  }

  async destroy(): Promise<void> {
    this.#connection.close();
  }
}

const begin = Compiled.raw('BEGIN IMMEDIATE');
const commit = Compiled.raw('COMMIT');
/** Most statements that are kept prepared. */
const maxStatements = 300;

class SqliteConnection implements DatabaseConnection {
  readonly #file: DatabaseSync;
  /** Prepared statements by their text, least recently used first. */
  readonly #statements = new Map<string, { statement: StatementSync; reads: boolean }>();

  constructor(file: DatabaseSync) {
    this.#file = file;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, reads } = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (reads) return { rows: statement.all(...values) as Row[] };
    const { changes } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: results of this layer are small enough to be read at once.
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Read a range of rows instead of a stream.');
  }

  rollBack(): void {
    // SQLite has rolled back already when it could not write.
    if (this.#file.isTransaction) this.#file.exec('ROLLBACK');
  }

  close(): void {
    this.#statements.clear();
    this.#file.close();
  }

  #prepare(sql: string): { statement: StatementSync; reads: boolean } {
    let prepared = this.#statements.get(sql);
    if (prepared) this.#statements.delete(sql);
    else {
      const statement = this.#file.prepare(sql);
      prepared = { statement, reads: statement.columns().length > 0 };
      const [oldest] = this.#statements.keys();
      if (this.#statements.size >= maxStatements && oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
