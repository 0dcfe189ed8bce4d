import type { DatabaseSync } from 'node:sqlite';
import type { ScrapeDocument } from '../../../contract/scrape.ts';
import type { ReplayContext } from '../../scrape/scrape.ts';
import type { StoredScrape } from '../../scrape/scrape-table.ts';

/** The documents of jobs, numbered from 1 in the order they were stored, so that positions in the list never shift. */
export interface Documents {
  add(job: number, seq: number, scrapeId: string, document: ScrapeDocument, replay: ReplayContext): void;
  /** Returns documents numbered above `after`: at most `count`, and as many as fit into `bytes` but at least one. */
  page(job: number, after: number, count: number, bytes: number): ScrapeDocument[];
  /** Returns the page with this scrape id, of any job. */
  find(scrapeId: string): StoredScrape | undefined;
  /** Removes at most `count` documents of a job. Returns how many were removed. */
  remove(job: number, count: number): number;
}

export function documents(database: DatabaseSync): Documents {
  const add = database.prepare(
    'INSERT INTO crawl_document (job, seq, scrape_id, document, replay) VALUES (?, ?, ?, ?, ?)',
  );
  const page = database.prepare('SELECT document FROM crawl_document WHERE job = ? AND seq > ? ORDER BY seq LIMIT ?');
  const find = database.prepare(
    `SELECT crawl_job.team, key_label, created_at, document, replay FROM crawl_document JOIN crawl_job ON crawl_job.num = crawl_document.job
     WHERE scrape_id = ?`,
  );
  const remove = database.prepare(
    'DELETE FROM crawl_document WHERE rowid IN (SELECT rowid FROM crawl_document WHERE job = ? LIMIT ?)',
  );
  return {
    add: (job, seq, scrapeId, document, replay) =>
      void add.run(job, seq, scrapeId, JSON.stringify(document), JSON.stringify(replay)),
    page(job, after, count, bytes) {
      const found: ScrapeDocument[] = [];
      let size = 0;
      for (const { document } of page.iterate(job, after, count) as Iterable<{ document: string }>) {
        size += document.length;
        if (found.length > 0 && size > bytes) break;
        found.push(JSON.parse(document) as ScrapeDocument);
      }
      return found;
    },
    find(scrapeId) {
      const row = find.get(scrapeId) as FoundRow | undefined;
      if (!row) return undefined;
      const replay = JSON.parse(row.replay) as ReplayContext;
      return {
        id: scrapeId,
        team: row.team,
        keyLabel: row.key_label,
        url: replay.url,
        document: JSON.parse(row.document) as ScrapeDocument,
        replay,
        createdAt: row.created_at,
      };
    },
    remove: (job, count) => Number(remove.run(job, count).changes),
  };
}

interface FoundRow {
  team: string;
  key_label: string;
  created_at: number;
  document: string;
  replay: string;
}
