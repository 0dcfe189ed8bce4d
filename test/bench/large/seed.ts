import { DatabaseSync } from 'node:sqlite';
import { orderKey } from '../../../src/contract/crawl/page-order.ts';
import { databasePath } from '../../../src/service/platform/storage/storage.ts';
import { pageStates } from '../../../src/service/web/crawl/store/frontier.ts';

/** A crawl in the middle, as it is stored. */
export interface SeededCrawl {
  id: string;
  team: string;
  /** URL of the site's first page, `…/p/0`. */
  url: string;
  /** Pages with a document. */
  done: number;
  /** Further pages that were found. */
  waiting: number;
}

/** Writes a crawl into the database of a service that isn't running. */
export function seedCrawl(dataDir: string, { id, team, url, done, waiting }: SeededCrawl): void {
  const { origin, host } = new URL(url);
  const file = new DatabaseSync(databasePath(dataDir));
  const now = Date.now();
  const all = done + waiting;
  const folder = orderKey(`${origin}/p/`);
  file.function('order_key', { deterministic: true }, (text) => orderKey(String(text)));
  file.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN');
  const options = { limit: all, crawlEntireDomain: true, sitemap: 'skip', ignoreRobotsTxt: true };
  const scrapeOptions = file.prepare('SELECT scrape_options FROM crawl_job LIMIT 1').get()?.scrape_options;
  const { lastInsertRowid: job } = file
    .prepare(
      `INSERT INTO crawl_job (id, team, key_label, kind, url, options, scrape_options, status, created_at, expires_at, seeded,
         added, completed, failed, blocked, repeated, passed_over, credits)
       VALUES (?, ?, 'bench', 'crawl', ?, ?, ?, 'scraping', ?, ?, 1, ?, ?, 0, 0, 0, 0, ?)`,
    )
    .run(id, team, url, JSON.stringify(options), String(scrapeOptions), now, now + 86_400_000, all, done, done);
  const numbers = 'WITH RECURSIVE numbers (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?)';
  file
    .prepare(
      `${numbers} INSERT INTO crawl_page (job, origin, url, identity, depth, state, ended_at, place, seq, folder, name, title, status_code)
       SELECT ?, ?, ? || n, ? || n, 1, iif(n < ?, ${pageStates.done}, ${pageStates.waiting}), iif(n < ?, ?, NULL), iif(n < ?, n + 1, NULL),
         iif(n < ?, n + 1, NULL), iif(n < ?, ?, NULL), iif(n < ?, order_key(n), NULL), iif(n < ?, 'Page ' || n, NULL), iif(n < ?, 200, NULL)
       FROM numbers`,
    )
    .run(
      ...[all, job, origin, `${origin}/p/`, `${host}/p/`, done, done, now, done, done, done, folder, done, done, done],
    );
  const text = 'Harbour lantern copper meadow signal gravel window orchard pepper timber velvet canyon. '.repeat(5);
  file
    .prepare(
      `${numbers} INSERT INTO crawl_document (job, seq, scrape_id, document, replay)
       SELECT ?, n + 1, printf('%08x-0000-4000-8000-%012x', (n * 2654435761) & 4294967295, n), json_object('markdown', ?, 'metadata',
         json_object('title', 'Page ' || n, 'sourceURL', ? || n, 'url', ? || n, 'statusCode', 200)), json_object('url', ? || n)
       FROM numbers`,
    )
    .run(done, job, `# A page\n\n${text}`, ...[1, 2, 3].map(() => `${origin}/p/`));
  file.exec('COMMIT');
  file.close();
}
