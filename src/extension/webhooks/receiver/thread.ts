import { parentPort } from 'node:worker_threads';
import { createCalls } from './calls.ts';
import type { FromThread, ToThread } from './messages.ts';

// The receiver has a thread to itself: what other extensions do to the extension host does not delay its answers,
// and its waits for the disk do not delay them.
const port = parentPort;
if (!port) throw new Error('The webhook receiver runs as a worker thread.');
const send = (message: FromThread) => port.postMessage(message);
const calls = createCalls((news) => send({ kind: 'news', news }));

port.on('message', async ({ id, name, params }: ToThread) => {
  try {
    const call = calls[name] as (params: unknown) => unknown;
    send({ kind: 'result', id, result: await call(params) });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    send({ kind: 'failure', id, message: message ?? String(error), code });
  }
});
