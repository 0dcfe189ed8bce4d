import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { variables } from '../../../src/service/variables.ts';
import { eventually } from '../../harness/eventually.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';
import { databaseOf } from '../../harness/postgres.ts';
import { call, type ServiceProcess, spawnService } from '../../harness/service.ts';

describe('the keys of a service that runs', () => {
  let dataDir: string;
  let service: ServiceProcess;
  const args = ['--host', '0.0.0.0', '--allowed-host', 'node1', '--isolation', 'none', '--spare-browsers', '0'];

  const keys = async (...command: string[]) => {
    const database = await databaseOf(dataDir);
    return await promisify(execFile)(
      process.execPath,
      [join(repository, 'dist', 'service.cjs'), 'keys', ...command, '--data-dir', dataDir],
      { env: { ...process.env, ...(database && { [variables.database]: database }) } },
    );
  };
  const create = async (...options: string[]) => {
    const { stdout, stderr } = await keys('create', ...options);
    const id = /with the ID ([\w-]+)\. The key isn't shown again/.exec(stderr)?.[1] ?? '';
    assert.match(stdout, /^wd[km]-[\w-]{43}\n$/);
    assert.ok(!stderr.includes(stdout.trim()));
    return { id, key: stdout.trim() };
  };
  const status = async (key: string, path = '/v2/browser') =>
    (await fetch(service.line.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })).status;

  let first: { id: string; key: string };
  before(async () => {
    dataDir = temporaryFolder();
    await assert.rejects(
      spawnService(['--data-dir', dataDir, ...args]),
      /--host 0\.0\.0\.0 needs API keys that its callers know: create one with "web-data-service keys create/,
    );
    first = await create('--team', 'red', '--name', 'The first');
    service = await spawnService(['--data-dir', dataDir, ...args], { WEBDATA_LOG_LEVEL: 'debug' });
  });
  after(async () => {
    service?.child.kill('SIGTERM');
    await service?.exited;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('are accepted by a service that has no other key', async () => {
    assert.equal(service.line.apiKey, null);
    assert.equal(await status(first.key), 200);
    assert.equal(await status(`${first.key}x`), 401);
    const { body } = await call<{ keys: unknown[] }>(service.line.baseUrl, first.key, 'GET', '/embedded/agent-keys');
    assert.deepEqual(body.keys, [], "they aren't those of agents");
  });

  it('are created and revoked beside it, which closes what they have open', async () => {
    const { id, key } = await create('--team', 'blue');
    await eventually(async () => assert.equal(await status(key), 200));
    const socket = new WebSocket(`${service.line.baseUrl.replace('http', 'ws')}/embedded/link`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    assert.match((await keys('list')).stdout, new RegExp(`^${id}\tthe API\tblue\tkey ${id.slice(0, 8)}\t`, 'm'));
    assert.match((await keys('revoke', id)).stderr, new RegExp(`^Revoked the key ${id}\\.\n$`));
    await closed;
    await eventually(async () => assert.equal(await status(key), 401));
    assert.equal(await status(first.key), 200);
    await assert.rejects(keys('revoke', id), /There is no key with the ID/);
  });

  it('name no request in the log but by its ID', async () => {
    const id = 'trace-0123456789';
    const headers = { authorization: `Bearer ${first.key}`, 'x-request-id': id };
    const response = await fetch(`${service.line.baseUrl}/v2/browser?status=active`, { headers });
    assert.equal(response.headers.get('x-request-id'), id);
    await eventually(() => {
      const lines = service
        .stderr()
        .split('\n')
        .filter((line) => line.includes(id));
      const { requestId, route, status: code, msg } = JSON.parse(lines[0] ?? '{}');
      assert.deepEqual(
        { requestId, route, code, msg },
        { requestId: id, route: '/v2/browser', code: 200, msg: 'a request was answered' },
      );
    });
  });

  it('are shown once: no list, log or file has them', async () => {
    const { stdout } = await keys('list');
    assert.match(stdout, /^ID\tOPENS\tTEAM\tNAME\tCREATED\tLAST USED\n/);
    assert.match(stdout, /\tred\tThe first\t2\S+Z\t2\S+Z\n/);
    const files = readdirSync(dataDir, { withFileTypes: true }).filter((each) => each.isFile());
    const texts = files.map(({ name }) => readFileSync(join(dataDir, name), 'latin1'));
    for (const text of [stdout, service.stderr(), ...texts]) assert.ok(!text.includes(first.key.slice(4)));
  });
});
