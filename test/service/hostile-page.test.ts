import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { patient } from '../harness/patient.ts';
import { startTestService, type TestService, testKey } from '../harness/service.ts';

/** What a page tries on the service: every way that needs no permission, with the key as if it had leaked. */
const attack = async ({ base, key }: { base: string; key: string }) => {
  const tried: Record<string, string> = {};
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    tried[name] = await work().then(
      (value) => `reached: ${value}`,
      (error) => `stopped: ${error.name}`,
    );
  };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  await attempt('read', async () => (await fetch(`${base}/v2/browser`, { headers })).status);
  await attempt(
    'create',
    async () => (await fetch(`${base}/v2/browser`, { method: 'POST', body: '{}', headers })).status,
  );
  await attempt(
    'blind create',
    async () => (await fetch(`${base}/v2/browser`, { method: 'POST', body: '{}', mode: 'no-cors' })).type,
  );
  const socket = (url: string) =>
    new Promise((resolve, reject) => {
      const webSocket = new WebSocket(url);
      webSocket.onopen = () => resolve('open');
      webSocket.onerror = () => reject(new Error('refused'));
    });
  await attempt('link', () => socket(`${base.replace('http', 'ws')}/embedded/link`));
  const element = (tag: 'script' | 'img') =>
    new Promise((resolve, reject) => {
      const node = document.createElement(tag);
      node.onload = () => resolve('loaded');
      node.onerror = () => reject(new Error('failed'));
      node.src = `${base}/v2/browser`;
      document.body.append(node);
    });
  await attempt('script', () => element('script'));
  await attempt('img', () => element('img'));
  const form = document.createElement('form');
  Object.assign(form, { method: 'POST', action: `${base}/v2/browser`, enctype: 'text/plain', target: 'sink' });
  const sink = document.createElement('iframe');
  sink.name = 'sink';
  document.body.append(sink, form);
  const loaded = new Promise((resolve) => {
    sink.onload = resolve;
  });
  form.submit();
  await loaded;
  return tried;
};

describe('a hostile page in a real browser', () => {
  let service: TestService;
  let browser: Browser;
  let site: Server;
  let sitePort: number;
  before(async () => {
    service = await startTestService();
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>hostile</title><body>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    sitePort = (site.address() as AddressInfo).port;
    browser = await chromium.launch({
      executablePath: findChrome().path ?? '',
      chromiumSandbox: process.getuid?.() !== 0,
      args: ['--host-resolver-rules=MAP *.test 127.0.0.1', '--disable-quic', '--disable-background-networking'],
    });
  });
  after(async () => {
    await browser.close();
    site.closeAllConnections();
    site.close();
    await service.close();
  });

  const from = async (origin: string, base: string) => {
    const page = patient(await browser.newPage());
    await page.goto(origin);
    const tried = await page.evaluate(attack, { base, key: testKey });
    await page.close();
    return tried;
  };
  const nothingHappened = async () => {
    const { body } = await service.call('GET', '/v2/browser');
    assert.deepEqual(body.sessions, []);
  };

  it("of another site can't reach anything (NET-11)", async () => {
    const tried = await from(`http://evil.test:${sitePort}/`, service.baseUrl);
    for (const [name, result] of Object.entries(tried)) {
      assert.match(result, name === 'blind create' ? /opaque|stopped/ : /^stopped/, name);
    }
    await nothingHappened();
  });

  it("of another port on this machine can't reach anything (NET-07)", async () => {
    const tried = await from(`http://127.0.0.1:${sitePort}/`, service.baseUrl);
    for (const [name, result] of Object.entries(tried)) {
      assert.match(result, name === 'blind create' ? /opaque|stopped/ : /^stopped/, name);
    }
    await nothingHappened();
  });

  it('whose name was rebound to this machine gets 403 for everything (NET-12)', async () => {
    const page = patient(await browser.newPage());
    const rebound = `http://rebind.test:${service.port}`;
    const landing = await page.goto(`${rebound}/v2/browser`);
    assert.equal(landing?.status(), 403);
    const tried = await page.evaluate(attack, { base: rebound, key: testKey });
    await page.close();
    assert.deepEqual([tried.read, tried.create], ['reached: 403', 'reached: 403']);
    assert.match(tried.link ?? '', /^stopped/);
    await nothingHappened();
  });
});
