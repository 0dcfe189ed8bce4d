import { sql } from 'kysely';
import { orderKey } from '../../../../contract/crawl/page-order.ts';
import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import { type Database, type Row, storedObject, unpackText } from '../../../platform/storage/storage.ts';
import type { PageSource } from '../../scrape/changes/known-page.ts';
import type { ReplayContext } from '../../scrape/scrape.ts';
import { unpackDocument } from '../../scrape/stored-document.ts';
import { type PageCopy, splitUrl, storedIdentity } from './frontier.ts';

/** A page of an earlier crawl, as a crawl that repeats it takes it over. */
export interface EarlierPage {
  document: ScrapeDocument & { metadata: NonNullable<ScrapeDocument['metadata']> };
  /** When the earlier crawl stored it: wall-clock milliseconds. */
  storedAt: number;
  statusCode: number;
  /** URL after redirects. */
  url: string;
  replay: ReplayContext;
  /** What it was converted from, and its links; undefined if it has to be converted again. */
  source: (PageSource & { links: string[]; packed: Uint8Array }) | undefined;
}

type StoredPage = Pick<Row<'crawl_page'>, 'status_code'> &
  Pick<Row<'crawl_document'>, 'document' | 'packed' | 'replay' | 'source'> & { ended_at: number };

export type EarlierPages = ReturnType<typeof earlierPages>;

/** The pages of crawls that others repeat. */
export function earlierPages(database: Database) {
  const keyOf = storedIdentity(database);
  const present = sql`page.seq IS NOT NULL AND (page.change IS NULL OR page.change <> 'removed')`;

  async function first(where: ReturnType<typeof sql>): Promise<StoredPage | undefined> {
    const { rows } = await sql<StoredPage>`
      SELECT status_code, ended_at, document, packed, replay, source FROM crawl_page AS page
      JOIN crawl_document ON crawl_document.job = page.job AND crawl_document.seq = page.seq
      WHERE ${where} AND ${present} LIMIT 1`.execute(database);
    return rows[0];
  }

  return {
    /** Returns the page that a crawl stored for an identity, or else for a URL after redirects. `damaged` can't be read. */
    async find(job: number, identity: string, url: string): Promise<EarlierPage | 'damaged' | undefined> {
      const [folder = '', name = ''] = splitUrl(url).map(orderKey);
      const row =
        (await first(sql`page.job = ${job} AND identity = ${keyOf(identity)}`)) ??
        (await first(sql`page.job = ${job} AND folder = ${folder} AND name = ${name}`));
      if (!row) return undefined;
      try {
        const document = JSON.parse((await unpackDocument(row)).toString()) as EarlierPage['document'];
        const { status_code, ended_at, replay, source } = row;
        return {
          document,
          storedAt: ended_at,
          statusCode: status_code ?? 200,
          url: document.metadata.url ?? url,
          replay: storedObject<ReplayContext>(replay),
          source: source === null ? undefined : { ...storedObject(await unpackText(source)), packed: source },
        };
      } catch {
        return 'damaged';
      }
    },
    /** Returns what a page that a crawl left out as a copy said then. */
    copy: (job: number, identity: string): Promise<PageCopy | undefined> =>
      database
        .selectFrom('crawl_page')
        .select(['digest', 'copy_of as of'])
        .where('job', '=', job)
        .where('identity', '=', keyOf(identity))
        .where('copy_of', 'is not', null)
        .$narrowType<PageCopy>()
        .executeTakeFirst(),
    /** Returns pages of a crawl above the id `after` that another one hasn't found, in the order they were found. */
    async missing(job: number, inJob: number, after: number, count: number): Promise<{ id: number; url: string }[]> {
      const { rows } = await sql<{ id: number; url: string }>`
        SELECT id, url FROM crawl_page AS page WHERE job = ${job} AND id > ${after} AND ${present}
          AND NOT EXISTS (SELECT 1 FROM crawl_page AS found WHERE found.job = ${inJob} AND found.identity = page.identity)
          AND NOT EXISTS (SELECT 1 FROM crawl_page AS found
            WHERE found.job = ${inJob} AND found.folder = page.folder AND found.name = page.name)
        ORDER BY id LIMIT ${count}`.execute(database);
      return rows;
    },
  };
}
