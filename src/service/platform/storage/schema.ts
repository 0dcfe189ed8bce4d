import type { ColumnType, Generated, Insertable, Kysely, Selectable } from 'kysely';
import type { KeyKind } from '../../../contract/team/access-keys.ts';
import type { JobTables } from './job-tables.ts';

/** The service's database, or a transaction of it. Times are wall-clock milliseconds, flags 0 or 1. */
export type Database = Kysely<Schema>;

/** The tables, with the same names and types in SQLite and PostgreSQL. */
export interface Schema extends JobTables {
  browser_session: {
    /** Order of creation. */
    num: Generated<number>;
    id: string;
    team: string;
    key_label: string;
    status: 'active' | 'destroyed' | 'error';
    /** Seconds. */
    ttl: number;
    activity_ttl: number;
    stream_web_view: number;
    profile_name: string | null;
    profile_save: number | null;
    created_at: number;
    last_activity_at: number;
    /** When it expires, unless it is renewed; null if it was created before this was stored. */
    expires_at: number | null;
    ended_at: number | null;
    end_reason: string | null;
    duration_ms: number | null;
    credits_billed: number | null;
    page_url: string | null;
    page_title: string | null;
    /** Folder for its downloads. */
    downloads: string | null;
    /** Name of the agent that opened it. */
    agent: string | null;
    /** The node that runs it; null without a fleet. */
    node: string | null;
  };
  /** Sessions whose browser is starting: they count toward the team's limits. */
  session_start: {
    id: string;
    team: string;
    ttl: number;
    /** The node that starts it; null without a fleet. */
    node: string | null;
  };
  /** The browser that will save a profile. */
  profile_writer: {
    /** Digest of its team and name. */
    profile: string;
    /** The node that the browser belongs to; null without a fleet. */
    node: string | null;
  };
  /** The session in which the page of a scrape continues. */
  interaction: {
    job_id: string;
    session_id: string;
    begun_at: number;
  };
  activity: {
    id: Generated<number>;
    job_id: string;
    team: string;
    endpoint: string;
    created_at: number;
    target: string;
    /** HTTP status that the site answered a scrape with. */
    status_code: number | null;
  };
  credit_usage: {
    team: string;
    /** As `YYYY-MM`. */
    month: string;
    key_label: string;
    kind: string;
    credits: number;
    charges: number;
  };
  feedback: {
    id: string;
    team: string;
    job_id: string;
    endpoint: string;
    /** JSON. */
    body: string;
    created_at: number;
  };
  /** Rows that could not be read, as JSON, set aside for inspection. */
  unreadable_row: {
    id: Generated<number>;
    source: string;
    content: string;
    reason: string;
    found_at: number;
  };
  /** The nodes that share the database, in PostgreSQL only, as the two tables that follow. Times are of the database's clock. */
  node: {
    id: string;
    /** The data directory. */
    home: string;
    /** Where the other nodes reach it. */
    url: string;
    /** What the other nodes identify themselves with. */
    secret: string;
    version: string;
    started_at: number;
    beat_at: number;
    draining: number;
    dead: number;
  };
  /** The nodes that may request pages of hosts. Times are of the database's clock. */
  host_turn: {
    /** Host and port. */
    host: string;
    node: string;
    held_until: number;
    /** When the turn before ended, if its node did not pass it on; otherwise 0. */
    left_at: number;
    /** The node whose turn is next. */
    wanted_by: string | null;
    /** JSON of how its requests are paced. */
    pace: string;
  };
  /** Which node has each job of the queues. */
  job_claim: {
    queue: string;
    id: string;
    node: string;
  };
  /** A key that was given to an agent or a team, or for the metrics. */
  access_key: {
    id: string;
    /** `revoked`: what remains of a key that its owner has made. */
    kind: ColumnType<KeyKind | 'revoked', KeyKind, 'revoked'>;
    /** Empty for keys of the metrics. */
    team: string;
    name: string;
    /** SHA-256 of the key. */
    digest: string;
    created_at: number;
    last_used_at: number | null;
    /** JSON of what its agent may do without asking; null: the defaults. */
    rules: string | null;
    used_runs: Generated<number>;
    /** Milliseconds that its calls have taken. */
    used_ms: Generated<number>;
    used_credits: Generated<number>;
  };
}

export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;
export type NewRow<Table extends keyof Schema> = Insertable<Schema[Table]>;
