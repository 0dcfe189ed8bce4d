import * as l10n from '@vscode/l10n';
import type { ActivityItem } from '../../contract/team/team.ts';
import type { ReadableJob } from '../connection/polling/job-states.ts';
import { ServerStore } from '../connection/polling/server-store.ts';
import { serverTime } from '../ui/text/text.ts';
import { type JobDetails, readableJobOf, runs } from './requests.ts';

/** A request of the last 24 hours. Holds the server's values unchanged: show them as plain text only. */
export interface ActivityEntry {
  /** Identifies the row within this window. */
  readonly key: string;
  readonly id: string | undefined;
  /** One of the contract's kinds, or any other value from the server. */
  readonly endpoint: string;
  readonly target: string | undefined;
  readonly apiVersion: string | undefined;
  /** Milliseconds since 1970; undefined if the server sent no plausible time. */
  readonly createdAt: number | undefined;
  /** HTTP status that the site answered a scrape with, if it is an error. */
  readonly errorStatus?: number | undefined;
}

/** Whether more can be loaded: from a cursor, nothing more, or stopped because the server's paging or our limit ends it early. */
export type Paging = { kind: 'more'; cursor: string } | { kind: 'end' } | { kind: 'stopped'; reason: string };

/** The parts of a page of the list that are used. */
export interface ActivityPage {
  data: readonly ActivityItem[];
  cursor?: string | null | undefined;
  has_more?: boolean | null | undefined;
}

/** The details of jobs with these ids changed. */
type JobsChange = { kind: 'jobs'; ids: ReadonlySet<string> };

const windowMs = 24 * 60 * 60_000;
/** The maximum number of entries kept; a filter can show older ones. */
export const maxEntries = 20_000;
const maxCursorLength = 4_096;
const maxTextLength = 4_096;

/** The requests of the last 24 hours loaded so far, newest first. */
export class ActivityStore extends ServerStore<JobsChange> {
  #entries: readonly ActivityEntry[] = [];
  #byIdentity = new Map<string, ActivityEntry>();
  #paging: Paging = { kind: 'end' };
  #seenCursors = new Set<string>();
  /** Undefined for jobs that the server doesn't have. */
  #jobs = new Map<string, JobDetails | undefined>();
  #filter: string | undefined;
  #lastKey = 0;

  get entries(): readonly ActivityEntry[] {
    return this.#entries;
  }

  get paging(): Paging {
    return this.#paging;
  }

  /** The kind that is shown; undefined for all. */
  get filter(): string | undefined {
    return this.#filter;
  }

  /** Returns what is known of a job. */
  job(id: string | undefined): JobDetails | undefined {
    return id === undefined ? undefined : this.#jobs.get(id);
  }

