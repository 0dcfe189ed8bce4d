import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { shorten } from '../../../contract/shorten.ts';
import { Signal } from '../../ui/lifecycle.ts';
import type { ReceiverCalls } from './calls.ts';
import type { FromThread, ReceiverUpdate } from './deliveries.ts';

/** A failed call to the receiver's thread, with Node's error code if there is one. */
export class ReceiverError extends Error {
  override name = 'ReceiverError';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** The receiver's thread, as used by the extension host. */
export type ReceiverThread = ReturnType<typeof startReceiverThread>;

/** Starts the receiver's thread. @param program path of the script it runs */
export function startReceiverThread(program: string) {
  const worker = new Worker(program, { name: 'webhook-receiver', stdout: true, stderr: true, execArgv: [] });
  const onUpdate = new Signal<ReceiverUpdate>();
  const onEnded = new Signal<string>();
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let ended: string | undefined;

  function end(message: string): void {
    if (ended !== undefined) return;
    ended = message;
    for (const { reject } of waiting.values()) reject(new ReceiverError(message, undefined));
    waiting.clear();
    onEnded.fire(message);
  }

  worker.on('message', (message: FromThread) => {
    if (message.kind === 'update') return onUpdate.fire(message.update);
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'result') call?.resolve(message.result);
    else call?.reject(new ReceiverError(message.message, message.code));
  });
  worker.on('error', (error) => end(l10n.t('The webhook receiver stopped unexpectedly: {0}', shorten(error.message))));
  worker.on('exit', () => end(l10n.t('The webhook receiver stopped unexpectedly.')));

  return {
    onUpdate,
    /** Fires with a message when the thread stops unexpectedly; all later calls reject. */
    onEnded,
    call<Name extends keyof ReceiverCalls>(
      name: Name,
      params: Parameters<ReceiverCalls[Name]>[0],
    ): Promise<Awaited<ReturnType<ReceiverCalls[Name]>>> {
      if (ended !== undefined) return Promise.reject(new ReceiverError(ended, undefined));
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, params });
      return promise as Promise<never>;
    },
    async dispose(): Promise<void> {
      ended ??= l10n.t('The webhook receiver was stopped.');
      for (const { reject } of waiting.values()) reject(new ReceiverError(ended, undefined));
      waiting.clear();
      await worker.terminate();
    },
  };
}
