import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parts } from '../../webviews/run-results/messages.ts';
import { messageOf } from '../ui/text/text.ts';
import { isLong, type LongParts, limits } from './run-history.ts';
import type { Run } from './run-store.ts';

/**
 * Keeps the long parts of runs in a folder, one file for each run, and deletes what is no longer listed. Reads and writes
 * happen one after another. A file that is missing or damaged is as if nothing was kept.
 */
export function createLongParts(folder: string, warn: (text: string) => void): LongParts {
  /** What the file of a run holds, so that it is written only when that changes. */
  const written = new Map<string, (string | undefined)[]>();
  let queue: Promise<unknown> = Promise.resolve();
  let next: { runs: readonly Run[] } | undefined;

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  }

  async function write(run: Run): Promise<void> {
    const texts = parts.map((part) => (isLong(run[part]) ? run[part] : undefined));
    const before = written.get(run.id) ?? [];
    if (texts.every((text, index) => text === before[index])) return;
    written.set(run.id, texts);
    const content = parts.map((part, index) => [part, texts[index]?.slice(0, limits.part)]);
    const file = join(folder, nameOf(run.id));
    const draft = `${file}.${randomUUID()}`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(draft, JSON.stringify(Object.fromEntries(content)), { mode: 0o600 });
    await rename(draft, file);
  }

  /** Deletes the files of runs that aren't listed, and the oldest ones for which there is no room. */
  async function trim(runs: readonly Run[]): Promise<void> {
    const left = new Set(await readdir(folder).catch(() => []));
    let bytes = 0;
    for (const { id } of runs) {
      const name = nameOf(id);
      if (!left.has(name)) continue;
      bytes += (await stat(join(folder, name))).size;
      if (bytes <= limits.all) left.delete(name);
    }
    for (const name of left) await rm(join(folder, name), { force: true });
    for (const id of written.keys()) if (!runs.some((run) => run.id === id)) written.delete(id);
  }

  return {
    save(runs) {
      const isQueued = next !== undefined;
      next = { runs };
      if (isQueued) return;
      void inTurn(async () => {
        const { runs: listed } = next ?? { runs };
        next = undefined;
        for (const run of listed) if (run.state !== 'running' && !run.unread) await write(run);
        await trim(listed);
      }).catch((error: unknown) => warn(`Long results can't be kept for a reload: ${messageOf(error)}`));
    },
    read: (id) =>
      inTurn(async () => {
        try {
          const stored: unknown = JSON.parse(await readFile(join(folder, nameOf(id)), 'utf8'));
          const texts = Object(stored) as Record<string, string | undefined>;
          const kept = parts.map((part) => (isLong(texts[part]) ? texts[part] : undefined));
          written.set(id, kept);
          return Object.fromEntries(parts.map((part, index) => [part, kept[index]]));
        } catch {
          return {};
        }
      }),
    idle: async () => void (await queue),
  };
}

/** IDs may come from a damaged history, so they are no file names. */
function nameOf(id: string): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`;
}
