import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../harness/chrome-processes.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { type ServiceWithFaults, startServiceWithFaults } from '../harness/fault-points/service-with-faults.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, testKey } from '../harness/service.ts';

describe('a disk that is full', () => {
  let dataDir: string;
  let docs: string;
  let service: ServiceWithFaults;
  // A request without a response in this time hangs.
  const ask = (method: string, path: string, body?: unknown) =>
    call(service.baseUrl, testKey, method, path, body, { signal: AbortSignal.timeout(patience) });
  const args = () => [
    '--data-dir',
    dataDir,
    '--docs',
    docs,
    '--api-key',
    testKey,
    '--spare-browsers',
    '0',
    '--max-sessions',
    '20',
  ];
  const create = async (body: object = {}) => (await ask('POST', '/v2/browser', body)).body.id as string;
  const run = (id: string, code: string) => ask('POST', `/v2/browser/${id}/execute`, { code });
  const noProcesses = () => eventually(async () => assert.deepEqual(await processesOf(dataDir), []));

  before(async () => {
    dataDir = temporaryFolder();
    docs = temporaryFolder();
    for (const name of ['herons', 'storks']) {
      mkdirSync(join(docs, name));
      writeFileSync(join(docs, name, 'legs.md'), '# Legs\n\nThey have two legs.\n');
    }
    service = await startServiceWithFaults(args());
  });
  beforeEach(() => service.fill(false));
  after(async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    rmSync(docs, { recursive: true });
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  it('F3: says so if an index of docs cannot be stored, which a thread does', async () => {
    const add = (name: string) => ask('POST', '/embedded/docs-sources', { folder: join(docs, name) });
    assert.equal((await add('herons')).status, 200);
    await service.fill(true);
    const { status, body } = await add('storks');
    assert.deepEqual([status, body.code], [507, 'DISK_FULL'], JSON.stringify(body));
    await service.fill(false);
    assert.equal((await add('storks')).status, 200);
  });

  it('F1: ends no session that navigates, and the page is stored once there is space', async () => {
    const ids = await Promise.all([create(), create(), create()]);
    await service.fill(true);
    for (const id of ids) await run(id, 'await page.goto("data:text/html,<title>on a full disk</title>"); 1');
    for (const id of ids) assert.equal((await run(id, 'await page.title()')).body.result, 'on a full disk');
    await service.fill(false);
    await eventually(async () => {
      const { sessions } = (await ask('GET', '/v2/browser?status=active')).body;
      assert.deepEqual(
        sessions.map(({ page }: { page?: { title: string } }) => page?.title),
        ids.map(() => 'on a full disk'),
      );
    });
    for (const id of ids) assert.equal((await ask('DELETE', `/v2/browser/${id}`)).status, 200);
    assert.doesNotMatch(service.log(), /an unexpected error/);
  });

  it('F2: keeps no browser of a session that ends: DELETE closes it and says what is not stored, which is stored later', async () => {
    const id = await create({ profile: { name: 'kept' } });
    await service.fill(true);
    const deleted = await ask('DELETE', `/v2/browser/${id}`);
    assert.ok(deleted.status >= 500);
    assert.match(deleted.body.error, /The session/);
    await noProcesses();
    assert.equal((await run(id, '1')).status, 410);
    const { sessions } = (await ask('GET', '/v2/browser')).body;
    assert.equal(sessions[0].id, id);
    assert.equal(sessions[0].status, 'destroyed');
    assert.equal(sessions[0].endReason, 'destroyed by request');
    assert.ok(
      !(await ask('GET', '/v2/browser?status=active')).body.sessions.some((one: { id: string }) => one.id === id),
    );
    await service.fill(false);
    await eventually(async () => {
      const { status, body } = await ask('DELETE', `/v2/browser/${id}`);
      assert.equal(status, 200);
      assert.ok(body.creditsBilled > 0);
    });
    const next = await eventually(async () => {
      const created = await ask('POST', '/v2/browser', { profile: { name: 'kept' } });
      assert.equal(created.status, 200, JSON.stringify(created.body));
      return created.body.id;
    });
    assert.equal((await ask('DELETE', `/v2/browser/${next}`)).status, 200);
  });

  it('F2: keeps no browser of a session that nobody uses', async () => {
    await create({ activityTtl: 10 });
    await service.fill(true);
    await noProcesses();
    await service.fill(false);
    await eventually(async () => {
      const { sessions } = (await ask('GET', '/v2/browser?status=destroyed')).body;
      assert.match(sessions[0].endReason, /closed after 10 s idle/);
    });
  });

  it('F3: leaves no browser, start or profile in use by sessions that cannot be created', async () => {
    // Folders of earlier sessions may still be removed.
    const before = new Set(readdirSync(join(dataDir, 'browsers')));
    for (const point of [
      'disk: mkdir in service/browsers/sessions/host.ts',
      'database: service.sqlite: insert into "browser_session"',
    ]) {
      // Known from the sessions of the tests above.
      const [id] = [...service.points.keys()].filter((known) => known.startsWith(point));
      assert.ok(id, point);
      for (let attempt = 0; attempt < 3; attempt++) {
        await service.arm(id, 'no space');
        const { status, body } = await ask('POST', '/v2/browser', { profile: { name: 'retried' } });
        assert.equal(status, 507, JSON.stringify(body));
        assert.ok(await service.disarm());
      }
    }
    await service.fill(true);
    assert.equal((await ask('POST', '/v2/browser', { profile: { name: 'retried' } })).status, 507);
    await service.fill(false);
    await noProcesses();
    await eventually(() => {
      const left = readdirSync(join(dataDir, 'browsers')).filter((name) => !before.has(name));
      assert.deepEqual(left, []);
    });
    const id = await eventually(async () => {
      const created = await ask('POST', '/v2/browser', { profile: { name: 'retried' } });
      assert.equal(created.status, 200, JSON.stringify(created.body));
      return created.body.id;
    });
    assert.equal((await ask('DELETE', `/v2/browser/${id}`)).status, 200);
  });

  it('F3: does not keep a session from being deleted if its folder cannot be removed', async () => {
    const id = await create({ profile: { name: 'stuck' } });
    await service.stick(true);
    assert.notEqual((await ask('DELETE', `/v2/browser/${id}`)).status, 404);
    await service.stick(false);
    await noProcesses();
    const next = await ask('POST', '/v2/browser', { profile: { name: 'stuck' } });
    assert.equal(next.status, 200, JSON.stringify(next.body));
    await ask('DELETE', `/v2/browser/${next.body.id}`);
  });

  it('F2: does not hold up SIGTERM, and the next start stores the ends and removes what has expired as soon as it can', async () => {
    const id = await create();
    await run(id, '1');
    await service.fill(true);
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(await processesOf(dataDir), []);
    const [purge] = [...service.points.keys()].filter((point) =>
      point.startsWith('database: service.sqlite: delete from "activity"'),
    );
    service = await startServiceWithFaults(args(), { ...(purge && { armed: { point: purge, mode: 'no space' } }) });
    const { sessions } = (await ask('GET', '/v2/browser')).body;
    assert.equal(sessions.find((session: { id: string }) => session.id === id)?.status, 'destroyed');
    assert.doesNotMatch(service.log(), /an unexpected error/);
  });

  it('F10: a large database is checked while the service already serves', async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    service = await startServiceWithFaults(args(), { checksHang: true });
    const id = await create();
    assert.equal((await run(id, '6 * 7')).body.result, '42');
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.exited, { code: 0, signal: null });
  });
});
