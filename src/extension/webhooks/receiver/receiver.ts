import { Worker } from 'node:worker_threads';
import { Signal } from '../../ui/lifecycle.ts';
import type { FromThread, ReceiverCallName, ReceiverCalls, ReceiverNews } from './messages.ts';

/** The thread's refusal of a call, with Node's code where there is one. */
export class ReceiverError extends Error {
  override name = 'ReceiverError';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** The receiver's thread as the extension sees it. */
export interface ReceiverThread {
  readonly onNews: Signal<ReceiverNews>;
  /** The thread died; every later call rejects. */
  readonly onEnded: Signal<string>;
  call<Name extends ReceiverCallName>(
    name: Name,
    params: ReceiverCalls[Name]['params'],
  ): Promise<ReceiverCalls[Name]['result']>;
  dispose(): Promise<void>;
}

/** Starts the thread. @param program path of the program that it runs */
export function startReceiverThread(program: string): ReceiverThread {
  const worker = new Worker(program, { name: 'webhook-receiver', stdout: true, stderr: true, execArgv: [] });
  const onNews = new Signal<ReceiverNews>();
  const onEnded = new Signal<string>();
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let ended: string | undefined;

  function end(why: string): void {
    if (ended !== undefined) return;
    ended = why;
    for (const { reject } of waiting.values()) reject(new ReceiverError(why, undefined));
    waiting.clear();
    onEnded.fire(why);
  }

  worker.on('message', (message: FromThread) => {
    if (message.kind === 'news') return onNews.fire(message.news);
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'result') asked?.resolve(message.result);
    else asked?.reject(new ReceiverError(message.message, message.code));
  });
  worker.on('error', (error) => end(`The webhook receiver failed: ${error.message}`));
  worker.on('exit', () => end('The webhook receiver ended.'));

  return {
    onNews,
    onEnded,
    call(name, params) {
      if (ended !== undefined) return Promise.reject(new ReceiverError(ended, undefined));
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, params });
      return promise as Promise<never>;
    },
    async dispose() {
      ended ??= 'The webhook receiver was stopped.';
      for (const { reject } of waiting.values()) reject(new ReceiverError(ended, undefined));
      waiting.clear();
      await worker.terminate();
    },
  };
}
