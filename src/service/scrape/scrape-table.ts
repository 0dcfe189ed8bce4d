import type { DatabaseSync } from 'node:sqlite';
import type { ScrapeDocument } from '../../contract/scrape.ts';
import type { ReplayContext } from './scrape.ts';

/** A completed scrape, stored for retrieval and interact. */
export interface StoredScrape {
  id: string;
  team: string;
  keyLabel: string;
  url: string;
  document: ScrapeDocument;
  replay: ReplayContext;
  /** Wall-clock milliseconds. */
  createdAt: number;
}

export interface ScrapeTable {
  insert(scrape: StoredScrape): void;
  find(id: string): StoredScrape | undefined;
  /** Deletes scrapes older than a week. */
  prune(now: number): void;
}

const retentionMs = 7 * 24 * 60 * 60 * 1000;

export function scrapeTable(database: DatabaseSync): ScrapeTable {
  const insert = database.prepare(
    `INSERT INTO scrape_job (id, team, key_label, url, document, replay, created_at)
     VALUES (:id, :team, :keyLabel, :url, :document, :replay, :createdAt)`,
  );
  const find = database.prepare('SELECT * FROM scrape_job WHERE id = ?');
  const prune = database.prepare('DELETE FROM scrape_job WHERE created_at < ?');
  return {
    insert: ({ document, replay, ...row }) =>
      void insert.run({ ...row, document: JSON.stringify(document), replay: JSON.stringify(replay) }),
    find(id) {
      const row = find.get(id) as Row | undefined;
      return (
        row && {
          id: row.id,
          team: row.team,
          keyLabel: row.key_label,
          url: row.url,
          document: JSON.parse(row.document) as ScrapeDocument,
          replay: JSON.parse(row.replay) as ReplayContext,
          createdAt: row.created_at,
        }
      );
    },
    prune: (now) => void prune.run(now - retentionMs),
  };
}

interface Row {
  id: string;
  team: string;
  key_label: string;
  url: string;
  document: string;
  replay: string;
  created_at: number;
}
