import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { linkPath } from '../../../src/contract/embedded.ts';
import { limits } from '../../../src/contract/limits.ts';
import { createCapabilities } from '../../../src/service/platform/http/capabilities.ts';
import { createGuardedServer } from '../../../src/service/platform/http/guarded-server.ts';
import { checkOrigin, type RequestHead, refuseUpgrade } from '../../../src/service/platform/http/guards.ts';
import type { ServerOptions } from '../../../src/service/platform/http/http.ts';
import { createCount } from '../../../src/service/platform/http/shares.ts';

const port = 4321;
const head = (headers: [string, string][], url = '/v2/browser'): RequestHead => ({
  method: 'GET',
  httpVersion: '1.1',
  url,
  rawHeaders: headers.flat(),
});
const loopback = { host: '127.0.0.1', allowedHosts: [], publicUrl: undefined };
const good: [string, string] = ['Host', `127.0.0.1:${port}`];
const statusOf = (headers: [string, string][], url?: string) =>
  checkOrigin(head(headers, url), { port, ...loopback })?.status;

describe('guards on Host (NET-02, NET-03, NET-04)', () => {
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`]) {
    it(`allow ${host}`, () => assert.equal(statusOf([['host', host]]), undefined));
  }
  const refused = [
    'evil.test',
    `evil.test:${port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `127.0.0.1.evil.test:${port}`,
    `localhost.evil.test:${port}`,
    `127.0.0.1@evil.test:${port}`,
    `localhost.:${port}`,
    `2130706433:${port}`,
    `0.0.0.0:${port}`,
    `[::1]:${port}`,
    '',
    'a'.repeat(10_000),
  ];
  for (const host of refused) {
    it(`reject ${host.slice(0, 40) || 'an empty one'}`, () => assert.equal(statusOf([['Host', host]]), 403));
  }
  it('reject a missing header, and two in either order', () => {
    assert.equal(statusOf([]), 400);
    assert.equal(statusOf([good, ['Host', 'evil.test']]), 400);
    assert.equal(statusOf([['Host', 'evil.test'], good]), 400);
    assert.equal(statusOf([good, good]), 400);
  });
});

describe('guards on the request target', () => {
  for (const url of ['http://evil.test/x', '//v2/browser', '*', '']) {
    it(`reject ${url || 'an empty one'}`, () => assert.equal(statusOf([good], url), 400));
  }
});

describe('guards on Origin and fetch metadata (NET-05, NET-06, NET-07)', () => {
  it("allow no Origin and the service's own Origin", () => {
    assert.equal(statusOf([good]), undefined);
    assert.equal(statusOf([good, ['Origin', `http://127.0.0.1:${port}`]]), undefined);
  });
  for (const origin of [
    'https://evil.test',
    'http://127.0.0.1:1',
    'http://localhost.evil.test',
    'null',
    'http://1.2.3.4',
    'garbage',
    `https://127.0.0.1:${port}`,
    'vscode-webview://abc',
    '',
  ]) {
    it(`reject ${origin || 'an empty Origin'}`, () => assert.equal(statusOf([good, ['Origin', origin]]), 403));
  }
  it('reject two Origins', () => {
    const own: [string, string] = ['Origin', `http://127.0.0.1:${port}`];
    assert.equal(statusOf([good, own, own]), 400);
  });
  it('reject requests from pages of another site or port', () => {
    assert.equal(statusOf([good, ['Sec-Fetch-Site', 'cross-site']]), 403);
    assert.equal(statusOf([good, ['Sec-Fetch-Site', 'same-site']]), 403);
    assert.equal(statusOf([good, ['Sec-Fetch-Site', 'none']]), undefined);
  });
  it('reject two Authorization headers', () => {
    assert.equal(statusOf([good, ['Authorization', 'Bearer a'], ['authorization', 'Bearer b']]), 400);
  });
});

