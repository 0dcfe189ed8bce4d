import assert from 'node:assert/strict';
import pg from 'pg';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { ended, linking, pathsOf } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { type FleetNode, startFleetNode } from '../harness/fleet/node.ts';
import { createDatabase } from '../harness/postgres.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

const pages = 80;

describe('jobs of a fleet', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let url: string;
  let site: FaultySite;
  /** Milliseconds that a page takes. */
  let pageMs: number;
  let nodes: FleetNode[] = [];
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    cluster = await startCluster({ durable: true });
    site = await startFaultySite({
      otherwise: (_request, response, { pathname }) => {
        const number = pathname === '/' ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
        if (!(number < pages)) return response.writeHead(404).end();
        const links = [2 * number + 1, 2 * number + 2].filter((link) => link < pages).map((link) => `/p${link}`);
        setTimeout(
          () => response.writeHead(200, { 'content-type': 'text/html' }).end(linking(`${number}`, ...links)),
          pageMs,
        );
      },
    });
  });
  after(async () => {
    await site?.close();
    await cluster?.stop();
    cluster?.remove();
  });
  beforeEach(async () => {
    pageMs = 50;
    url = await createDatabase(cluster.url);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') for (const node of nodes) console.log(node.log());
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    nodes = [];
  });

  const start = async (count: number, options: Partial<Parameters<typeof startFleetNode>[0]> = {}) => {
    const started = await Promise.all(
      Array.from({ length: count }, () => startFleetNode({ database: url, ...options })),
    );
    nodes.push(...started);
    return started;
  };
  async function query(text: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }
  const crawlOptions = { limit: 1000, sitemap: 'skip', maxConcurrency: 4 };
  async function startCrawl(node: FleetNode, options: object = {}): Promise<string> {
    const answer = await node.call('POST', '/v2/crawl', { url: `${site.baseUrl}/`, ...crawlOptions, ...options });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.id;
  }
  /** Waits until a node runs the job, and returns the node and those that don't. */
  async function runnerOf(id: string): Promise<{ runner: FleetNode; others: FleetNode[] }> {
    return await eventually(async () => {
      const [job] = await query(
        `SELECT node.url FROM node JOIN crawl_job ON runner = node.id WHERE crawl_job.id = '${id}'`,
      );
      const runner = nodes.find(({ baseUrl }) => baseUrl === job?.url);
      assert.ok(runner);
      return { runner, others: nodes.filter((node) => node !== runner) };
    }, 30_000);
  }
  async function hasPages(node: FleetNode, id: string, count: number): Promise<void> {
    await eventually(async () => {
      const { body } = await node.call('GET', `/v2/crawl/${id}?limit=1`);
      assert.ok(body.completed >= count, JSON.stringify(body));
    }, 30_000);
  }
  /** Every page of the crawl is stored and charged once. */
  async function assertWhole(node: FleetNode, id: string): Promise<void> {
    const state = await ended(node, id);
    assert.equal(state.status, 'completed', state.error);
    assert.equal(state.completed, pages);
    assert.equal(new Set(pathsOf(state)).size, pages);
    assert.equal(state.data.length, pages);
    assert.equal(state.creditsUsed, pages);
    const [usage] = await query(`SELECT sum(charges)::int AS charges, sum(credits)::int AS credits FROM credit_usage`);
    assert.deepEqual(usage, { charges: pages, credits: pages });
  }

  it('that is killed are taken over where they stood, with each page stored and charged once', async () => {
    await start(2);
    const id = await startCrawl(nodes[0] as FleetNode);
    const { runner, others } = await runnerOf(id);
    await hasPages(others[0] as FleetNode, id, 10);
    await runner.end('SIGKILL');
    nodes = others;
    await assertWhole(others[0] as FleetNode, id);
  });
});
