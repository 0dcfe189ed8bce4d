import { type RawBuilder, sql } from 'kysely';
import { orderKey, textOfKey } from '../../../../contract/crawl/page-order.ts';
import type { JobPage, PageFolder, PageOutcome } from '../../../../contract/crawl/pages.ts';
import { readAsOf } from '../../../../contract/scrape/scrape.ts';
import type { Database, Row } from '../../../platform/storage/storage.ts';
import { type Found, findingOf, linkedFrom } from '../store/found-on.ts';
import { pageStates, splitUrl, storedIdentity } from '../store/frontier.ts';

/** Pages of a folder, by outcome. */
export type PageCounts = Pick<PageFolder, 'pageCount' | 'failedCount' | 'blockedCount'>;

/** A folder directly in another one: all URLs that start with its prefix. */
export interface ChildFolder extends PageCounts {
  /** The prefix one level below the parent; ends with a slash. */
  prefix: string;
  /** The longest prefix that all its pages share. */
  shared: string;
}

/** Position after which a list ordered by URL continues. */
export interface UrlPosition {
  folder: string;
  name: string;
}

/** A page in the list of its job. */
export interface ListedPage {
  page: JobPage;
  position: UrlPosition;
}

export interface PageFilter {
  state?: PageOutcome | undefined;
  onlyChanges?: boolean | undefined;
  count: number;
}

export type PageTable = ReturnType<typeof pageTable>;

const outcomes: Readonly<Record<number, PageOutcome>> = {
  [pageStates.done]: 'ok',
  [pageStates.failed]: 'failed',
  [pageStates.blocked]: 'blocked',
};
const states = { ok: pageStates.done, failed: pageStates.failed, blocked: pageStates.blocked } as const;
/** Sorts after every URL that starts with the text before it. */
const last = '\u{10ffff}';
/** Sorts directly after the text before it: no URL contains it. */
const following = (name: string) => `${name}\u0001`;

