import assert from 'node:assert/strict';
import {
  checkOwnBrowsers,
  createSession,
  type LoginSite,
  runIn,
  startLoginSite,
  whoIs,
} from '../harness/browser-checks.ts';
import { startCdpEndpoint } from '../harness/cdp-endpoint.ts';
import { startChromium } from '../harness/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { startTestService } from '../harness/service.ts';

describe('browsers', () => {
  let endpoint: Awaited<ReturnType<typeof startCdpEndpoint>>;
  let site: LoginSite;
  before(async () => {
    [endpoint, site] = await Promise.all([startCdpEndpoint(), startLoginSite()]);
  });
  after(async () => {
    await endpoint.close();
    site.close();
  });

  it('on this machine run code, keep profiles, and render pages', async () => {
    const service = await startTestService();
    try {
      await checkOwnBrowsers(service, site);
    } finally {
      await service.close();
    }
  });

  it('that are separate run code, keep profiles, render pages, and close when the session ends', async () => {
    const service = await startTestService({ browserEndpoint: `${endpoint.origin}/?token=secret` });
    try {
      await checkOwnBrowsers(service, site);
    } finally {
      await service.close();
    }
    await eventually(() => assert.equal(endpoint.count(), 0));
  });

  it('that are shared give each session a separate context, survive it, and refuse profiles', async () => {
    const chromium = await startChromium();
    const service = await startTestService({ browserEndpoint: chromium.cdpUrl, spareBrowsers: 1 });
    try {
      const [one, two] = [await createSession(service), await createSession(service)];
      await runIn(
        service,
        one,
        `await page.goto("${site.url}/login"); await (await context.newPage()).goto("${site.url}/"); 1`,
      );
      assert.equal(await runIn(service, one, 'context.pages().length'), '2');
      assert.equal(await runIn(service, two, 'context.pages().length'), '1');
      assert.equal(await runIn(service, two, whoIs(site.url)), 'nobody | ');
      assert.equal(await runIn(service, two, '(await context.cookies()).length'), '0');
      await service.call('DELETE', `/v2/browser/${one}`);
      assert.equal(await runIn(service, two, 'await page.title(); 1 + 1'), '2');
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
