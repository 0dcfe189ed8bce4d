import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { DocsSource } from '../../../contract/docs-search/docs-sources.ts';
import { ago, count, label, serverTime, shortAddress, shortId } from '../../ui/text/text.ts';

/** A crawl that isn't running. */
export interface CrawlChoice {
  crawlId: string;
  label: string;
  description: string;
}

const maxCrawls = 50;

/** Returns the crawls of the last 24 hours that are no longer running and have pages, newest first. @throws ClientError */
export async function finishedCrawls(client: Client, now: number, signal: AbortSignal): Promise<CrawlChoice[]> {
  const [{ data }, { crawls }] = await Promise.all([
    client.listActivity({ query: { endpoint: 'crawl', limit: maxCrawls } }, { signal }),
    client.listActiveCrawls({}, { signal }),
  ]);
  const running = new Set(crawls.map(({ id }) => id));
  const ended = data.flatMap((item) => (item.id && !running.has(item.id) ? { ...item, id: item.id } : []));
  const pages = await Promise.all(ended.map(({ id }) => pagesOf(client, id, signal)));
  return ended.flatMap(({ id, target, created_at }, index) => {
    const found = pages[index] ?? 0;
    if (found === 0) return [];
    const at = serverTime(created_at, now);
    const age = at === undefined ? '' : `${ago(now - at)} · `;
    const description = `${count(found, 'page')} · ${age}${shortId(id)}`;
    return [{ crawlId: id, label: target ? shortAddress(target, 60) : shortId(id), description }];
  });
}

/** Returns how many pages a crawl has; 0 if it can't be read, because it expired for example. */
async function pagesOf(client: Client, jobId: string, signal: AbortSignal): Promise<number> {
  try {
    const { completed } = await client.getCrawl({ params: { jobId }, query: { limit: 1 } }, { signal });
    return completed ?? 0;
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}

/** Returns the texts of a source's quick pick item. */
export function sourceLabels(source: DocsSource): { label: string; description: string; detail: string } {
  const kind = source.kind === 'crawl' ? l10n.t('crawl') : l10n.t('folder');
  return {
    label: label(source.name, 60),
    description: `${kind} · ${count(source.pages, 'page')}, ${count(source.passages, 'passage')}`,
    detail: label(source.location, 200),
  };
}
