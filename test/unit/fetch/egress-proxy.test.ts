import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { jobPolicy } from '../../../src/service/assistants/agent/run/web.ts';
import type { JobRequest } from '../../../src/service/assistants/agent/store/job-table.ts';
import {
  type AddressPolicy,
  createAddressPolicy,
} from '../../../src/service/platform/network/address-policy/address-policy.ts';
import { createDialer } from '../../../src/service/platform/network/dial.ts';
import {
  type EgressProxy,
  type Lane,
  proxyCheckHost,
  startEgressProxy,
} from '../../../src/service/platform/network/egress-proxy.ts';
import { startClosingServer } from '../../harness/closing-server.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, plainPage, raw, startFaultySite } from '../../harness/faulty-site.ts';
import { sendRaw } from '../../harness/raw-http.ts';

describe('egress proxy', () => {
  let site: FaultySite;
  let proxy: EgressProxy;
  let policy: AddressPolicy;
  let lane: Lane;
  const names: Record<string, string> = {
    'private.test': '10.0.0.1',
    'own.test': '127.0.0.1',
    'site.test': '127.0.0.1',
  };

  before(async () => {
    site = await startFaultySite();
    policy = createAddressPolicy({
      denyPrivate: false,
      ownPorts: () => [4321],
      resolve: async (host) => {
        const address = names[host];
        if (address) return [{ address, family: 4 }];
        throw Object.assign(new Error('ENOTFOUND'), { syscall: 'getaddrinfo' });
      },
    });
    proxy = await startEgressProxy(policy, createDialer(policy));
  });
  beforeEach(() => {
    lane = proxy.lane();
    site.requests.length = 0;
  });
  afterEach(() => lane.close());
  after(() => Promise.all([proxy.close(), site.close()]));

  const basic = (user: Pick<Lane, 'username' | 'password'>) =>
    `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;

  function ask(url: string, authorization: string | undefined = basic(lane), method = 'GET', port = proxy.port) {
    return new Promise<{ status: number; body: string; headers: object }>((resolve, reject) => {
      const asked = request({
        host: '127.0.0.1',
        port,
        path: url,
        method,
        headers: { host: URL.parse(url)?.host ?? 'x', ...(authorization && { 'proxy-authorization': authorization }) },
        agent: false,
      });
      asked.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' ? resolve({ status: 0, body: '', headers: {} }) : reject(error),
      );
      asked.once('connect', (answer, socket) => {
        socket.destroy();
        resolve({ status: answer.statusCode ?? 0, body: '', headers: answer.headers });
      });
      asked.once('response', async (answer) => {
        let body = '';
        for await (const piece of answer) body += String(piece);
        resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers });
      });
      asked.end();
    });
  }

  it('forwards what its lane requests, and adds nothing of its own', async () => {
    const answer = await ask(`http://site.test:${site.port}/plain`);
    assert.equal(answer.body, plainPage);
    assert.equal(site.headersOf('/plain')?.host, `site.test:${site.port}`);
    assert.equal(JSON.stringify(site.headersOf('/plain')).includes('proxy-authorization'), false);
  });

  it('asks again if a server closes the connection that it kept, and sends nothing twice that may be done twice', async () => {
    const closing = await startClosingServer();
    try {
      for (const method of ['GET', 'GET', 'POST', 'POST', 'GET'])
        assert.equal((await ask(closing.url, basic(lane), method)).body, 'answered', method);
      assert.deepEqual(closing.answered, ['GET', 'GET', 'POST', 'POST', 'GET']);
      assert.ok(closing.closed.length > 0 && !closing.closed.includes('POST'), closing.closed.join());
    } finally {
      closing.close();
    }
  });

  it('ends a response that announces itself again and again (TRN-04)', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000);
    site.answer('/hints', raw(`${hints}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`));
    assert.equal((await ask(`http://site.test:${site.port}/hints`)).status, 0);
  });

  it('passes on in one piece what arrives in pieces of a byte (TRN-04)', async () => {
    const bytes = 5000;
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    site.answer('/bytes', raw(`${head}${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`));
    const url = `http://site.test:${site.port}/bytes`;
    const socket = connect(proxy.port, '127.0.0.1');
    socket.write(`GET ${url} HTTP/1.1\r\nHost: site.test\r\nProxy-Authorization: ${basic(lane)}\r\n\r\n`);
    let received = '';
    for await (const piece of socket) {
      received += String(piece);
      if (received.endsWith('\r\n0\r\n\r\n')) break;
    }
    assert.equal(received.match(/x/g)?.length, bytes);
    const chunks = received.match(/^[0-9a-f]+\r$/gm)?.length ?? 0;
    assert.ok(chunks < bytes / 10, `${chunks} chunks`);
  });

  it('gives connections back that a site never closes (BUD-10)', async () => {
    const closing = await startClosingServer();
    const impatient = await startEgressProxy(policy, createDialer(policy), 20);
    const door = await impatient.door();
    try {
      for (let count = 0; count < 3; count++) await ask(closing.url, '', 'GET', Number(new URL(door.url).port));
      await eventually(() => assert.equal(closing.open(), 0));
    } finally {
      door.close();
      await impatient.close();
      closing.close();
    }
  });

  it('is not impressed by responses that are none (F17)', async () => {
    const site = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as AddressInfo;
    const heads = ['042 X', '000', '099 ', '1000 X', '200 X\r\ncontent-length: 1\r\ncontent-length: 2'];
    try {
      for (const head of heads) {
        site.removeAllListeners('connection').on('connection', (socket) => {
          socket.on('error', () => undefined).once('data', () => socket.end(`HTTP/1.1 ${head}\r\n\r\n`));
        });
        assert.equal((await ask(`http://127.0.0.1:${port}/`)).status, 0, head);
        assert.equal(lane.failure(`127.0.0.1:${port}`)?.kind, 'connection', head);
        lane.reset();
      }
    } finally {
      site.close();
    }
  });

  it('closes the connections of clients that it refuses, also if they never do (BUD-10)', async () => {
    const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write('CONNECT site.test:80 HTTP/1.1\r\nHost: site.test:80\r\n\r\n');
    await new Promise((resolve) => client.once('end', resolve));
    // Whoever writes to a connection that is closed on the other side hears of it.
    const failed = new Promise((resolve) => client.once('error', resolve));
    const writing = setInterval(() => client.write('x'), 50);
    await failed;
    clearInterval(writing);
  });

  it('says that the proxy of the settings failed, not the site', async () => {
    const upstream = createHttpServer((_, response) => void response.writeHead(407).end());
    upstream.on('connect', (_, client) => client.end('HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n'));
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const { port } = upstream.address() as AddressInfo;
    const egress = await startEgressProxy(policy, createDialer(policy, `http://127.0.0.1:${port}`));
    const through = egress.lane();
    const failureOf = async (target: string, method: string) => {
      await ask(target, basic(through), method, egress.port);
      return through.failure('site.test');
    };
    try {
      const site502 = `The proxy at 127.0.0.1:${port} made no connection to the site (status 502).`;
      assert.deepEqual(await failureOf('site.test:443', 'CONNECT'), { kind: 'proxy', message: site502 });
      through.reset();
      assert.equal(
        through.doubt('http://site.test/', 502),
        `The status 502 may be from the proxy at 127.0.0.1:${port}, not from the site.`,
      );
      for (const [url, status] of [
        ['http://site.test/', 500],
        ['https://site.test/', 502],
        ['http://127.0.0.1:1/', 502],
        ['no url', 502],
      ] as const)
        assert.equal(through.doubt(url, status), undefined);
      const refused = await failureOf('http://site.test/', 'GET');
      assert.match(refused?.message ?? '', /^The proxy at .+ requires a user name and password/);
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
      for (const [target, method] of [
        ['site.test:443', 'CONNECT'],
        ['http://site.test/', 'GET'],
      ] as const) {
        through.reset();
        assert.match((await failureOf(target, method))?.message ?? '', /^The proxy at .+ can't be reached: /);
      }
    } finally {
      await egress.close();
    }
  });

  it('takes requests that arrive together one after the other (NET-29)', async () => {
    const own = proxy.lane();
    let asked = 0;
    let open = 0;
    let together = 0;
    const origin = createHttpServer((_request, response) => {
      asked++;
      if (++open > 1) together++;
      setTimeout(() => {
        open--;
        response.end('.');
      }, 5);
    });
    await once(origin.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = origin.address() as AddressInfo;
      const get = (rest = '') =>
        `GET http://site.test:${port}/ HTTP/1.1\r\nHost: site.test\r\nProxy-Authorization: ${basic(own)}\r\n${rest}\r\n`;
      await sendRaw(proxy.port, get().repeat(19) + get('Connection: close\r\n'));
      assert.deepEqual({ asked, together }, { asked: 20, together: 0 });
    } finally {
      origin.close();
      own.close();
    }
  });

  it('tunnels', async () => {
    assert.equal((await ask(`site.test:${site.port}`, basic(lane), 'CONNECT')).status, 200);
  });

  it('serves nobody without credentials, or with those of a closed lane', async () => {
    const url = `http://site.test:${site.port}/plain`;
    const gone = proxy.lane();
    gone.close();
    for (const authorization of ['', 'Basic x', basic({ ...lane, password: 'wrong' }), basic(gone)]) {
      assert.equal((await ask(url, authorization)).status, 407);
      assert.equal((await ask(`site.test:${site.port}`, authorization, 'CONNECT')).status, 407);
    }
    assert.deepEqual(site.requests, []);
  });

  it('refuses this service and what the policy forbids, and remembers why', async () => {
    for (const target of [
      'own.test:4321',
      '127.0.0.1:4321',
      '169.254.169.254:80',
      '127.0.0.1:22',
      '[fd00:ec2::254]:80',
    ]) {
      assert.equal((await ask(`http://${target}/x`)).status, 0, target);
      assert.equal((await ask(target, basic(lane), 'CONNECT')).status, 403, target);
    }
    assert.equal(lane.failure('own.test:4321')?.kind, 'refused');
    assert.equal((await ask('http://gone.test/')).status, 0);
    assert.equal(lane.failure('gone.test')?.kind, 'dns');
    lane.reset();
    assert.equal(lane.failure('gone.test'), undefined);
  });

  it('blocks hosts for one lane only', async () => {
    lane.blocks = (host) => host === 'site.test';
    const other = proxy.lane();
    const url = `http://site.test:${site.port}/plain`;
    assert.equal((await ask(url)).status, 0);
    assert.equal((await ask(url, basic(other))).status, 200);
    other.close();
  });

  it("checks what it connects to with a lane's own policy (SSR-11)", async () => {
    const url = `http://site.test:${site.port}/plain`;
    assert.equal((await ask(url)).status, 200);
    lane.policy = jobPolicy({ urls: [] } as unknown as JobRequest, policy);
    assert.equal((await ask(url)).status, 0);
    assert.equal((await ask(`site.test:${site.port}`, basic(lane), 'CONNECT')).status, 403);
    assert.match(lane.failure(`site.test:${site.port}`)?.message ?? '', /that the task doesn't name/);
    const door = await proxy.door(undefined, lane.policy);
    const through = connect(Number(new URL(door.url).port), '127.0.0.1');
    through.end(`CONNECT site.test:${site.port} HTTP/1.1\r\n\r\n`);
    let answer = '';
    for await (const piece of through) answer += String(piece);
    assert.match(answer, /^HTTP\/1.1 403/);
    door.close();
    assert.equal(site.requests.length, 1);
  });

  it("greets its clients, and isn't a web server", async () => {
    assert.equal((await ask(`http://${proxyCheckHost}/`)).status, 200);
    assert.equal((await ask('/plain')).status, 400);
    assert.equal((await ask('https://site.test/')).status, 400);
  });

  it('survives clients that send nonsense or disconnect', async () => {
    for (const text of ['\0\0\0', 'CONNECT \r\n\r\n', 'GET http://[ HTTP/1.1\r\n\r\n', 'CONNECT x HTTP/1.1\r\n\r\n']) {
      await new Promise<void>((resolve) => {
        const socket = connect(proxy.port, '127.0.0.1', () => socket.end(text));
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.resume();
      });
    }
    assert.equal((await ask(`http://site.test:${site.port}/plain`)).status, 200);
  });
});
