import type { MonitorCheckPage } from '../../contract/monitors.ts';

/** Two versions of a page, as texts for a diff editor. */
export interface Versions {
  before: string;
  after: string;
  extension: 'md' | 'json';
  /** False if only the changed lines are known, with those around them. */
  whole: boolean;
}

/** Between parts of a page when the lines between them aren't known. */
const gap = '⋯';

/**
 * Returns both versions of a page that changed; undefined if the check doesn't say how.
 * @param after the page as the check read it, if it is still stored
 */
export function versionsOf(diff: MonitorCheckPage['diff'], after: string | undefined): Versions | undefined {
  if (diff?.text) {
    const hunks = readHunks(diff.text);
    const current = after === undefined ? undefined : after.split('\n');
    const previous = current && undo(hunks, current);
    if (current && previous) {
      return { before: previous.join('\n'), after: current.join('\n'), extension: 'md', whole: true };
    }
    const side = (mark: string) => hunks.map(({ lines }) => sideOf(lines, mark).join('\n')).join(`\n\n${gap}\n\n`);
    return { before: side('-'), after: side('+'), extension: 'md', whole: false };
  }
  const fields = changedFields(diff?.json);
  if (!fields) return undefined;
  const side = (name: 'previous' | 'current') => {
    const values = fields.map(([field, change]) => [field, change[name]]);
    return `${JSON.stringify(Object.fromEntries(values), undefined, 2)}\n`;
  };
  return { before: side('previous'), after: side('current'), extension: 'json', whole: true };
}

interface Hunk {
  /** Index of its first line in the current version. */
  start: number;
  /** Lines, each after a space, plus or minus. */
  lines: string[];
}

function readHunks(text: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of text.split('\n')) {
    const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    // Without lines, the number is that of the line before.
    if (head) hunks.push({ start: Math.max(0, Number(head[1]) - (head[2] === '0' ? 0 : 1)), lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

function sideOf(lines: readonly string[], mark: string): string[] {
  return lines.filter((line) => line.startsWith(mark) || line.startsWith(' ')).map((line) => line.slice(1));
}

/** Returns the lines before the changes; undefined if the current lines are not those that the changes led to. */
function undo(hunks: readonly Hunk[], current: readonly string[]): string[] | undefined {
  const previous: string[] = [];
  let at = 0;
  for (const { start, lines } of hunks) {
    const added = sideOf(lines, '+');
    // A last line break makes one line more than the text has.
    const isThere = added.every((line, index) => (current[start + index] ?? '') === line);
    if (!isThere || start < at) return undefined;
    previous.push(...current.slice(at, start), ...sideOf(lines, '-'));
    at = start + added.length;
  }
  return [...previous, ...current.slice(at)];
}

function changedFields(json: unknown): [string, { previous: unknown; current: unknown }][] | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const fields = Object.entries(json as Record<string, unknown>);
  const isChange = (value: unknown): value is { previous: unknown; current: unknown } =>
    typeof value === 'object' && value !== null && 'previous' in value && 'current' in value;
  const changes = fields.flatMap(([name, value]) => (isChange(value) ? [[name, value] as const] : []));
  return changes.length > 0 && changes.length === fields.length
    ? changes.map(([name, value]) => [name, value])
    : undefined;
}
