import type { ActivityItem } from '../../contract/team.ts';
import type { ServerState } from '../connection/polling/server-state.ts';
import { Signal } from '../ui/lifecycle.ts';
import { serverTime } from '../ui/text.ts';

/** One request of the last 24 hours. What the server said is in it as it came: it is shown as text alone. */
export interface ActivityEntry {
  /** Tells rows apart, in this window alone. */
  readonly key: string;
  readonly id: string | undefined;
  /** One of the contract's kinds, or whatever else the server says. */
  readonly endpoint: string;
  readonly target: string | undefined;
  readonly apiVersion: string | undefined;
  /** Milliseconds since 1970; undefined where the server gave none that can be true. */
  readonly createdAt: number | undefined;
}

/** Whether there is more to load: from a cursor, nothing, or nothing because the server's answers lead nowhere. */
export type Paging = { kind: 'more'; cursor: string } | { kind: 'end' } | { kind: 'stopped'; why: string };

export type ActivityChange = { kind: 'entries' } | { kind: 'state' };

/** A page of the list, as far as it is used. */
export interface ActivityPage {
  data: readonly ActivityItem[];
  cursor?: string | null | undefined;
  has_more?: boolean | null | undefined;
}

const windowMs = 24 * 60 * 60_000;
/** Entries that are kept at most; a filter shows what lies beyond. */
export const mostEntries = 20_000;
const longestCursor = 4_096;
const longestText = 4_096;

