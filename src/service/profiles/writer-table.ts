import type { Database } from '../storage/storage.ts';

/** The profiles that a browser will save, by digest: one browser each, by the table's primary key. */
export interface WriterTable {
  /** Returns whether the profile had no writer. */
  add(profile: string): Promise<boolean>;
  remove(profile: string): Promise<void>;
  all(): Promise<Set<string>>;
  /** Removes the writers that a service which stopped unexpectedly left. */
  clear(): Promise<void>;
}

export function writerTable(database: Database): WriterTable {
  return {
    async add(profile) {
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('profile_writer')
        .values({ profile })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    async remove(profile) {
      await database.deleteFrom('profile_writer').where('profile', '=', profile).execute();
    },
    async all() {
      const rows = await database.selectFrom('profile_writer').select('profile').execute();
      return new Set(rows.map(({ profile }) => profile));
    },
    async clear() {
      await database.deleteFrom('profile_writer').execute();
    },
  };
}
