import { parentPort } from 'node:worker_threads';
import { createCalls } from './calls.ts';
import type { FromThread, ToThread } from './deliveries.ts';

// The receiver runs in its own thread, so that a busy extension host doesn't delay its responses,
// and its disk writes don't block the extension host.
const port = parentPort;
if (!port) throw new Error('The webhook receiver runs as a worker thread.');
const send = (message: FromThread) => port.postMessage(message);
const calls = createCalls((update) => send({ kind: 'update', update }));

port.on('message', async ({ id, name, params }: ToThread) => {
  try {
    const call = calls[name] as (params: unknown) => unknown;
    send({ kind: 'result', id, result: await call(params) });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    send({ kind: 'failure', id, message: message ?? String(error), code });
  }
});
