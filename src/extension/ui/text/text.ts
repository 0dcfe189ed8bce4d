import * as l10n from '@vscode/l10n';
import { shorten, withoutHidden } from '../../../contract/shorten.ts';

/** Formats untrusted texts, times and counts for display. Doesn't use vscode. */

// Control, zero-width and tag characters, line and paragraph separators, and bidirectional overrides.
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;

// VS Code makes links of these in messages and below inputs, also such that run a command.
const linked = /\]\((?=https?:\/\/|command:|file:)/gi;

/** Returns an untrusted text on one line, shortened to `maxLength` characters, in which VS Code finds no icons and links. */
export function label(text: string, maxLength = 80): string {
  const line = shorten(text, maxLength * 8)
    .replace(unprintable, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replaceAll('$(', '$\u200a(')
    .replace(linked, ']\u200a(');
  return shorten(line, maxLength);
}

/** Returns a text with a capital first letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the warnings of a job, which a server sends as lines. */
export function warningLines(warning: string | null | undefined): string[] {
  const lines = shorten(warning ?? '', 10_000).split(/[\n\r]+/);
  return lines.map((line) => label(line, 600)).filter(Boolean);
}

/** Returns sentences one after another, each with its end mark. */
export function sentences(texts: readonly string[]): string {
  const ended = texts.filter(Boolean).map((text) => (/[.!?…。！？]$/.test(text) ? text : `${text}.`));
  return ended.join(' ');
}

/** Returns how a job ended, with what its server warns of. */
export function withWarnings(text: string, warning: string | null | undefined): string {
  const warnings = label(sentences(warningLines(warning)), 400);
  return warnings === '' ? text : sentences([text, warnings]);
}

/** Formats a duration: `118 ms`, `5.0 s`, `2:05 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '—';
  if (ms < 999.5) return l10n.t('{0} ms', Math.round(ms));
  if (ms < 59_950) return l10n.t('{0} s', (ms / 1000).toFixed(1));
  return l10n.t('{0} min', clock(ms));
}

/** Formats a remaining time: `8:41`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Formats an age: `just now`, `2 min ago`, `3 h ago`, `5 days ago`. */
export function ago(ms: number): string {
  return ms < 60_000 ? l10n.t('just now') : l10n.t('{0} ago', age(ms));
}

/** Formats an age of at least a minute, without "ago": `2 min`, `3 h`, `5 days`. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return l10n.t('{0} min', minutes);
  if (minutes < 48 * 60) return l10n.t('{0} h', Math.floor(minutes / 60));
  return l10n.t('{0} days', Math.floor(minutes / (24 * 60)));
}

/** Returns the first characters of an ID, without its prefix. */
export function shortId(id: string): string {
  return label(id.replace(/^[a-z]+[_-](?=[0-9a-z])/i, '').slice(0, 4), 4) || label(id, 4);
}

/** Returns the host of an http(s) URL; undefined for others (about:blank, data:). */
export function hostOf(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? host : undefined;
}

/** Returns the path and query of a URL, with its route if that is in the fragment; other texts as they are. */
export function pathAndQuery(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? parsed.pathname + parsed.search + (/^#!?\//.test(parsed.hash) ? parsed.hash : '') : url;
}

/** The texts of a row in a tree. */
export interface RowTexts {
  label: string;
  description: string;
  tooltip: string;
  spoken: string;
}

/** Returns the message of a thrown value, shortened, for a person or the log: messages of others quote what they got. */
export function messageOf(error: unknown, maxLength = 500): string {
  return withoutHidden(shorten(error instanceof Error ? error.message : String(error), maxLength));
}

/** Returns the host, path and query of a web URL on one line: `shop.test/pricing`. Other texts are returned as labels. */
export function shortAddress(text: string, maxLength = 80): string {
  if (text.length > 10_000 || hostOf(text) === undefined) return label(text, maxLength);
  const { host, pathname, search } = new URL(text);
  return label(`${host}${pathname === '/' && !search ? '' : pathname}${search}`, maxLength);
}

/** The API's words for states that people see. */
const states = {
  active: () => l10n.t('active'),
  cancelled: () => l10n.t('canceled'),
  completed: () => l10n.t('completed'),
  error: () => l10n.t('error'),
  failed: () => l10n.t('failed'),
  scraping: () => l10n.t('scraping'),
};

/** Returns the word for a state that a server reports; the server's own, on one line, if it isn't known. */
export function stateWord(state: string, maxLength = 20): string {
  return Object.hasOwn(states, state) ? states[state as keyof typeof states]() : label(state, maxLength);
}

/** What can be counted: patterns for one and for several. */
const nouns = {
  'blocked page': () => [l10n.t('{0} blocked page'), l10n.t('{0} blocked pages')],
  cookie: () => [l10n.t('{0} cookie'), l10n.t('{0} cookies')],
  credit: () => [l10n.t('{0} credit'), l10n.t('{0} credits')],
  delivery: () => [l10n.t('{0} delivery'), l10n.t('{0} deliveries')],
  'failed page': () => [l10n.t('{0} failed page'), l10n.t('{0} failed pages')],
  hour: () => [l10n.t('{0} hour'), l10n.t('{0} hours')],
  link: () => [l10n.t('{0} link'), l10n.t('{0} links')],
  minute: () => [l10n.t('{0} minute'), l10n.t('{0} minutes')],
  'more page': () => [l10n.t('{0} more page'), l10n.t('{0} more pages')],
  page: () => [l10n.t('{0} page'), l10n.t('{0} pages')],
  passage: () => [l10n.t('{0} passage'), l10n.t('{0} passages')],
  'path segment': () => [l10n.t('{0} path segment'), l10n.t('{0} path segments')],
  request: () => [l10n.t('{0} request'), l10n.t('{0} requests')],
  result: () => [l10n.t('{0} result'), l10n.t('{0} results')],
  second: () => [l10n.t('{0} second'), l10n.t('{0} seconds')],
  session: () => [l10n.t('{0} session'), l10n.t('{0} sessions')],
  token: () => [l10n.t('{0} token'), l10n.t('{0} tokens')],
} satisfies Record<string, () => [string, string]>;

export type Noun = keyof typeof nouns;

/** Formats a count with its noun: `1 page`, `1,200 pages`; `—` if it isn't a number. */
export function count(value: number | null | undefined, noun: Noun): string {
  const [one, several] = nouns[noun]();
  if (value === null || value === undefined || !Number.isFinite(value)) return several.replace('{0}', '—');
  return (value === 1 ? one : several).replace('{0}', value.toLocaleString('en-US'));
}

/** Formats progress: `312/900`, or `312 pages` without a total; undefined if it isn't known. */
export function progress(completed: number | undefined, total: number | undefined): string | undefined {
  if (completed === undefined) return undefined;
  return total === undefined || total < completed
    ? count(completed, 'page')
    : `${completed.toLocaleString('en-US')}/${total.toLocaleString('en-US')}`;
}

const earliestPlausible = Date.UTC(2000, 0);
const futureAllowanceMs = 24 * 60 * 60_000;

/**
 * Parses a server's date to milliseconds since 1970: ISO 8601 or `2026-03-02 09:00:03.000`, in UTC unless it has a zone.
 * Returns undefined if it isn't a valid date, or isn't plausible: far in the past, or more than a day after `now` if that is given.
 */
export function serverTime(text: string | null | undefined, now = Number.POSITIVE_INFINITY): number | undefined {
  if (!text || text.length > 40) return undefined;
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?$/i.exec(text.trim());
  const iso = match ? `${match[1]}T${match[2]?.replace(',', '.')}${match[3] ?? 'Z'}` : text;
  const ms = Date.parse(iso);
  return ms >= earliestPlausible && ms <= now + futureAllowanceMs ? ms : undefined;
}

/** Returns whether a text is a UUID, in lower or upper case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Formats seconds as `30 min`, or as `90 s` if they aren't whole minutes. */
export function minutes(seconds: number): string {
  return seconds % 60 === 0 ? l10n.t('{0} min', seconds / 60) : l10n.t('{0} s', seconds);
}

/** Returns a count from a server; undefined if it can't be true. */
export function amount(value: number | null | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

/** Formats a number of bytes: `820 B`, `1.2 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
