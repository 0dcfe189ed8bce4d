import { transaction } from '../../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Database, Schema } from './schema.ts';

/** Sets rows that can't be read aside, so that they stop nothing else. */
export type Unreadable = ReturnType<typeof createUnreadable>;

export function createUnreadable(database: Database, log: Log, now: () => number) {
  /**
   * Copies a row to `unreadable_row` and names it in the log. Never rejects.
   * @param removal removes the row from its table, or replaces the part of it that can't be read
   */
  async function setAside(
    source: keyof Schema,
    row: { id: string },
    reason: string,
    removal: (tx: Database) => { execute(): Promise<unknown> },
  ): Promise<void> {
    try {
      await transaction(database, async (tx) => {
        await tx
          .insertInto('unreadable_row')
          .values({ source, content: contentOf(row), reason, found_at: now() })
          .execute();
        await removal(tx).execute();
      });
      log.error({ source, id: row.id, reason }, 'a row was unreadable: set it aside');
    } catch (error) {
      log.error({ source, id: row.id, reason: messageOf(error) }, "an unreadable row couldn't be set aside");
    }
  }

  return {
    setAside,
    /** Returns what `read` makes of rows. Those for which it throws are set aside. */
    async readable<Stored extends { id: string }, Value>(
      source: 'agent_job' | 'crawl_job' | 'scrape_job',
      rows: readonly Stored[],
      read: (row: Stored) => Value | Promise<Value>,
    ): Promise<Value[]> {
      const found: Value[] = [];
      for (const row of rows) {
        try {
          found.push(await read(row));
        } catch (error) {
          // Kysely has types for one table at a time; all of these have such an ID.
          await setAside(source, row, messageOf(error), (tx) =>
            tx.deleteFrom(source as 'scrape_job').where('id', '=', row.id),
          );
        }
      }
      return found;
    },
  };
}

/** Returns a row as JSON, with bytes in base64. */
function contentOf(row: object): string {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}
