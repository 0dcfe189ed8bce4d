import assert from 'node:assert/strict';
import { createServer as createProxy } from 'node:http';
import { createServer as createSecureServer, type Server } from 'node:https';
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net';
import { crawl, linking, pathsOf } from '../../harness/crawl-jobs.ts';
import { bytes, type FaultySite, startFaultySite, status } from '../../harness/faulty-site.ts';
import { selfSigned } from '../../harness/self-signed.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

/** What OpenSSL, Node and Chrome call problems; no person should have to read it. */
const raw = /openssl|SSL routines|error:0|net::|ERR_|ECONN|EPROTO|_CERT/i;

describe('a crawl without any page', () => {
  let service: TestService;
  let site: FaultySite;
  let secure: Server;
  let silent: TcpServer;
  const portOf = (server: TcpServer) => (server.address() as AddressInfo).port;
  before(async () => {
    service = await startTestService();
    site = await startFaultySite();
    secure = createSecureServer(selfSigned, (request, response) => {
      if (request.url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private');
      if (request.url === '/sitemap.xml') {
        return response.end(`<urlset><url><loc>https://127.0.0.1:${portOf(secure)}/mapped</loc></url></urlset>`);
      }
      return response.writeHead(200, { 'content-type': 'text/html' }).end(linking('Secure', '/private'));
    });
    silent = createServer((socket) => void socket.on('error', () => undefined).destroy());
    for (const server of [secure, silent]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
  });
  after(async () => {
    await service.close();
    await site.close();
    secure.closeAllConnections();
    for (const server of [secure, silent]) await new Promise((resolve) => server.close(resolve));
  });

  const failed = async (url: string, options: object = {}) => {
    const state = await crawl(service, { url, sitemap: 'skip', ...options });
    assert.deepEqual([state.success, state.status, state.completed, state.data], [true, 'failed', 0, []]);
    assert.doesNotMatch(state.error, raw);
    return state.error as string;
  };

  it('fails with the status of its start page', async () => {
    site.answer('/', status(500));
    assert.equal(await failed(site.baseUrl), 'The start page returned 500 Internal Server Error');
    site.answer('/', status(404));
    assert.equal(await failed(site.baseUrl), 'The start page returned 404 Not Found');
  });

  it('names the proxy that may have answered in place of its site', async () => {
    const proxy = createProxy((_request, response) => response.writeHead(502).end());
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const doubt = `The status 502 may be from the proxy at 127.0.0.1:${portOf(proxy)}, not from the site.`;
    const behind = await startTestService({ proxy: `http://127.0.0.1:${portOf(proxy)}` });
    try {
      for (const ignoreRobotsTxt of [true, false]) {
        const state = await crawl(behind, { url: 'http://elsewhere.invalid/', sitemap: 'skip', ignoreRobotsTxt });
        assert.ok(state.error?.includes(doubt), state.error);
      }
    } finally {
      await behind.close();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });

  it('fails when its start page cannot be converted', async () => {
    site.answer('/', bytes(Buffer.from('MZ\u0090\u0000\u0003'), 'application/x-msdownload'));
    assert.ok(await failed(site.baseUrl));
  });

  it("fails when its host doesn't resolve or respond", async () => {
    for (const options of [{}, { ignoreRobotsTxt: true }, { scrapeOptions: { waitFor: 1 }, ignoreRobotsTxt: true }]) {
      assert.match(await failed('https://nowhere.invalid/', options), /nowhere\.invalid couldn't be resolved/);
    }
    const closed = await startFaultySite();
    await closed.close();
    for (const options of [{}, { ignoreRobotsTxt: true }, { scrapeOptions: { waitFor: 1 }, ignoreRobotsTxt: true }]) {
      assert.match(
        await failed(closed.baseUrl, options),
        new RegExp(`^127\\.0\\.0\\.1 refused the connection on port ${closed.port}\\.$`),
        JSON.stringify(options),
      );
    }
    assert.match(await failed(`http://127.0.0.1:${portOf(silent)}/`), /closed the connection/);
  });

  it('fails with a clear message when there is no HTTPS', async () => {
    const url = `https://127.0.0.1:${site.port}/`;
    for (const options of [{}, { ignoreRobotsTxt: true }, { scrapeOptions: { waitFor: 1 }, ignoreRobotsTxt: true }]) {
      assert.equal(await failed(url, options), `127.0.0.1 doesn't offer HTTPS on port ${site.port}.`);
    }
  });

  it("fails with a clear message when a certificate isn't accepted", async () => {
    const url = `https://127.0.0.1:${portOf(secure)}/`;
    const scrapeOptions = { skipTlsVerification: false };
    assert.match(await failed(url, { scrapeOptions }), /^The certificate of 127\.0\.0\.1 is self-signed\./);
    assert.match(
      await failed(url, { scrapeOptions: { ...scrapeOptions, waitFor: 1 }, ignoreRobotsTxt: true }),
      /^The certificate of 127\.0\.0\.1 isn't trusted\. To accept it, set skipTlsVerification\.$/,
    );
  });

  it('reads robots.txt and the sitemap with the TLS options of its pages', async () => {
    const url = `https://127.0.0.1:${portOf(secure)}/`;
    for (const scrapeOptions of [{ skipTlsVerification: true }, {}]) {
      const state = await crawl(service, { url, scrapeOptions });
      assert.equal(state.status, 'completed');
      assert.deepEqual(pathsOf(state), ['/', '/mapped']);
    }
  });
});
