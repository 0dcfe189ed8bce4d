import type { Client } from '../../../client/client.ts';
import type { DocsSource } from '../../../contract/docs-sources.ts';
import { ago, count, label, serverTime, shortAddress, shortId } from '../../ui/text.ts';

/** A crawl that isn't running. */
export interface CrawlChoice {
  crawlId: string;
  label: string;
  description: string;
}

const maxCrawls = 50;

/** Returns the crawls of the last 24 hours that are no longer running, newest first. @throws ClientError */
export async function finishedCrawls(client: Client, now: number, signal: AbortSignal): Promise<CrawlChoice[]> {
  const [{ data }, { crawls }] = await Promise.all([
    client.listActivity({ query: { endpoint: 'crawl', limit: maxCrawls } }, { signal }),
    client.listActiveCrawls({}, { signal }),
  ]);
  const running = new Set(crawls.map(({ id }) => id));
  return data.flatMap(({ id, target, created_at }) => {
    if (!id || running.has(id)) return [];
    const at = serverTime(created_at, now);
    const age = at === undefined ? '' : `${ago(now - at)} · `;
    return [
      { crawlId: id, label: target ? shortAddress(target, 60) : shortId(id), description: `${age}${shortId(id)}` },
    ];
  });
}

/** Returns the texts of a source's quick pick item. */
export function sourceLabels(source: DocsSource): { label: string; description: string; detail: string } {
  const kind = source.kind === 'crawl' ? 'crawl' : 'folder';
  return {
    label: label(source.name, 60),
    description: `${kind} · ${count(source.pages, 'page')}, ${count(source.passages, 'passage')}`,
    detail: label(source.location, 200),
  };
}
