import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { type Hunk, hunksOf } from '../changes/line-diff.ts';
import { UnreadableFile } from './files/file-errors.ts';
import { InvalidSelector } from './selectors/selectors.ts';
import { type CompareTask, type ConvertTask, convert } from './tasks.ts';

/** A message from a worker: `ready` once it has started, then a result or a failure for each task, and before that `progress` for each page of a PDF. */
export type WorkerMessage =
  | { ready: true }
  | { progress: true }
  | { result: Awaited<ReturnType<typeof convert>> | Hunk[] }
  | { failure: { kind: 'selector' | 'file' | 'page'; message: string } };

let last: Promise<void> = Promise.resolve();
let converted = 0;
/** After this many pages, most functions have been compiled. */
const pagesUntilFlush = 20;

// Results are sent in the order of the tasks: a page must not overtake the PDF before it.
parentPort?.on('message', (task: ConvertTask | CompareTask) => {
  last = last.then(() => run(task));
});

async function run(task: ConvertTask | CompareTask): Promise<void> {
  let message: WorkerMessage;
  try {
    message = {
      result:
        task.kind === 'compare'
          ? hunksOf(task.previous, task.current)
          : await convert(task, () => parentPort?.postMessage({ progress: true } satisfies WorkerMessage)),
    };
  } catch (error) {
    message = { failure: { kind: kindOf(error), message: error instanceof Error ? error.message : String(error) } };
  }
  parentPort?.postMessage(message);
  // Threads are terminated, when it is too late to save the compile cache.
  if (++converted === pagesUntilFlush) flushCompileCache();
}

function kindOf(error: unknown): 'selector' | 'file' | 'page' {
  if (error instanceof InvalidSelector) return 'selector';
  return error instanceof UnreadableFile ? 'file' : 'page';
}

parentPort?.postMessage({ ready: true } satisfies WorkerMessage);
