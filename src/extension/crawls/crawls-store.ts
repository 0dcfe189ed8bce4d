import type { ActiveCrawl } from '../../contract/crawl/crawl.ts';
import type { JobState } from '../../contract/crawl/crawl-jobs.ts';
import type { LeftOutPages } from '../../contract/crawl/left-out.ts';
import type { JobStateResult } from '../connection/polling/job-states.ts';
import { ServerStore, type StoreChange } from '../connection/polling/server-store.ts';
import { Signal } from '../ui/lifecycle.ts';
import { amount, serverTime, shortId } from '../ui/text/text.ts';

/** A crawl as this window knows it. Times are in milliseconds since 1970, undefined if the server doesn't report them. */
export interface Crawl {
  id: string;
  /** False if the server sent no id: such a crawl is shown, but can't be opened or canceled. */
  hasId: boolean;
  shortId: string;
  url?: string | undefined;
  createdAt?: number | undefined;
  /** Its options, as far as they are known. */
  options: Readonly<Record<string, unknown>>;
  /** The options that differ from the defaults, one per line. */
  optionLines: readonly string[];
  /** `scraping`, `completed`, `failed`, `cancelled`, or any other status from the server. */
  status: string;
  active: boolean;
  completed?: number | undefined;
  total?: number | undefined;
  /** How the completed pages were read, if the server says so. */
  readAs?: { fetched: number; rendered: number } | undefined;
  error?: string | undefined;
  /** What the server warns of, such as why there are no pages. */
  warning?: string | undefined;
  /** Pages by how they differ from the crawl that it repeats. */
  changes?: JobState['changes'];
  /** Pages that were read only for their links. */
  readForLinks?: number | undefined;
  /** Pages with a warning about what they lack. */
  warned?: number | undefined;
  /** Where the start URL led, if it redirected. */
  redirectedTo?: string | undefined;
  /** Pages that it found and left out, once it has ended. */
  leftOut: readonly LeftOutPages[];
  endedAt?: number | undefined;
  /** When its pages are deleted. */
  expiresAt?: number | undefined;
  /** Started from this window, which shows a notification when it ends. */
  own: boolean;
}

export type CrawlsChange = StoreChange | { kind: 'crawl'; id: string };

/** Ended crawls that stay in the list. */
const maxEnded = 10;
const endedShownMs = 60 * 60_000;
const maxIdLength = 200;
/** A crawl that was just started may not be in the list yet. */
const listingDelayMs = 30_000;

/** The active crawls, and those that ended while this window was polling. */
export class CrawlsStore extends ServerStore<CrawlsChange> {
  /** Fires once for each crawl that stops being active. */
  readonly onEnded = new Signal<Crawl>();
  #crawls = new Map<string, Crawl>();

