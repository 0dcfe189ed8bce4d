import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { WebSocket } from 'ws';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { silentLog } from '../../src/service/platform/log.ts';
import { openStorage } from '../../src/service/platform/storage/storage.ts';
import { ended, linking, pathsOf, startCrawl } from '../harness/crawl-jobs.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { createDatabase } from '../harness/postgres.ts';
import { startTestService, type TestService } from '../harness/service.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

const pages = 60;

describe('a PostgreSQL server', () => {
  let cluster: Cluster;
  let site: FaultySite;
  let url: string;
  let services: TestService[] = [];
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
          20,
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
    url = await createDatabase(cluster.url);
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.close()));
    services = [];
  });

  const start = async (database = url, options: Parameters<typeof startTestService>[0] = {}) => {
    const service = await startTestService({ database, ...options });
    services.push(service);
    return service;
  };
  const admin = async <Result>(work: (client: pg.Client) => Promise<Result>, database = url): Promise<Result> => {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const query = (text: string) => admin(async (client) => (await client.query(text)).rows);
  const endConnections = (which = 'true') =>
    query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${which}`);
  const withParameters = (parameters: string) => `${url}?${parameters}`;
  const crawlOptions = { limit: 1000, sitemap: 'skip', maxConcurrency: 10 };
  const crawlAll = (service: TestService) => startCrawl(service, { url: `${site.baseUrl}/`, ...crawlOptions });
  const scrape = (service: TestService) => service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/p50` });
  const assertUnavailable = (answer: Awaited<ReturnType<typeof scrape>>, code: string) => {
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.equal(answer.body.success, false);
    assert.equal(answer.body.code, code);
  };

  /** Every page of the crawl is stored and charged once. */
  async function assertWhole(service: TestService, id: string): Promise<void> {
    const state = await ended(service, id);
    assert.equal(state.status, 'completed', state.error);
    assert.equal(state.completed, pages);
    assert.equal(new Set(pathsOf(state)).size, pages);
    assert.equal(state.data.length, pages);
    assert.equal(state.creditsUsed, pages);
    const [usage] = await query(`SELECT sum(charges)::int AS charges FROM credit_usage WHERE kind = 'crawl'`);
    assert.equal(usage.charges, pages);
  }

  it('that ends connections in the middle of transactions costs no page and no charge', async () => {
    const service = await start();
    const id = await crawlAll(service);
    const answers: Awaited<ReturnType<typeof scrape>>[] = [];
    for (let round = 0; round < 8; round++) {
      const both = await Promise.all([scrape(service), scrape(service), endConnections(), sleep(40)]);
      answers.push(both[0], both[1]);
    }
    await assertWhole(service, id);
    for (const answer of answers) {
      if (answer.status !== 200) assertUnavailable(answer, 'DATABASE_UNREACHABLE');
      else assert.equal((await service.call('GET', `/v2/scrape/${answer.body.data.metadata.scrapeId}`)).status, 200);
    }
    assert.equal((await scrape(service)).status, 200);
  });

  it('that commits without the client learning of it leaves a crawl complete, and a crawl that was started runs', async () => {
    const proxy = await startDatabaseProxy(url);
    try {
      const service = await start(proxy.url);
      proxy.loseCommits(1);
      assertUnavailable(
        await service.call('POST', '/v2/crawl', { url: `${site.baseUrl}/`, ...crawlOptions }),
        'DATABASE_UNREACHABLE',
      );
      proxy.loseCommits(3);
      const id = await eventually(async () => {
        const [job] = await query('SELECT id FROM crawl_job');
        assert.ok(job);
        return job.id as string;
      });
      await eventually(() => assert.ok(proxy.lostCommits >= 5));
      proxy.loseCommits(0);
      await assertWhole(service, id);
    } finally {
      await Promise.all(services.splice(0).map((service) => service.close()));
      await proxy.close();
    }
  });

  it('that commits a session whose caller never received it counts it toward no limit', async () => {
    const proxy = await startDatabaseProxy(url);
    try {
      const service = await start(proxy.url, { maxSessions: 1 });
      for (const nth of [1, 2]) {
        proxy.loseCommits(nth);
        assertUnavailable(await service.call('POST', '/v2/browser', {}), 'DATABASE_UNREACHABLE');
        proxy.loseCommits(0);
        await eventually(async () => {
          assert.deepEqual(await query('SELECT id FROM session_start'), []);
          assert.deepEqual(await query('SELECT id FROM browser_session WHERE ended_at IS NULL'), []);
        });
      }
      assert.equal((await service.call('POST', '/v2/browser', {})).status, 200);
    } finally {
      await Promise.all(services.splice(0).map((service) => service.close()));
      await proxy.close();
    }
  });

  it('that is stopped and started again is waited for: requests get 503, and jobs continue', async () => {
    const service = await start(url);
    const first = await scrape(service);
    const id = await crawlAll(service);
    await eventually(async () => assert.ok((await service.call('GET', `/v2/crawl/${id}`)).body.completed > 5));
    await cluster.stop();
    try {
      for (const answer of await Promise.all([
        scrape(service),
        service.call('POST', '/v2/crawl', { url: site.baseUrl }),
        service.call('GET', `/v2/crawl/${id}`),
        service.call('DELETE', `/v2/crawl/${id}`),
        service.call('GET', '/v2/team/activity'),
        service.call('GET', '/v2/browser'),
        service.call('POST', '/v2/browser', {}),
      ])) {
        assertUnavailable(answer, 'DATABASE_UNREACHABLE');
        assert.match(answer.body.error, /can't reach its database.*Check that PostgreSQL is running/);
        assert.ok(!answer.body.error.includes(new URL(url).password));
      }
      const watch = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/v2/crawl/${id}`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      });
      const [, response] = await once(
        watch.on('error', () => undefined),
        'unexpected-response',
      );
      assert.equal(response.statusCode, 503);
      response.destroy();
    } finally {
      await cluster.start();
    }
    await assertWhole(service, id);
    assert.equal((await service.call('GET', `/v2/scrape/${first.body.data.metadata.scrapeId}`)).status, 200);
  });

  it('that is locked or never answers is waited for only up to a deadline, and other requests are answered', async () => {
    const proxy = await startDatabaseProxy(url);
    try {
      const service = await start(`${proxy.url}?statement_timeout=2000`);
      await admin(async (client) => {
        await client.query('BEGIN; LOCK TABLE activity IN ACCESS EXCLUSIVE MODE');
        const [locked, other] = await Promise.all([scrape(service), service.call('GET', '/v2/crawl/active')]);
        assertUnavailable(locked, 'DATABASE_BUSY');
        assert.equal(other.status, 200);
      });
      assert.equal((await scrape(service)).status, 200);
      proxy.stall();
      assertUnavailable(await service.call('GET', '/v2/team/activity'), 'DATABASE_UNREACHABLE');
      proxy.resume();
      assert.equal((await service.call('GET', '/v2/team/activity')).status, 200);
    } finally {
      await Promise.all(services.splice(0).map((service) => service.close()));
      await proxy.close();
    }
  });

  it('with few connections is shared, and with none is waited for only up to a deadline', async () => {
    const limited = new URL(url);
    limited.username = `limited_${limited.pathname.slice(1)}`;
    const name = limited.username;
    await query(`CREATE ROLE ${name} LOGIN PASSWORD '${limited.password}' CONNECTION LIMIT 7`);
    // It creates the schema of the queues.
    await query(`GRANT CREATE ON DATABASE ${limited.pathname.slice(1)} TO ${name}`);
    await query(`GRANT ALL ON SCHEMA public TO ${name}`);
    const service = await start(`${limited.href}?connect_timeout=5`);
    const read = () => service.call('GET', '/v2/team/activity');
    const answers = await Promise.all(Array.from({ length: 40 }, read));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    await query(`ALTER ROLE ${name} CONNECTION LIMIT 1`);
    await endConnections(`application_name = 'web-data'`);
    await eventually(async () => assertUnavailable(await read(), 'DATABASE_BUSY'));
    await query(`ALTER ROLE ${name} CONNECTION LIMIT 7`);
    assert.equal((await read()).status, 200);
  });

  it('that is not running yet is waited for at the start, and named in the error if it does not start', async () => {
    await cluster.stop();
    const dataDir = temporaryFolder();
    try {
      await assert.rejects(start(withParameters('connect_timeout=1'), { dataDir }), (error: Error) => {
        assert.match(
          error.message,
          /^The database set with --database can't be used: .*ECONNREFUSED.* Check that it is running/,
        );
        assert.ok(!error.message.includes(new URL(url).password));
        return true;
      });
      const starting = start(withParameters(`connect_timeout=${patience / 1000}`), { dataDir });
      starting.catch(() => undefined);
      await sleep(300);
      await cluster.start();
      assert.equal((await scrape(await starting)).status, 200);
    } finally {
      await Promise.all(services.splice(0).map((service) => service.close()));
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('with a schema of a newer version is refused, and left unchanged', async () => {
    const dataDir = temporaryFolder();
    const open = () => openStorage({ dataDir, url }, silentLog, 0);
    await (await open()).close();
    const [{ version }] = await query('SELECT version::int FROM schema_version');
    await query('UPDATE schema_version SET version = 9999');
    await assert.rejects(open(), /written by a newer version \(schema 9999; .*Update, or use another --database/);
    assert.deepEqual(await query('SELECT version::int FROM schema_version'), [{ version: 9999 }]);
    await query(`UPDATE schema_version SET version = ${version}`);
    await (await open()).close();
    rmSync(dataDir, { recursive: true });
  });

  it('that a node must not join is left unchanged', async () => {
    const dataDir = temporaryFolder();
    const empty = await createDatabase(cluster.url);
    const refuse = async () => assert.fail('refused');
    await assert.rejects(openStorage({ dataDir, url: empty }, silentLog, 0, refuse), /refused/);
    const client = new pg.Client({ connectionString: empty });
    await client.connect();
    const { rows } = await client.query("SELECT * FROM information_schema.tables WHERE table_schema = 'public'");
    await client.end();
    assert.deepEqual(rows, []);
    rmSync(dataDir, { recursive: true });
  });

  it('with the schema of a build before the first release that has PostgreSQL is completed, and keeps its data', async () => {
    const dataDir = temporaryFolder();
    const open = () => openStorage({ dataDir, url }, silentLog, 0);
    const columns = () =>
      query(`SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
        WHERE table_schema = 'public' ORDER BY 1, 2`);
    await (await open()).close();
    const complete = await columns();
    await query('ALTER TABLE access_key DROP COLUMN kind');
    await query('ALTER TABLE access_key RENAME TO agent_key');
    await query(
      "INSERT INTO agent_key (id, team, name, digest, created_at) VALUES ('key', 'team', 'name', 'digest', 1)",
    );
    await query('DROP TABLE monitor, job_claim');
    await query('ALTER TABLE crawl_page DROP COLUMN for_links');
    await query('ALTER TABLE scrape_job DROP COLUMN packed');
    await query('UPDATE schema_version SET version = 6');
    await (await open()).close();
    assert.deepEqual(await columns(), complete);
    assert.deepEqual(await query('SELECT id, kind FROM access_key'), [{ id: 'key', kind: 'agent' }]);
    const waiting = await query("SELECT indexdef FROM pg_indexes WHERE indexname = 'crawl_page_waiting'");
    assert.match(waiting[0].indexdef, /\(job, for_links, origin, id\)/);
    rmSync(dataDir, { recursive: true });
  });
});
