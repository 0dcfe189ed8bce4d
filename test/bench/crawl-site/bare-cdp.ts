// `node bare-cdp.ts URL PAGES BROWSER`: loads linked pages in 4 tabs of a browser over raw CDP and only reads their HTML:
// navigate, DOMContentLoaded, outerHTML.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { chromeFlags } from '../../../src/service/chrome/flags.ts';
import { openPipe } from '../../../src/service/chrome/pipe.ts';

const [start = '', count, browserPath = ''] = process.argv.slice(2);
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
pipe.onMessage(({ id, method, result, sessionId }) => {
  if (id !== undefined) replies.get(id)?.(result ?? {});
  else if (method === 'Page.domContentEventFired') loads.get(sessionId ?? '')?.();
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

async function work(): Promise<void> {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
  await send('Page.enable', {}, sessionId);
  while (done < pages) {
    const url = queue.shift();
    if (url === undefined) {
      await new Promise(setImmediate);
      continue;
    }
    const loaded = new Promise<void>((resolve) => loads.set(sessionId, resolve));
    await send('Page.navigate', { url }, sessionId);
    await loaded;
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
await Promise.all(Array.from({ length: tabs }, work));
const seconds = (performance.now() - startedAt) / 1000;
await send('Browser.close');
await new Promise((resolve) => browser.once('exit', resolve));
rmSync(userDataDir, { recursive: true, force: true });
console.log(JSON.stringify({ pages: done, seconds }));
process.exit(0);
