import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { jobPolicy } from '../../../src/service/assistants/agent/run/web.ts';
import type { JobRequest } from '../../../src/service/assistants/agent/store/job-table.ts';
import { workingFor } from '../../../src/service/platform/asker.ts';
import {
  createAddressPolicy,
  type Resolve,
} from '../../../src/service/platform/network/address-policy/address-policy.ts';
import { createDispatchers } from '../../../src/service/platform/network/dispatchers.ts';
import {
  FetchError,
  type Fetcher,
  type FetchFailure,
  type FetchRequest,
} from '../../../src/service/platform/network/fetch.ts';
import { createHttpFetcher } from '../../../src/service/platform/network/http-fetcher.ts';
import { createCookies } from '../../../src/service/platform/network/redirects.ts';
import { startClosingServer } from '../../harness/closing-server.ts';
import { eventually, patience } from '../../harness/eventually.ts';
import { encodings, type FaultySite, plainPage, raw, redirect, startFaultySite } from '../../harness/faulty-site.ts';

const usual: FetchRequest = {
  signal: new AbortController().signal,
  timeoutMs: patience,
  maxBytes: 10 * 1024 * 1024,
};

const loopback: Resolve = async (host) => {
  if (host.endsWith('.gone.test')) {
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { syscall: 'getaddrinfo', code: 'ENOTFOUND' });
  }
  return [{ address: '127.0.0.1', family: 4 }];
};

