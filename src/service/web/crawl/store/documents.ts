import { sql } from 'kysely';
import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import { messageOf } from '../../../platform/errors.ts';
import {
  type Database,
  type NewRow,
  type Row,
  storedObject,
  type Unreadable,
} from '../../../platform/storage/storage.ts';
import type { ReplayContext } from '../../scrape/scrape.ts';
import type { StoredScrape } from '../../scrape/scrape-table.ts';
import { packDocument, unpackDocument } from '../../scrape/stored-document.ts';

export type NewDocument = NewRow<'crawl_document'>;

/** Replaces what can't be read. */
const unreadableReplay = 'null';
const unreadableMessage = 'This document is damaged in the database, so it was set aside. Crawl the page again.';
/** Maximum number of rows in a statement. */
const rowsAtATime = 100;

/**
 * The documents of jobs, numbered from 1 in the order they were stored, so that positions in the list never shift. One
 * that can't be read is set aside, and replaced by a document that says so.
 */
export function documents(database: Database, unreadable: Unreadable) {
  type Stored = Pick<Row<'crawl_document'>, 'job' | 'seq' | 'scrape_id' | 'document' | 'packed'>;

  async function textOf(row: Stored): Promise<string | Buffer> {
    try {
      return await unpackDocument(row);
    } catch (error) {
      const page = await database
        .selectFrom('crawl_page')
        .select('url')
        .where('job', '=', row.job)
        .where('seq', '=', row.seq)
        .executeTakeFirst();
      const metadata = { scrapeId: row.scrape_id, ...(page && { sourceURL: page.url }), error: unreadableMessage };
      const document = JSON.stringify({ metadata });
      await setAside(row, error, { document, packed: null });
      return document;
    }
  }

  async function setAside(row: Stored, error: unknown, instead: Partial<NewDocument>): Promise<void> {
    await unreadable.setAside('crawl_document', { id: row.scrape_id, ...row }, messageOf(error), (tx) =>
      tx.updateTable('crawl_document').set(instead).where('job', '=', row.job).where('seq', '=', row.seq),
    );
  }

  /**
   * Returns the JSON of documents numbered above `after`, long ones in UTF-8: at most `count`, and as many as fit into `bytes`
   * but at least one; and the number of the last one if more follow.
   * @param range `onlyChanges`: of pages that differ from the crawl that the job repeats
   */
  async function read(
    job: number,
    { after, count, bytes, onlyChanges }: { after: number; count: number; bytes: number; onlyChanges?: boolean },
  ): Promise<{ texts: (string | Buffer)[]; last: number | undefined }> {
    const all = database.selectFrom('crawl_document').where('job', '=', job).where('seq', '>', after);
    const inRange = onlyChanges
      ? all.where('seq', 'in', (of) =>
          of
            .selectFrom('crawl_page')
            .select(({ ref }) => ref('seq').$notNull().as('seq'))
            .where('job', '=', job)
            .where('change', '<>', sql.lit('same')),
        )
      : all;
    const sizes = await inRange
      .select(['seq', sql<number>`octet_length(document) + coalesce(octet_length(packed), 0) * 4`.as('size')])
      .orderBy('seq')
      .limit(count + 1)
      .execute();
    let total = 0;
    const found = sizes.slice(0, count).filter(({ size }, index) => {
      total += size;
      return index === 0 || total <= bytes;
    });
    const last = found.at(-1);
    if (!last) return { texts: [], last: undefined };
    const rows = await inRange
      .select(['job', 'seq', 'scrape_id', 'document', 'packed'])
      .where('seq', '<=', last.seq)
      .orderBy('seq')
      .execute();
    const texts = await Promise.all(rows.map(textOf));
    return { texts, last: found.length < sizes.length ? last.seq : undefined };
  }

  return {
    async add(rows: readonly NewDocument[], db: Database = database): Promise<void> {
      for (let index = 0; index < rows.length; index += rowsAtATime) {
        await db
          .insertInto('crawl_document')
          .values(rows.slice(index, index + rowsAtATime))
          .execute();
      }
    },
    /** Gives documents of a job a warning. */
    async warn(job: number, seqs: readonly number[], warning: string, db: Database): Promise<void> {
      if (seqs.length === 0) return;
      const rows = db.selectFrom('crawl_document').select(['seq', 'document', 'packed']);
      for (const row of await rows.where('job', '=', job).where('seq', 'in', seqs).execute()) {
        const text = await unpackDocument(row).catch(() => undefined);
        // One that is damaged is set aside when it is read.
        if (text === undefined) continue;
        const document: ScrapeDocument = JSON.parse(text.toString());
        await db
          .updateTable('crawl_document')
          .set(await packDocument({ ...document, warning }))
          .where('job', '=', job)
          .where('seq', '=', row.seq)
          .execute();
      }
    },
    read,
    /** Returns the page with this scrape id, of any job. */
    async find(scrapeId: string): Promise<StoredScrape | undefined> {
      const row = await database
        .selectFrom('crawl_document')
        .innerJoin('crawl_job', 'crawl_job.num', 'crawl_document.job')
        .select([
          'crawl_job.team',
          'key_label',
          'created_at',
          'job',
          'seq',
          'scrape_id',
          'document',
          'packed',
          'replay',
        ])
        .where('scrape_id', '=', scrapeId)
        .executeTakeFirst();
      if (!row) return undefined;
      let replay: ReplayContext;
      try {
        replay = storedObject<ReplayContext>(row.replay);
      } catch (error) {
        if (row.replay !== unreadableReplay) await setAside(row, error, { replay: unreadableReplay });
        return undefined;
      }
      return {
        id: scrapeId,
        team: row.team,
        keyLabel: row.key_label,
        url: replay.url,
        document: await textOf(row),
        replay,
        createdAt: row.created_at,
      };
    },
    /** Removes at most `count` documents of a job. Returns how many were removed. */
    async remove(job: number, count: number): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('crawl_document')
        .where('job', '=', job)
        .where('seq', 'in', (of) => of.selectFrom('crawl_document').select('seq').where('job', '=', job).limit(count))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
