import * as l10n from '@vscode/l10n';
import { dateOnly, timeOfDay } from '../ui/text/dates.ts';
import type { ActivityEntry } from './activity-store.ts';

export interface ActivityGroup {
  /** Stable while the group stands for the same day part. */
  readonly id: string;
  readonly label: string;
  readonly entries: readonly ActivityEntry[];
}

/** Names of the four parts of today, of yesterday and of an earlier day. */
const partNames = [
  { today: l10n.t('Early today'), yesterday: l10n.t('Early yesterday'), earlier: l10n.t('{0}, night') },
  { today: l10n.t('This morning'), yesterday: l10n.t('Yesterday morning'), earlier: l10n.t('{0}, morning') },
  { today: l10n.t('This afternoon'), yesterday: l10n.t('Yesterday afternoon'), earlier: l10n.t('{0}, afternoon') },
  { today: l10n.t('This evening'), yesterday: l10n.t('Yesterday evening'), earlier: l10n.t('{0}, evening') },
] as const;
const quarterMs = 15 * 60_000;

/** Groups the entries by day part, newest first. Keeps the order within a group. */
export function groupEntries(entries: readonly ActivityEntry[], now: number): ActivityGroup[] {
  const groups = new Map<string, { id: string; label: string; entries: ActivityEntry[] }>();
  const groupOf = dayParts(now);
  for (const entry of entries) {
    const { id, label } = groupOf(entry);
    const group = groups.get(id);
    if (group) group.entries.push(entry);
    else groups.set(id, { id, label, entries: [entry] });
  }
  return [...groups.values()];
}

/** Every quarter of an hour falls into one day part in any time zone, so each is computed once. */
function dayParts(now: number): (entry: ActivityEntry) => { id: string; label: string } {
  const known = new Map<number, { id: string; label: string }>();
  const today = new Date(now);
  return ({ createdAt }) => {
    if (createdAt === undefined) return { id: 'time unknown', label: l10n.t('No date') };
    const quarter = Math.floor(createdAt / quarterMs);
    const cached = known.get(quarter);
    if (cached) return cached;
    const part = dayPart(new Date(createdAt), today);
    known.set(quarter, part);
    return part;
  };
}

function dayPart(date: Date, today: Date): { id: string; label: string } {
  const part = Math.floor(date.getHours() / 6);
  const names = partNames[part] ?? partNames[0];
  const id = `time ${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()} ${part}`;
  const daysAgo = Math.round((startOfDay(today) - startOfDay(date)) / (24 * 60 * 60_000));
  if (daysAgo === 0) return { id, label: names.today };
  if (daysAgo === 1) return { id, label: names.yesterday };
  return { id, label: names.earlier.replace('{0}', dateOnly(date.getTime())) };
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

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
    const segments = Map.groupBy(group.entries, (entry) => this.#of.get(entry));
    return [...segments].flatMap(([segment, entries], index) => {
      if (!segment) return [];
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