  get hasRunningJobs(): boolean {
    return [...this.#jobs.values()].some(runs);
  }

  /** Returns the jobs whose details are unknown or may change, newest first. */
  jobsToRead(max: number): ReadableJob[] {
    const found = new Map<string, ReadableJob>();
    for (const entry of this.#entries) {
      const job = readableJobOf(entry);
      if (!job || (this.#jobs.has(job.id) && !runs(this.#jobs.get(job.id)))) continue;
      found.set(job.id, job);
      if (found.size === max) break;
    }
    return [...found.values()];
  }

  /** Sets what is known of jobs in the list. */
  setJobs(jobs: ReadonlyMap<string, JobDetails | undefined>): void {
    const changed = [...jobs].filter(([id, details]) => JSON.stringify(details) !== JSON.stringify(this.#jobs.get(id)));
    for (const [id, details] of jobs) this.#jobs.set(id, details);
    if (changed.length > 0) this.onChange.fire({ kind: 'jobs', ids: new Set(changed.map(([id]) => id)) });
  }

  /** Shows one kind, or all. Drops the entries loaded for the previous choice. */
  setFilter(filter: string | undefined): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    this.clear({ kind: 'loading' });
  }

  /** Returns true if a page contains a known entry, so that there is no gap between the page and the loaded entries. */
  overlapsWith(page: ActivityPage): boolean {
    return page.data.some((item) => this.#byIdentity.has(identity(item)));
  }

  /**
   * Applies the newest pages, read in order from the top.
   * If they overlap with the loaded entries, those and the paging position stay; otherwise the pages replace them.
   */
  setNewest(pages: readonly ActivityPage[]): void {
    const overlaps = this.#entries.length > 0 && pages.some((page) => this.overlapsWith(page));
    const known = this.#byIdentity;
    const found = pages.flatMap(({ data }) => data);
    if (overlaps) {
      const fresh = this.#createEntries(found.filter((item) => !known.has(identity(item))));
      this.#entries = fresh.length > 0 ? [...fresh, ...this.#entries] : this.#entries;
    } else {
      this.#byIdentity = new Map();
      this.#seenCursors = new Set(pages.slice(0, -1).flatMap(({ cursor }) => (cursor ? [cursor] : [])));
      this.#entries = this.#createEntries(found, known);
      const last = pages.at(-1);
      this.#paging = last ? this.#pagingAfter(last, this.#entries.length > 0) : { kind: 'end' };
    }
    this.#prune();
    this.noteRead();
    this.onChange.fire({ kind: 'all' });
  }

  /** Appends the page read at `cursor`. Does nothing if the list was replaced in the meantime. */
  addOlder(cursor: string, page: ActivityPage): void {
    if (this.#paging.kind !== 'more' || this.#paging.cursor !== cursor) return;
    const fresh = this.#createEntries(page.data.filter((item) => !this.#byIdentity.has(identity(item))));
    if (fresh.length > 0) this.#entries = [...this.#entries, ...fresh];
    this.#paging = this.#pagingAfter(page, fresh.length > 0);
    this.onChange.fire({ kind: 'all' });
  }

  protected forget(): void {
    this.#entries = [];
    this.#byIdentity = new Map();
    this.#seenCursors = new Set();
    this.#jobs = new Map();
    this.#paging = { kind: 'end' };
  }

  /** Creates entries for items that aren't in the list yet, without duplicates; reuses the entries in `known`. */
  #createEntries(items: readonly ActivityItem[], known?: ReadonlyMap<string, ActivityEntry>): ActivityEntry[] {
    const created: ActivityEntry[] = [];
    const now = this.now();
    for (const item of items) {
      const id = identity(item);
      if (this.#byIdentity.has(id)) continue;
      const entry = known?.get(id) ?? this.#entry(item, now);
      this.#byIdentity.set(id, entry);
      created.push(entry);
    }
    return created;
  }

  #entry(item: ActivityItem, now: number): ActivityEntry {
    return {
      key: `e${++this.#lastKey}`,
      id: truncated(item.id),
      endpoint: truncated(item.endpoint) ?? 'unknown',
      target: truncated(item.target),
      apiVersion: truncated(item.api_version),
      createdAt: serverTime(item.created_at, now),
      ...((item.status_code ?? 0) >= 400 && { errorStatus: item.status_code ?? undefined }),
    };
  }

  /** Returns the paging after a page. Stops at a repeated cursor and at a page without new entries. */
  #pagingAfter({ cursor, has_more }: ActivityPage, hadNewEntries: boolean): Paging {
    if (has_more === false || (!cursor && !has_more)) return { kind: 'end' };
    if (!cursor) return { kind: 'stopped', reason: l10n.t('The server reported more entries but sent no cursor.') };
    if (cursor.length > maxCursorLength)
      return { kind: 'stopped', reason: l10n.t('The server sent a cursor that is too long.') };
    if (this.#seenCursors.has(cursor) || !hadNewEntries) {
      return { kind: 'stopped', reason: l10n.t('The server sent the same page again.') };
    }
    if (this.#entries.length >= maxEntries) {
      return {
        kind: 'stopped',
        reason: l10n.t(
          'Only the newest {0} are shown. Filter the list to see older ones.',
          maxEntries.toLocaleString('en'),
        ),
      };
    }
    this.#seenCursors.add(cursor);
    return { kind: 'more', cursor };
  }

  /** Removes entries older than 24 hours or beyond the maximum. */
  #prune(): void {
    const since = this.now() - windowMs;
    const kept = this.#entries.filter(({ createdAt }) => createdAt === undefined || createdAt >= since);
    if (kept.length > maxEntries) kept.length = maxEntries;
    if (kept.length === this.#entries.length) return;
    const ids = new Set(kept.map(({ id }) => id));
    for (const id of this.#jobs.keys()) if (!ids.has(id)) this.#jobs.delete(id);
    const keys = new Set(kept.map(({ key }) => key));
    for (const [id, { key }] of this.#byIdentity) if (!keys.has(key)) this.#byIdentity.delete(id);
    this.#entries = kept;
  }
}

/** Returns a key that is equal for equal items; the same job can be requested several times. */
function identity({ id, endpoint, created_at, target }: ActivityItem): string {
  return id ? `${id}\n${endpoint}\n${created_at}` : `\n${endpoint}\n${created_at}\n${target}`;
}

function truncated(text: string | null | undefined): string | undefined {
  return text ? text.slice(0, maxTextLength) : undefined;
}
