import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { isWhole } from '../harness/sample.ts';
import { call, spawnService, startTestService, type TestService, testKey } from '../harness/service.ts';

/** Lines that a page logs, in turns of a thousand. */
const lineCount = 1_000_000;
const largeBody = isWhole ? 1_000_000_000 : 150_000_000;

describe('faults of pages whose console and network are recorded', () => {
  let service: TestService;
  let site: Server;
  let origin: string;
  let busy: { id: string };
  let other: { id: string };
  before(async () => {
    service = await startTestService();
    site = createServer((request, response) => {
      if (request.url === '/huge') {
        const part = Buffer.alloc(1_000_000, 'x');
        let sent = 0;
        const send = () => {
          while (sent < largeBody) {
            sent += part.length;
            if (!response.write(part)) return void response.once('drain', send);
          }
          response.end();
        };
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': largeBody });
        send();
      } else if (request.url === '/endless') response.writeHead(200, { 'content-type': 'text/plain' }).write('begin');
      else response.setHeader('content-type', 'text/html').end('<title>Page</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    other = await open();
  });
  // What a fault ends shows in its own test only.
  beforeEach(async () => {
    busy = await open();
  });
  afterEach(() => service.call('DELETE', `/v2/browser/${busy.id}`));
  after(async () => {
    await service.close();
    site.closeAllConnections();
    site.close();
  });

  async function open(): Promise<{ id: string }> {
    const { body } = await service.call('POST', '/v2/browser', {});
    await service.call('GET', `/v2/browser/${body.id}/console`);
    await run(body, `await page.goto('${origin}/'); 1`);
    return body;
  }

  async function run({ id }: { id: string }, code: string): Promise<string> {
    const { body } = await service.call('POST', `/v2/browser/${id}/execute`, { code, timeout: 300 });
    assert.equal(body.exitCode, 0, JSON.stringify(body));
    return String(body.result);
  }

  /** Both sessions still work, and are recorded. */
  async function assertBothWork(): Promise<void> {
    for (const session of [busy, other]) {
      const mark = `still here ${Math.random()}`;
      assert.equal(await run(session, `await page.evaluate(${JSON.stringify(`console.log('${mark}'), 2`)})`), '2');
      await eventually(async () => {
        // A page that logs too much isn't followed for a second.
        await run(session, `await page.evaluate(${JSON.stringify(`console.log('${mark}')`)})`);
        const { body } = await service.call('GET', `/v2/browser/${session.id}/console?text=still%20here`);
        assert.ok(body.entries.some(({ text }: { text: string }) => text === mark));
      });
    }
  }

  it('a page that logs up to a million lines ends nothing, and the newest thousand are kept', async () => {
    await run(
      busy,
      `await page.evaluate(() => {
        let logged = 0;
        const more = () => {
          for (let i = 0; i < 1_000; i++) console.log('line', ++logged);
          if (logged < ${lineCount}) setTimeout(more);
        };
        more();
        return 1;
      })`,
    );
    assert.equal(await run(other, 'await page.title()'), 'Page');
    const newest = async () => {
      const { body } = await service.call('GET', `/v2/browser/${busy.id}/console?text=line`);
      assert.ok(body.entries.length <= 1000, `${body.entries.length} entries`);
      return Number(/\d+/.exec(body.entries.at(-1)?.text ?? '')?.[0] ?? 0);
    };
    const first = await newest();
    await eventually(async () => {
      const now = await newest();
      assert.ok(now > Math.max(first, 2_000), `${now} after ${first}`);
    });
    await run(busy, `await page.goto('${origin}/'); 1`);
    await assertBothWork();
  });

  it('a body that is larger than what is kept is counted and not kept', async () => {
    const length = await run(
      busy,
      `await page.evaluate(async () => {
        const reader = (await fetch('/huge')).body.getReader();
        let length = 0;
        for (let part = await reader.read(); !part.done; part = await reader.read()) length += part.value.length;
        return length;
      })`,
    );
    assert.equal(Number(length), largeBody);
    const entry = await eventually(async () => {
      const { body } = await service.call('GET', `/v2/browser/${busy.id}/network?text=huge`);
      assert.equal(body.requests[0]?.state, 'finished');
      return body.requests[0];
    });
    assert.equal(entry.bytes, largeBody);
    const { body } = await service.call('GET', `/v2/browser/${busy.id}/network/${entry.id}`);
    assert.equal(body.responseBody, undefined);
    await assertBothWork();
  });

  it('a request that never ends stays pending, and is in the archive', async () => {
    await run(busy, "await page.evaluate(() => { void fetch('/endless'); return 1 })");
    await eventually(async () => {
      const { body } = await service.call('GET', `/v2/browser/${busy.id}/network?text=endless`);
      assert.equal(body.requests[0]?.state, 'pending');
    });
    const { body } = await service.call('GET', `/v2/browser/${busy.id}/network.har`);
    assert.ok(body.log.entries.some(({ request }: { request: { url: string } }) => request.url.endsWith('/endless')));
    await assertBothWork();
  });

  it('a service that is killed takes its recordings with it, and says so after a restart', async () => {
    const dataDir = temporaryFolder();
    const start = async () => {
      const process = await spawnService(['--data-dir', dataDir, '--api-key', testKey, '--spare-browsers', '0']);
      const send = (method: string, path: string, body?: unknown) =>
        call(process.line.baseUrl, testKey, method, path, body);
      return { process, send };
    };
    const first = await start();
    const { body: session } = await first.send('POST', '/v2/browser', {});
    assert.equal((await first.send('GET', `/v2/browser/${session.id}/console`)).status, 200);
    first.process.child.kill('SIGKILL');
    await first.process.exited;
    const second = await start();
    try {
      const { status, body } = await second.send('GET', `/v2/browser/${session.id}/console`);
      assert.equal(status, 410, JSON.stringify(body));
      const { body: next } = await second.send('POST', '/v2/browser', {});
      assert.equal((await second.send('GET', `/v2/browser/${next.id}/console`)).status, 200);
    } finally {
      second.process.child.kill('SIGKILL');
      await second.process.exited;
      // Its browser, which nobody has ended, may still write there for a moment.
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
    }
  });
});
