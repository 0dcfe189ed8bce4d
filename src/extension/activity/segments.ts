import * as l10n from '@vscode/l10n';
import { timeOfDay } from '../ui/text/dates.ts';
import type { ActivityGroup } from './activity-groups.ts';
import type { ActivityEntry } from './activity-store.ts';

interface Segment {
  readonly id: string;
  size: number;
}

/** The target size of a group. A tree reads all rows of a group again when one of them changes, so groups stay small. */
export const maxRows = 250;

/** Splits large groups into segments of adjacent rows. A row stays in its segment, which keeps the scroll position and selection. */
export class Segments {
  #of = new WeakMap<ActivityEntry, Segment>();
  /** Group id -> number of segments created for it. */
  #counts = new Map<string, number>();

  /** Returns the groups in order, with large ones split into several. */
  split(groups: readonly ActivityGroup[]): ActivityGroup[] {
    return groups.flatMap((group) => this.#splitGroup(group));
  }

  #splitGroup(group: ActivityGroup): ActivityGroup[] {
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

  /** Adds new rows to the adjacent segment, or to a new one if that is full. */
  #assign({ id, entries }: ActivityGroup): void {
    const firstKnown = entries.findIndex((entry) => this.#of.has(entry));
    let segment: Segment | undefined;
    for (const entry of entries.slice(Math.max(0, firstKnown))) {
      segment = this.#of.get(entry) ?? this.#put(entry, segment, id);
    }
    if (firstKnown <= 0) return;
    // From the first known row upward: the newest rows go to the segment that has room.
    const first = entries[firstKnown];
    let above = first && this.#of.get(first);
    for (const entry of entries.slice(0, firstKnown).reverse()) above = this.#put(entry, above, id);
  }

  #put(entry: ActivityEntry, neighbor: Segment | undefined, groupId: string): Segment {
    const segment = neighbor && neighbor.size < maxRows ? neighbor : this.#createSegment(groupId);
    segment.size++;
    this.#of.set(entry, segment);
    return segment;
  }

  #createSegment(groupId: string): Segment {
    const count = (this.#counts.get(groupId) ?? 0) + 1;
    this.#counts.set(groupId, count);
    return { id: count === 1 ? groupId : `${groupId} #${count}`, size: 0 };
  }
}

function laterLabel(label: string, [first]: readonly ActivityEntry[]): string {
  return first?.createdAt === undefined
    ? l10n.t('{0}, more', label)
    : l10n.t('{0}, from {1} back', label, timeOfDay(first.createdAt));
}
