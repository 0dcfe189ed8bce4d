// A converter that fails with the page "break", never ends the page "wait", runs out of memory with "fill the memory", and
// otherwise counts the pages it has had.
import { parentPort } from 'node:worker_threads';
import type { ConvertTask } from '../../../src/service/web/scrape/convert/tasks.ts';
import type { WorkerMessage } from '../../../src/service/web/scrape/convert/worker.ts';

const send = (message: WorkerMessage) => parentPort?.postMessage(message);
let pages = 0;
parentPort?.on('message', ({ body }: ConvertTask) => {
  pages++;
  const page = Buffer.from(body).toString();
  if (page === 'wait') return;
  if (page === 'fill the memory') for (const kept: string[][] = []; ; ) kept.push(Array(100_000).fill(page));
  if (page === 'break') send({ failure: { kind: 'page', message: 'it stopped' } });
  else
    send({
      result: { markdown: `page ${pages}`, contentLinks: [], images: [], links: [], metadata: {}, need: 'no scripts' },
    });
});
send({ ready: true });
