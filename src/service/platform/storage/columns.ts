import type { ColumnType } from 'kysely';

/** A column: how the databases have it, and in its type what rows have there. */
export class Column<Type = unknown> {
  /** For the compiler only. */
  declare readonly type: Type;
  /** What follows its name, in SQLite's types. */
  readonly sql: string;

  constructor(sql: string) {
    this.sql = sql;
  }

  orNull(): Column<Type | null> {
    return new Column(this.sql.replace(' NOT NULL', ''));
  }

  byDefault(value: number): Column<ColumnType<Type, Type | undefined, Type>> {
    return new Column(`${this.sql} DEFAULT ${value}`);
  }

  primary(): Column<Type> {
    return new Column(this.sql.replace('NOT NULL', 'PRIMARY KEY'));
  }

  unique(): Column<Type> {
    return new Column(`${this.sql} UNIQUE`);
  }

  /** Compares texts byte by byte: SQLite always does. */
  bytewise(): Column<Type> {
    return new Column(this.sql.replace('TEXT', 'TEXT COLLATE BINARY'));
  }

  references(table: string, column: string): Column<Type> {
    return new Column(`${this.sql} REFERENCES ${table} (${column})`);
  }
}

/** @template Type the texts that it has */
export const text = <Type = string>(): Column<NoInfer<Type>> => new Column('TEXT NOT NULL');
export const integer = (): Column<number> => new Column('INTEGER NOT NULL');
export const bytes = (): Column<Uint8Array> => new Column('BLOB NOT NULL');

type Numbered = Column<ColumnType<number, number | undefined, number>>;
export const rowNumber = (): Numbered => new Column('INTEGER PRIMARY KEY');
/** A number that no later row gets again. */
export const serial = (): Numbered => new Column('INTEGER PRIMARY KEY AUTOINCREMENT');

type Columns = Readonly<Record<string, Column>>;

export interface Table<Own extends Columns = Columns> {
  columns: Own;
  /** What no column has alone, such as a primary key of several. */
  constraint?: string;
  /** Whether SQLite keeps its rows in the order of the primary key. */
  isSorted?: boolean;
}

export const table = <Own extends Columns>(columns: Own): Table<Own> => ({ columns });
export const tableWith = <Own extends Columns>(constraint: string, columns: Own): Table<Own> => ({
  constraint,
  columns,
});
export const sortedTable = <Own extends Columns>(primaryKey: string, columns: Own): Table<Own> => ({
  constraint: `PRIMARY KEY (${primaryKey})`,
  columns,
  isSorted: true,
});

type RowOf<Of extends Table> = { [Name in keyof Of['columns']]: Of['columns'][Name]['type'] };

/** What rows have in each of some tables. */
export type RowsOf<Tables extends Record<string, Table>> = { [Name in keyof Tables]: RowOf<Tables[Name]> };

/** Returns the statement that creates a table in SQLite. */
export function creationOf(name: string, { columns, constraint, isSorted }: Table): string {
  const parts = Object.entries(columns).map(([column, { sql }]) => `${column} ${sql}`);
  if (constraint) parts.push(constraint);
  return `CREATE TABLE ${name} (${parts.join(', ')}) STRICT${isSorted ? ', WITHOUT ROWID' : ''}`;
}
