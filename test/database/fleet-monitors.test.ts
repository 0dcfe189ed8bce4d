import assert from 'node:assert/strict';
import pg from 'pg';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { linking } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { distantSchedule } from '../harness/fake-clock.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { type FleetNode, startFleetNode } from '../harness/fleet/node.ts';
import { createDatabase } from '../harness/postgres.ts';

/** Checks that a node runs at the same time. */
const atATime = 5;

describe('monitors of a fleet', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let url: string;
  let site: FaultySite;
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
    site = await startFaultySite();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') for (const node of nodes) console.log(node.baseUrl, node.log());
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    nodes = [];
    await site.close();
  });

  async function start(): Promise<FleetNode> {
    const node = await startFleetNode({ database: url });
    nodes.push(node);
    return node;
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
  async function createMonitor(node: FleetNode, path: string): Promise<string> {
    const targets = [{ type: 'scrape', urls: [`${site.baseUrl}${path}`], scrapeOptions: { timeout: 150_000 } }];
    const body = { name: path, schedule: distantSchedule(), targets };
    const { status, body: answer } = await node.call('POST', '/v2/monitor', body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.data.id;
  }
  const makeDue = (...ids: string[]) =>
    query(`UPDATE monitor SET next_run_at = 1000 WHERE id IN (${ids.map((id) => `'${id}'`).join(', ')})`);
  const checksOf = async (node: FleetNode, id: string) =>
    (await node.call('GET', `/v2/monitor/${id}/checks`)).body.data as { status: string; trigger: string }[];

  it('are checked once when the node that began the check dies before it ran it', async () => {
    const dying = await start();
    const slow = Array.from({ length: atATime }, (_, index) => `/slow${index}`);
    // Never answers, so that the node has no room for another check.
    for (const path of slow) site.answer(path, () => undefined);
    site.answer('/due', linking('due'));
    for (const path of slow) {
      const id = await createMonitor(dying, path);
      assert.equal((await dying.call('POST', `/v2/monitor/${id}/run`, {})).status, 200);
    }
    await eventually(() => assert.ok(slow.every((path) => site.requests.includes(path))));
    const due = await createMonitor(dying, '/due');
    await makeDue(due);
    // Looks again for what is due.
    await createMonitor(dying, '/later');
    await eventually(async () => assert.equal((await checksOf(dying, due)).length, 1));
    assert.ok(!site.requests.includes('/due'), 'the check ran before its node died');
    await dying.end('SIGKILL');
    for (const path of slow) site.answer(path, linking(path));
    const [next] = await Promise.all([start(), start()]);
    await eventually(async () => {
      const checks = await checksOf(next, due);
      assert.deepEqual(
        checks.map(({ status, trigger }) => [status, trigger]),
        [['completed', 'scheduled']],
      );
    });
    assert.equal(site.requests.filter((path) => path === '/due').length, 1);
    const [{ next_run_at: nextRun }] = await query(`SELECT next_run_at FROM monitor WHERE id = '${due}'`);
    assert.ok(Number(nextRun) > Date.now(), 'it is due again later');
  });

  it('that fell due while no node ran are checked once, by one of those that start', async () => {
    const first = await start();
    site.answer('/due', linking('due'));
    const due = await createMonitor(first, '/due');
    await first.end('SIGKILL');
    await makeDue(due);
    const [next] = await Promise.all([start(), start(), start()]);
    await eventually(async () => {
      const checks = await checksOf(next, due);
      assert.deepEqual(
        checks.map(({ status, trigger }) => [status, trigger]),
        [['completed', 'scheduled']],
      );
    });
    assert.equal(site.requests.filter((path) => path === '/due').length, 1);
  });
});
