import { structuredPatch } from 'diff';
import type { ChangeTracking, LineChange } from '../../../contract/scrape/change-tracking.ts';

type Diff = NonNullable<ChangeTracking['diff']>;

/** Lines around a change. */
const context = 3;
/** A longer comparison would delay other requests; such texts have little in common. */
const limits = { timeout: 100, maxEditLength: 2000 };

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each after a space, plus or minus. */
  lines: string[];
}

/** Returns how two texts differ line by line, as `git diff` shows it, and the same as data. */
export function diffLines(previous: string, current: string): Diff {
  const [from, to] = [ended(previous), ended(current)];
  const patch = structuredPatch('', '', from, to, undefined, undefined, { context, ...limits });
  const hunks = patch?.hunks ?? [middleHunk(from, to)];
  return {
    text: hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines]).join('\n'),
    json: { files: [{ from: null, to: null, chunks: hunks.map(chunkOf) }] },
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
  return {
    ...{ oldStart: before + 1, oldLines: from.length - after - before },
    ...{ newStart: before + 1, newLines: to.length - after - before },
    lines,
  };
}

function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
}

function chunkOf(hunk: Hunk): Diff['json']['files'][number]['chunks'][number] {
  let [old, now] = [hunk.oldStart, hunk.newStart];
  const changes = hunk.lines.map((content): LineChange => {
    if (content.startsWith('-')) return { type: 'del', del: true, ln: old++, content };
    if (content.startsWith('+')) return { type: 'add', add: true, ln: now++, content };
    return { type: 'normal', normal: true, ln1: old++, ln2: now++, content };
  });
  return { content: headOf(hunk), changes };
}
