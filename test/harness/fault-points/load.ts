import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceLink } from '../../../src/extension/connection/embedded/link.ts';
import { eventually, patience } from '../eventually.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { type FaultySite, page, startFaultySite } from '../faulty-site.ts';
import { openViewer } from '../live-viewer.ts';
import { type Answer, call } from '../service.ts';

// biome-ignore lint/suspicious/noExplicitAny: reads fields of responses that it has just requested
type Loose = any;

/** Longest time that any response may take, in milliseconds, whatever has failed. */
const responseMs = patience;
const teamKey = 'points-key-0123456789';

/** What the service has acknowledged, and so must not lose. */
interface Acknowledged {
  sessions: Map<string, 'open' | 'deleted'>;
  scrapes: Set<string>;
  /** Jobs with the number of their pages; undefined if they were canceled. */
  jobs: Map<string, { path: string; pages: number | undefined }>;
  credits: number;
}

/** A small mixed load in pieces: each uses one part of the service as its clients do, and takes whatever is answered as long as it is an answer. */
export interface Load {
  pieces: Readonly<Record<string, () => Promise<void>>>;
  acknowledged: Acknowledged;
  /** Returns the responses since the last call that were no success, each as one line. */
  takeErrors(): string[];
  /** Throws unless all that was acknowledged since the last call is there. With `ended`, also all earlier, with every job complete and told to its webhook. */
  assertKept(how?: 'so far' | 'ended'): Promise<void>;
  ask(method: string, path: string, body?: unknown): Promise<Answer<Loose>>;
  close(): Promise<void>;
}

/** Arguments of the service that the load needs. */
export const loadArguments = ['--api-key', `${teamKey}:points`, '--spare-browsers', '0', '--max-sessions', '50'];

export interface LoadOptions {
  baseUrl(): string;
  /** A folder of Markdown that the service may read. */
  docs: string;
  /** Languages other than Node that can run here. */
  languages: readonly string[];
}

