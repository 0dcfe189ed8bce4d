// `node bare-cdp.ts URL PAGES BROWSER [PART,…]`: loads linked pages in 4 tabs of a browser over raw CDP and only reads their
// HTML: navigate, DOMContentLoaded, outerHTML. Parts add what the service does besides, as it does it: `context` (a browser
// context for each tab), `proxy` (the egress proxy), `events` (the events of the network and the life of pages),
// `appearance` (an emulated screen), `interception` (every request is paused and continued), `load` (waiting for the load
// event), `quiet` (watching changes until there are none for 100 ms).
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { chromeFlags } from '../../../src/service/browsers/chrome/flags.ts';
import { openPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { createAddressPolicy } from '../../../src/service/platform/network/address-policy/address-policy.ts';
import { createDialer } from '../../../src/service/platform/network/dial.ts';
import { startEgressProxy } from '../../../src/service/platform/network/egress-proxy.ts';
import { cpuSecondsOf } from '../processes.ts';

const [start = '', count, browserPath = '', named = ''] = process.argv.slice(2);
const parts = new Set(named.split(','));
const pages = Number(count);
const tabs = 4;
const userDataDir = mkdtempSync(join(tmpdir(), 'bare-cdp-'));
const sandbox = process.getuid?.() !== 0;
const browser: ChildProcess = spawn(browserPath, chromeFlags({ userDataDir, headless: true, sandbox }), {
  stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
});
const pipe = openPipe(browser.stdio[3] as Writable, browser.stdio[4] as Readable, () => process.exit(1));

let nextId = 1;
const replies = new Map<number, (result: Record<string, unknown>) => void>();
const loads = new Map<string, () => void>();
const loadEvent = parts.has('load') || parts.has('quiet') ? 'Page.loadEventFired' : 'Page.domContentEventFired';
pipe.onMessage(({ id, method, params, result, sessionId }) => {
  if (id !== undefined) replies.get(id)?.(result ?? {});
  else if (method === loadEvent) loads.get(sessionId ?? '')?.();
  else if (method === 'Fetch.requestPaused')
    void send('Fetch.continueRequest', { requestId: params?.requestId }, sessionId);
});

function send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
  const id = nextId++;
  return new Promise((resolve) => {
    replies.set(id, resolve);
    pipe.send({ id, method, params: params as Record<string, unknown>, ...(sessionId && { sessionId }) });
  });
}

const seen = new Set([start]);
const queue = [start];
let done = 0;

const policy = createAddressPolicy({ denyPrivate: false, ownPorts: () => [] });
const proxy = parts.has('proxy') ? await startEgressProxy(policy, createDialer(policy)) : undefined;
/** As the service waits for a page to settle. */
const quiet = `new Promise((resolve) => {
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, 100); });
  const done = () => { observer.disconnect(); resolve(true); };
  let timer = setTimeout(done, 100);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
})`;

async function context(): Promise<object> {
  if (!parts.has('context') && !proxy) return {};
  const proxyServer = proxy && (await proxy.door()).url;
  const bypass = { proxyServer, proxyBypassList: '<-loopback>' };
  return await send('Target.createBrowserContext', { disposeOnDetach: true, ...(proxyServer && bypass) });
}

async function prepare(sessionId: string): Promise<void> {
  await send('Page.enable', {}, sessionId);
  if (parts.has('events')) {
    await send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }, sessionId);
    await send('Inspector.enable', {}, sessionId);
    await send('Network.setBypassServiceWorker', { bypass: true }, sessionId);
    await send('Page.setLifecycleEventsEnabled', { enabled: true }, sessionId);
  }
  if (parts.has('appearance')) {
    const screen = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };
    await send('Emulation.setDeviceMetricsOverride', screen, sessionId);
  }
  if (parts.has('interception')) await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId);
}

async function work(): Promise<void> {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank', ...(await context()) });
  const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
  await prepare(sessionId);
  while (done < pages) {
    const url = queue.shift();
    if (url === undefined) {
      await new Promise(setImmediate);
      continue;
    }
    const loaded = new Promise<void>((resolve) => loads.set(sessionId, resolve));
    await send('Page.navigate', { url }, sessionId);
    await loaded;
    if (parts.has('quiet')) await send('Runtime.evaluate', { expression: quiet, awaitPromise: true }, sessionId);
    const expression = 'document.documentElement.outerHTML';
    const { result } = (await send('Runtime.evaluate', { expression, returnByValue: true }, sessionId)) as {
      result: { value: string };
    };
    for (const [, path = ''] of result.value.matchAll(/<a href="(\/p\/\d+)"/g)) {
      const link = new URL(path, start).href;
      if (seen.has(link)) continue;
      seen.add(link);
      queue.push(link);
    }
    done++;
  }
}

const startedAt = performance.now();
const cpuBefore = cpuSecondsOf(process.pid);
await Promise.all(Array.from({ length: tabs }, work));
const seconds = (performance.now() - startedAt) / 1000;
const processorMs = ((cpuSecondsOf(process.pid) - cpuBefore) * 1000) / done;
await send('Browser.close');
await new Promise((resolve) => browser.once('exit', resolve));
rmSync(userDataDir, { recursive: true, force: true });
await proxy?.close();
console.log(JSON.stringify({ pages: done, seconds, processorMs }));
process.exit(0);
