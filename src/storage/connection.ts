import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** A statement for a connection. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /** Whether it belongs to a transaction, and so fails if SQLite has rolled that back. */
  inTransaction: boolean;
}

/** What a statement returned, or how many rows it changed. */
export interface StatementResult {
  rows: unknown[];
  changes: number | bigint;
}

/** A connection to an SQLite file. Statements run in the order in which they are given. */
export interface SqliteConnection {
  run(statement: Statement): Promise<StatementResult>;
  /** Ends a transaction, unless SQLite has done so already. */
  rollBack(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum number of statements that are kept prepared. */
const maxStatements = 300;

/** What a statement returned, with rows as arrays of values: cheaper to send to another thread than objects. */
export interface Answered {
  columns: string[];
  rows: SQLInputValue[][];
  changes: number | bigint;
}

/** Returns what a statement returned, with rows as objects. */
export function resultOf({ columns, rows, changes }: Answered): StatementResult {
  return {
    changes,
    rows: rows.map((values) => {
      const row: Record<string, unknown> = {};
      for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at];
      return row;
    }),
  };
}

/** An SQLite file that keeps its statements prepared. Its methods block the thread and throw SQLite's errors. */
export class SqliteFile {
  readonly #file: DatabaseSync;
  /** Prepared statements by their text, least recently used first. */
  readonly #statements = new Map<string, { statement: StatementSync; columns: string[] }>();

  constructor(file: DatabaseSync) {
    this.#file = file;
  }

  run({ sql, parameters, inTransaction }: Statement): Answered {
    const { statement, columns } = this.#prepared(sql, inTransaction);
    const values = parameters as SQLInputValue[];
    if (columns.length === 0) return { columns, rows: [], changes: statement.run(...values).changes };
    statement.setReturnArrays(true);
    return { columns, rows: statement.all(...values) as unknown as SQLInputValue[][], changes: 0 };
  }

  rollBack(): void {
    // SQLite has already rolled back if it could not write.
    if (this.#file.isTransaction) this.#file.exec('ROLLBACK');
  }

  close(): void {
    this.#statements.clear();
    this.#file.close();
  }

  #prepared(sql: string, inTransaction: boolean): { statement: StatementSync; columns: string[] } {
    // Outside a transaction, the statement would be committed at once.
    if (inTransaction && !this.#file.isTransaction) throw new Error('The transaction was rolled back.');
    let prepared = this.#statements.get(sql);
    if (prepared) this.#statements.delete(sql);
    else {
      const statement = this.#file.prepare(sql);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      const [oldest] = this.#statements.keys();
      if (this.#statements.size >= maxStatements && oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Returns a connection that runs its statements in the current thread. */
export function connectionOf(file: SqliteFile): SqliteConnection {
  return {
    run: async (statement) => resultOf(file.run(statement)),
    rollBack: async () => file.rollBack(),
    close: async () => file.close(),
  };
}
