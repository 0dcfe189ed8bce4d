import { messageOf } from '../../platform/errors.ts';
import { type Database, plainText, storedObject, type Unreadable } from '../../platform/storage/storage.ts';
import type { ReplayContext } from './scrape.ts';
import { type PackedDocument, unpackDocument } from './stored-document.ts';

/** A completed scrape, stored for retrieval and interact. */
export interface StoredScrape {
  id: string;
  team: string;
  keyLabel: string;
  url: string;
  /** JSON; long ones in UTF-8. */
  document: string | Buffer;
  /** Missing for files that were uploaded. */
  replay: ReplayContext | undefined;
  /** Wall-clock milliseconds. */
  createdAt: number;
}

/** A completed scrape to store. */
export interface NewScrape extends Omit<StoredScrape, 'document'> {
  document: PackedDocument;
}

/** The stored scrapes. Those that can't be read are set aside. */
export type ScrapeTable = ReturnType<typeof scrapeTable>;

const retentionMs = 7 * 24 * 60 * 60 * 1000;

export function scrapeTable(database: Database, unreadable: Unreadable, now: () => number) {
  return {
    async insert(
      { id, team, keyLabel, url, document, replay, createdAt }: NewScrape,
      db: Database = database,
    ): Promise<void> {
      await db
        .insertInto('scrape_job')
        .values({
          id,
          team,
          key_label: keyLabel,
          url: plainText(url),
          ...document,
          replay: JSON.stringify(replay ?? null),
          created_at: createdAt,
        })
        .execute();
    },
    /** Returns a scrape that isn't older than a week. */
    async find(id: string): Promise<StoredScrape | undefined> {
      const row = await database
        .selectFrom('scrape_job')
        .selectAll()
        .where('id', '=', id)
        .where('created_at', '>=', now() - retentionMs)
        .executeTakeFirst();
      if (!row) return undefined;
      try {
        return {
          id: row.id,
          team: row.team,
          keyLabel: row.key_label,
          url: row.url,
          document: await unpackDocument(row),
          replay: row.replay === 'null' ? undefined : storedObject<ReplayContext>(row.replay),
          createdAt: row.created_at,
        };
      } catch (error) {
        await unreadable.setAside('scrape_job', row, messageOf(error), (tx) =>
          tx.deleteFrom('scrape_job').where('id', '=', id),
        );
        return undefined;
      }
    },
    /** Deletes at most `count` scrapes older than a week. Returns how many were deleted. */
    async prune(now: number, count: number): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('scrape_job')
        .where('id', 'in', (of) =>
          of
            .selectFrom('scrape_job')
            .select('id')
            .where('created_at', '<', now - retentionMs)
            .limit(count),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
