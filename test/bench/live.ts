import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startChromium } from '../harness/chromium.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { openViewer, type TestViewer } from '../harness/live-viewer.ts';
import { call, spawnService } from '../harness/service.ts';
import { median, printTarget, round } from './figures.ts';

const rounds = 8;
const watchMs = 4_000;
const presses = 12;
/** In bytes: a frame of the page is larger, a frame of its cover smaller. */
const coverBytes = 40_000;

/** Twelve boxes that move over a long text. A click covers everything with black, the next one uncovers it. */
const page = `<title>bench</title><body style="margin:0;font:14px sans-serif"><div id="text"></div><script>
text.textContent = Array.from({ length: 1500 }, (_, index) => 'Line ' + index + ' of a text that is long enough.').join(' ');
const boxes = Array.from({ length: 12 }, (_, index) => {
  const box = document.body.appendChild(document.createElement('div'));
  box.style.cssText = 'position:fixed;width:90px;height:90px;background:hsl(' + index * 30 + ',80%,50%)';
  return box;
});
const cover = document.body.appendChild(document.createElement('div'));
cover.style.cssText = 'position:fixed;inset:0;background:black;display:none';
addEventListener('mousedown', () => { cover.style.display = cover.style.display === 'none' ? 'block' : 'none' });
const beat = document.body.appendChild(document.createElement('div'));
beat.style.cssText = 'position:fixed;right:0;bottom:0;width:4px;height:4px';
let tick = 0;
const move = () => {
  tick++;
  boxes.forEach((box, index) => { box.style.transform = 'translate(' + (600 + 550 * Math.sin(tick / 40 + index)) + 'px,' + (300 + 280 * Math.cos(tick / 30 + index * 2)) + 'px)' });
  beat.style.background = tick % 2 ? '#111' : '#222';
  requestAnimationFrame(move);
};
move();
</script>`;

/** A viewer that receives frames and sends mouse input. */
interface Watcher {
  start(): Promise<void>;
  stop(): Promise<void>;
  press(): void;
  /** Called with the size of each frame. */
  onPicture: (bytes: number) => void;
}

/** Connects to Chrome directly over CDP. */
async function rawClient(url: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  const listeners = new Map<string, (params: Record<string, unknown>) => void>();
  let lastId = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.id) waiting.get(message.id)?.(message.result ?? {});
    else listeners.get(message.method)?.(message.params);
  });
  return {
    on: (event: string, listener: (params: Record<string, unknown>) => void) => listeners.set(event, listener),
    send(method: string, params: object = {}, sessionId?: string) {
      const id = ++lastId;
      socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
      return new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
    },
    close: () => socket.close(),
  };
}

type Raw = Awaited<ReturnType<typeof rawClient>>;

function rawWatcher(raw: Raw, session: string): Watcher {
  const watcher: Watcher = {
    onPicture: () => undefined,
    start: async () => {
      raw.on('Page.screencastFrame', ({ data, sessionId }) => {
        void raw.send('Page.screencastFrameAck', { sessionId }, session);
        watcher.onPicture(Buffer.from(String(data), 'base64').length);
      });
      await raw.send('Page.startScreencast', { format: 'jpeg', quality: 80 }, session);
    },
    stop: async () => void (await raw.send('Page.stopScreencast', {}, session)),
    press: () => {
      const at = { x: 300, y: 300, button: 'left', clickCount: 1 };
      void raw.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at, buttons: 1 }, session);
      void raw.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at, buttons: 0 }, session);
    },
  };
  return watcher;
}

function liveWatcher(url: string): Watcher {
  let viewer: TestViewer | undefined;
  const watcher: Watcher = {
    onPicture: () => undefined,
    start: async () => {
      viewer = await openViewer(url, { onFrame: ({ jpeg }) => watcher.onPicture(jpeg.length) });
    },
    stop: async () => viewer?.close(),
    press: () => {
      for (const [action, buttons] of [
        ['down', 1],
        ['up', 0],
      ] as const) {
        viewer?.send({ type: 'mouse', action, x: 300, y: 300, button: 'left', buttons, clicks: 1, modifiers: 0 });
      }
    },
  };
  return watcher;
}

/** Frames per second, from the first one on. */
async function rateOf(watcher: Watcher): Promise<number> {
  let seen = 0;
  watcher.onPicture = () => seen++;
  while (seen < 10) await sleep(10);
  seen = 0;
  const begun = performance.now();
  await sleep(watchMs);
  return (seen * 1000) / (performance.now() - begun);
}

/** Waits for several consecutive frames with or without the cover. */
function picturesOf(watcher: Watcher, covered: boolean, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    watcher.onPicture = (bytes) => {
      seen = bytes < coverBytes === covered ? seen + 1 : 0;
      if (seen === count) resolve();
    };
  });
}

/** Milliseconds from clicks to the frames that show them. */
async function delaysOf(watcher: Watcher): Promise<number[]> {
  const delays: number[] = [];
  let covered = false;
  for (let count = 0; count < presses; count++) {
    covered = !covered;
    const wanted = covered;
    // Earlier frames that are still in transit do not count.
    await picturesOf(watcher, !wanted, 3);
    const shown = new Promise<void>((resolve) => {
      watcher.onPicture = (bytes) => {
        if (bytes < coverBytes === wanted) resolve();
      };
    });
    const begun = performance.now();
    watcher.press();
    const late = await Promise.race([shown, sleep(5_000).then(() => true)]);
    if (late) throw new Error('A click was not shown within 5 s.');
    delays.push(performance.now() - begun);
    // Not in sync with the page's animation.
    await sleep(60 + Math.random() * 40);
  }
  return delays;
}

