import type { Worker } from 'node:worker_threads';
import { currentAsker } from '../../../platform/asker.ts';
import { createPool } from '../../../platform/pool.ts';
import { limitOfWatched, watchHeap } from '../../../platform/system/watch-heap.ts';
import type { Corpus, NewPage } from '../index/passages.ts';
import { isRestructuredText, readPage } from '../index/source-files.ts';
import { askThread, startDocsThread } from './indexes.ts';

/** Longer pages, in characters, are read in threads of their own; shorter ones take about a second at most, whatever they contain. */
const [longPage, longRestructuredText] = [200 * 1024, 50 * 1024];
/** Processor time for a page, in seconds, and MiB of heap: the densest ones of 5 MB, of list items or cells of one character each, take most of it. */
const most = { seconds: 20, heap: 3000 };
/** A thread without a page for so many milliseconds ends. */
const idleMs = 5_000;

/** A page takes more than it may, and will again. */
export class TooCostly extends Error {}

/** Returns what reads pages: the questions and pages of others never wait for a long one, and one that takes too much is ended. */
export function createPageReader({ seconds, heap } = most) {
  const idle: Worker[] = [];
  const pool = createPool(1, 1);
  const { signal } = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const endIdle = () => {
    for (const worker of idle.splice(0)) void worker.terminate();
  };

  async function readApart(page: NewPage, text: string): Promise<Corpus> {
    const used = idle.pop();
    const worker = used ?? startDocsThread({ resourceLimits: { maxOldGenerationSizeMb: limitOfWatched(heap) } });
    const tooMuch = `It takes more than ${heap.toLocaleString('en')} MB of memory to read.`;
    let reason = tooMuch;
    const onOver = (lack: 'memory' | 'time') => {
      if (lack === 'time') reason = `It takes more than ${seconds} seconds to read.`;
      void worker.terminate();
    };
    const endWatch = watchHeap(worker, heap, onOver, seconds * 1000);
    let reply: { result: Corpus } | undefined;
    try {
      reply = await askThread(worker, 'readPage', [page, text]);
    } finally {
      endWatch();
      if (reply) idle.push(worker);
      else void worker.terminate();
      clearTimeout(timer);
      timer = setTimeout(endIdle, idleMs).unref();
    }
    if (reply) return reply.result;
    if (!used || reason !== tooMuch) throw new TooCostly(reason);
    // The memory may have been what is left of the pages before.
    endIdle();
    return await readApart(page, text);
  }

  return async (page: NewPage, text: string): Promise<Corpus> => {
    if (text.length <= (isRestructuredText(page) ? longRestructuredText : longPage)) return await readPage(page, text);
    const release = await pool.acquire(currentAsker()?.team ?? '', signal);
    return await readApart(page, text).finally(release);
  };
}
