/** Something that is kept, with a number that grows with each change of any. */
export interface Kept {
  id: string;
  version: number;
}

/** The newest entries of a session; the oldest go first. */
export interface KeptEntries<Entry extends Kept> {
  /** Adds an entry, with an ID and a version of its own. */
  add(entry: Omit<Entry, keyof Kept>): Entry;
  /** Says that an entry has changed. */
  changed(entry: Entry): void;
  find(id: string): Entry | undefined;
  /** Oldest first. */
  list(): Entry[];
  /** Version of the newest change. */
  readonly cursor: number;
  /** How many entries have gone. */
  readonly dropped: number;
}

export function keepEntries<Entry extends Kept>(
  prefix: string,
  limit: number,
  onDrop: (entry: Entry) => void = () => undefined,
): KeptEntries<Entry> {
  const entries = new Map<string, Entry>();
  let added = 0;
  let cursor = 0;
  let dropped = 0;
  return {
    add(entry) {
      const kept = { ...entry, id: `${prefix}${++added}`, version: ++cursor } as Entry;
      entries.set(kept.id, kept);
      if (entries.size > limit) {
        const [oldest] = entries.values();
        entries.delete(oldest?.id ?? '');
        dropped++;
        if (oldest) onDrop(oldest);
      }
      return kept;
    },
    changed(entry) {
      entry.version = ++cursor;
    },
    find: (id) => entries.get(id),
    list: () => [...entries.values()],
    get cursor() {
      return cursor;
    },
    get dropped() {
      return dropped;
    },
  };
}
