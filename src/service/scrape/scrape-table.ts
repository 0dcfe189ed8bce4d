import type { ScrapeDocument } from '../../contract/scrape/scrape.ts';
import { messageOf } from '../errors.ts';
import { type Database, plainText, storedObject, type Unreadable } from '../storage/storage.ts';
import type { ReplayContext } from './scrape.ts';

/** A completed scrape, stored for retrieval and interact. */
export interface StoredScrape {
  id: string;
  team: string;
  keyLabel: string;
  url: string;
  document: ScrapeDocument;
  /** Missing for files that were uploaded. */
  replay: ReplayContext | undefined;
  /** Wall-clock milliseconds. */
  createdAt: number;
}

/** The stored scrapes. Those that can't be read are set aside. */
export interface ScrapeTable {
  insert(scrape: StoredScrape, db?: Database): Promise<void>;
  find(id: string): Promise<StoredScrape | undefined>;
  /** Deletes scrapes older than a week. */
  prune(now: number): Promise<void>;
}

const retentionMs = 7 * 24 * 60 * 60 * 1000;

export function scrapeTable(database: Database, unreadable: Unreadable): ScrapeTable {
  return {
    async insert({ id, team, keyLabel, url, document, replay, createdAt }, db = database) {
      await db
        .insertInto('scrape_job')
        .values({
          id,
          team,
          key_label: keyLabel,
          url: plainText(url),
          document: JSON.stringify(document),
          replay: JSON.stringify(replay ?? null),
          created_at: createdAt,
        })
        .execute();
    },
    async find(id) {
      const row = await database.selectFrom('scrape_job').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      try {
        return {
          id: row.id,
          team: row.team,
          keyLabel: row.key_label,
          url: row.url,
          document: storedObject<ScrapeDocument>(row.document),
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
    async prune(now) {
      await database
        .deleteFrom('scrape_job')
        .where('created_at', '<', now - retentionMs)
        .execute();
    },
  };
}
