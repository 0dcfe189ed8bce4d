import { keepLast } from '../../platform/maps.ts';

/** Something that is kept, with a number that grows with each change of any. */
export interface Kept {
  id: string;
  version: number;
}

/** The newest entries of a session; the oldest go first. */
export function keepEntries<Entry extends Kept>(
  prefix: string,
  limit: number,
  onDrop: (entry: Entry) => void = () => undefined,
) {
  const entries = new Map<string, Entry>();
  let added = 0;
  let cursor = 0;
  let dropped = 0;
  return {
    /** Adds an entry, with an ID and a version of its own. */
    add(entry: Omit<Entry, keyof Kept>): Entry {
      const kept = { ...entry, id: `${prefix}${++added}`, version: ++cursor } as Entry;
      const oldest = keepLast(entries, kept.id, kept, limit);
      if (oldest) {
        dropped++;
        onDrop(oldest);
      }
      return kept;
    },
    /** Says that an entry has changed. */
    changed(entry: Entry): void {
      entry.version = ++cursor;
    },
    find: (id: string): Entry | undefined => entries.get(id),
    /** Oldest first. */
    list: (): Entry[] => [...entries.values()],
    /** Version of the newest change. */
    get cursor(): number {
      return cursor;
    },
    /** How many entries have gone. */
    get dropped(): number {
      return dropped;
    },
  };
}
