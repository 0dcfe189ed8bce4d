// Configuration for Playwright's own page tests. Each of their workers gets a browser over CDP: a Chromium of its own, or
// a browser session of the service.
const { spawn } = require('node:child_process');
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { chromium } = require('playwright-core');

/** What compare.ts passes on. */
const { chrome, flags, service, report } = JSON.parse(process.env.WEBDATA_PAGE_TESTS);

async function startChromium() {
  const profile = mkdtempSync(join(tmpdir(), 'webdata-page-tests-'));
  const child = spawn(chrome, [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let stderr = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    stderr += text;
    const cdpUrl = /ws:\/\/\S+/.exec(stderr)?.[0];
    if (cdpUrl) return { cdpUrl, end: async () => child.kill('SIGKILL') };
  }
  throw new Error(`Chromium did not start: ${stderr}`);
}

async function call(method, path, body) {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

async function openSession() {
  const { id, cdpUrl } = await call('POST', '/v2/browser', { ttl: 3600, activityTtl: 3600 });
  // The session's own clients are connected, too, as they are after a run.
  await call('POST', `/v2/browser/${id}/execute`, { code: 'await page.title()' });
  return { cdpUrl, end: () => call('DELETE', `/v2/browser/${id}`) };
}

chromium.launch = async () => {
  const { cdpUrl, end } = await (service ? openSession() : startChromium());
  const browser = await chromium.connectOverCDP(cdpUrl);
  const close = browser.close.bind(browser);
  browser.close = async (options) => {
    await close(options);
    await end();
  };
  return browser;
};

module.exports = {
  testDir: 'tests/page',
  testIgnore: [/firefox/, /webkit/],
  outputDir: 'results',
  snapshotPathTemplate: '{testDir}/{testFileDir}/{testFileName}-snapshots/{arg}-chromium{ext}',
  updateSnapshots: 'none',
  fullyParallel: true,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: [['json', { outputFile: report }], ['dot']],
  projects: [{ name: 'chromium', use: { browserName: 'chromium', headless: true, channel: 'chromium' } }],
};
