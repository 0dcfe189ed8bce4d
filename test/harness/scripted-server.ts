import { type Exchange, type FaultyServer, startFaultyServer } from './faulty-server.ts';

/** The data of a scripted server, which tests change. */
export interface Script {
  crawls: object[];
  /** Crawl id -> its state. */
  crawlStates: Map<string, object>;
  /** Newest first. */
  activity: { id?: unknown; endpoint?: unknown; created_at?: unknown; target?: unknown; api_version?: unknown }[];
  scrapes: Map<string, object>;
  usage: object[];
  usageByApiKey: object[];
  preview: object;
  /** Handles a request instead of the above when it returns true. */
  instead: ((path: string, exchange: Exchange, query: URLSearchParams) => boolean) | undefined;
}

export interface ScriptedServer extends FaultyServer {
  readonly script: Script;
}

/** A web data API server with scripted data, for states that a real one is rarely in. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const script: Script = {
    crawls: [],
    crawlStates: new Map(),
    activity: [],
    scrapes: new Map(),
    usage: [],
    usageByApiKey: [],
    preview: {},
    instead: undefined,
  };
  const server = await startFaultyServer(({ method, target, body }, exchange) => {
    const { pathname, searchParams } = new URL(target, 'http://server.test');
    if (script.instead?.(pathname, exchange, searchParams)) return;
    const id = pathname.split('/').at(-1) ?? '';
    if (pathname === '/v2/browser') return exchange.json({ success: true, sessions: [] });
    if (pathname === '/v2/crawl/active') return exchange.json({ success: true, crawls: script.crawls });
    if (pathname === '/v2/crawl/params-preview') return exchange.json({ success: true, data: script.preview });
    if (pathname === '/v2/team/activity') return exchange.json(activityPage(script, searchParams));
    if (pathname === '/v2/team/token-usage/historical') {
      const byApiKey = searchParams.get('byApiKey') === 'true';
      return exchange.json({ success: true, periods: byApiKey ? script.usageByApiKey : script.usage });
    }
    if (pathname === '/v2/crawl' && method === 'POST') return startCrawl(script, body, exchange);
    const crawl = script.crawlStates.get(id);
    if (method === 'GET' && crawl) return exchange.json({ success: true, data: [], ...crawl });
    if (method === 'DELETE' && crawl) {
      script.crawls = script.crawls.filter((one) => (one as { id?: string }).id !== id);
      script.crawlStates.set(id, { ...crawl, status: 'cancelled' });
      return exchange.json({ status: 'cancelled' });
    }
    const scrape = script.scrapes.get(id);
    if (scrape) return exchange.json({ success: true, data: scrape });
    exchange.json({ success: false, error: 'Job not found.' }, 404);
  });
  return Object.defineProperty(server, 'script', { get: () => script }) as ScriptedServer;
}

function startCrawl(script: Script, body: string, exchange: Exchange): void {
  const { url, ...options } = JSON.parse(body) as { url: string };
  const id = `0192f3a4-6c1e-4000-8000-${String(script.crawlStates.size).padStart(12, '0')}`;
  script.crawls = [{ id, url, created_at: new Date().toISOString(), options }, ...script.crawls];
  script.crawlStates.set(id, { status: 'scraping', completed: 0, total: 1 });
  exchange.json({ success: true, id, url: `/v2/crawl/${id}` });
}

/** Cursors are offsets into the list, valid until the script changes. */
function activityPage({ activity }: Script, query: URLSearchParams): object {
  const endpoint = query.get('endpoint');
  const found = endpoint ? activity.filter((item) => item.endpoint === endpoint) : activity;
  const from = Number(query.get('cursor') ?? 0);
  const to = from + Number(query.get('limit') ?? 50);
  const more = to < found.length;
  return { success: true, data: found.slice(from, to), cursor: more ? String(to) : null, has_more: more };
}
