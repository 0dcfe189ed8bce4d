// A converter that fails with the page "break", never ends the pages "wait" and, doing nothing else, "hold", runs out of memory
// with "fill the memory", needs a long text for "swell", and otherwise counts the pages it has had.
import { parentPort } from 'node:worker_threads';
import type { Claimable, ConvertTask } from '../../../src/service/web/scrape/convert/tasks.ts';
import type { WorkerMessage } from '../../../src/service/web/scrape/convert/worker.ts';

const send = (message: WorkerMessage) => parentPort?.postMessage(message);
let pages = 0;
parentPort?.on('message', ({ body, claim }: ConvertTask & Claimable) => {
  if (Atomics.exchange(claim, 0, 1) === 1) return;
  pages++;
  const page = Buffer.from(body).toString();
  if (page === 'wait') return;
  if (page === 'hold') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (page === 'fill the memory') for (const kept: string[][] = []; ; ) kept.push(Array(100_000).fill(page));
  // As one text, it takes more memory at once than V8 lets a thread be beyond its limit.
  if (page === 'swell') while (Array.from({ length: 20_000 }, () => 'x'.repeat(20_000)).join('\u{e9}') !== '');
  if (page === 'break') send({ failure: { kind: 'page', message: 'it stopped' } });
  else
    send({
      result: { markdown: `page ${pages}`, contentLinks: [], images: [], links: [], metadata: {}, need: 'no scripts' },
    });
});
send({ ready: true });
