import * as l10n from '@vscode/l10n';

/** Formats a duration: `118 ms`, `5.0 s`, `2:05 min`. */
export function duration(ms: number): string {
  if (ms < 999.5) return l10n.t('{0} ms', Math.round(ms));
  if (ms < 59_950) return l10n.t('{0} s', (ms / 1000).toFixed(1));
  const seconds = Math.floor(ms / 1000);
  return l10n.t('{0}:{1} min', Math.floor(seconds / 60), String(seconds % 60).padStart(2, '0'));
}

const timeOfDay = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Formats the start of a run: the time, and the date unless it was today. */
export function startTime(at: number, now: number): string {
  const date = new Date(at);
  const time = timeOfDay.format(date);
  return date.toDateString() === new Date(now).toDateString() ? time : `${date.toLocaleDateString()} ${time}`;
}

/** Collapses a text to one line. */
export function oneLine(text: string, maxLength = 160): string {
  const line = text
    .slice(0, maxLength * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

const grouped = new Intl.NumberFormat('en-US');

/** What can be counted: patterns for one and for several. */
const nouns = {
  row: () => [l10n.t('{0} row'), l10n.t('{0} rows')],
  item: () => [l10n.t('{0} item'), l10n.t('{0} items')],
  field: () => [l10n.t('{0} field'), l10n.t('{0} fields')],
} satisfies Record<string, () => [string, string]>;

/** Formats a count with its noun: `1 row`, `1,200 rows`. */
export function count(value: number, noun: keyof typeof nouns): string {
  const [one, several] = nouns[noun]();
  return (value === 1 ? one : several).replace('{0}', grouped.format(value));
}

/** Says how many members of a list are shown, and of how many, if its end was cut. */
export function receivedText(received: number, noun: keyof typeof nouns, cut: boolean, all?: number): string {
  if (!cut) return count(received, noun);
  return all === undefined
    ? l10n.t('{0} received', count(received, noun))
    : l10n.t('{0} of {1}', grouped.format(received), count(all, noun));
}
