import type { DatabaseSync } from 'node:sqlite';
import { orderKey, textOfKey } from '../../../contract/page-order.ts';
import type { JobPage, PageOutcome } from '../../../contract/pages.ts';
import { pageStates, splitUrl } from '../store/frontier.ts';

/** Pages of a folder, by outcome. */
export interface PageCounts {
  pageCount: number;
  failedCount: number;
  blockedCount: number;
}

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
  state: PageOutcome | undefined;
  count: number;
}

/** The settled pages of jobs. Folders are URL prefixes that end with a slash. Lists by URL are in the order of `orderKey`. */
export interface PageTable {
  /** Lists pages in the order in which they were stored, after a position in it. */
  inOrder(job: number, after: number, filter: PageFilter): ListedPage[];
  /** Lists the pages in a folder and its subfolders, ordered by URL. */
  below(job: number, folder: string, after: UrlPosition | undefined, filter: PageFilter): ListedPage[];
  /** Lists the pages directly in a folder, ordered by URL. */
  directlyIn(job: number, folder: string, after: string | undefined, count: number): ListedPage[];
  /** Lists the folders directly in a folder, after the prefix of one. */
  foldersIn(job: number, folder: string, after: string | undefined, count: number): ChildFolder[];
  /** Returns the longest prefix that all pages share; undefined if there are no pages. */
  top(job: number): string | undefined;
  counts(job: number, folder: string): PageCounts;
  /** Returns the page with this URL: after redirects, or else before. */
  find(job: number, url: string, identity: string): JobPage | undefined;
  /** Returns pages by their row id. */
  byId(id: number): { job: number; page: JobPage } | undefined;
}

const columns = `page.job, place, folder, name, title, status_code, state, code, error, scrape_id
  FROM crawl_page AS page LEFT JOIN crawl_document ON crawl_document.job = page.job AND crawl_document.seq = page.seq`;
const listed = 'page.job = :job AND place IS NOT NULL';
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

export function pageTable(database: DatabaseSync): PageTable {
  const inOrder = database.prepare(`SELECT ${columns} WHERE ${listed} AND place > :after ORDER BY place LIMIT :count`);
  const withState = database.prepare(
    `SELECT ${columns} WHERE ${listed} AND place > :after AND state = :state ORDER BY place LIMIT :count`,
  );
  const below = database.prepare(
    `SELECT ${columns} WHERE page.job = :job AND folder >= :folder AND (folder, name) >= (:folder, :name) AND folder < :end AND (:state IS NULL OR state = :state)
     ORDER BY folder, name LIMIT :count`,
  );
  const directly = database.prepare(
    `SELECT ${columns} WHERE page.job = :job AND folder = :folder AND name >= :from ORDER BY name LIMIT :count`,
  );
  const nextFolder = database.prepare(
    `SELECT folder FROM crawl_page AS page WHERE page.job = :job AND folder > :after AND folder < :end ORDER BY folder LIMIT 1`,
  );
  const range = (order: 'ASC' | 'DESC') =>
    database.prepare(
      `SELECT folder FROM crawl_page AS page WHERE page.job = :job AND folder >= :folder AND folder < :end ORDER BY folder ${order} LIMIT 1`,
    );
  const [first, final] = [range('ASC'), range('DESC')];
  const counts = database.prepare(
    `SELECT count(*) AS pageCount, count(*) FILTER (WHERE state = ${pageStates.failed}) AS failedCount,
       count(*) FILTER (WHERE state = ${pageStates.blocked}) AS blockedCount
     FROM crawl_page AS page WHERE page.job = :job AND folder >= :folder AND folder < :end`,
  );
  const byUrl = database.prepare(
    `SELECT ${columns} WHERE page.job = :job AND folder = :folder AND name = :name LIMIT 1`,
  );
  const byIdentity = database.prepare(`SELECT ${columns} WHERE ${listed} AND identity = :identity`);
  const byId = database.prepare(`SELECT ${columns} WHERE page.id = :id AND place IS NOT NULL`);

  /** The rows below a folder, whose columns hold keys. */
  const inRange = (job: number, folder: string) => ({ job, folder: orderKey(folder), end: orderKey(folder) + last });
  function sharedPrefix(job: number, folder: string): string | undefined {
    const [one, other] = [first, final].map(
      (statement) => statement.get(inRange(job, folder)) as FolderRow | undefined,
    );
    return one && other && commonFolder(textOfKey(one.folder), textOfKey(other.folder));
  }
  function countsOf(job: number, folder: string): PageCounts {
    return { ...(counts.get(inRange(job, folder)) as unknown as PageCounts) };
  }

  return {
    inOrder(job, after, { state, count }) {
      const rows = state
        ? withState.all({ job, after, count, state: states[state] })
        : inOrder.all({ job, after, count });
      return rows.map(listedOf);
    },
    below(job, folder, after, { state, count }) {
      const { end } = inRange(job, folder);
      const from = after
        ? { folder: orderKey(after.folder), name: following(orderKey(after.name)) }
        : { folder: orderKey(folder), name: '' };
      return below.all({ job, ...from, end, count, state: state ? states[state] : null }).map(listedOf);
    },
    directlyIn: (job, folder, after, count) =>
      directly
        .all({ job, folder: orderKey(folder), from: after === undefined ? '' : following(orderKey(after)), count })
        .map(listedOf),
    foldersIn(job, folder, after, count) {
      const found: ChildFolder[] = [];
      const parent = inRange(job, folder);
      for (let from = after === undefined ? parent.folder : orderKey(after) + last; found.length < count; ) {
        const next = nextFolder.get({ job, after: from, end: parent.end }) as FolderRow | undefined;
        if (!next) break;
        const prefix = folder + childOf(textOfKey(next.folder).slice(folder.length));
        found.push({ prefix, shared: sharedPrefix(job, prefix) ?? prefix, ...countsOf(job, prefix) });
        from = orderKey(prefix) + last;
      }
      return found;
    },
    top: (job) => sharedPrefix(job, ''),
    counts: countsOf,
    find(job, url, identity) {
      const [folder = '', name = ''] = splitUrl(url).map(orderKey);
      const row = byUrl.get({ job, folder, name }) ?? byIdentity.get({ job, identity });
      return row && listedOf(row).page;
    },
    byId(id) {
      const row = byId.get({ id }) as PageRow | undefined;
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

interface FolderRow {
  folder: string;
}

interface PageRow {
  job: number;
  place: number;
  folder: string;
  name: string;
  title: string | null;
  status_code: number | null;
  state: number;
  code: string | null;
  error: string | null;
  scrape_id: string | null;
}

function listedOf(row: unknown): ListedPage {
  const { place, folder, name, title, status_code, state, code, error, scrape_id } = row as PageRow;
  return {
    page: {
      order: place,
      ...(scrape_id !== null && { id: scrape_id }),
      url: textOfKey(folder + name),
      ...(title !== null && { title }),
      ...(status_code !== null && { statusCode: status_code }),
      state: outcomes[state] ?? 'failed',
      ...(code !== null && { code }),
      ...(error !== null && { reason: error }),
    },
    position: { folder: textOfKey(folder), name: textOfKey(name) },
  };
}
