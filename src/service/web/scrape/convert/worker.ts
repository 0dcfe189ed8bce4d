import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { isLarge, joined, jsonChunks } from '../../../platform/large-json.ts';
import { type Hunk, hunksOf } from '../changes/line-diff.ts';
import { UnreadableFile } from './files/file-errors.ts';
import { InvalidSelector } from './selectors/selectors.ts';
import { type Claimable, type CompareTask, type ConvertResult, type ConvertTask, convert } from './tasks.ts';
import type { Wording } from './wording.ts';

/**
 * A message from a worker: `ready` once it has started, then a result or a failure for each task, and before that `progress` for
 * each further page of a PDF. A large result is JSON in UTF-8, which the receiver can read in short turns; its wording, which has
 * typed arrays, is beside it.
 */
export type WorkerMessage =
  | { ready: true }
  | { progress: true }
  | { result: ConvertResult | Hunk[] }
  | { json: Uint8Array<ArrayBuffer>; wording?: Wording | undefined }
  | { failure: { kind: FailureKind; message: string } };

type FailureKind = 'selector' | 'file' | 'timeout' | 'page';

/** Larger results than this are sent as JSON. */
const sentAsTheyAre = 4 * 1024 * 1024;
/** Characters that a page or file may be converted to: so many, and more for each of its bytes. */
const most = { characters: 32_000_000, perByte: 3 };

class TooLong extends Error {}

let last: Promise<void> = Promise.resolve();
let converted = 0;
/** After this many pages, most functions have been compiled. */
const pagesUntilFlush = 20;

// Results are sent in the order of the tasks: a page must not overtake the PDF before it.
parentPort?.on('message', (task: (ConvertTask | CompareTask) & Claimable) => {
  last = last.then(() => (Atomics.exchange(task.claim, 0, 1) === 0 ? run(task) : undefined));
});

async function run(task: ConvertTask | CompareTask): Promise<void> {
  let message: WorkerMessage;
  try {
    message = await resultOf(task);
  } catch (error) {
    message = { failure: { kind: kindOf(error), message: error instanceof Error ? error.message : String(error) } };
  }
  parentPort?.postMessage(message, 'json' in message ? [message.json.buffer] : []);
  // Threads are terminated, when it is too late to save the compile cache.
  if (++converted === pagesUntilFlush) flushCompileCache();
}

async function resultOf(task: ConvertTask | CompareTask): Promise<WorkerMessage> {
  if (task.kind === 'compare') return sent(hunksOf(task.previous, task.current));
  const { wording, ...result } = await convert(task, () =>
    parentPort?.postMessage({ progress: true } satisfies WorkerMessage),
  );
  const characters = most.characters + most.perByte * task.body.byteLength;
  if (!isLarge(result, characters)) return sent(result, wording);
  throw new TooLong(
    `The page is too complex: converted, it would have more than ${Math.floor(characters / 1e6)} million characters. Ask for fewer formats, or divide it.`,
  );
}

async function sent(result: ConvertResult | Hunk[], wording?: Wording): Promise<WorkerMessage> {
  if (isLarge(result, sentAsTheyAre)) return { json: await joined(await jsonChunks(result)), wording };
  return { result: wording ? { ...result, wording } : result };
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof TooLong) return 'timeout';
  if (error instanceof InvalidSelector) return 'selector';
  return error instanceof UnreadableFile ? 'file' : 'page';
}

parentPort?.postMessage({ ready: true } satisfies WorkerMessage);
