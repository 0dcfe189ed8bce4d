import type { ConsoleLine, NetworkEntry } from '../../../contract/sessions/traffic.ts';

/** The service keeps as many. */
const maxEntries = 1000;

/** What a list is narrowed down to; an empty `kind` is all of them. */
export interface Filter {
  text: string;
  /** A level of the console, or a type of requests. */
  kind: string;
  failed: boolean;
}

/** Adds entries to those of a list, oldest first. An entry that is there already is replaced. */
export function mergeEntries<Entry extends { id: string }>(
  entries: readonly Entry[],
  added: readonly Entry[],
): readonly Entry[] {
  const all = new Map(entries.map((entry) => [entry.id, entry]));
  for (const entry of added) all.set(entry.id, entry);
  return [...all.values()].slice(-maxEntries);
}

/** Returns the lines of a console that a filter leaves. */
export function filterLines(lines: readonly ConsoleLine[], { text, kind, failed }: Filter): ConsoleLine[] {
  return lines.filter(
    (line) =>
      (!kind || line.level === kind) &&
      (!failed || line.level === 'error') &&
      contains(`${line.text}\n${line.url ?? ''}`, text),
  );
}

/** Returns the requests that a filter leaves. */
export function filterRequests(requests: readonly NetworkEntry[], { text, kind, failed }: Filter): NetworkEntry[] {
  return requests.filter(
    (request) => (!kind || request.type === kind) && (!failed || hasFailed(request)) && contains(request.url, text),
  );
}

export function hasFailed({ state, status }: NetworkEntry): boolean {
  return state === 'failed' || (status ?? 0) >= 400;
}

/** Returns the last part of a URL's path: `cart.js`, `docs/`; the host of a page at the top of its site. */
export function shortUrl(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: '' };
  if (!host) return url;
  return pathname.slice(pathname.lastIndexOf('/', pathname.length - 2) + 1) || host;
}

function contains(where: string, text: string): boolean {
  return where.toLowerCase().includes(text.trim().toLowerCase());
}
