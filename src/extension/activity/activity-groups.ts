import type { ActivityEntry } from './activity-store.ts';
import { kindOf } from './kinds.ts';

export type Grouping = 'time' | 'endpoint';

export interface ActivityGroup {
  /** The same as long as the group is about the same. */
  readonly id: string;
  readonly label: string;
  readonly entries: readonly ActivityEntry[];
}

const partNames = ['night', 'morning', 'afternoon', 'evening'];
const quarterMs = 15 * 60_000;

/** The entries in groups: day parts newest first, or kinds with the one asked for last on top. Order within a group stays. */
export function groupEntries(entries: readonly ActivityEntry[], by: Grouping, now: number): ActivityGroup[] {
  const groups = new Map<string, { id: string; label: string; entries: ActivityEntry[] }>();
  const place = by === 'time' ? dayParts(now) : byKind;
  for (const entry of entries) {
    const { id, label } = place(entry);
    const group = groups.get(id);
    if (group) group.entries.push(entry);
    else groups.set(id, { id, label, entries: [entry] });
  }
  return [...groups.values()];
}

function byKind({ endpoint }: ActivityEntry): { id: string; label: string } {
  const { id, plural } = kindOf(endpoint);
  return { id: `kind ${id}`, label: plural };
}

/** Quarters of an hour lie in one part of one day, whatever the time zone: each is looked at once. */
function dayParts(now: number): (entry: ActivityEntry) => { id: string; label: string } {
  const known = new Map<number, { id: string; label: string }>();
  const today = new Date(now);
  return ({ createdAt }) => {
    if (createdAt === undefined) return { id: 'time unknown', label: 'No date' };
    const quarter = Math.floor(createdAt / quarterMs);
    const there = known.get(quarter);
    if (there) return there;
    const made = dayPart(new Date(createdAt), today);
    known.set(quarter, made);
    return made;
  };
}

function dayPart(date: Date, today: Date): { id: string; label: string } {
  const part = Math.floor(date.getHours() / 6);
  const name = partNames[part] ?? '';
  const id = `time ${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()} ${part}`;
  const daysAgo = Math.round((startOfDay(today) - startOfDay(date)) / (24 * 60 * 60_000));
  if (daysAgo === 0) return { id, label: part === 0 ? 'Early today' : `This ${name}` };
  if (daysAgo === 1) return { id, label: part === 0 ? 'Early yesterday' : `Yesterday ${name}` };
  return { id, label: `${date.toLocaleDateString('en', { weekday: 'long' })} ${name}` };
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