/** The requests of the last 24 hours, newest first, as far as they were loaded. */
export class ActivityStore {
  readonly onChange = new Signal<ActivityChange>();
  #entries: readonly ActivityEntry[] = [];
  #byIdentity = new Map<string, ActivityEntry>();
  #paging: Paging = { kind: 'end' };
  #seenCursors = new Set<string>();
  #state: ServerState = { kind: 'not-started' };
  #updatedAt: number | undefined;
  #filter: string | undefined;
  #lastKey = 0;
  #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get entries(): readonly ActivityEntry[] {
    return this.#entries;
  }

  get paging(): Paging {
    return this.#paging;
  }

  get state(): ServerState {
    return this.#state;
  }

  get updatedAt(): number | undefined {
    return this.#updatedAt;
  }

  /** The one kind that is shown; undefined for all. */
  get filter(): string | undefined {
    return this.#filter;
  }

  /** Shows one kind, or all. What was loaded of the other choice is forgotten. */
  setFilter(filter: string | undefined): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    this.#forget();
    this.#state = { kind: 'loading' };
    this.onChange.fire({ kind: 'entries' });
  }

  /** True when a page holds something that is known already, so that nothing lies between it and what was loaded. */
  meets(page: ActivityPage): boolean {
    return page.data.some((item) => this.#byIdentity.has(identity(item)));
  }

  /**
   * Takes in the newest pages, read one after another from the top.
   * Where they meet what is known, that stays, and so does the place to go on from; else they take its place.
   */
  setNewest(pages: readonly ActivityPage[]): void {
    const met = this.#entries.length > 0 && pages.some((page) => this.meets(page));
    const known = this.#byIdentity;
    const found = pages.flatMap(({ data }) => data);
    if (met) {
      const fresh = this.#made(found.filter((item) => !known.has(identity(item))));
      this.#entries = fresh.length > 0 ? [...fresh, ...this.#entries] : this.#entries;
    } else {
      this.#byIdentity = new Map();
      this.#seenCursors = new Set(pages.slice(0, -1).flatMap(({ cursor }) => (cursor ? [cursor] : [])));
      this.#entries = this.#made(found, known);
      const last = pages.at(-1);
      this.#paging = last ? this.#pagingAfter(last, this.#entries.length > 0) : { kind: 'end' };
    }
    this.#prune();
    this.#updatedAt = this.#now();
    this.#state = { kind: 'ready' };
    this.onChange.fire({ kind: 'entries' });
  }

  /** Takes in the page that `cursor` led to. Does nothing if the list has become another one meanwhile. */
  addOlder(cursor: string, page: ActivityPage): void {
    if (this.#paging.kind !== 'more' || this.#paging.cursor !== cursor) return;
    const fresh = this.#made(page.data.filter((item) => !this.#byIdentity.has(identity(item))));
    if (fresh.length > 0) this.#entries = [...this.#entries, ...fresh];
    this.#paging = this.#pagingAfter(page, fresh.length > 0);
    this.onChange.fire({ kind: 'entries' });
  }

  /** Says why there is no fresh list. What was read before stays, to be shown as stale. */
  setState(state: ServerState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.onChange.fire({ kind: 'state' });
  }

  /** Forgets everything: another target, or the service is gone. */
  clear(state: ServerState): void {
    this.#forget();
    this.#state = state;
    this.onChange.fire({ kind: 'entries' });
  }

  #forget(): void {
    this.#entries = [];
    this.#byIdentity = new Map();
    this.#seenCursors = new Set();
    this.#paging = { kind: 'end' };
    this.#updatedAt = undefined;
  }

  /** Entries for items that are not in the list yet, each once; those of `known` are the same objects again. */
  #made(items: readonly ActivityItem[], known?: ReadonlyMap<string, ActivityEntry>): ActivityEntry[] {
    const made: ActivityEntry[] = [];
    const now = this.#now();
    for (const item of items) {
      const same = identity(item);
      if (this.#byIdentity.has(same)) continue;
      const entry = known?.get(same) ?? this.#entry(item, now);
      this.#byIdentity.set(same, entry);
      made.push(entry);
    }
    return made;
  }

  #entry(item: ActivityItem, now: number): ActivityEntry {
    return {
      key: `e${++this.#lastKey}`,
      id: short(item.id),
      endpoint: short(item.endpoint) ?? 'unknown',
      target: short(item.target),
      apiVersion: short(item.api_version),
      createdAt: serverTime(item.created_at, now),
    };
  }

  /** Where to go on after a page. Cursors that were followed before, and pages without news, lead nowhere. */
  #pagingAfter({ cursor, has_more }: ActivityPage, hadNews: boolean): Paging {
    if (has_more === false || (!cursor && !has_more)) return { kind: 'end' };
    if (!cursor) return { kind: 'stopped', why: 'The server says that there is more, but not where.' };
    if (cursor.length > longestCursor) return { kind: 'stopped', why: 'The server gave a cursor that is too long.' };
    if (this.#seenCursors.has(cursor) || !hadNews) {
      return { kind: 'stopped', why: 'The server gave the same page again.' };
    }
    if (this.#entries.length >= mostEntries) {
      return { kind: 'stopped', why: `Only the newest ${mostEntries.toLocaleString('en')} are shown: use the filter.` };
    }
    this.#seenCursors.add(cursor);
    return { kind: 'more', cursor };
  }

  /** Drops what has left the window, and what is too much. */
  #prune(): void {
    const since = this.#now() - windowMs;
    const kept = this.#entries.filter(({ createdAt }) => createdAt === undefined || createdAt >= since);
    if (kept.length > mostEntries) kept.length = mostEntries;
    if (kept.length === this.#entries.length) return;
    const keys = new Set(kept.map(({ key }) => key));
    for (const [same, { key }] of this.#byIdentity) if (!keys.has(key)) this.#byIdentity.delete(same);
    this.#entries = kept;
  }
}

/** What makes two items the same: one job may be asked for several times. */
function identity({ id, endpoint, created_at, target }: ActivityItem): string {
  return id ? `${id}\n${endpoint}\n${created_at}` : `\n${endpoint}\n${created_at}\n${target}`;
}

function short(text: string | null | undefined): string | undefined {
  return text ? text.slice(0, longestText) : undefined;
}
