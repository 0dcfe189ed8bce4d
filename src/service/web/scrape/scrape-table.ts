import { type Database, plainText, type Row, storedObject, type Unreadable } from '../../platform/storage/storage.ts';
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
      return row && (await unreadable.readable('scrape_job', [row], scrapeOf))[0];
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

async function scrapeOf(row: Row<'scrape_job'>): Promise<StoredScrape> {
  const { id, team, key_label: keyLabel, url, created_at: createdAt } = row;
  const replay = row.replay === 'null' ? undefined : storedObject<ReplayContext>(row.replay);
  return { id, team, keyLabel, url, document: await unpackDocument(row), replay, createdAt };
}
