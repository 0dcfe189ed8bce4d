import { transaction } from '../../storage/storage.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Database, Schema } from './schema.ts';

/** Sets rows that can't be read aside, so that they stop nothing else. */
export interface Unreadable {
  /** Moves a row to `unreadable_row` and names it in the log. Never rejects. @param removal removes the row from its table */
  setAside(
    source: keyof Schema,
    row: { id: string },
    reason: string,
    removal: (tx: Database) => { execute(): Promise<unknown> },
  ): Promise<void>;
}

export function createUnreadable(database: Database, log: Log, now: () => number): Unreadable {
  return {
    async setAside(source, row, reason, removal) {
      try {
        await transaction(database, async (tx) => {
          await tx
            .insertInto('unreadable_row')
            .values({ source, content: JSON.stringify(row), reason, found_at: now() })
            .execute();
          await removal(tx).execute();
        });
        log.error({ source, id: row.id, reason }, 'a row was unreadable: set it aside');
      } catch (error) {
        log.error({ source, id: row.id, reason: messageOf(error) }, "an unreadable row couldn't be set aside");
      }
    },
  };
}