  /** Active crawls first, then ended ones; each newest first. */
  get crawls(): Crawl[] {
    const all = [...this.#crawls.values()];
    const since = this.now() - endedShownMs;
    const ended = all.filter(({ active, endedAt = 0 }) => !active && endedAt > since);
    const byAge = (one: Crawl, other: Crawl) => (other.createdAt ?? 0) - (one.createdAt ?? 0);
    const byEnd = (one: Crawl, other: Crawl) => (other.endedAt ?? 0) - (one.endedAt ?? 0);
    return [...this.active.sort(byAge), ...ended.sort(byEnd).slice(0, maxEnded)];
  }

  get active(): Crawl[] {
    return [...this.#crawls.values()].filter(({ active }) => active);
  }

  find(id: string): Crawl | undefined {
    return this.#crawls.get(id);
  }

  /** Applies the server's list and the status of single crawls. Crawls that are no longer listed have ended, unless their status says otherwise. */
  setList(
    listed: readonly (ActiveCrawl & { optionLines?: readonly string[] })[],
    states: ReadonlyMap<string, JobStateResult>,
  ): void {
    const now = this.now();
    const before = this.#crawls;
    const rowsBefore = rowIds(this.crawls);
    this.#crawls = new Map(before);
    for (const [id, crawl] of before) if (!crawl.hasId) this.#crawls.delete(id);
    for (const [index, entry] of listed.entries()) {
      const hasId = Boolean(entry.id) && (entry.id?.length ?? 0) <= maxIdLength;
      const id = hasId && entry.id ? entry.id : `?${index}`;
      this.#crawls.set(id, { ...fromList({ ...entry, id }, before.get(id), now), hasId });
    }
    const isListed = new Set<string | null | undefined>(listed.map(({ id }) => id));
    const ended: Crawl[] = [];
    for (const crawl of this.active) {
      const state = states.get(crawl.id);
      const mayBeUnlisted = crawl.own && now - (crawl.createdAt ?? 0) < listingDelayMs;
      const next = withState(crawl, state, now, !crawl.hasId || isListed.has(crawl.id) || mayBeUnlisted);
      if (state === 'gone' && !isListed.has(crawl.id)) this.#crawls.delete(crawl.id);
      else this.#crawls.set(crawl.id, next);
      if (!next.active) ended.push(next);
    }
    this.noteRead();
    this.#notify(before, rowsBefore);
    for (const crawl of ended) this.onEnded.fire(crawl);
  }

  /** Adds crawls that ended before this window looked, whose ends aren't news. */
  addEnded(
    earlier: readonly Pick<Crawl, 'id' | 'url' | 'createdAt'>[],
    states: ReadonlyMap<string, JobStateResult>,
  ): void {
    const now = this.now();
    const rowsBefore = rowIds(this.crawls);
    for (const crawl of earlier) {
      const state = states.get(crawl.id);
      if (this.#crawls.has(crawl.id) || state === undefined || state === 'gone' || !isFinal(state.status)) continue;
      // Without a time, the end may be long ago.
      if (serverTime(state.completedAt, now) === undefined) continue;
      this.#crawls.set(crawl.id, withState({ ...unknown(crawl.id), ...crawl }, state, now, false));
    }
    if (rowIds(this.crawls) !== rowsBefore) this.onChange.fire({ kind: 'all' });
  }

  /** Adds a crawl that this window has just started. */
  addStarted(
    id: string,
    url: string,
    optionLines: readonly string[],
    options: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#crawls.set(id, { ...unknown(id), url, createdAt: this.now(), optionLines, options, own: true });
    this.setState({ kind: 'ready' });
    this.onChange.fire({ kind: 'all' });
  }

  /** Marks a crawl as canceled before the server's list shows it. */
  markCancelled(id: string): void {
    const crawl = this.#crawls.get(id);
    if (!crawl?.active) return;
    this.#crawls.set(id, { ...crawl, active: false, status: 'cancelled', endedAt: this.now() });
    this.onChange.fire({ kind: 'all' });
  }

  /** Marks a crawl as active again, before the server's list shows it. */
  markContinued(id: string): void {
    const crawl = this.#crawls.get(id);
    if (!crawl || crawl.active) return;
    const going = { active: true, status: 'scraping', endedAt: undefined, leftOut: [], warning: undefined };
    this.#crawls.set(id, { ...crawl, ...going, createdAt: crawl.createdAt ?? this.now(), own: true });
    this.onChange.fire({ kind: 'all' });
  }

  protected forget(): void {
    this.#crawls = new Map();
  }

  /** Fires the changes: for all rows if any were added, removed or moved, otherwise only for those that changed. */
  #notify(before: ReadonlyMap<string, Crawl>, rowsBefore: string): void {
    if (rowIds(this.crawls) !== rowsBefore) return this.onChange.fire({ kind: 'all' });
    this.onChange.fire({ kind: 'state' });
    for (const [id, crawl] of this.#crawls) {
      if (JSON.stringify(before.get(id)) !== JSON.stringify(crawl)) this.onChange.fire({ kind: 'crawl', id });
    }
  }
}

function rowIds(crawls: readonly Crawl[]): string {
  return JSON.stringify(crawls.map(({ id, active }) => [id, active]));
}

function unknown(id: string): Crawl {
  return {
    id,
    hasId: true,
    shortId: shortId(id),
    options: {},
    optionLines: [],
    status: 'scraping',
    active: true,
    leftOut: [],
    own: false,
  };
}

function fromList(
  entry: ActiveCrawl & { id: string; optionLines?: readonly string[] },
  known: Crawl | undefined,
  now: number,
): Crawl {
  const base = known?.active ? known : unknown(entry.id);
  return {
    ...base,
    url: entry.url ?? base.url,
    createdAt: serverTime(entry.created_at, now) ?? base.createdAt,
    options: known?.own ? known.options : (entry.options ?? base.options),
    optionLines: entry.optionLines ?? base.optionLines,
    own: known?.own ?? false,
  };
}

function withState(crawl: Crawl, state: JobStateResult | undefined, now: number, mayBeActive: boolean): Crawl {
  if (state === undefined || state === 'gone') {
    return mayBeActive ? crawl : { ...crawl, active: false, status: 'ended', endedAt: now };
  }
  const active = state.status === 'scraping' || (mayBeActive && !isFinal(state.status));
  return {
    ...crawl,
    status: state.status,
    active,
    completed: amount(state.completed) ?? crawl.completed,
    total: amount(state.total) ?? crawl.total,
    readAs: state.readAs ?? crawl.readAs,
    error: state.error ?? undefined,
    warning: state.warning ?? undefined,
    changes: state.changes ?? undefined,
    readForLinks: amount(state.readForLinks),
    warned: amount(state.warned),
    redirectedTo: state.redirectedTo ?? undefined,
    leftOut: (!active && state.leftOut) || [],
    expiresAt: active ? undefined : serverTime(state.expiresAt),
    endedAt: active ? undefined : (serverTime(state.completedAt, now) ?? now),
  };
}

function isFinal(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
