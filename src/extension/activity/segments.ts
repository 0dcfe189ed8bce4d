import { timeOfDay } from '../ui/text.ts';
import type { ActivityGroup } from './activity-groups.ts';
import type { ActivityEntry } from './activity-store.ts';

interface Segment {
  readonly id: string;
  size: number;
}

/** A tree reads all rows of a group again when one of them changes: no group is to have many more than this. */
export const mostRows = 250;

/** Cuts large groups into segments of neighbours. A row stays in its segment, and with it the person's place and selection. */
export class Segments {
  #of = new WeakMap<ActivityEntry, Segment>();
  /** Group id -> segments that it was given so far. */
  #counts = new Map<string, number>();

  /** The groups in their order, large ones as several. */
  cut(groups: readonly ActivityGroup[]): ActivityGroup[] {
    return groups.flatMap((group) => this.#cutGroup(group));
  }

  #cutGroup(group: ActivityGroup): ActivityGroup[] {
    this.#assign(group);
    const segments = new Map<Segment, ActivityEntry[]>();
    for (const entry of group.entries) {
      const segment = this.#of.get(entry);
      if (!segment) continue;
      const rows = segments.get(segment);
      if (rows) rows.push(entry);
      else segments.set(segment, [entry]);
    }
    return [...segments].map(([segment, entries], index) => {
      segment.size = entries.length;
      return { id: segment.id, label: index === 0 ? group.label : laterLabel(group.label, entries), entries };
    });
  }

  /** Gives new rows to the segment next to them, and to new ones where that is full. */
  #assign({ id, entries }: ActivityGroup): void {
    const firstKnown = entries.findIndex((entry) => this.#of.has(entry));
    let segment: Segment | undefined;
    for (const entry of entries.slice(Math.max(0, firstKnown))) {
      segment = this.#of.get(entry) ?? this.#put(entry, segment, id);
    }
    if (firstKnown <= 0) return;
    // From the known ones upwards: the newest are in the segment that has room.
    const first = entries[firstKnown];
    let above = first && this.#of.get(first);
    for (const entry of entries.slice(0, firstKnown).reverse()) above = this.#put(entry, above, id);
  }

  #put(entry: ActivityEntry, neighbour: Segment | undefined, groupId: string): Segment {
    const segment = neighbour && neighbour.size < mostRows ? neighbour : this.#made(groupId);
    segment.size++;
    this.#of.set(entry, segment);
    return segment;
  }

  #made(groupId: string): Segment {
    const count = (this.#counts.get(groupId) ?? 0) + 1;
    this.#counts.set(groupId, count);
    return { id: count === 1 ? groupId : `${groupId} #${count}`, size: 0 };
  }
}

function laterLabel(label: string, [first]: readonly ActivityEntry[]): string {
  return first?.createdAt === undefined ? `${label}, more` : `${label}, from ${timeOfDay(first.createdAt)} back`;
}
