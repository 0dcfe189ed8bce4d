import { sql } from 'kysely';
import { type LeftOutPages, type LeftOutReason, leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { orderKey, textOfKey } from '../../../../contract/crawl/page-order.ts';
import { isPostgres } from '../../../../storage/storage.ts';
import { type Database, indexable, jsonRows, plainText, type Row } from '../../../platform/storage/storage.ts';
import { type Found, linkedFrom } from './found-on.ts';

/** States of a page in the frontier, as stored; one beyond what the limit can use waits for a higher one. */
export const pageStates = {
  waiting: 0,
  done: 1,
  failed: 2,
  blocked: 3,
  repeated: 4,
  passedOver: 5,
  beyond: 6,
} as const;
export type PageState = (typeof pageStates)[keyof typeof pageStates];

export interface NewPage {
  url: string;
  origin: string;
  /** Equal for URLs that the job treats as the same page. */
  identity: string;
  /** Number of links from the start page. */
  depth: number;
  /** The id of the page on which it was found, or one of `placeIds`. */
  foundOn?: number;
  /** Whether an earlier crawl found it, and this one found no link to it. */
  hidden?: boolean;
  /** Whether it is only read for its links, or why it is only counted as left out. */
  role?: 'links' | LeftOutReason;
  /** The page that says nothing new, if it was found on such a page. */
  vain?: NewPage;
  /** Where it was found, if that was on a page that was read only for its links. */
  from?: string;
  /** What its URL counts as with its query, which the crawl ignores, unless the page is read under that URL. */
  variant?: NewPage;
}

const waitingColumns = ['id', 'url', 'identity', 'depth', 'found_on', 'hidden', 'for_links'] as const;
export type WaitingPage = Pick<Row<'crawl_page'>, (typeof waitingColumns)[number]>;

/** Why a page has no document. Blocked pages have no code. */
export interface PageFailure {
  code?: string;
  error: string;
}

/** What the list of pages shows of a page that was settled. */
export interface PageRecord
  extends Partial<Pick<Row<'crawl_page'>, 'seq' | 'title' | 'status_code' | 'read_because' | 'warning' | 'change'>> {
  /** Position in the job's list of pages, from 1. */
  place: number;
  /** URL after redirects. */
  url: string;
  /** The digest of what it says, unless that is short. */
  digest?: string | undefined;
}

/** A page that needs no further fetch. */
export interface SettledPage {
  id: number;
  state: PageState;
  at: number;
  /** Adds it to the job's list of pages. Without a record, the page is the same as another one, or was fetched only for its links. */
  record?: PageRecord;
  failure?: PageFailure | undefined;
  copy?: PageCopy | undefined;
}

/** Of a page that is left out as a copy: the digest of what it says, and the URL of the page that says the same. */
export interface PageCopy {
  digest: string;
  of: string;
}

export type FailedPage = Pick<Row<'crawl_page'>, 'id' | 'url' | 'code' | 'error'> & Found & { ended_at: number };

/** A page that was added. */
export interface AddedPage {
  id: number;
  page: NewPage;
}

export type CountedPages = Pick<LeftOutPages, 'count' | 'examples'>;

const longestTitle = 500;
const longestWarning = 1_000;
/** Maximum number of failures, and of blocked URLs, that are listed. */
const maxListed = 10_000;

/** Folders are compared only as far as this, because PostgreSQL's indexes hold no longer texts. */
const longestFolder = 1000;

/** Splits a URL after the last slash of its path. */
export function splitUrl(url: string): [folder: string, name: string] {
  const path = /^[^?#]*/.exec(url)?.[0] ?? '';
  const end = path.lastIndexOf('/', longestFolder - 1) + 1;
  return [url.slice(0, end), url.slice(end)];
}

/** Maximum number of rows in a statement. */
const rowsAtATime = 1000;
const newColumns = {
  origin: 'text',
  url: 'text',
  identity: 'text',
  depth: 'bigint',
  found_on: 'bigint',
  hidden: 'bigint',
  for_links: 'bigint',
} as const;
/** Types of the columns that settling a page sets. */
const settledColumns = {
  state: 'bigint',
  ended_at: 'bigint',
  place: 'bigint',
  seq: 'bigint',
  folder: 'text',
  name: 'text',
  title: 'text',
  status_code: 'bigint',
  code: 'text',
  error: 'text',
  read_because: 'text',
  warning: 'text',
  change: 'text',
  digest: 'text',
  copy_of: 'text',
} as const;

const columns = Object.keys(settledColumns) as (keyof typeof settledColumns)[];
const settings = columns.map((column) => sql`${sql.ref(column)} = item.${sql.ref(column)}`);

function settledRow({ id, state, at, record, failure, copy }: SettledPage) {
  const [folder, name] = record ? splitUrl(record.url).map(orderKey) : [];
  const { title, warning } = record ?? {};
  const row: Partial<Record<keyof typeof settledColumns, string | number | null | undefined>> = {
    ...record,
    ...failure,
    state,
    ended_at: at,
    folder,
    name,
    digest: copy?.digest ?? record?.digest,
    copy_of: copy && plainText(copy.of),
    title: title && plainText(title.slice(0, longestTitle)),
    warning: warning && plainText(warning.slice(0, longestWarning)),
    error: failure && plainText(failure.error),
  };
  const values = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
  return { id, ...(values as Record<keyof typeof settledColumns, string | number | null>) };
}

/** Returns a function for the identity of a page as a database stores it. */
export function storedIdentity(database: Database): (identity: string) => string {
  return isPostgres(database) ? indexable : (identity) => identity;
}

export type Frontier = ReturnType<typeof frontier>;

/** The pages that jobs have found: each once per job, waiting or settled. */
export function frontier(database: Database) {
  const pagesIn = (job: number, state: PageState, db = database) =>
    db.selectFrom('crawl_page').where('job', '=', job).where('state', '=', sql.lit(state));
  /** The pages of a state that are to be crawled, or read only for their links. */
  const pagesFor = (job: number, state: PageState, forLinks: boolean) =>
    pagesIn(job, state).where('for_links', '=', Number(forLinks));
  const keyOf = storedIdentity(database);
  async function settle(pages: readonly SettledPage[], db = database): Promise<void> {
    const rows = pages.map(settledRow);
    for (let index = 0; index < rows.length; index += rowsAtATime) {
      await sql`
        UPDATE crawl_page SET ${sql.join(settings)}
        FROM ${jsonRows(database, { id: 'bigint', ...settledColumns }, rows.slice(index, index + rowsAtATime))}
        WHERE crawl_page.id = item.id`.execute(db);
    }
  }

  return {
    /** Adds pages unless the job has them already. Returns those that were added. */
    async add(
      job: number,
      pages: readonly NewPage[],
      db: Database = database,
      state: PageState = pageStates.waiting,
    ): Promise<AddedPage[]> {
      const added: AddedPage[] = [];
      for (let index = 0; index < pages.length; index += rowsAtATime) {
        const byIdentity = new Map<string, NewPage>();
        for (const page of pages.slice(index, index + rowsAtATime)) {
          const key = keyOf(page.identity);
          if (!byIdentity.has(key)) byIdentity.set(key, page);
        }
        const rows = [...byIdentity].map(([identity, { origin, url, depth, foundOn, hidden, role }]) => ({
          origin,
          url,
          identity,
          depth,
          found_on: foundOn ?? null,
          hidden: Number(hidden === true),
          for_links: Number(role === 'links'),
        }));
        const inserted = await sql<{ id: number; identity: string }>`
          INSERT INTO crawl_page (job, state, origin, url, identity, depth, found_on, hidden, for_links)
          SELECT CAST(${job} AS bigint), ${sql.lit(state)}, origin, url, identity, depth, found_on, hidden, for_links
          FROM ${jsonRows(database, newColumns, rows)} WHERE true
          ON CONFLICT DO NOTHING RETURNING id, identity`.execute(db);
        for (const { id, identity } of inserted.rows) {
          const page = byIdentity.get(identity);
          if (page) added.push({ id, page });
        }
      }
      return added;
    },
    /** Calls `note` with each origin that has waiting pages: those to crawl, or those to read only for their links. They are read in chunks: there can be as many as pages. */
    async eachOrigin(job: number, note: (origin: string) => void, forLinks = false): Promise<void> {
      for (let last: string | undefined = ''; last !== undefined; ) {
        const rows: { origin: string }[] = await pagesFor(job, pageStates.waiting, forLinks)
          .select('origin')
          .distinct()
          .where('origin', '>', last)
          .orderBy('origin')
          .limit(rowsAtATime)
          .execute();
        for (const { origin } of rows) note(origin);
        last = rows.length === rowsAtATime ? rows.at(-1)?.origin : undefined;
      }
    },
    /** Returns such pages of an origin with an id above `after`, in the order they were found. */
    waiting: (job: number, origin: string, after: number, count: number, forLinks = false): Promise<WaitingPage[]> =>
      pagesFor(job, pageStates.waiting, forLinks)
        .select(waitingColumns)
        .where('origin', '=', origin)
        .where('id', '>', after)
        .orderBy('id')
        .limit(count)
        .execute(),
    /** Whether a job has waiting pages. */
    async isWaiting(job: number, db: Database = database): Promise<boolean> {
      return (await pagesIn(job, pageStates.waiting, db).select('id').limit(1).executeTakeFirst()) !== undefined;
    },
    /** Lets the pages beyond the limit wait, at the depth at which they were found. Returns the origin of each. */
    async takeUp(job: number, db: Database): Promise<string[]> {
      const taken = await db
        .updateTable('crawl_page')
        .set({ state: pageStates.waiting })
        .where('job', '=', job)
        .where('state', '=', sql.lit(pageStates.beyond))
        .returning('origin')
        .execute();
      return taken.map(({ origin }) => origin);
    },
    settle,
    /** Gives pages a warning that have a document and none. Returns the numbers of their documents. */
    async warn(job: number, identities: readonly string[], warning: string, db: Database): Promise<number[]> {
      const warned = await db
        .updateTable('crawl_page')
        .set({ warning })
        .where('job', '=', job)
        .where('identity', 'in', identities.map(keyOf))
        .where('state', '=', pageStates.done)
        .where('warning', 'is', null)
        .returning('seq')
        .execute();
      return warned.flatMap(({ seq }) => seq ?? []);
    },
    /** Returns the job's page with this identity, if any. */
    known: (
      job: number,
      identity: string,
      db: Database = database,
    ): Promise<(WaitingPage & { state: PageState }) | undefined> =>
      db
        .selectFrom('crawl_page')
        .select([...waitingColumns, 'state'])
        .where('job', '=', job)
        .where('identity', '=', keyOf(identity))
        .$narrowType<{ state: PageState }>()
        .executeTakeFirst(),
    /** Returns what the first stored pages say, as far as it is known. */
    async texts(job: number, count: number) {
      const rows = await pagesIn(job, pageStates.done)
        .select(['identity', 'title', 'digest', 'folder', 'name'])
        .where('digest', 'is not', null)
        .orderBy('id')
        .limit(count)
        .$narrowType<{ digest: string; folder: string; name: string }>()
        .execute();
      return rows.map(({ folder, name, ...page }) => ({ ...page, url: textOfKey(folder + name) }));
    },
    /** Returns a function that tells which of these identities the job's pages have. */
    async knownOf(job: number, identities: readonly string[]): Promise<(identity: string) => boolean> {
      const rows = await database
        .selectFrom('crawl_page')
        .select('identity')
        .where('job', '=', job)
        .where('identity', 'in', identities.map(keyOf))
        .execute();
      const known = new Set(rows.map(({ identity }) => identity));
      return (identity) => known.has(keyOf(identity));
    },
    /** Returns the failed page that was found first. */
    firstFailure: (job: number): Promise<Pick<FailedPage, 'url' | 'code' | 'error'> | undefined> =>
      pagesIn(job, pageStates.failed).select(['url', 'code', 'error']).orderBy('id').limit(1).executeTakeFirst(),
    /** Returns the pages that failed: those to crawl, or those to read only for their links. */
    failures: (job: number, forLinks = false): Promise<FailedPage[]> =>
      pagesFor(job, pageStates.failed, forLinks)
        .select(['id', 'url', 'code', 'error', 'ended_at', 'found_on', linkedFrom('crawl_page')])
        .orderBy('place')
        .limit(maxListed)
        .$narrowType<{ ended_at: number }>()
        .execute(),
    /** Returns the URLs that robots.txt disallows. */
    async blocked(job: number): Promise<string[]> {
      const blocked = pagesIn(job, pageStates.blocked).select('url').orderBy('place').limit(maxListed);
      return (await blocked.execute()).map(({ url }) => url);
    },
    /** Returns how many pages have a state, counted up to a bound, and the URLs of the first ones. */
    async countOf(job: number, state: PageState, forLinks: boolean): Promise<CountedPages> {
      const pages = pagesFor(job, state, forLinks).select(['id', 'url']);
      const counted = await database
        .selectFrom(pages.limit(leftOutLimits.counted).as('some'))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const first = await pages.orderBy('id').limit(leftOutLimits.examples).execute();
      return { count: Number(counted.count), examples: first.map(({ url }) => url) };
    },
    /** Removes at most `count` pages of a job. Returns how many were removed. */
    async remove(job: number, count: number): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('crawl_page')
        .where('id', 'in', (of) => of.selectFrom('crawl_page').select('id').where('job', '=', job).limit(count))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