/** The settled pages of jobs. Folders are URL prefixes that end with a slash. Lists by URL are in the order of `orderKey`. */
export function pageTable(database: Database) {
  /** Returns the pages of a job that a condition holds for, in the order and number that it ends with. */
  async function pagesWhere(condition: RawBuilder<unknown>): Promise<PageRow[]> {
    const { rows } = await sql<PageRow>`
      SELECT page.job, place, folder, name, title, status_code, read_because, warning, state, code, error, change, scrape_id,
        found_on, ${linkedFrom('page')}
      FROM crawl_page AS page
      LEFT JOIN crawl_document ON crawl_document.job = page.job AND crawl_document.seq = page.seq
      WHERE ${condition}`.execute(database);
    return rows;
  }
  const listed = (job: number) => sql`page.job = ${job} AND place IS NOT NULL`;
  const inFolder = (job: number, folder: string) =>
    sql`job = ${job} AND folder >= ${orderKey(folder)} AND folder < ${orderKey(folder) + last}`;
  const matching = ({ state, onlyChanges }: Omit<PageFilter, 'count'>) => sql`
    ${state === undefined ? sql`` : sql`AND state = ${sql.lit(states[state])}`} ${onlyChanges ? sql`AND change <> 'same'` : sql``}`;

  async function sharedPrefix(job: number, folder: string): Promise<string | undefined> {
    const { rows } = await sql<{ first: string | null; final: string | null }>`
      SELECT (SELECT folder FROM crawl_page WHERE ${inFolder(job, folder)} ORDER BY folder LIMIT 1) AS first,
        (SELECT folder FROM crawl_page WHERE ${inFolder(job, folder)} ORDER BY folder DESC LIMIT 1) AS final`.execute(
      database,
    );
    const [row] = rows;
    return row?.first != null && row.final != null
      ? commonFolder(textOfKey(row.first), textOfKey(row.final))
      : undefined;
  }

  async function counts(job: number, folder: string): Promise<PageCounts> {
    const { rows } = await sql<{ pages: number; failed: number; blocked: number }>`
      SELECT count(*) AS pages, count(*) FILTER (WHERE state = ${sql.lit(pageStates.failed)}) AS failed,
        count(*) FILTER (WHERE state = ${sql.lit(pageStates.blocked)}) AS blocked
      FROM crawl_page WHERE ${inFolder(job, folder)}`.execute(database);
    const { pages = 0, failed = 0, blocked = 0 } = rows[0] ?? {};
    return { pageCount: pages, failedCount: failed, blockedCount: blocked };
  }

  return {
    /** Lists pages in the order in which they were stored, after a position in it. */
    async inOrder(job: number, after: number, { count, ...filter }: PageFilter): Promise<ListedPage[]> {
      const rows = await pagesWhere(
        sql`${listed(job)} AND place > ${after} ${matching(filter)} ORDER BY place LIMIT ${count}`,
      );
      return rows.map(listedOf);
    },
    /** Lists the pages in a folder and its subfolders, ordered by URL. */
    async below(
      job: number,
      folder: string,
      after: UrlPosition | undefined,
      { count, ...filter }: PageFilter,
    ): Promise<ListedPage[]> {
      const from = after
        ? { folder: orderKey(after.folder), name: following(orderKey(after.name)) }
        : { folder: orderKey(folder), name: '' };
      const rows = await pagesWhere(sql`
        page.job = ${job} AND folder >= ${from.folder} AND (folder, name) >= (${from.folder}, ${from.name})
        AND folder < ${orderKey(folder) + last} ${matching(filter)} ORDER BY folder, name LIMIT ${count}`);
      return rows.map(listedOf);
    },
    /** Lists the pages directly in a folder, ordered by URL. */
    async directlyIn(job: number, folder: string, after: string | undefined, count: number): Promise<ListedPage[]> {
      const from = after === undefined ? '' : following(orderKey(after));
      const rows = await pagesWhere(
        sql`page.job = ${job} AND folder = ${orderKey(folder)} AND name >= ${from} ORDER BY name LIMIT ${count}`,
      );
      return rows.map(listedOf);
    },
    /** Lists the folders directly in a folder, after the prefix of one. */
    async foldersIn(job: number, folder: string, after: string | undefined, count: number): Promise<ChildFolder[]> {
      const found: ChildFolder[] = [];
      const parent = orderKey(folder);
      for (let from = after === undefined ? parent : orderKey(after) + last; found.length < count; ) {
        const next = await database
          .selectFrom('crawl_page')
          .select('folder')
          .where('job', '=', job)
          .where('folder', '>', from)
          .where('folder', '<', parent + last)
          .orderBy('folder')
          .limit(1)
          .executeTakeFirst();
        if (!next?.folder) break;
        const prefix = folder + childOf(textOfKey(next.folder).slice(folder.length));
        const shared = (await sharedPrefix(job, prefix)) ?? prefix;
        found.push({ prefix, shared, ...(await counts(job, prefix)) });
        from = orderKey(prefix) + last;
      }
      return found;
    },
    /** Returns the longest prefix that all pages share; undefined if there are no pages. */
    top: (job: number): Promise<string | undefined> => sharedPrefix(job, ''),
    counts,
    /** Returns the page with this URL: after redirects, or else before. */
    async find(job: number, url: string, identity: string): Promise<JobPage | undefined> {
      const [folder = '', name = ''] = splitUrl(url).map(orderKey);
      const [row] = await pagesWhere(sql`page.job = ${job} AND folder = ${folder} AND name = ${name} LIMIT 1`);
      const [found = row] = row
        ? [row]
        : await pagesWhere(sql`${listed(job)} AND identity = ${storedIdentity(database)(identity)}`);
      return found && listedOf(found).page;
    },
    /** Returns pages by their row id. */
    async byId(id: number): Promise<{ job: number; page: JobPage } | undefined> {
      const [row] = await pagesWhere(sql`page.id = ${id} AND place IS NOT NULL`);
      return row && { job: row.job, page: listedOf(row).page };
    },
  };
}

/** Returns the first level of a path below a folder. At the root, a level is a scheme with its host. */
function childOf(rest: string): string {
  return /^(?:https?:\/\/)?[^/]*\//.exec(rest)?.[0] ?? rest;
}

/** Returns the deepest folder that contains both folders. */
function commonFolder(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  const shared = one.slice(0, length);
  const folder = shared.slice(0, shared.lastIndexOf('/') + 1);
  // Half of "https://" isn't a folder.
  return /^https?:\/\/?$/.test(folder) ? '' : folder;
}

/** A page that was settled, with its document. */
type PageRow = Pick<
  Row<'crawl_page'>,
  'job' | 'title' | 'status_code' | 'read_because' | 'warning' | 'state' | 'code' | 'error' | 'change'
> &
  Found & { place: number; folder: string; name: string; scrape_id: string | null };

function listedOf(row: PageRow): ListedPage {
  const { place, folder, name, title, status_code, read_because, warning, state, code, error, scrape_id, change } = row;
  return {
    page: {
      order: place,
      ...(scrape_id !== null && { id: scrape_id }),
      url: textOfKey(folder + name),
      ...(title !== null && { title }),
      ...(status_code !== null && { statusCode: status_code }),
      ...(read_because !== null && { readAs: readAsOf(read_because), readBecause: read_because }),
      ...(warning !== null && { warning }),
      state: outcomes[state] ?? 'failed',
      ...(code !== null && { code }),
      ...(error !== null && { reason: error }),
      ...(change !== null && { changeStatus: change }),
      ...findingOf(row),
    },
    position: { folder: textOfKey(folder), name: textOfKey(name) },
  };
}
