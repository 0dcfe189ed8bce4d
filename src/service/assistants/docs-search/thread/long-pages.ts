import type { Worker } from 'node:worker_threads';
import { currentAsker } from '../../../platform/asker.ts';
import { createPool } from '../../../platform/pool.ts';
import { limitOfWatched, watchHeap } from '../../../platform/system/watch-heap.ts';
import type { Corpus, NewPage } from '../index/passages.ts';
import { readPage } from '../index/source-files.ts';
import { askThread, startDocsThread } from './indexes.ts';

/** Longer pages, in characters, are read in threads of their own; shorter ones take less than a second, whatever they contain. */
const longPage = 200 * 1024;
/** Processor time for a page, in seconds, and MiB of heap: ordinary ones of 5 MB take less than a fifth of the time. */
const most = { seconds: 20, heap: 1000 };
/** A thread without a page for so many milliseconds ends. */
const idleMs = 5_000;

/** Returns what reads pages: the questions and pages of others never wait for a long one, and one that takes too much is ended. */
export function createPageReader({ seconds, heap } = most) {
  const idle: Worker[] = [];
  const pool = createPool(1, 3);
  const { signal } = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const endIdle = () => {
    for (const worker of idle.splice(0)) void worker.terminate();
  };

  async function readApart(page: NewPage, text: string): Promise<Corpus> {
    const resourceLimits = { maxOldGenerationSizeMb: limitOfWatched(heap) };
    const worker = idle.pop() ?? startDocsThread({ resourceLimits });
    let reason = `It takes more than ${heap.toLocaleString('en')} MB of memory to read.`;
    const onOver = (lack: 'memory' | 'time') => {
      if (lack === 'time') reason = `It takes more than ${seconds} seconds to read.`;
      void worker.terminate();
    };
    const endWatch = watchHeap(worker, heap, onOver, seconds * 1000);
    const reply = await askThread(worker, 'readPage', [page, text]).finally(endWatch);
    if (!reply) throw new Error(reason);
    idle.push(worker);
    clearTimeout(timer);
    timer = setTimeout(endIdle, idleMs).unref();
    return reply.result;
  }

  return async (page: NewPage, text: string): Promise<Corpus> => {
    if (text.length <= longPage) return await readPage(page, text);
    const release = await pool.acquire(currentAsker()?.team ?? '', signal);
    return await readApart(page, text).finally(release);
  };
}
