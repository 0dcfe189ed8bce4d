import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { discoveryFileName, proofMessage } from '../../../src/contract/embedded.ts';
import { mcpPath } from '../../../src/contract/mcp/mcp.ts';
import { bridge } from '../../../src/service/assistants/mcp/stdio/bridge.ts';
import { type HeldService, holdService } from '../../../src/service/assistants/mcp/stdio/companion.ts';
import { eventually } from '../../harness/eventually.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';
import { growing } from '../../harness/growing.ts';

const run = promisify(execFile);
const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('agents over standard input and output', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return server;
  }

  /** A service that answers `initialize`, and what else it is told to. */
  async function startService(answer: (message: { id: number; method: string }, response: ServerResponse) => void) {
    const server = await listen(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let body = '';
      for await (const chunk of request) body += chunk;
      const message = JSON.parse(body);
      if (message.id === undefined) return void response.writeHead(202).end();
      response.setHeader('mcp-session-id', 'one');
      if (message.method !== 'initialize') return answer(message, response);
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'test', version: '1' } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });
    let released = 0;
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const baseUrl = `http://127.0.0.1:${portOf(server)}`;
    const held: HeldService = { baseUrl, apiKey: undefined, gone, release: () => void released++ };
    return { held, leave, released: () => released };
  }

  async function startAgent(hold: () => Promise<HeldService>) {
    const [own, other] = InMemoryTransport.createLinkedPair();
    const received: (JSONRPCMessage & { id?: unknown; error?: { message: string }; result?: unknown })[] = [];
    own.onmessage = (message) => void received.push(message);
    const { close } = await bridge({ agent: other, hold, log: () => undefined });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } };
    await own.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await eventually(() => assert.equal(received.length, 1));
    const call = (id: number) => own.send({ jsonrpc: '2.0', id, method: 'tools/list' });
    const answerTo = async (id: number) =>
      await eventually(() => {
        const found = received.find((message) => message.id === id);
        assert.ok(found, `no answer to ${id}`);
        return found;
      });
    return { call, answerTo, received, close };
  }

  it('get a response to each request, even if the service ends it without one', async () => {
    const service = await startService(({ id }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': working\n\n');
      // The response to the third arrives with the end, in one piece.
      if (id === 3) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\n\n`);
      if (id === 4) response.destroy();
      else response.end();
    });
    const { call, answerTo, received, close } = await startAgent(async () => service.held);
    for (const id of [1, 2, 3]) await call(id);
    await answerTo(3);
    await call(4);
    for (const id of [1, 2, 4]) assert.match((await answerTo(id)).error?.message ?? '', /before it answered/);
    assert.deepEqual((await answerTo(3)).result, { tools: [] });
    assert.equal(received.length, 5);
    // The response that broke off has ended this connection.
    assert.equal(service.released(), 1);
    await close();
    assert.equal(service.released(), 1);
  });

  it('hold one service at a time, and release each', async () => {
    const services: Awaited<ReturnType<typeof startService>>[] = [];
    const hold = async () => {
      const first = services.length === 0;
      const service = await startService(({ id }, response) => {
        if (first) return void response.writeHead(404).end('{}');
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }));
      });
      services.push(service);
      return service.held;
    };
    const { call, answerTo, close } = await startAgent(hold);
    // The first service has forgotten them all; none of them may give up the second one for it.
    await Promise.all([1, 2, 3].map(call));
    for (const id of [1, 2, 3]) assert.deepEqual((await answerTo(id)).result, { tools: [] });
    assert.deepEqual(
      services.map(({ released }) => released()),
      [1, 0],
    );
    // The end of a service that has been replaced means nothing.
    services[0]?.leave();
    await call(4);
    await answerTo(4);
    await close();
    assert.deepEqual(
      services.map(({ released }) => released()),
      [1, 1],
    );
  });

  it('release a service that does not let them in', async () => {
    let released = 0;
    const server = await listen((_request, response) => void response.destroy());
    const baseUrl = `http://127.0.0.1:${portOf(server)}`;
    let service = await startService(() => undefined);
    const [first] = [service];
    const { call, answerTo, close } = await startAgent(async () => service.held);
    service = {
      ...first,
      held: { ...first.held, baseUrl, gone: new Promise(() => {}), release: () => void released++ },
    };
    first.leave();
    await eventually(() => assert.equal(first.released(), 1));
    await call(1);
    assert.match((await answerTo(1)).error?.message ?? '', /before it answered/);
    assert.equal(released, 1);
    await close();
  });

  it('send their key to no proxy', async () => {
    const server = await listen((request, response) => void response.end(String(request.headers.authorization)));
    const proxy = await listen((_request, response) => void response.end('proxy'));
    const url = new URL(mcpPath, `http://127.0.0.1:${portOf(server)}`).href;
    const file = pathToFileURL(join(repository, 'src/service/assistants/mcp/stdio/loopback-fetch.ts')).href;
    const code = `const { loopbackFetch } = await import(${JSON.stringify(file)});
      const response = await loopbackFetch(new URL(${JSON.stringify(url)}), { headers: { authorization: 'Bearer canary' } });
      console.log(await response.text());`;
    const proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
    // Node reads these variables only when it starts.
    const env = {
      ...process.env,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxyUrl,
      http_proxy: proxyUrl,
      NO_PROXY: '',
      no_proxy: '',
    };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { env });
    assert.equal(stdout.trim(), 'Bearer canary');
  });

  describe('look for a service', () => {
    let folder: string;
    let program: string;
    beforeEach(() => {
      folder = temporaryFolder();
      program = join(folder, 'program.cjs');
      const dataDir = `process.argv[process.argv.indexOf('--data-dir') + 1]`;
      writeFileSync(program, `require('fs').appendFileSync(${dataDir} + '/starts', '.'); process.exit(1)`);
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('and start none beside one that refuses them, and give up', async () => {
      const secret = 'x'.repeat(32);
      const server: Server = await listen((request, response) => {
        const nonce = new URL(request.url ?? '/', 'http://x').searchParams.get('nonce') ?? '';
        const proof = createHmac('sha256', secret)
          .update(proofMessage(nonce, portOf(server)))
          .digest('hex');
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, proof }));
      });
      server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n'));
      const file = { port: portOf(server), pid: process.pid, secret, apiKey: 'key', version: '1.0.0' };
      writeFileSync(join(folder, discoveryFileName), JSON.stringify(file), { mode: 0o600 });
      await assert.rejects(
        holdService({ program, dataDir: folder, args: [], patienceMs: 600 }),
        /The service did not start: it refused the connection \(.*401/,
      );
      assert.equal(existsSync(join(folder, 'starts')), false);
    });

    it('and start it a few times at most', () =>
      growing(600, async (patienceMs) => {
        const dataDir = mkdtempSync(join(folder, 'data-'));
        await assert.rejects(holdService({ program, dataDir, args: [], patienceMs }), /The service did not start/);
        const starts = readFileSync(join(dataDir, 'starts'), 'utf8').length;
        // Each pause is twice as long as the one before, and the first is 250 ms.
        assert.ok(starts > 1 && starts <= 1 + Math.log2(patienceMs / 250), `${starts} in ${patienceMs} ms`);
      }));
  });
});
