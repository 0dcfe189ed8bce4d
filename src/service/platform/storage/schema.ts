import type { ColumnType, Insertable, Kysely, Selectable } from 'kysely';
import type { KeyKind } from '../../../contract/team/access-keys.ts';
import { integer, type RowsOf, rowNumber, serial, sortedTable, table, tableWith, text } from './columns.ts';
import { jobTables } from './job-tables.ts';

/** The service's database, or a transaction of it. Times are wall-clock milliseconds, flags 0 or 1. */
export type Database = Kysely<Schema>;

/** The types of the tables, with the same names in SQLite and PostgreSQL. */
export interface Schema extends RowsOf<typeof tables & typeof fleetTables> {}

/** The tables of both databases. A change needs a migration. */
export const tables = {
  ...jobTables,
  browser_session: table({
    /** Order of creation. */
    num: serial(),
    id: text().unique(),
    team: text(),
    key_label: text(),
    status: text<'active' | 'destroyed' | 'error'>(),
    /** Seconds. */
    ttl: integer(),
    activity_ttl: integer(),
    stream_web_view: integer(),
    profile_name: text().orNull(),
    profile_save: integer().orNull(),
    created_at: integer(),
    last_activity_at: integer(),
    /** When it expires, unless it is renewed; null if it was created before this was stored. */
    expires_at: integer().orNull(),
    ended_at: integer().orNull(),
    end_reason: text().orNull(),
    duration_ms: integer().orNull(),
    credits_billed: integer().orNull(),
    page_url: text().orNull(),
    page_title: text().orNull(),
    /** Folder for its downloads. */
    downloads: text().orNull(),
    /** Name of the agent that opened it. */
    agent: text().orNull(),
    /** The node that runs it; null without a fleet. */
    node: text().orNull(),
  }),
  /** Sessions whose browser is starting: they count toward the team's limits. */
  session_start: table({
    id: text().primary(),
    team: text(),
    ttl: integer(),
    /** The node that starts it; null without a fleet. */
    node: text().orNull(),
  }),
  /** The browser that will save a profile. */
  profile_writer: sortedTable('profile', {
    /** Digest of its team and name. */
    profile: text(),
    /** The node that the browser belongs to; null without a fleet. */
    node: text().orNull(),
  }),
  /** The session in which the page of a scrape continues. */
  interaction: table({
    job_id: text().primary(),
    session_id: text().references('browser_session', 'id'),
    begun_at: integer(),
  }),
  activity: table({
    id: serial(),
    job_id: text(),
    team: text(),
    endpoint: text(),
    created_at: integer(),
    target: text(),
    /** HTTP status that the site answered a scrape with. */
    status_code: integer().orNull(),
  }),
  credit_usage: sortedTable('team, month, key_label, kind', {
    team: text(),
    /** As `YYYY-MM`. */
    month: text().bytewise(),
    key_label: text().bytewise(),
    kind: text(),
    credits: integer(),
    charges: integer(),
  }),
  feedback: table({
    id: text().primary(),
    team: text(),
    job_id: text(),
    endpoint: text(),
    /** JSON. */
    body: text(),
    created_at: integer(),
  }),
  /** Rows that could not be read, as JSON, set aside for inspection. */
  unreadable_row: table({
    id: rowNumber(),
    source: text(),
    content: text(),
    reason: text(),
    found_at: integer(),
  }),
  /** A key that was given to an agent or a team, or for the metrics. */
  access_key: table({
    id: text().primary(),
    /** `revoked`: what remains of a key that its owner has made. */
    kind: text<ColumnType<KeyKind | 'revoked', KeyKind, 'revoked'>>(),
    /** Empty for keys of the metrics. */
    team: text(),
    name: text(),
    /** SHA-256 of the key. */
    digest: text().unique(),
    created_at: integer(),
    last_used_at: integer().orNull(),
    /** JSON of what its agent may do without asking; null: the defaults. */
    rules: text().orNull(),
    used_runs: integer().byDefault(0),
    /** Milliseconds that its calls have taken. */
    used_ms: integer().byDefault(0),
    used_credits: integer().byDefault(0),
  }),
};

/** The tables that only PostgreSQL has. */
export const fleetTables = {
  /** The nodes that share the database. Times are of the database's clock. */
  node: table({
    id: text().primary(),
    /** The data directory. */
    home: text(),
    /** Where the other nodes reach it. */
    url: text(),
    /** What the other nodes identify themselves with. */
    secret: text(),
    version: text(),
    started_at: integer(),
    beat_at: integer(),
    draining: integer(),
    dead: integer(),
  }),
  /** The nodes that may request pages of hosts. Times are of the database's clock. */
  host_turn: table({
    /** Host and port. */
    host: text().primary(),
    node: text(),
    held_until: integer(),
    /** When the turn before ended, if its node did not pass it on; otherwise 0. */
    left_at: integer(),
    /** The node whose turn is next. */
    wanted_by: text().orNull(),
    /** JSON of how its requests are paced. */
    pace: text(),
  }),
  /** Which node has each job of the queues. */
  job_claim: tableWith('PRIMARY KEY (queue, id)', {
    queue: text(),
    id: text(),
    node: text(),
  }),
};

export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;
export type NewRow<Table extends keyof Schema> = Insertable<Schema[Table]>;
