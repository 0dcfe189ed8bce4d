import { structuredPatch } from 'diff';
import { limits } from '../../../../contract/limits.ts';
import type { ChangeTracking, LineChange } from '../../../../contract/scrape/change-tracking.ts';
import { inTurns } from '../../../platform/async.ts';

type Diff = NonNullable<ChangeTracking['diff']>;

/** Lines around a change. */
const context = 3;
/** A longer comparison isn't worth its time; such texts have little in common. */
const effort = { timeout: 500, maxEditLength: 2000 };

/** Neighboring changes, as they are sent from thread to thread. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Lines, each after a space, plus or minus. */
  text: string;
  /** How many. */
  lines: number;
}

/** Returns where two texts differ line by line. */
export function hunksOf(previous: string, current: string): Hunk[] {
  const [from, to] = [ended(previous), ended(current)];
  const patch = structuredPatch('', '', from, to, undefined, undefined, { context, ...effort });
  return patch?.hunks.map(({ lines, ...place }) => hunkOf(lines, place)) ?? [middleHunk(from, to)];
}

function hunkOf(lines: readonly string[], place: Omit<Hunk, 'text' | 'lines'>): Hunk {
  return { ...place, text: lines.join('\n'), lines: lines.length };
}

/** Returns hunks as `git diff` shows them, and the same as data, which has no more than the first lines: each is an object. */
export async function diffOf(hunks: readonly Hunk[]): Promise<Diff> {
  const chunks: Diff['json']['files'][number]['chunks'] = [];
  let room: number = limits.diffLines;
  for (const hunk of hunks) {
    if (room > 0) chunks.push({ content: headOf(hunk), changes: await changesOf(hunk, room) });
    room -= hunk.lines;
  }
  return {
    text: hunks.map((hunk) => `${headOf(hunk)}\n${hunk.text}`).join('\n'),
    json: { files: [{ from: null, to: null, chunks }], ...(room < 0 && { omittedLines: -room }) },
  };
}

/** Without a line break at its end, the last line would differ from the same line elsewhere. */
function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Returns one hunk that replaces everything between the first and the last difference. */
function middleHunk(previous: string, current: string): Hunk {
  const from = previous.split('\n').slice(0, -1);
  const to = current.split('\n').slice(0, -1);
  const shortest = Math.min(from.length, to.length);
  let start = 0;
  while (start < shortest && from[start] === to[start]) start++;
  let end = 0;
  while (end < shortest - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  const before = Math.max(0, start - context);
  const after = Math.max(0, end - context);
  const lines = [
    ...from.slice(before, start).map((line) => ` ${line}`),
    ...from.slice(start, from.length - end).map((line) => `-${line}`),
    ...to.slice(start, to.length - end).map((line) => `+${line}`),
    ...from.slice(from.length - end, from.length - after).map((line) => ` ${line}`),
  ];
  return hunkOf(lines, {
    oldStart: before + 1,
    oldLines: from.length - after - before,
    newStart: before + 1,
    newLines: to.length - after - before,
  });
}

function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
}

async function changesOf({ oldStart, newStart, text }: Hunk, most: number): Promise<LineChange[]> {
  let [old, now] = [oldStart, newStart];
  const changes: LineChange[] = [];
  await inTurns(firstLines(text, most), (content) => {
    if (content.startsWith('-')) changes.push({ type: 'del', del: true, ln: old++, content });
    else if (content.startsWith('+')) changes.push({ type: 'add', add: true, ln: now++, content });
    else changes.push({ type: 'normal', normal: true, ln1: old++, ln2: now++, content });
  });
  return changes;
}

function* firstLines(text: string, most: number): Iterable<string> {
  for (let at = 0, count = 0; at <= text.length && count < most; count++) {
    const found = text.indexOf('\n', at);
    const end = found === -1 ? text.length : found;
    yield text.slice(at, end);
    at = end + 1;
  }
}
