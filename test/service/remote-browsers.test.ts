import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startCdpEndpoint } from '../harness/cdp-endpoint.ts';
import { startChromium } from '../harness/chromium.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('browsers from an endpoint', function () {
  this.timeout(90_000);
  let grid: Awaited<ReturnType<typeof startCdpEndpoint>>;
  let site: Server;
  let url: string;
  before(async () => {
    grid = await startCdpEndpoint();
    site = createServer((request, response) => {
      if (request.url === '/login') response.setHeader('set-cookie', ['user=ada; Max-Age=86400', 'visit=1']);
      response.setHeader('content-type', 'text/html');
      response.end(`<p id="who">${request.headers.cookie ?? 'nobody'}</p>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  after(async () => {
    await grid.close();
    site.closeAllConnections();
    site.close();
  });

  const create = async (service: TestService, body: object = {}) => {
    const answer = await service.call('POST', '/v2/browser', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.id as string;
  };
  const run = async (service: TestService, id: string, code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${id}/execute`, { code });
    assert.equal(body.error, undefined, body.error);
    return body.result as string;
  };
  const who = `await page.goto("__URL__/"); [await page.textContent("#who"), await page.evaluate("localStorage.getItem('theme')")].join(" | ")`;

  it('that are separate run code, keep profiles, and close when the session ends', async () => {
    const service = await startTestService({ browserEndpoint: `${grid.origin}/?token=secret` });
    try {
      const first = await create(service, { profile: { name: 'shop' } });
      assert.equal(
        await run(
          service,
          first,
          `await page.goto("${url}/login"); await page.evaluate("localStorage.setItem('theme','dark')"); 6 * 7`,
        ),
        '42',
      );
      assert.equal((await service.call('DELETE', `/v2/browser/${first}`)).status, 200);
      const second = await create(service, { profile: { name: 'shop', saveChanges: false } });
      assert.equal(await run(service, second, who.replace('__URL__', url)), 'user=ada; visit=1 | dark');
      assert.equal(await run(service, second, 'context.pages().length'), '1');
      await service.call('DELETE', `/v2/browser/${second}`);
    } finally {
      await service.close();
    }
    for (let tries = 0; grid.count() > 0 && tries < 100; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(grid.count(), 0);
  });

  it('that are shared give each session a separate context, survive it, and refuse profiles', async () => {
    const chromium = await startChromium();
    const service = await startTestService({ browserEndpoint: chromium.cdpUrl, spareBrowsers: 1 });
    try {
      const [one, two] = [await create(service), await create(service)];
      await run(service, one, `await page.goto("${url}/login"); await (await context.newPage()).goto("${url}/"); 1`);
      assert.equal(await run(service, one, 'context.pages().length'), '2');
      assert.equal(await run(service, two, 'context.pages().length'), '1');
      assert.equal(await run(service, two, who.replace('__URL__', url)), 'nobody | ');
      assert.equal(await run(service, two, '(await context.cookies()).length'), '0');
      await service.call('DELETE', `/v2/browser/${one}`);
      assert.equal(await run(service, two, 'await page.title(); 1 + 1'), '2');
      const refused = await service.call('POST', '/v2/browser', { profile: { name: 'shop' } });
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, /shared/);
    } finally {
      await service.close();
      assert.equal(chromium.process.exitCode, null);
      await chromium.kill();
    }
  });

  it("that can't be reached return 503 with the host but not the token", async () => {
    const service = await startTestService({ browserEndpoint: 'ws://127.0.0.1:1/?token=secret-token' });
    try {
      const { status, body } = await service.call('POST', '/v2/browser', {});
      assert.equal(status, 503);
      assert.match(body.error, /127\.0\.0\.1:1/);
      assert.doesNotMatch(JSON.stringify(body), /secret-token/);
    } finally {
      await service.close();
    }
  });
});
