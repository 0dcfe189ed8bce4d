import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteConnection } from './connection.ts';
import { isInTransactionOf } from './transactions.ts';

/** The connections to a file. */
export interface SqliteConnections {
  /** Used by one statement or transaction at a time. */
  main: SqliteConnection;
  /** For queries outside transactions, if there is one: they never wait. */
  reader?: SqliteConnection;
}

/** Returns a database that uses these connections. */
export function databaseOf<Schema>(connections: SqliteConnections): Kysely<Schema> {
  const driver = new SqliteDriver(connections);
  const dialect: Dialect = {
    createAdapter: () => new TurnsAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  driver.database = new Kysely<Schema>({ dialect });
  return driver.database as Kysely<Schema>;
}

/** Leaves it to the driver to queue what needs the connection. */
class TurnsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

const begin = { sql: 'BEGIN IMMEDIATE', parameters: [], inTransaction: false };
const commit = { sql: 'COMMIT', parameters: [], inTransaction: true };

class SqliteDriver implements Driver {
  database: object | undefined;
  readonly #connections: SqliteConnections;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  async init(): Promise<void> {
    // The file is open already.
  }

  async acquireConnection(): Promise<Turn> {
    return new Turn(this, this.#connections);
  }

  async releaseConnection(turn: Turn): Promise<void> {
    if (!turn.taken) return;
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }

  async beginTransaction(turn: Turn): Promise<void> {
    await turn.begin();
  }

  async commitTransaction(turn: Turn): Promise<void> {
    await turn.commit();
  }

  async rollbackTransaction(): Promise<void> {
    await this.#connections.main.rollBack();
  }

  async destroy(): Promise<void> {
    // The last one to close the file has to be able to write to it.
    await this.#connections.reader?.close();
    await this.#connections.main.close();
  }

  /** Throws if the caller's transaction has the connection, so that waiting for it would never end. */
  checkTurn(): void {
    if (isInTransactionOf(this.database))
      throw new Error('This query would wait for the transaction that it runs in. Pass the transaction to it.');
  }

  /** Resolves when it is the caller's turn to use the main connection. */
  async takeTurn(): Promise<void> {
    if (this.#taken) {
      this.checkTurn();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#taken = true;
  }
}

/** The use of the connections for one query or transaction. */
class Turn implements DatabaseConnection {
  /** Whether it has the main connection. */
  taken = false;
  readonly #driver: SqliteDriver;
  readonly #connections: SqliteConnections;
  /** The start of the transaction. Nothing has to wait for it, because statements run in order. */
  #begun: Promise<unknown> | undefined;

  constructor(driver: SqliteDriver, connections: SqliteConnections) {
    this.#driver = driver;
    this.#connections = connections;
  }

  async begin(): Promise<void> {
    await this.#take();
    this.#begun = this.#connections.main.run(begin);
    this.#begun.catch(() => undefined);
  }

  async commit(): Promise<void> {
    try {
      await this.#connections.main.run(commit);
    } catch (error) {
      await this.#begun;
      throw error;
    }
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = { sql, parameters, inTransaction: this.#begun !== undefined };
    const { reader, main } = this.#connections;
    if (reader && !this.#begun && /^\s*select\b/i.test(sql)) {
      this.#driver.checkTurn();
      const { rows } = await reader.run(statement);
      return { rows: rows as Row[] };
    }
    await this.#take();
    try {
      const { rows, changes } = await main.run(statement);
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    } catch (error) {
      // If the transaction could not start, its error is the reason.
      await this.#begun;
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: results of this layer are small enough to be read at once.
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Streaming is not supported. Read a range of rows instead.');
  }

  async #take(): Promise<void> {
    if (this.taken) return;
    await this.#driver.takeTurn();
    this.taken = true;
  }
}
