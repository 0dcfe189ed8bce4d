// Converts large pages and files in a process of its own, which ends with the service.
import { writeFile } from 'node:fs/promises';
import { joined, jsonChunks } from '../../../platform/large-json.ts';
import { ConversionError, createConverters } from './convert.ts';
import type { FromProgram, ToProgram } from './converter-process.ts';

interface Asked {
  parts: Buffer[];
  canceled: AbortController;
  isAsked?: boolean;
}

const converters = createConverters();
const all = new Map<number, Asked>();

process.on('disconnect', () => process.exit());
// What ends all processes of the service, such as an interrupt at the terminal, is for the service, which may finish its work.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('message', ({ id, part, asked }: ToProgram) => {
  if (!part && !asked) return giveUp(id);
  const own = all.get(id) ?? { parts: [], canceled: new AbortController() };
  all.set(id, own);
  if (part) own.parts.push(Buffer.from(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength));
  if (!asked) return;
  own.isAsked = true;
  void answer(id, asked, own);
});
// When memory runs out, Linux ends this process rather than the service. Other systems have no such file.
void writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

function giveUp(id: number): void {
  const own = all.get(id);
  if (own?.isAsked) return own.canceled.abort();
  all.delete(id);
  tell({ id, end: { memory: process.memoryUsage.rss() } });
}

const tell = (message: FromProgram) => process.send?.(message);

async function answer(id: number, { task, options }: NonNullable<ToProgram['asked']>, own: Asked): Promise<void> {
  try {
    const body = await joined(own.parts.splice(0));
    const given = { ...options, keepsBody: false, signal: own.canceled.signal };
    const { wording, ...result } = await converters.convert({ ...task, body }, given);
    for (const json of await jsonChunks(result)) tell({ id, json });
    tell({ id, end: { memory: process.memoryUsage.rss(), wording } });
  } catch (error) {
    const { kind, message } = error instanceof ConversionError ? error : new ConversionError('page', String(error));
    tell({ id, end: { memory: process.memoryUsage.rss(), failure: { kind, message } } });
  } finally {
    all.delete(id);
  }
}
