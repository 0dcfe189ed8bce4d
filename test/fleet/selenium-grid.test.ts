import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { BrowserRequest } from '../../src/service/browsers/chrome/chrome.ts';
import { type GridWaits, seleniumGrid } from '../../src/service/browsers/chrome/remote/selenium-grid.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { checkOwnBrowsers, createSession, type LoginSite, runIn, startLoginSite } from '../harness/browser-checks.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import {
  type GridNode,
  gridLogin,
  type SeleniumGrid,
  startSeleniumGrid,
  whyNoSeleniumGrid,
} from '../harness/selenium-grid.ts';
import { call, spawnService, startTestService } from '../harness/service.ts';

const request: BrowserRequest = { userDataDir: '/nowhere', marker: ['NAME', 'value'] };

describe('browsers of a Selenium Grid', () => {
  let grid: SeleniumGrid;
  let node: GridNode;
  let site: LoginSite;
  before(async function () {
    const reason = whyNoSeleniumGrid();
    if (reason !== undefined) {
      console.log(`      skipped, because ${reason}`);
      return this.skip();
    }
    [grid, site] = await Promise.all([startSeleniumGrid(), startLoginSite()]);
    node = await grid.startNode(2);
  });
  after(async () => {
    await grid?.close();
    site?.close();
  });

  const provider = (waits: Partial<GridWaits> = {}, chromePath?: string) =>
    seleniumGrid({ endpoint: grid.url, chromePath, headless: true, log: silentLog, waits });
  const noneLeft = () => eventually(async () => assert.deepEqual(await grid.sessions(), []));

  it('run code, keep profiles, render pages, and end with their session', async () => {
    const service = await startTestService({ browserEndpoint: grid.url });
    try {
      await checkOwnBrowsers(service, site);
      // The browser that renders pages stays for the next page.
      await eventually(async () => assert.equal((await grid.sessions()).length, 1));
    } finally {
      await service.close();
    }
    await noneLeft();
  });

  it('obey --deny-private-targets, and end when the service is stopped', async () => {
    const dataDir = temporaryFolder();
    const args = ['--port', '0', '--data-dir', dataDir, '--deny-private-targets'];
    const service = await spawnService(args, { WEBDATA_BROWSER_ENDPOINT: grid.url });
    try {
      const { baseUrl, apiKey } = service.line;
      const api = {
        call: (method: string, path: string, body?: unknown) => call(baseUrl, apiKey ?? '', method, path, body),
      };
      const id = await createSession(api);
      const visit = `page.goto("${site.url}/").then(() => "reached", (error) => error.message)`;
      assert.match(await runIn(api, id, `await ${visit}`), /ERR_/);
      assert.equal((await grid.sessions()).length, 1);
      service.child.kill('SIGTERM');
      await service.exited;
      await noneLeft();
      assert.ok(!service.stderr().includes(gridLogin.password) && !service.stderr().includes('pass%20word'));
    } finally {
      service.child.kill('SIGKILL');
      await service.exited;
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  });

  it('that do not start leave nothing behind', async () => {
    await assert.rejects(provider({}, '/nowhere/chrome').open(request), {
      status: 502,
      code: 'BROWSER_START',
      message: /did not start a browser: session not created/,
    });
    await noneLeft();
  });

  it('are waited for while all are in use, and one that comes too late is ended', async () => {
    const both = await Promise.all([provider().open(request), provider().open(request)]);
    await assert.rejects(provider({ start: 500 }).open(request), {
      status: 503,
      code: 'NO_BROWSER',
      message: /2 of 2 browsers are in use/,
    });
    const patient = provider().open(request);
    await both[0].close();
    // The late browser is ended, so that there is one for those who still wait.
    const third = await patient;
    await Promise.all([both[1].close(), third.close()]);
    await noneLeft();
  });

  it('are refused to those with another password', async () => {
    const endpoint = grid.url.replace(gridLogin.user, 'bob');
    await assert.rejects(seleniumGrid({ endpoint, headless: true, log: silentLog }).open(request), {
      status: 503,
      message: /refuses the user name and password of --browser-endpoint.*401/,
    });
  });

  it('end when their node dies, and others start on the next node', async () => {
    const browsers = provider({ pulse: 500, doubt: 1000, silence: 4000 });
    const browser = await browsers.open(request);
    await node.kill();
    const started = grid.startNode(1);
    assert.equal(await browser.ended, 'was lost with its node of the Selenium Grid');
    const next = await browsers.open(request);
    await Promise.all([next.close(), started]);
    await browsers.close?.();
  });
});