describe('a refused upgrade', () => {
  it('leaves no connection, also if its client never closes it (BUD-10)', async () => {
    const server = createServer().on('upgrade', (_request, socket) =>
      refuseUpgrade(socket, { status: 401, error: 'x' }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const gone = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    let answer = '';
    client.on('data', (piece) => {
      answer += String(piece);
    });
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await gone;
    assert.match(answer, /^HTTP\/1.1 401.*"error":"x"/s);
    client.destroy();
    server.close();
  });
});

describe('the connections of a team', () => {
  const responseTo = (socket: EventEmitter) =>
    Object.assign(socket, { setHeader: () => undefined, writeHead: () => socket });

  /** Opens sockets at paths, or downloads what is below them, and returns how many were let in. */
  async function admitted(paths: readonly string[], below = ''): Promise<number> {
    let open = 0;
    const capabilities = createCapabilities();
    const byName = new Map(
      Array.from({ length: 7 }, (_, number) => {
        const name = { prefix: `/live/${number}`, purpose: 'watch' };
        return [name.prefix, capabilities.add(name, () => void open++, { team: 'a' }).path];
      }),
    );
    const options = {
      capabilities,
      keys: { authenticate: () => ({ team: 'a', keyLabel: '' }), hold: () => () => undefined },
      pages: {
        allowance: (path: string) => (path.startsWith('/live/') ? { authorities: [] } : undefined),
        respond: () => void open++,
      },
      operations: { metrics: { request: () => undefined } },
      watches: { serves: () => false },
      onLink: () => void open++,
    };
    const address = () => ({ port, ...loopback });
    const server = createGuardedServer(() => undefined, address, options as unknown as ServerOptions);
    for (const path of paths) {
      const socket = Object.assign(new EventEmitter(), { end: () => undefined, destroy: () => undefined });
      const request = { ...head([good], (byName.get(path) ?? path) + below), headers: {}, socket };
      if (below === '') server.emit('upgrade', request, socket, Buffer.alloc(0));
      else server.emit('request', request, responseTo(socket));
    }
    await new Promise(setImmediate);
    return open;
  }

  it('include those to its sessions: one team leaves some to the others', async () => {
    const ofSessions = Array.from({ length: 1_400 }, (_, number) => `/live/${number % 7}`);
    const ofOne = ofSessions.filter((path) => path === '/live/0').concat('/live/0');
    for (const below of ['', '/downloads/1']) {
      assert.equal(await admitted(ofSessions, below), limits.connections.team);
      assert.equal(await admitted(ofOne, below), limits.connections.session);
    }
  });

  it('are few for its windows', async () => {
    assert.equal(await admitted(Array.from({ length: 120 }, () => linkPath)), limits.connections.windows);
  });

  it('say whose limit is reached, and when to try again', () => {
    const count = createCount();
    const used = () => Object.assign(new EventEmitter(), { closed: false });
    const refused = (['team', 'windows', 'session'] as const).map((kind) => {
      assert.equal(count({ kind, id: 'a' }, 1, used()), undefined);
      return count({ kind, id: 'a' }, 1, used());
    });
    assert.deepEqual(
      refused.map((refusal) => refusal?.error.match(/limit of .+ is 1\./)?.[0]),
      ['limit of your team is 1.', "limit of your team's windows is 1.", 'limit of this session is 1.'],
    );
    let written = '';
    const socket = Object.assign(new EventEmitter(), {
      end: (text: string) => {
        written = text;
      },
      destroy: () => undefined,
    });
    for (const refusal of refused) if (refusal) refuseUpgrade(socket as unknown as Socket, refusal);
    assert.match(written, /\r\nretry-after: 1\r\n/);
  });

  it('no longer include those whose clients left while their keys were looked up', async () => {
    const lookups: (() => void)[] = [];
    let handled = 0;
    let linked = 0;
    const options = {
      capabilities: createCapabilities(),
      keys: {
        authenticate: () => new Promise((resolve) => lookups.push(() => resolve({ team: 'a', keyLabel: '' }))),
        hold: () => () => undefined,
      },
      pages: { allowance: () => undefined },
      operations: { metrics: { request: () => undefined } },
      watches: { serves: () => false },
      onLink: () => void linked++,
    };
    const address = () => ({ port, ...loopback });
    const server = createGuardedServer(() => void handled++, address, options as unknown as ServerOptions);
    const request = (url: string) => ({ ...head([good], url), headers: {}, socket: new EventEmitter() });
    const connection = () =>
      Object.assign(responseTo(new EventEmitter()), { closed: false, end: () => undefined, destroy: () => undefined });
    /** Connects `count` clients, of which those that leave do so before their keys are found. */
    async function connectAll(count: number, event: 'request' | 'upgrade', leave: boolean): Promise<void> {
      for (let number = 0; number < count; number++) {
        const used = connection();
        server.emit(event, request(event === 'upgrade' ? linkPath : '/v2/browser'), used, Buffer.alloc(0));
        if (!leave) continue;
        used.closed = true;
        used.emit('close');
      }
      await new Promise(setImmediate);
      for (const found of lookups.splice(0)) found();
      await new Promise(setImmediate);
    }
    await connectAll(limits.connections.windows, 'upgrade', true);
    await connectAll(limits.connections.team, 'request', true);
    handled = 0;
    await connectAll(1, 'upgrade', false);
    await connectAll(1, 'request', false);
    assert.deepEqual({ linked, handled }, { linked: 1, handled: 1 });
  });

  it('are refused if what they are for fails, and stop nothing', async () => {
    const logged: unknown[] = [];
    const options = {
      capabilities: createCapabilities(),
      keys: { authenticate: () => ({ team: 'a', keyLabel: '' }), hold: () => () => undefined },
      pages: { allowance: () => undefined },
      operations: { metrics: { request: () => undefined } },
      watches: { serves: () => true, upgrade: () => Promise.reject(new Error('The database is gone.')) },
      log: { error: (details: unknown) => logged.push(details) },
    };
    const address = () => ({ port, ...loopback });
    const server = createGuardedServer(() => undefined, address, options as unknown as ServerOptions);
    const socket = new PassThrough();
    const request = { ...head([good], '/v2/crawl/1/watch'), headers: {}, socket };
    server.emit('upgrade', request, socket, Buffer.alloc(0));
    assert.match(
      await text(socket),
      /^HTTP\/1\.1 500 [\s\S]*"The connection couldn't be opened\. Connect again in a moment\."/,
    );
    assert.deepEqual(logged, [{ reason: 'The database is gone.' }]);
  });
});
