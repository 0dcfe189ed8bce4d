import { type Clock, pause } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { SessionPage } from './session-table.ts';

/**
 * Stores what browsers say about the pages of sessions. It is only for show: the latest page of a session replaces
 * earlier ones that wait, and one that can't be stored is dropped after some attempts.
 */
export type PageNotes = ReturnType<typeof createPageNotes>;

const retryMs = 5_000;
const attempts = 3;

export function createPageNotes(
  store: (pages: readonly SessionPage[]) => Promise<void>,
  { clock, log }: { clock: Clock; log: Log },
) {
  const waiting = new Map<string, { page: SessionPage; onStored(): void }>();
  let writing: Promise<void> | undefined;
  const closing = new AbortController();

  async function write(): Promise<void> {
    for (let failures = 0; waiting.size > 0; ) {
      const notes = [...waiting.values()];
      waiting.clear();
      try {
        await store(notes.map(({ page }) => page));
        failures = 0;
        for (const { onStored } of notes) onStored();
      } catch (error) {
        log.warn({ reason: messageOf(error) }, "the pages of sessions couldn't be stored");
        if (closing.signal.aborted || ++failures === attempts) return;
        for (const note of notes) if (!waiting.has(note.page.id)) waiting.set(note.page.id, note);
        await pause(retryMs, clock, closing.signal).catch(() => undefined);
      }
    }
  }

  return {
    /** Stores a page soon, then calls `onStored`. Never throws. */
    note(page: SessionPage, onStored: () => void): void {
      if (closing.signal.aborted) return;
      waiting.set(page.id, { page, onStored });
      writing ??= write().finally(() => {
        writing = undefined;
      });
    },
    /** Stores what waits, with one attempt. */
    async close(): Promise<void> {
      closing.abort();
      await writing;
    },
  };
}
