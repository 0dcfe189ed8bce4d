/** Texts from a server as labels, and the product's way to write times. Nothing here knows vscode. */

// Controls, line and paragraph separators, bidirectional overrides, zero-width and tag characters: none belongs in a label.
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;

/** A foreign text on one line, cut at `most` characters, with nothing that could pass for an icon of VS Code. */
export function label(text: string, most = 80): string {
  const line = text
    .slice(0, most * 8)
    .replace(unprintable, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replaceAll('$(', '$\u200a(');
  const points = [...line];
  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : line;
}

/** A duration: `118 ms`, `5.0 s`, `2:05 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '—';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  return `${clock(ms)} min`;
}

/** Time left: `8:41`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** How long ago: `just now`, `2 min ago`, `3 h ago`, `5 days ago`. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / (24 * 60))} days ago`;
}

/** The part of an id that a person can tell apart. */
export function shortId(id: string): string {
  return label(id.replace(/^[a-z]+[_-](?=[0-9a-z])/i, '').slice(0, 4), 4) || label(id, 4);
}

/** The host of a URL, or undefined where there is none to show (about:blank, data:). */
export function hostOf(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? host : undefined;
}

/** The message of anything thrown, as one sentence. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A moment of today as clocks here show it: `10:42`, with seconds `10:42:05`. */
export function timeOfDay(ms: number, seconds = false): string {
  return (seconds ? toTheSecond : toTheMinute).format(ms);
}

const hours = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const toTheMinute = new Intl.DateTimeFormat('en-GB', hours);
const toTheSecond = new Intl.DateTimeFormat('en-GB', { ...hours, second: '2-digit' });

/** Host and path of a web address on one line, without what says nothing: `shop.test/pricing`. Other texts stay as they are. */
export function shortAddress(text: string, most = 80): string {
  if (text.length > 10_000 || hostOf(text) === undefined) return label(text, most);
  const { host, pathname, search } = new URL(text);
  return label(`${host}${pathname === '/' && !search ? '' : pathname}${search}`, most);
}

const grouped = new Intl.NumberFormat('en-US');

/** A count with its noun: `1 page`, `1,200 pages`; `—` for what is no number. */
export function count(value: number | null | undefined, one: string, several = `${one}s`): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return `— ${several}`;
  return `${grouped.format(value)} ${value === 1 ? one : several}`;
}

const firstPlausible = Date.UTC(2000, 0);
const futureAllowanceMs = 24 * 60 * 60_000;

/**
 * Milliseconds since 1970 of a date as servers send it: ISO 8601, or `2026-03-02 09:00:03.000`, both in UTC where they name no zone.
 * Undefined for what is no date, or none that can be true.
 */
export function serverTime(text: string | null | undefined, now: number): number | undefined {
  if (!text || text.length > 40) return undefined;
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?$/i.exec(text.trim());
  const iso = match ? `${match[1]}T${match[2]?.replace(',', '.')}${match[3] ?? 'Z'}` : text;
  const ms = Date.parse(iso);
  return ms >= firstPlausible && ms <= now + futureAllowanceMs ? ms : undefined;
}

/** Whether a text is a UUID, in capitals or not. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
