import { randomUUID } from 'node:crypto';
import type { MonitorCheckPage, SearchTarget } from '../../../contract/monitors.ts';
import { transaction } from '../../../storage/storage.ts';
import { messageOf } from '../../platform/errors.ts';
import { readLargeJson } from '../../platform/read-large-json.ts';
import { newPageVersion } from '../scrape/changes/page-versions.ts';
import { creditsOfResults } from '../search/handlers.ts';
import type { FoundResult, WebSearch } from '../search/search.ts';
import { addCredits, pagesOf, tagOf } from './monitor-table.ts';
import { type Found, type ResultParts, type RunningCheck, readPage, storeFound } from './results.ts';

/** Engines filter by days at the finest. */
const ranges = { '5m': 'qdr:d', '15m': 'qdr:d', '1h': 'qdr:d', '6h': 'qdr:d', '24h': 'qdr:d', '7d': 'qdr:w' } as const;

/** Searches, and stores which results were not found before; with options for scrapes, also how they changed. */
export async function checkSearch(
  parts: ResultParts & { search: Pick<WebSearch, 'search'> },
  running: RunningCheck,
  { target, first }: { target: SearchTarget; first: number },
): Promise<void> {
  const { search, versions, ledger, clock, database } = parts;
  const { monitor, check, signal, done } = running;
  const { team } = monitor;
  const caller = { team, keyLabel: monitor.key_label };
  const targetId = target.id ?? '';
  const createdAt = new Date(clock.now()).toISOString();
  const results = new Map<string, FoundResult>();
  const failures: Found[] = [];
  let credits = 0;
  // Another run of the check may have stored some of them.
  const before = [...done].filter((seq) => seq >= first && seq < first + seqsOfTarget).length;
  let seq = first + before;
  const known = new Set<string>();
  for (let skip = 0, more = before > 0; more; ) {
    const stored = await pagesOf(database, check.id, { limit: seqsOfTarget, skip });
    for (const text of stored.texts) {
      const page = (await readLargeJson([text])) as MonitorCheckPage;
      if (page.targetId === targetId) known.add(page.url);
    }
    skip += stored.texts.length;
    more = stored.more;
  }
  for (const query of target.queries) {
    try {
      const { includeDomains, excludeDomains, maxResults: limit, searchWindow } = target;
      const tbs = searchWindow && ranges[searchWindow];
      const options = { team, signal, limit, includeDomains, excludeDomains, tbs };
      const { web = [] } = (await search.search(query, options)).results;
      credits += creditsOfResults(web.length);
      for (const result of web) if (!results.has(result.url)) results.set(result.url, result);
    } catch (error) {
      signal.throwIfAborted();
      const result: MonitorCheckPage = {
        id: randomUUID(),
        targetId,
        url: query,
        status: 'error',
        error: messageOf(error),
        createdAt,
      };
      if (!known.has(query)) failures.push({ seq: seq++, result });
    }
  }
  const unread = [...results.values()].filter(({ url }) => !known.has(url));
  const charge = async (tx: Parameters<NonNullable<Found['store']>>[0]) => {
    await ledger.charge(caller, 'search', credits, tx);
    return credits;
  };
  if (target.scrapeOptions) {
    await storeFound(parts, running, failures);
    if (credits > 0 && before === 0) {
      await transaction(database, async (tx) => {
        await charge(tx);
        await addCredits(tx, check.id, credits);
      });
    }
    for (const { url } of unread) {
      signal.throwIfAborted();
      await ledger.require(team, 1);
      await readPage(parts, running, { url, seq: seq++, targetId, options: target.scrapeOptions });
    }
    return;
  }
  const listed = await Promise.all(
    unread.map(async ({ url, title, text }): Promise<Found> => {
      const key = { team, tag: tagOf(monitor.id), url };
      const status = (await versions.find(key)) ? 'same' : 'new';
      const content = `# ${title}\n\n${text}`;
      const result: MonitorCheckPage = { id: randomUUID(), targetId, url, status, createdAt };
      const version = await newPageVersion(key, content, clock.now());
      const store = async (tx: Parameters<typeof charge>[0]) => {
        await versions.store([version], tx);
        return 0;
      };
      return { seq: seq++, result, text: content, store };
    }),
  );
  const all = [...failures, ...listed];
  const [head] = listed;
  if (head && credits > 0) {
    const { store } = head;
    head.store = async (tx) => ((await store?.(tx)) ?? 0) + (await charge(tx));
  }
  await storeFound(parts, running, all);
}

/** Positions that each target of a monitor has. */
export const seqsOfTarget = 1_000_000;
