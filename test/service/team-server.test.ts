import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { linkPath } from '../../src/contract/embedded.ts';
import { eventually } from '../harness/eventually.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { sendRaw, statusOf } from '../harness/raw-http.ts';
import { startTestService, type TestService, testKey } from '../harness/service.ts';
import { startSmallSite } from '../harness/small-site.ts';

describe('a service for a team', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({
      host: '0.0.0.0',
      allowedHosts: ['node1'],
      publicUrl: 'https://data.example.com',
    });
  });
  after(() => service.close());

  it('accepts requests at its names, with a key', async () => {
    const get = async (host: string, ...headers: string[]) => {
      const lines = [`Host: ${host}`, ...headers, 'Connection: close'];
      return statusOf(await sendRaw(service.port, `GET /v2/browser HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));
    };
    const key = `Authorization: Bearer ${testKey}`;
    for (const host of ['node1', `node1:${service.port}`, 'data.example.com', `127.0.0.1:${service.port}`]) {
      assert.equal(await get(host, key), 200, host);
      assert.equal(await get(host), 401, host);
      assert.equal(await get(host, key, 'Origin: https://evil.test'), 403, host);
    }
    assert.equal(await get('data.example.com', key, 'Origin: https://data.example.com'), 200);
    assert.equal(await get(`0.0.0.0:${service.port}`, key), 403);
  });

  it('names its public URL in links, and its own address to snippets', async () => {
    const { body } = await service.call('POST', '/v2/browser', {});
    assert.match(body.cdpUrl, /^wss:\/\/data\.example\.com\/cdp\/[\w-]+\/[\w-]{43}$/);
    assert.match(body.liveViewUrl, /^https:\/\/data\.example\.com\/live\//);
    assert.match(body.interactiveLiveViewUrl, /^https:\/\/data\.example\.com\/live\//);
    const run = await service.call('POST', `/v2/browser/${body.id}/execute`, { code: 'await page.title(); 6 * 7' });
    assert.equal(run.body.result, '42');

    const { pathname } = new URL(body.liveViewUrl);
    const page = await fetch(service.baseUrl + pathname);
    assert.match(page.headers.get('content-security-policy') ?? '', /connect-src [^;]*wss:\/\/data\.example\.com[; ]/);
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}${pathname}`, {
      headers: { host: 'data.example.com', origin: 'https://data.example.com' },
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.close();
    await service.call('DELETE', `/v2/browser/${body.id}`);
  });

  it('names its public URL in the links of jobs', async () => {
    const site = await startSmallSite(['one', 'two']);
    try {
      const { body } = await service.call('POST', '/v2/crawl', { url: site.url, limit: 3 });
      assert.equal(body.url, `https://data.example.com/v2/crawl/${body.id}`);
      await eventually(async () => {
        const { body: state } = await service.call('GET', `/v2/crawl/${body.id}?limit=1`);
        assert.equal(state.status, 'completed');
        assert.equal(state.next, `https://data.example.com/v2/crawl/${body.id}?skip=1&limit=1`);
      });
    } finally {
      await site.close();
    }
  });

  it('reads no files of its machine for agents', async () => {
    const agent = await ScriptedAgent.connect(service.baseUrl, testKey);
    const { text, isError } = await agent.try('parse', { path: '/etc/hostname' });
    assert.ok(isError);
    assert.match(text, /reads no files of its machine/);
    await agent.client.close();
  });

  it('connects to no model and no search engine that a caller names', async () => {
    let requests = 0;
    const inside = createServer((_request, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
    const link = new WebSocket(`ws://127.0.0.1:${service.port}${linkPath}`, {
      headers: { authorization: `Bearer ${testKey}` },
    });
    const site = await startSmallSite(['one']);
    try {
      await new Promise((resolve, reject) => link.once('open', resolve).once('error', reject));
      const welcomed = new Promise((resolve) => link.once('message', resolve));
      link.send(JSON.stringify({ type: 'search-endpoint', endpoint: baseUrl }));
      link.send(JSON.stringify({ type: 'model-endpoint', endpoint: { baseUrl, model: 'm' } }));
      link.send(JSON.stringify({ type: 'hello', window: 'test' }));
      await welcomed;
      assert.equal((await service.call('POST', '/v2/search', { query: 'a' })).status, 503);
      const formats = [{ type: 'json', prompt: 'the title' }];
      assert.ok((await service.call('POST', '/v2/scrape', { url: site.url, formats })).status >= 400);
      assert.equal(requests, 0);
    } finally {
      link.close();
      inside.close();
      await site.close();
    }
  });

  it('announces itself to programs on its machine only if it listens on 127.0.0.1', async function () {
    assert.ok(existsSync(join(service.dataDir, 'service.json')));
    const hasIPv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));
    if (!hasIPv6) return this.skip();
    const elsewhere = await startTestService({ host: '::1' });
    try {
      assert.equal(elsewhere.baseUrl, `http://[::1]:${elsewhere.port}`);
      assert.equal((await elsewhere.call('GET', '/v2/browser')).status, 200);
      assert.ok(!existsSync(join(elsewhere.dataDir, 'service.json')));
    } finally {
      await elsewhere.close();
    }
  });
});
