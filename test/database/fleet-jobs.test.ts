import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { WebSocket } from 'ws';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { ended, linking, pathsOf } from '../harness/crawl-jobs.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { eventually } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { type FleetNode, startFleetNode, teamKeys } from '../harness/fleet/node.ts';
import { createDatabase } from '../harness/postgres.ts';
import { testKey } from '../harness/service.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

const pages = 30;
/** Longer than pages wait. */
const scrapeOptions = { timeout: 150_000 };

describe('jobs of a fleet', () => {
  let cluster: Cluster;
  let url: string;
  let sites: FaultySite[] = [];
  let nodes: FleetNode[] = [];
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    cluster = await startCluster();
  });
  after(async () => {
    await cluster?.stop();
    cluster?.remove();
  });
  beforeEach(async () => {
    url = await createDatabase(cluster.url);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') for (const node of nodes) console.log(node.baseUrl, node.log());
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    nodes = [];
    await Promise.all(sites.map((site) => site.close()));
    sites = [];
  });

  async function start(options: Partial<Parameters<typeof startFleetNode>[0]> = {}): Promise<FleetNode> {
    const node = await startFleetNode({ database: url, ...options });
    nodes.push(node);
    return node;
  }
  /** A tree of pages. All but the first ones wait until `opened`, so that no job ends before that. */
  async function startSite(opened: Promise<void>): Promise<FaultySite> {
    const site = await startFaultySite({
      otherwise: async (_request, response, { pathname }) => {
        const number = pathname === '/' ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
        if (!(number < pages)) return response.writeHead(404).end();
        const links = [2 * number + 1, 2 * number + 2].filter((link) => link < pages).map((link) => `/p${link}`);
        if (number >= 5) await opened;
        response.writeHead(200, { 'content-type': 'text/html' }).end(linking(`${number}`, ...links));
      },
    });
    sites.push(site);
    return site;
  }
  async function query(text: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }
  async function startJob(node: FleetNode, path: string, body: object, key?: string): Promise<string> {
    const answer = await node.call('POST', path, body, key);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.id;
  }
  const startCrawl = (node: FleetNode, { baseUrl }: FaultySite, options: object = {}, key?: string) => {
    const body = { url: `${baseUrl}/`, sitemap: 'skip', maxConcurrency: 2, scrapeOptions, ...options };
    return startJob(node, '/v2/crawl', body, key);
  };
  /** Returns which of the nodes run jobs that have stored pages. */
  async function working(): Promise<FleetNode[]> {
    const rows = await query(
      `SELECT DISTINCT node.url FROM node JOIN crawl_job ON runner = node.id WHERE status = 'scraping' AND completed > 0`,
    );
    return nodes.filter(({ baseUrl }) => rows.some((row) => row.url === baseUrl));
  }

  it('go on when their node is killed, stopped or cut off: no page is lost, stored twice or charged twice', async () => {
    const received: { job: string; type: string; webhookId: string }[] = [];
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (data) => {
        body += data;
      });
      request.on('end', () => {
        const { id, type, webhookId } = JSON.parse(body);
        received.push({ job: id, type, webhookId });
        response.end();
      });
    });
    // Otherwise it may close a connection just as a node uses it again.
    receiver.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const webhook = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` };
    const proxy = await startDatabaseProxy(url);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    try {
      const [killed, stopped, cutOff] = await Promise.all([start(), start(), start({ database: proxy.url })]);
      const keys = [testKey, teamKeys.red, teamKeys.blue];
      const jobs: { id: string; key: string | undefined }[] = [];
      await eventually(async () => {
        const key = keys[jobs.length % 3];
        if (jobs.length < 20)
          jobs.push({ key, id: await startCrawl(killed, await startSite(opened), { webhook }, key) });
        assert.equal((await working()).length, 3);
      });
      // Its clock is almost as far ahead as a node's may be.
      const survivor = await start({ clockOffset: 50_000 });
      stopped.signal('SIGSTOP');
      proxy.stall();
      await killed.end('SIGKILL');
      open();
      const states = await Promise.all(
        jobs.map(({ id, key }) =>
          ended({ call: (method, path) => survivor.call(method, path, undefined, key) }, id, '/v2/crawl'),
        ),
      );
      stopped.signal('SIGCONT');
      proxy.resume();
      for (const state of states) {
        assert.equal(state.status, 'completed', state.error);
        assert.equal(state.completed, pages);
        assert.equal(new Set(pathsOf(state)).size, pages);
        assert.equal(state.data.length, pages);
        assert.equal(state.creditsUsed, pages);
      }
      // The others have taken over their work: they end.
      await Promise.all([stopped.exited, cutOff.exited]);
      const [usage] = await query(
        `SELECT sum(charges)::int AS charges, sum(credits)::int AS credits FROM credit_usage`,
      );
      assert.deepEqual(usage, { charges: pages * jobs.length, credits: pages * jobs.length });
      const [stored] = await query('SELECT count(*)::int AS count FROM crawl_document');
      assert.equal(stored.count, pages * jobs.length);
      await eventually(async () => {
        const [waiting] = await query('SELECT count(*)::int AS count FROM webhook_delivery');
        assert.equal(waiting.count, 0);
      });
      for (const { id } of jobs) {
        // A node may end after a delivery was received and before it could store that.
        const own = received.filter(({ job }) => job === id);
        const types = [...new Map(own.map((each) => [each.webhookId, each.type])).values()];
        assert.deepEqual(types, [
          'crawl.started',
          ...Array.from({ length: pages }, () => 'crawl.page'),
          'crawl.completed',
        ]);
      }
    } finally {
      await new Promise((resolve) => receiver.close(resolve).closeAllConnections());
      proxy.resume();
      await proxy.close();
    }
  });

  it('are added to, followed and canceled at any node', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const site = await startSite(opened);
    const urls = Array.from({ length: 10 }, (_, index) => `${site.baseUrl}/p${index}`);
    const id = await startJob(one, '/v2/batch/scrape', { urls, maxConcurrency: 1, ...scrapeOptions });
    await eventually(async () => assert.equal((await working()).length, 1));
    for (const [index, node] of [one, other].entries()) {
      const more = [`${site.baseUrl}/p${20 + index}`];
      const added = await node.call('POST', '/v2/batch/scrape', { urls: more, appendToId: id });
      assert.equal(added.status, 200, JSON.stringify(added.body));
    }
    const followers = [one, other].map(({ baseUrl }) => {
      const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/v2/batch/scrape/${id}`, {
        headers: { authorization: `Bearer ${testKey}` },
      });
      return new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.on('message', (data) => {
          if (JSON.parse(String(data)).type === 'done') resolve();
        });
      });
    });
    open();
    const state = await ended(other, id, '/v2/batch/scrape');
    assert.equal(state.completed, 12);
    assert.equal(state.creditsUsed, 12);
    assert.equal(new Set(pathsOf(state)).size, 12);
    await Promise.all(followers);

    for (const node of [one, other]) {
      const crawl = await startCrawl(one, await startSite(new Promise(() => {})));
      await eventually(async () => assert.equal((await working()).length, 1));
      assert.equal((await node.call('DELETE', `/v2/crawl/${crawl}`)).status, 200);
      for (const each of [one, other]) {
        const { body } = await each.call('GET', `/v2/crawl/${crawl}`);
        assert.equal(body.status, 'cancelled');
        assert.equal((await each.call('DELETE', `/v2/crawl/${crawl}`)).status, 409);
      }
      const { completed } = (await one.call('GET', `/v2/crawl/${crawl}`)).body;
      const [stored] = await query(
        `SELECT count(*)::int AS count FROM crawl_document JOIN crawl_job ON num = job WHERE crawl_job.id = '${crawl}'`,
      );
      assert.equal(stored.count, completed);
    }
  });
});
