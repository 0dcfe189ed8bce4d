import { parentPort } from 'node:worker_threads';
import { InvalidSelector } from './selectors.ts';
import { type ConvertTask, convert } from './tasks.ts';

/** What a worker answers: a result, or a failure that is the page's or the wish's. */
export type WorkerAnswer =
  | { result: Awaited<ReturnType<typeof convert>> }
  | { failure: { kind: 'selector' | 'page'; message: string } };

// One task at a time: whoever sends waits for the answer.
parentPort?.on('message', async (task: ConvertTask) => {
  let answer: WorkerAnswer;
  try {
    answer = { result: await convert(task) };
  } catch (error) {
    const kind = error instanceof InvalidSelector ? 'selector' : 'page';
    answer = { failure: { kind, message: error instanceof Error ? error.message : String(error) } };
  }
  parentPort?.postMessage(answer);
});