export async function startLoad({ baseUrl, docs, languages }: LoadOptions): Promise<Load> {
  const site = await startSite();
  const receiver = await startFaultyServer((_arrival, exchange) => exchange.answer(200, ''));
  const acknowledged: Acknowledged = { sessions: new Map(), scrapes: new Set(), jobs: new Map(), credits: 0 };
  let recent: string[] = [];
  let errors: string[] = [];
  let number = 0;

  async function ask(method: string, path: string, body?: unknown): Promise<Answer<Loose>> {
    const what = `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, 'ID')}`;
    let answer: Answer<Loose>;
    try {
      answer = await call(baseUrl(), teamKey, method, path, body, { signal: AbortSignal.timeout(responseMs) });
    } catch (error) {
      throw new Error(`${what} has no response: ${(error as Error).cause ?? error}`);
    }
    if (answer.status >= 400) {
      assert.ok(answer.body?.error?.length > 5, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
      errors.push(`${what}: ${answer.status} ${answer.body.error}`);
    } else if (typeof answer.body?.error === 'string') {
      errors.push(`${what}: ${answer.body.error}`);
    }
    return answer;
  }

  const pageUrl = (name = 'page') => `${site.baseUrl}/${name}-${++number}`;

  async function scrape(options: object = {}): Promise<string | undefined> {
    const { status, body } = await ask('POST', '/v2/scrape', { url: pageUrl(), timeout: patience, ...options });
    if (status !== 200) return undefined;
    const id: string = body.data.metadata.scrapeId;
    acknowledged.scrapes.add(id);
    acknowledged.credits += body.data.metadata.creditsUsed ?? 1;
    recent.push(id);
    return id;
  }

  async function startJob(path: string, body: object, pages: number): Promise<string | undefined> {
    const answer = await ask('POST', path, { ...body, webhook: receiver.baseUrl });
    if (answer.status !== 200) return undefined;
    acknowledged.jobs.set(answer.body.id, { path, pages });
    recent.push(answer.body.id);
    return answer.body.id;
  }

  /** Follows a job for a moment; one that a fault delays is looked at when everything ends. */
  async function follow(path: string, id: string | undefined): Promise<void> {
    const end = performance.now() + 1500;
    while (id !== undefined && performance.now() < end) {
      const { body } = await ask('GET', `${path}/${id}`);
      if (body.status !== 'scraping') return;
      await sleep(20);
    }
  }

  async function withSession(body: object, work: (id: string, created: Loose) => Promise<void>): Promise<void> {
    const created = await ask('POST', '/v2/browser', body);
    if (created.status !== 200) return;
    const { id } = created.body;
    acknowledged.sessions.set(id, 'open');
    recent.push(id);
    try {
      await work(id, created.body);
      const deleted = await ask('DELETE', `/v2/browser/${id}`);
      if (deleted.status === 200) acknowledged.credits += deleted.body.creditsBilled;
    } finally {
      // What can't be stored yet, or a profile that can't be saved, is an error; the session is over all the same.
      acknowledged.sessions.set(id, 'deleted');
    }
  }

  const execute = (id: string, code: string, language = 'node') =>
    ask('POST', `/v2/browser/${id}/execute`, { code, language, timeout: 300 });

  /** Links a window whose settings name the site as the search engine; undefined if that fails. */
  async function linkedWindow(): Promise<ServiceLink | undefined> {
    const port = Number(new URL(baseUrl()).port);
    const window = await ServiceLink.open({ port, apiKey: teamKey, window: 'load' }).catch(() => undefined);
    if (!window) return undefined;
    const heard = new Promise<void>((resolve) => {
      window.onMessage.on(({ type }) => type === 'welcome' && resolve());
      window.onLost.on(() => resolve());
    });
    window.send({ type: 'search-endpoint', endpoint: site.baseUrl });
    // Answered once the message before it was heard.
    window.send({ type: 'hello', window: 'load' });
    await Promise.race([heard, sleep(patience, undefined, { ref: false })]);
    return window;
  }

  const pieces: Record<string, () => Promise<void>> = {
    scrape: async () => {
      const id = await scrape();
      if (id) await ask('GET', `/v2/scrape/${id}`);
    },
    render: async () => {
      await scrape({
        waitFor: 1,
        formats: ['markdown', { type: 'screenshot', fullPage: true }],
        actions: [{ type: 'click', selector: 'a' }, { type: 'wait', milliseconds: 1 }, { type: 'pdf' }],
      });
    },
    crawl: async () => {
      await follow('/v2/crawl', await startJob('/v2/crawl', { url: `${site.baseUrl}/tree-${++number}` }, 3));
    },
    batch: async () => {
      const id = await startJob('/v2/batch/scrape', { urls: [pageUrl(), pageUrl()] }, 2);
      await follow('/v2/batch/scrape', id);
      if (id) await ask('GET', `/v2/batch/scrape/${id}/errors`);
      await ask('GET', '/embedded/page-search?query=words');
    },
    'canceled crawl': async () => {
      const id = await startJob('/v2/crawl', { url: `${site.baseUrl}/slow-${++number}` }, 1);
      const job = id && acknowledged.jobs.get(id);
      if (!job) return;
      // Until the answer, it isn't known whether it is canceled.
      acknowledged.jobs.delete(id);
      const { status } = await ask('DELETE', `/v2/crawl/${id}`);
      if (status === 200) acknowledged.jobs.set(id, { ...job, pages: undefined });
    },
    map: async () => {
      await ask('POST', '/v2/map', { url: `${site.baseUrl}/tree-0` });
    },
    search: async () => {
      const window = await linkedWindow();
      if (!window) return;
      const { status, body } = await ask('POST', '/v2/search', { query: 'words', scrapeOptions: {} });
      window.close();
      if (status !== 200) return;
      acknowledged.credits += body.creditsUsed;
      for (const { metadata } of body.data.web) {
        if (metadata.error !== undefined) errors.push(`result of a search: ${metadata.error}`);
        if (metadata.scrapeId === undefined) continue;
        acknowledged.scrapes.add(metadata.scrapeId);
        recent.push(metadata.scrapeId);
      }
    },
    session: async () => {
      await withSession({}, async (id) => {
        await execute(id, `await page.goto("${pageUrl()}"); await page.title()`);
        await ask('POST', `/embedded/browser/${id}/renew`, { ttl: 700 });
      });
    },
    ...Object.fromEntries(
      languages.map((language) => [
        language,
        async () => {
          await withSession({}, async (id) => {
            await execute(id, language === 'python' ? '6 * 7' : 'echo 42', language);
            await ask('POST', `/embedded/browser/${id}/reset`, { language });
            await execute(id, language === 'python' ? '6 * 7' : 'echo 42', language);
          });
        },
      ]),
    ),
    profile: async () => {
      await withSession({ profile: { name: `profile-${++number}` } }, async (id) => {
        await execute(id, `await page.goto("${pageUrl()}")`);
      });
      await ask('GET', '/embedded/profiles');
    },
    'saved profile': async () => {
      // Saved once, then only read.
      const { profiles } = (await ask('GET', '/embedded/profiles')).body;
      const isSaved = profiles?.some(({ name }: Loose) => name === 'saved');
      await withSession({ profile: { name: 'saved', saveChanges: !isSaved } }, async () => undefined);
    },
    'profile scrape': async () => {
      await scrape({ waitFor: 1, profile: { name: `scraped-${++number}` } });
    },
    'live view': async () => {
      await withSession({ streamWebView: true }, async (id, { interactiveLiveViewUrl }) => {
        await execute(id, `await page.goto("${pageUrl()}")`);
        // A viewer that gets nothing to see goes away again.
        const viewer = await Promise.race([
          openViewer(interactiveLiveViewUrl).catch(() => undefined),
          sleep(3000, undefined),
        ]);
        if (!viewer) return;
        await Promise.race([viewer.nextFrame().catch(() => undefined), sleep(1500)]);
        viewer.send({ type: 'mouse', kind: 'down', x: 5, y: 5, button: 0, buttons: 1, count: 1, modifiers: 0 });
        viewer.send({ type: 'history', to: 'reload' });
        viewer.send({ type: 'new-tab' });
        await sleep(100);
        await viewer.close();
      });
    },
    interact: async () => {
      const id = await scrape({ waitFor: 1 });
      if (!id) return;
      await ask('POST', `/v2/scrape/${id}/interact`, { code: 'await page.title()', timeout: 300 });
      await ask('DELETE', `/v2/scrape/${id}/interact`);
    },
    docs: async () => {
      // A folder of its own: clients that add the same one share a source, which the first of them removes.
      const folder = join(docs, String(number++));
      cpSync(join(docs, 'herons.md'), join(folder, 'herons.md'));
      const { status, body } = await ask('POST', '/embedded/docs-sources', { folder });
      await ask('POST', '/v2/support/docs-search', { question: 'How many legs does a heron have?' });
      const { sources } = (await ask('GET', '/embedded/docs-sources')).body;
      if (status !== 200) return;
      assert.ok(
        sources.some(({ id }: Loose) => id === body.source.id),
        'a docs source that was added is not listed',
      );
      await ask('DELETE', `/embedded/docs-sources/${body.source.id}`);
      rmSync(folder, { recursive: true });
    },
  };

  /** Jobs whose credits are among those acknowledged. */
  const charged = new Set<string>();
  async function assertJob(id: string, { path, pages }: { path: string; pages: number | undefined }): Promise<void> {
    const { body } = await ask('GET', `${path}/${id}?limit=10`);
    assert.equal(body.status, pages === undefined ? 'cancelled' : 'completed', JSON.stringify(body).slice(0, 300));
    if (pages === undefined) return;
    assert.equal(body.completed, pages);
    const told = receiver.arrivals
      .map(({ body: text }) => JSON.parse(text) as { id: string; webhookId: string; type: string })
      .filter((event) => event.id === id);
    const types = [...new Map(told.map((event) => [event.webhookId, event.type.split('.')[1]])).values()].sort();
    assert.deepEqual(types, ['completed', ...Array.from({ length: pages }, () => 'page'), 'started']);
    // This is repeated until it passes, and again for all jobs later.
    if (!charged.has(id)) acknowledged.credits += body.creditsUsed;
    charged.add(id);
  }

  return {
    pieces,
    acknowledged,
    ask,
    takeErrors() {
      const found = errors;
      errors = [];
      return found;
    },
    async assertKept(how = 'so far') {
      const ids = new Set(how === 'ended' ? [...acknowledged.sessions.keys(), ...acknowledged.scrapes] : recent);
      recent = [];
      const { sessions } = (await ask('GET', '/v2/browser')).body as { sessions: Loose[] };
      const listed = new Map(sessions.map((session) => [session.id, session]));
      for (const id of ids) {
        const state = acknowledged.sessions.get(id);
        // The list has the latest thousand.
        if (state && (listed.has(id) || acknowledged.sessions.size < 900))
          assert.equal(listed.get(id)?.endReason !== undefined, state === 'deleted', `session ${id}`);
        if (acknowledged.scrapes.has(id)) assert.equal((await ask('GET', `/v2/scrape/${id}`)).status, 200);
        const job = acknowledged.jobs.get(id);
        if (job) assert.equal((await ask('GET', `${job.path}/${id}`)).status, 200);
      }
      if (how !== 'ended') return;
      for (const [id, job] of acknowledged.jobs) await eventually(() => assertJob(id, job));
      await eventually(async () => {
        const { profiles } = (await ask('GET', '/embedded/profiles')).body;
        assert.deepEqual(
          profiles.filter(({ inUse }: Loose) => inUse),
          [],
        );
      });
    },
    async close() {
      await site.close();
      await receiver.close();
    },
  };
}

/** Pages of any name; those of a tree have two children, and slow ones never end. A search finds one page. */
async function startSite(): Promise<FaultySite> {
  return await startFaultySite({
    otherwise: (request, response, url) => {
      if (url.pathname === '/robots.txt' || url.pathname.includes('sitemap')) return void response.writeHead(404).end();
      if (url.pathname === '/search') {
        response.setHeader('content-type', 'application/json');
        const results = url.searchParams.get('pageno') === '1' ? [{ url: `http://${request.headers.host}/found` }] : [];
        return void response.end(JSON.stringify({ results }));
      }
      if (url.pathname.startsWith('/slow')) return;
      const isTree = /^\/tree-\d+$/.test(url.pathname);
      const links = isTree
        ? ['one', 'two'].map((name) => `<a href="${url.pathname}/${name}">${name}</a>`).join(' ')
        : '';
      const html = `<!doctype html><title>${url.pathname}</title><main><h1>A page</h1><p>Words of it. ${links || '<a href="#">here</a>'}</p></main>`;
      page(html, { 'set-cookie': 'user=ada; Max-Age=86400' })(request, response, url);
    },
  });
}
