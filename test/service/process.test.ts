import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { proofMessage } from '../../src/contract/embedded.ts';
import { hostMarker } from '../../src/service/browsers/sessions/host-folders.ts';
import { findStrays } from '../../src/service/platform/system/stray-processes.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';

describe('the service as a process', () => {
  let dataDir: string;
  const running: ServiceProcess[] = [];
  const start = async (args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0', ...args], env);
    running.push(service);
    return service;
  };
  beforeEach(() => {
    dataDir = temporaryFolder();
  });
  afterEach(async () => {
    for (const { child, exited } of running.splice(0)) {
      child.kill('SIGKILL');
      await exited;
    }
    await until(async () => (await strays()).length === 0);
    rmSync(dataDir, { recursive: true, force: true });
  });
  const strays = () => findStrays(hostMarker, join(dataDir, 'browsers'));

  async function until(condition: () => Promise<boolean> | boolean, what = 'it to happen'): Promise<void> {
    await eventually(async () => assert.ok(await condition(), `waited in vain for ${what}`));
  }
  async function session({ line }: ServiceProcess): Promise<string> {
    const { body } = await call<{ id: string }>(line.baseUrl, line.apiKey ?? '', 'POST', '/v2/browser', {});
    return body.id;
  }

  it('prints one line with a random key when it is listening (NET-15)', async () => {
    const { line } = await start();
    assert.deepEqual(Object.keys(line), ['event', 'baseUrl', 'apiKey', 'pid']);
    assert.equal(line.event, 'listening');
    assert.ok((line.apiKey ?? '').length >= 22);
    assert.equal((await call(line.baseUrl, line.apiKey ?? '', 'GET', '/v2/browser')).status, 200);
  });

  it('has more threads than it makes look-ups at the same time (TRN-11)', async function () {
    if (process.platform !== 'linux') return this.skip();
    const { child } = await start();
    const tasks = `/proc/${child.pid}/task`;
    const names = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'comm'), 'utf8').trim());
    assert.equal(names.filter((name) => name === 'libuv-worker').length, 24);
  });

  it('prints the first key without its team, reads keys from the environment, and prints null without authentication', async () => {
    const named = await start(['--api-key', 'one:two:red'], { WEBDATA_API_KEYS: 'three:blue,four' });
    assert.equal(named.line.apiKey, 'one:two');
    for (const key of ['one:two', 'three', 'four'])
      assert.equal((await call(named.line.baseUrl, key, 'GET', '/v2/browser')).status, 200);
    named.child.kill('SIGTERM');
    await named.exited;
    const open = await start(['--no-auth']);
    assert.equal(open.line.apiKey, null);
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer undefined' },
      { authorization: 'Bearer any' },
    ]) {
      assert.equal(
        (await fetch(`${open.line.baseUrl}/v2/browser`, { headers: headers as Record<string, string> })).status,
        200,
      );
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`stops with every browser and snippet on ${signal} (LIF-04)`, async () => {
      const service = await start();
      const id = await session(service);
      const run = call(service.line.baseUrl, service.line.apiKey ?? '', 'POST', `/v2/browser/${id}/execute`, {
        code: 'while (true);',
      }).catch(() => undefined);
      await until(async () => (await strays()).length > 2, 'processes of the session');
      service.child.kill(signal);
      assert.deepEqual(await service.exited, { code: 0, signal: null });
      await run;
      assert.deepEqual(await strays(), []);
      assert.ok(!existsSync(join(dataDir, 'service.json')));
    });
  }

  it('takes every browser and snippet with it when it is killed, and cleans up at the next start (LIF-03)', async () => {
    const service = await start();
    const id = await session(service);
    const run = call(service.line.baseUrl, service.line.apiKey ?? '', 'POST', `/v2/browser/${id}/execute`, {
      code: 'while (true);',
    }).catch(() => undefined);
    await until(async () => (await strays()).length > 2, 'processes of the session');
    service.child.kill('SIGKILL');
    await service.exited;
    await run;
    await until(async () => (await strays()).length === 0, 'everything to die');
    const next = await start(['--api-key', 'k-k-k-k']);
    const { body } = await call<{ sessions: unknown[] }>(next.line.baseUrl, 'k-k-k-k', 'GET', '/v2/browser');
    assert.ok(Array.isArray(body.sessions));
    const statuses = await call<{ sessions: { id: string; status: string; endReason: string }[] }>(
      next.line.baseUrl,
      'k-k-k-k',
      'GET',
      '/v2/browser?status=active',
    );
    assert.deepEqual(statuses.body.sessions, []);
  });

  it('prints nothing that a terminal obeys', async () => {
    const hostile = 'x\x9b31m\x7f\u202ey';
    await assert.rejects(start([`--${hostile}`]), { message: "exit 1: Unknown option '--x31my'\n" });
    await assert.rejects(spawnService(['mcp', '--key-file', join(dataDir, hostile)]), (error: Error) => {
      assert.match(error.message, /There is no key in [^\p{Cc}\u202e]+x31my: it was revoked/u);
      return true;
    });
  });

  it("prints in one line why it can't start, and exits with 1 (PRT-01)", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const oneLine = (pattern: RegExp) => (error: Error) => {
      assert.match(error.message, /^exit 1: [^\n]+\n$/);
      assert.match(error.message, pattern);
      return true;
    };
    await assert.rejects(start(['--port', String(port)]), oneLine(new RegExp(`Port ${port} .* already in use`)));
    taken.close();
    const file = join(dataDir, 'a-file');
    writeFileSync(file, '');
    await assert.rejects(spawnService(['--data-dir', join(file, 'below')]), oneLine(/can't be used/));
    for (const [args, pattern] of [
      [['--port', 'x'], /--port must be a whole number/],
      [['--port', '65536'], /--port must be a whole number/],
      [['--nonsense'], /--nonsense/],
      [['--max-sessions', '0'], /--max-sessions/],
      [['--no-auth', '--api-key', 'k'], /not both/],
      [['--browser-endpoint', 'ftp://x'], /http:\/\/.*ws:\/\//],
    ] as const) {
      await assert.rejects(start([...args]), oneLine(pattern));
    }
  });

  it('takes the browser that it starts while it loads with it if it fails to start', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    let seen = 0;
    for (const args of [
      ['--port', String(port)],
      ['--max-sessions', '0'],
    ]) {
      let failed = false;
      const failing = assert.rejects(start([...args, '--spare-browsers', '1']), /^Error: exit 1: /).finally(() => {
        failed = true;
      });
      await until(async () => {
        seen = Math.max(seen, (await strays()).length);
        return failed;
      });
      await failing;
      await until(async () => (await strays()).length === 0, 'its browser to end');
    }
    assert.ok(seen > 0, 'a browser was started');
    taken.close();
    const service = await start(['--spare-browsers', '1']);
    assert.ok((await session(service)) !== '');
  });

  it('locks its data directory, and makes it private (PRT-05, PRT-08)', async () => {
    chmodSync(dataDir, 0o777);
    await start();
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    assert.equal(statSync(join(dataDir, 'service.json')).mode & 0o777, 0o600);
    await assert.rejects(start(), /exit 1: Another service is using the data directory/);
  });

  it('proves itself only to programs that have its discovery file', async () => {
    const { line } = await start();
    const file = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8'));
    assert.equal(file.pid, line.pid);
    assert.equal(file.apiKey, line.apiKey);
    const nonce = randomBytes(32).toString('hex');
    const response = await fetch(`${line.baseUrl}/embedded/proof?nonce=${nonce}`);
    const { proof } = (await response.json()) as { proof: string };
    assert.equal(proof, createHmac('sha256', file.secret).update(proofMessage(nonce, file.port)).digest('hex'));
    for (const bad of ['', 'short', 'X'.repeat(64)]) {
      assert.equal((await fetch(`${line.baseUrl}/embedded/proof?nonce=${bad}`)).status, 400);
    }
  });

  it("replaces the discovery file of another service, and never deletes another's", async () => {
    writeFileSync(join(dataDir, 'service.json'), '{"pid":1}');
    const service = await start();
    assert.equal(JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8')).pid, service.line.pid);
    writeFileSync(join(dataDir, 'service.json'), '{"of":"another"}');
    service.child.kill('SIGTERM');
    await service.exited;
    assert.equal(readFileSync(join(dataDir, 'service.json'), 'utf8'), '{"of":"another"}');
  });

  it('sends runs and sessions to a linked window, and stops some time after the last link closes (PRT-06, LIF-01, LIF-11)', async () => {
    const service = await start(['--linked', '--api-key', 'linked-key:red', '--api-key', 'other:blue']);
    const open = async (key: string) => {
      const socket = new WebSocket(`${service.line.baseUrl.replace('http', 'ws')}/embedded/link`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const messages: { type: string; event?: { kind: string; text?: string } }[] = [];
      socket.on('message', (data) => messages.push(JSON.parse(String(data))));
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      socket.send(JSON.stringify({ type: 'hello', window: 'w' }));
      await until(() => messages.some(({ type }) => type === 'welcome'), 'the welcome');
      return { socket, messages };
    };
    const mine = await open('linked-key');
    const theirs = await open('other');
    const { body } = await call<{ id: string }>(service.line.baseUrl, 'linked-key', 'POST', '/v2/browser', {});
    await call(
      service.line.baseUrl,
      'linked-key',
      'POST',
      `/v2/browser/${body.id}/execute`,
      { code: 'console.log("as it comes")' },
      {
        headers: { 'x-webdata-run': 'run-1' },
      },
    );
    // The link is another connection than that of the answer.
    await eventually(() => {
      const kinds = mine.messages.filter(({ type }) => type === 'run').map(({ event }) => event?.kind);
      assert.deepEqual(kinds, ['started', 'output', 'finished']);
      assert.ok(mine.messages.some(({ event }) => event?.text === 'as it comes\n'));
      assert.ok(mine.messages.some(({ type }) => type === 'sessions-changed'));
    });
    const cut = { code: `console.log('x'.repeat(2_000_000)); 1` };
    const execute = (headers: Record<string, string>) =>
      call<{ sizes?: unknown }>(service.line.baseUrl, 'linked-key', 'POST', `/v2/browser/${body.id}/execute`, cut, {
        headers,
      });
    assert.deepEqual((await execute({ 'x-webdata-run': 'run-2' })).body.sizes, {
      stdout: 2_000_001,
      stderr: 0,
      result: 1,
    });
    assert.equal((await execute({})).body.sizes, undefined, 'other callers get the fields of the contract alone');
    assert.deepEqual(
      theirs.messages.map(({ type }) => type),
      ['welcome'],
    );
    for (const { socket } of [mine, theirs]) socket.close();
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(await strays(), []);
  });

  it('writes no key or secret to its log, except in the discovery file (EXE-13)', async () => {
    const service = await start([], { WEBDATA_API_KEYS: 'canary-key-3141592653', WEBDATA_LOG_LEVEL: 'trace' });
    const id = await session(service);
    const { body } = await call<{ result: string }>(
      service.line.baseUrl,
      'canary-key-3141592653',
      'POST',
      `/v2/browser/${id}/execute`,
      {
        code: 'const fs = require("node:fs"); JSON.stringify(process.env) + fs.readFileSync("/proc/self/environ", "utf8") + process.argv.join(" ")',
      },
    );
    const secret = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8')).secret;
    for (const text of [body.result, service.stderr()]) {
      assert.ok(!text.includes('canary-key-3141592653'));
      assert.ok(!text.includes(secret));
      assert.doesNotMatch(text, /\/(cdp|runners)\/[^/]+\/[\w-]{43}/);
    }
    mkdirSync(join(dataDir, 'x'));
  });
});
