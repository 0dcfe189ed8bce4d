import { transaction } from '../../../storage/storage.ts';
import type { Fleet } from '../../platform/fleet/fleet.ts';
import { type Database, type LeftBy, leftBehind } from '../../platform/storage/storage.ts';

/** The profiles that a browser will save, by digest: one browser each, by the table's primary key. */
export type WriterTable = ReturnType<typeof writerTable>;

/** @param node that of a fleet which writers belong to */
export function writerTable(database: Database, node?: Pick<Fleet, 'id' | 'claim'>) {
  return {
    /** Returns whether the profile had no writer. */
    async add(profile: string): Promise<boolean> {
      const insert = async (db: Database) => {
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('profile_writer')
          .values({ profile, node: node?.id ?? null })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      };
      if (!node) return await insert(database);
      return await transaction(database, async (tx) => {
        await node.claim(tx);
        return await insert(tx);
      });
    },
    async remove(profile: string): Promise<void> {
      const row = database.deleteFrom('profile_writer').where('profile', '=', profile);
      await (node ? row.where('node', '=', node.id) : row).execute();
    },
    async all(): Promise<Set<string>> {
      const rows = await database.selectFrom('profile_writer').select('profile').execute();
      return new Set(rows.map(({ profile }) => profile));
    },
    /** Calls `work` unless another node may write the profile by now; none may until `work` is done. Returns whether it was called. */
    async whileHeld(profile: string, work: () => Promise<void>): Promise<boolean> {
      if (!node) {
        await work();
        return true;
      }
      return await transaction(database, async (tx) => {
        const held = await tx
          .selectFrom('profile_writer')
          .select('profile')
          .where('profile', '=', profile)
          .where('node', '=', node.id)
          .forUpdate()
          .executeTakeFirst();
        if (held) await work();
        return held !== undefined;
      });
    },
    /** Removes writers that were left behind. */
    async clear(by: LeftBy): Promise<void> {
      await database.deleteFrom('profile_writer').where(leftBehind(by)).execute();
    },
  };
}
