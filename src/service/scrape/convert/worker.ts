import { parentPort } from 'node:worker_threads';
import { InvalidSelector } from './selectors/selectors.ts';
import { type ConvertTask, convert } from './tasks.ts';

/** What a worker says: that it has started, then for each task a result, or a failure that is the page's or the wish's. */
export type WorkerAnswer =
  | { ready: true }
  | { result: Awaited<ReturnType<typeof convert>> }
  | { failure: { kind: 'selector' | 'page'; message: string } };

let last: Promise<void> = Promise.resolve();

// The answers come in the order of the tasks: a PDF must not be overtaken by the page after it.
parentPort?.on('message', (task: ConvertTask) => {
  last = last.then(() => answer(task));
});

async function answer(task: ConvertTask): Promise<void> {
  let said: WorkerAnswer;
  try {
    said = { result: await convert(task) };
  } catch (error) {
    const kind = error instanceof InvalidSelector ? 'selector' : 'page';
    said = { failure: { kind, message: error instanceof Error ? error.message : String(error) } };
  }
  parentPort?.postMessage(said);
}

parentPort?.postMessage({ ready: true } satisfies WorkerAnswer);
