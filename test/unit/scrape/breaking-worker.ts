// A converter that stops in the middle of the page "break", and otherwise counts the pages it has had.
import { parentPort } from 'node:worker_threads';
import type { ConvertTask } from '../../../src/service/scrape/convert/tasks.ts';
import type { WorkerMessage } from '../../../src/service/scrape/convert/worker.ts';

const send = (message: WorkerMessage) => parentPort?.postMessage(message);
let pages = 0;
parentPort?.on('message', ({ body }: ConvertTask) => {
  pages++;
  if (Buffer.from(body).toString() === 'break') send({ failure: { kind: 'broken', message: 'it stopped' } });
  else
    send({
      result: { markdown: `page ${pages}`, contentLinks: [], images: [], links: [], metadata: {}, shell: false },
    });
});
send({ ready: true });