describe('fetcher', () => {
  let site: FaultySite;
  let own: FaultySite;
  let fetcher: Fetcher;
  const made: Fetcher[] = [];
  const create = (options: { denyPrivate?: boolean; resolve?: Resolve; proxy?: string } = {}) => {
    const policy = createAddressPolicy({
      denyPrivate: options.denyPrivate ?? false,
      ownPorts: () => [own.port],
      resolve: options.resolve ?? loopback,
    });
    const fresh = createHttpFetcher({ policy, proxy: options.proxy, userAgent: 'test' });
    made.push(fresh);
    return fresh;
  };
  const get = (path: string, request: Partial<FetchRequest> = {}, by = fetcher) =>
    by.fetch(path.startsWith('http') ? path : site.baseUrl + path, { ...usual, ...request });
  const text = (fetched: { body: Uint8Array }) => Buffer.from(fetched.body).toString();
  const fails = (fetching: Promise<unknown>, reason: FetchFailure) =>
    assert.rejects(fetching, (error) => error instanceof FetchError && error.reason === reason);

  before(async () => {
    [site, own] = await Promise.all([startFaultySite(), startFaultySite()]);
    fetcher = create();
  });
  after(() => Promise.all([site.close(), own.close(), ...made.map((each) => each.close())]));

  it('leaves out what a caller says of the connection itself', async () => {
    const headers = { Expect: '100-continue', 'keep-alive': 'timeout=1', 'content-length': '9', 'x-kept': 'yes' };
    assert.equal((await get('/plain', { headers })).status, 200);
    const sent = site.headersOf('/plain');
    assert.equal(sent?.['x-kept'], 'yes');
    for (const name of ['expect', 'keep-alive', 'content-length']) assert.equal(sent?.[name], undefined);
  });

  describe('redirects', () => {
    for (const path of [
      '/redirect/301',
      '/redirect/302',
      '/redirect/303',
      '/redirect/307',
      '/redirect/308',
      '/redirect/relative',
    ]) {
      it(`follows ${path}`, async () => {
        const fetched = await get(path);
        assert.equal(text(fetched), plainPage);
        assert.equal(fetched.url, `${site.baseUrl}/plain`);
        assert.deepEqual(fetched.hops, [site.baseUrl + path, `${site.baseUrl}/plain`]);
      });
    }
    it('gives up on loops and long chains (CRW-04)', async () => {
      for (const path of ['/redirect/loop', '/redirect/a']) await fails(get(path), 'too many redirects');
      site.requests.length = 0;
      await fails(get('/redirect/loop', { maxRedirects: 3 }), 'too many redirects');
      assert.equal(site.requests.length, 4);
    });
    it('follows at most 20 redirects', async () => {
      for (let hop = 1; hop <= 21; hop++) site.answer(`/hop/${hop}`, redirect(`/hop/${hop - 1}`));
      site.answer('/hop/0', plainPage);
      assert.equal((await get('/hop/20')).hops.length, 21);
      await fails(get('/hop/21'), 'too many redirects');
    });
    it('keeps cookies as their attributes say', () => {
      const cookies = createCookies();
      const at = (path: string) => new URL(`http://a.test${path}`);
      cookies.store(at('/x/y'), ['a=1; Path=/', 'b=2; Path=/x', 'c=3', 'd=4; Path=/other', 'e=5; Secure=x; Path=/']);
      assert.equal(cookies.header(at('/x/z')), 'b=2; c=3; a=1');
      assert.equal(cookies.header(at('/xy')), 'a=1');
      assert.equal(cookies.header(new URL('https://a.test/')), 'a=1; e=5');
      cookies.store(at('/'), ['a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/', 'b=; Max-Age=0; Path=/x']);
      assert.equal(cookies.header(at('/x/z')), 'c=3');
      cookies.store(at('/'), ['f=6; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT']);
      assert.equal(cookies.header(at('/')), 'f=6');
    });

    it('returns the cookie that a redirect to itself expects', async () => {
      assert.equal(text(await get('/redirect/cookie')), plainPage);
    });
    it('treats a redirect without a target as the response (CRW-04)', async () => {
      const fetched = await get('/redirect/no-location');
      assert.equal(fetched.status, 302);
      assert.match(text(fetched), /where to/);
    });
    it('reads a Location in UTF-8', async () => {
      site.answer('/caf%C3%A9', plainPage);
      assert.equal((await get('/redirect/latin-1')).url, `${site.baseUrl}/caf%C3%A9`);
    });
    it('reads a Location in Latin-1, and treats an invalid one as the response', async () => {
      site.answer('/latin', raw('HTTP/1.1 302 Found\r\nLocation: /caf\u00e9?\u00fc\r\nContent-Length: 0\r\n\r\n'));
      assert.equal((await get('/latin')).url, `${site.baseUrl}/caf%C3%A9?%C3%BC`);
      site.answer('/nowhere', redirect('http://['));
      assert.equal((await get('/nowhere')).status, 302);
    });
    it("returns redirects that aren't to be followed", async () => {
      assert.equal((await get('/redirect/302', { maxRedirects: 0 })).status, 302);
    });
    it('keeps the fragment', async () => {
      assert.equal((await get('/redirect/302#part')).url, `${site.baseUrl}/plain#part`);
    });
    it('sends only harmless headers to another origin', async () => {
      const other = await startFaultySite();
      try {
        site.answer('/away', redirect(`${other.baseUrl}/plain`, 307));
        const headers = {
          Authorization: 'Bearer secret',
          'X-Api-Key': 'secret',
          Cookie: 'a=secret',
          'Accept-Language': 'de',
        };
        await get('/away', { headers });
        assert.equal(site.headersOf('/away')?.['x-api-key'], 'secret');
        const told = other.headersOf('/plain') ?? {};
        assert.equal(JSON.stringify(told).includes('secret'), false);
        assert.equal(told['accept-language'], 'de');
      } finally {
        await other.close();
      }
    });
  });

  describe('bodies', () => {
    const failures: Record<string, FetchFailure> = {
      '/body/too-long': 'too large',
      '/body/endless': 'too large',
      '/body/shorter': 'connection',
      '/body/dropped': 'connection',
      '/body/bad-chunk': 'connection',
      '/body/no-http': 'connection',
      '/body/no-status': 'connection',
      '/headers/huge': 'connection',
      '/headers/100-forever': 'connection',
      '/bomb/gzip': 'too large',
      '/bomb/br': 'too large',
      '/bomb/deflate': 'too large',
      '/bomb/zstd': 'too large',
      '/bomb/twice': 'too large',
      '/encoded/unknown': 'encoding',
    };
    for (const [path, reason] of Object.entries(failures)) {
      it(`fails on ${path}: ${reason} (CRW-05)`, () => fails(get(path), reason));
    }
    for (const path of ['/headers/many', '/headers/many-trailers']) {
      it(`parses little of ${path} once there are too many (TRN-04)`, async () => {
        const read = Socket.prototype.read;
        const lengths: number[] = [];
        Socket.prototype.read = function (this: Socket, size?: number) {
          const bytes: Buffer | null = read.call(this, size);
          if (bytes) lengths.push(bytes.length);
          return bytes;
        };
        try {
          await fails(get(path, {}, create()), 'connection');
        } finally {
          Socket.prototype.read = read;
        }
        assert.ok(lengths.length > 1);
        assert.ok(Math.max(...lengths) <= 4096, `${Math.max(...lengths)} bytes at once`);
      });
    }
    for (const path of ['/body/slow', '/body/silent']) {
      it(`limits the time for ${path} (CRW-05)`, () => fails(get(path, { timeoutMs: 400 }), 'timeout'));
    }
    for (const encoding of encodings) {
      it(`decodes ${encoding}`, async () => assert.equal(text(await get(`/encoded/${encoding}`)), plainPage));
      it(`fails on a truncated or invalid ${encoding} body`, async () => {
        await fails(get(`/encoded/${encoding}-cut`), 'encoding');
        await fails(get(`/encoded/${encoding}-lie`), 'encoding');
      });
    }
    it('decodes deflate without its wrapper, and nested encodings', async () => {
      assert.equal(text(await get('/encoded/raw-deflate')), plainPage);
      assert.equal(text(await get('/encoded/twice')), plainPage);
    });
    it('accepts an empty body', async () => assert.equal((await get('/body/empty')).body.length, 0));
    it('reads no further than Content-Length', async () => assert.equal(text(await get('/body/longer')), '<p>short'));
    it('keeps the beginning of a longer body on request', async () => {
      for (const path of ['/body/endless', '/bomb/gzip', '/bomb/br', '/bomb/zstd']) {
        const fetched = await get(path, { maxBytes: 1000, onOverflow: 'truncate' });
        assert.equal(fetched.truncated, true);
        assert.equal(fetched.body.length, 1000);
      }
    });
    it('stops when the caller cancels', async () => {
      const given = new AbortController();
      const fetching = get('/body/silent', { signal: given.signal });
      given.abort();
      await fails(fetching, 'aborted');
    });
    it('are asked for again if the server closes the connection that it kept', async () => {
      const closing = await startClosingServer();
      try {
        for (let time = 0; time < 3; time++) assert.equal(text(await get(closing.url)), 'answered');
        assert.equal(closing.answered.length, 3);
        assert.ok(closing.closed.length > 0);
      } finally {
        closing.close();
      }
    });
    it('continues with others while one hangs', async () => {
      const hanging = get('/body/silent', { timeoutMs: 800 });
      assert.equal((await get('/plain')).status, 200);
      await fails(hanging, 'timeout');
    });
    it('hold up no other team, however many hang (F6)', async () => {
      const stop = new AbortController();
      const hanging = await startFaultySite({ otherwise: () => undefined });
      hanging.answer('/plain', (_request, response) => void response.end('answered'));
      try {
        const get = (team: string, path: string) =>
          workingFor({ team, work: path }, () =>
            fetcher.fetch(hanging.baseUrl + path, { ...usual, signal: stop.signal }),
          );
        const most = Array.from({ length: 200 }, (_, index) => get('one', `/${index}`).catch(() => undefined));
        await eventually(() => assert.ok(hanging.requests.length > 0));
        assert.equal(text(await get('other', '/plain')), 'answered');
        stop.abort();
        await Promise.all(most);
      } finally {
        await hanging.close();
      }
    });
  });

  describe('blocked addresses', () => {
    it('include other schemes, also in redirects (SSR-06)', async () => {
      for (const url of ['file:///etc/passwd', 'ftp://x/', 'data:,x', 'no url'])
        await fails(fetcher.fetch(url, usual), 'refused');
      for (const path of ['/redirect/file', '/redirect/javascript']) await fails(get(path), 'refused');
    });
    it('include this service itself, by any name or hop', async () => {
      for (const code of [302, 307]) {
        site.answer('/to-own', redirect(`http://127.0.0.1:${own.port}/plain`, code));
        await fails(get('/to-own'), 'refused');
      }
      await fails(get(`http://me.test:${own.port}/plain`), 'refused');
      await fails(get(`http://[::ffff:127.0.0.1]:${own.port}/plain`), 'refused');
      assert.deepEqual(own.requests, []);
    });
    it('include private ones at every hop if they are denied (SSR-03)', async () => {
      const strict = create({ denyPrivate: true });
      site.requests.length = 0;
      await fails(get('/plain', {}, strict), 'refused');
      await fails(get(`http://looks-public.test:${site.port}/plain`, {}, strict), 'refused');
      assert.deepEqual(site.requests, []);
    });
    it('are those that a request’s own policy has checked (SSR-11)', async () => {
      const answers = ['93.184.216.34'];
      const resolve: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }];
      const request = { urls: [] } as unknown as JobRequest;
      const wide = createAddressPolicy({ denyPrivate: false, ownPorts: () => [], resolve });
      const rebound = create({ resolve });
      const url = `http://rebound.test:${site.port}/plain`;
      site.requests.length = 0;
      await assert.rejects(get(url, { policy: jobPolicy(request, wide), timeoutMs: 300 }, rebound));
      assert.deepEqual(site.requests, []);
      // A connection that was allowed to others isn't used either.
      await get(url, {}, rebound);
      await fails(get(url, { policy: jobPolicy(request, wide) }, rebound), 'refused');
      assert.equal(site.requests.length, 1);
    });

    it('are checked after resolving a name once, and the connection uses a checked one (SSR-04)', async () => {
      let asked = 0;
      const resolve: Resolve = async () => {
        asked++;
        return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
      };
      const pinned = create({ resolve });
      const first = await get(`http://rebinding.test:${site.port}/plain`, {}, pinned);
      assert.equal(first.status, 200);
      assert.equal(asked, 1);
    });
    it("are distinguished: a name that doesn't resolve, and a host that doesn't respond", async () => {
      await fails(get('http://a.gone.test/'), 'dns');
      await fails(get('http://127.0.0.1:9/'), 'refused');
      const closed = await startFaultySite();
      await closed.close();
      await fails(get(`${closed.baseUrl}/`), 'unreachable');
      // Errors of HTTP/2 and of aborted requests have numbers.
      const odd = create({ resolve: () => Promise.reject(Object.assign(new Error('odd'), { code: 1 })) });
      await fails(get('http://a.test/', {}, odd), 'connection');
    });
  });

  describe('through a proxy', () => {
    it('sends plain requests and tunnels, with credentials, and checks addresses first (SSR-08)', async () => {
      const asked: { line: string; authorization: string | undefined }[] = [];
      const note = (request: IncomingMessage) =>
        asked.push({ line: `${request.method} ${request.url}`, authorization: request.headers['proxy-authorization'] });
      const proxy = createServer((request, response) => {
        note(request);
        response.end('by proxy');
      });
      proxy.on('connect', (request, client) => {
        note(request);
        const onward = connect(site.port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
        onward.on('error', () => client.destroy());
        client.on('error', () => onward.destroy());
        onward.pipe(client).pipe(onward);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const { port } = proxy.address() as { port: number };
      const proxied = create({
        proxy: `http://user:pa%20ss@127.0.0.1:${port}`,
        resolve: async () => [{ address: '93.184.216.34', family: 4 }],
      });
      try {
        assert.equal(text(await get('http://site.test/x', {}, proxied)), 'by proxy');
        const basic = `Basic ${Buffer.from('user:pa ss').toString('base64')}`;
        assert.deepEqual(asked, [{ line: 'GET http://site.test/x', authorization: basic }]);
        await assert.rejects(get('https://site.test/', {}, proxied));
        assert.deepEqual(asked[1], { line: 'CONNECT site.test:443', authorization: basic });
        assert.equal(text(await get('/plain', {}, proxied)), plainPage);
        await fails(get('http://169.254.169.254/', {}, proxied), 'refused');
        assert.equal(asked.length, 2);
        const strict = create({ denyPrivate: true, proxy: `http://127.0.0.1:${port}` });
        await fails(get('http://inside.test/', {}, strict), 'refused');
        assert.equal(asked.length, 2);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    });

    it('names the proxy that refuses, fails or is gone', async () => {
      let status = 407;
      const proxy = createServer((_, response) => void response.writeHead(status).end());
      proxy.on('connect', (_, client) => client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`));
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const { port } = proxy.address() as { port: number };
      const proxied = create({ proxy: `http://127.0.0.1:${port}` });
      const messages = (...urls: string[]) =>
        Promise.all(
          urls.map((url) =>
            get(url, {}, proxied).then(
              () => 'loaded',
              (error: Error) => error.message,
            ),
          ),
        );
      const credentials = `The proxy at 127.0.0.1:${port} requires a user name and password (status 407). Check those in --proxy.`;
      assert.deepEqual(await messages('https://site.test/', 'http://site.test/'), [credentials, credentials]);
      status = 502;
      const [tunneled] = await messages('https://other.test/');
      assert.equal(tunneled, `The proxy at 127.0.0.1:${port} made no connection to the site (status 502).`);
      const plain = await get('http://site.test/', {}, proxied);
      assert.deepEqual(
        [plain.status, plain.doubt],
        [502, `The status 502 may be from the proxy at 127.0.0.1:${port}, not from the site.`],
      );
      status = 404;
      assert.equal((await get('http://site.test/', {}, proxied)).doubt, undefined);
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      const gone = `The proxy at 127.0.0.1:${port} can't be reached: 127.0.0.1 refused the connection on port ${port}. Check that it is running and that --proxy is correct.`;
      assert.deepEqual(await messages('https://third.test/', 'http://third.test/'), [gone, gone]);
    });
  });

  it('keeps connections for a limited number of ports, those used last (BUD-13)', async () => {
    const policy = createAddressPolicy({ denyPrivate: false, ownPorts: () => [], resolve: loopback });
    const dispatchers = createDispatchers({ policy });
    const at = async (port: number) =>
      (await dispatchers.for(new URL(`http://site.test:${port}/`), false)) as Dispatcher & { closed: boolean };
    const [first, second] = [await at(20_000), await at(20_001)];
    for (let port = 20_002; port < 20_200; port++) await at(port);
    assert.equal(await at(20_000), first);
    const last = await at(20_200);
    await eventually(() => assert.ok(second.closed));
    assert.deepEqual([first.closed, last.closed, await at(20_000)], [false, false, first]);
    await dispatchers.close();
  });
});