/** A live view and raw CDP in turn, on the same animated page of the same browser, 1280x720, JPEG q80. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const chromium = await startChromium();
  const { child, line, exited } = await spawnService([
    '--data-dir',
    join(folder, 'data'),
    '--browser-endpoint',
    chromium.cdpUrl,
  ]);
  try {
    const { body: session } = await call<{ id: string; liveViewUrl: string; interactiveLiveViewUrl: string }>(
      line.baseUrl,
      line.apiKey ?? '',
      'POST',
      '/v2/browser',
      { ttl: 3600, activityTtl: 3600 },
    );
    const probe = await openViewer(session.interactiveLiveViewUrl);
    const { shown } = await probe.said('tabs');
    await probe.close();
    const raw = await rawClient(chromium.cdpUrl);
    const attached = await raw.send('Target.attachToTarget', { targetId: shown, flatten: true });
    const rawSession = String(attached.sessionId);
    await raw.send('Page.enable', {}, rawSession);
    const size = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };
    await raw.send('Emulation.setDeviceMetricsOverride', size, rawSession);
    await raw.send('Emulation.setFocusEmulationEnabled', { enabled: true }, rawSession);
    const { frameTree } = (await raw.send('Page.getFrameTree', {}, rawSession)) as {
      frameTree: { frame: { id: string } };
    };
    await raw.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html: page }, rawSession);

    const watchers = { raw: rawWatcher(raw, rawSession), live: liveWatcher(session.interactiveLiveViewUrl) };
    const figures = {
      raw: { rates: [] as number[], delays: [] as number[] },
      live: { rates: [] as number[], delays: [] as number[] },
    };
    for (let each = 0; each < rounds; each++) {
      for (const name of each % 2 ? (['live', 'raw'] as const) : (['raw', 'live'] as const)) {
        await watchers[name].start();
        figures[name].rates.push(await rateOf(watchers[name]));
        figures[name].delays.push(...(await delaysOf(watchers[name])));
        await watchers[name].stop();
      }
    }
    console.table(
      Object.fromEntries(
        Object.entries(figures).map(([name, { rates, delays }]) => [
          name,
          {
            'fps median': round(median(rates)),
            'fps min': round(Math.min(...rates)),
            'fps max': round(Math.max(...rates)),
            'input to frame, median ms': round(median(delays)),
            'min ms': round(Math.min(...delays)),
            'max ms': round(Math.max(...delays)),
            n: delays.length,
          },
        ]),
      ),
    );
    const share = median(figures.live.rates) / median(figures.raw.rates);
    printTarget('frames per second, relative to raw CDP', share, 'at least 0.95', share >= 0.95);
    const over = median(figures.live.delays) - median(figures.raw.delays);
    printTarget('ms from input to frame, more than raw CDP', over, 'at most 10', over <= 10);

    await measureSilentViewer(session.liveViewUrl, line.pid);
    await measureTen(session.liveViewUrl);
    raw.close();
  } finally {
    child.kill('SIGTERM');
    await exited;
    await chromium.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The cost of a viewer that never reads, in memory and in frames of another viewer. */
async function measureSilentViewer(url: string, pid: number): Promise<void> {
  const beside = liveWatcher(url);
  await beside.start();
  const alone: number[] = [];
  const together: number[] = [];
  const memory: { alone: number[]; together: number[] } = { alone: [], together: [] };
  for (let each = 0; each < 4; each++) {
    alone.push(await rateOf(beside));
    memory.alone.push(residentMb(pid));
    const { port, pathname } = new URL(url);
    const stalled = connect(Number(port), '127.0.0.1');
    stalled.on('error', () => undefined);
    stalled.write(
      `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
    );
    await once(stalled, 'readable');
    together.push(await rateOf(beside));
    memory.together.push(residentMb(pid));
    stalled.destroy();
  }
  await beside.stop();
  const share = median(together) / median(alone);
  printTarget(
    'frames per second beside a viewer that never reads, relative to alone',
    share,
    'at least 0.95',
    share >= 0.95,
  );
  const grown = median(memory.together) - median(memory.alone);
  printTarget('memory of the service that it uses, MB', grown, 'under 5', grown < 5);
}

async function measureTen(url: string): Promise<void> {
  const viewers: TestViewer[] = [];
  for (let count = 0; count < 10; count++) viewers.push(await openViewer(url));
  await sleep(1_000);
  const before = viewers.map((viewer) => viewer.frames);
  const begun = performance.now();
  await sleep(watchMs * 2);
  const seconds = (performance.now() - begun) / 1000;
  const rates = viewers.map((viewer, index) => (viewer.frames - (before[index] ?? 0)) / seconds);
  for (const viewer of viewers) await viewer.close();
  printTarget(
    'frames per second of the slowest of ten viewers',
    Math.min(...rates),
    'at least 15',
    Math.min(...rates) >= 15,
  );
}

/** Resident memory in megabytes; NaN where the system does not report it. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
