import { limits } from '../../../../../contract/limits.ts';
import { shapeOf } from '../../scope/shapes.ts';
import { blockedReason } from '../../site/robots-cache.ts';
import type { NewPage, WaitingPage } from '../../store/frontier.ts';
import { countedOf, type Job, limitOf } from '../../store/job-table.ts';
import type { Pace, Visit } from '../host-gates/host-gates.ts';
import { crawlDelayMs, type JobRobots } from '../job-robots.ts';
import { failure, type Outcome } from '../outcome.ts';
import type { RunParts } from '../run-parts.ts';
import type { SiteKnowledge } from '../site-knowledge/site-knowledge.ts';
import { createLinkReads } from './link-reads.ts';
import { createOriginQueues, type OriginQueue, type QueueHooks } from './origin-queues.ts';
import type { SecondTries } from './second-tries.ts';

/** Maximum number of pages being settled without a fetch at the same time; while there are any, the run isn't over. */
const maxSettling = 500;

interface WaitingPagesUses extends QueueHooks {
  robots: JobRobots;
  tries: SecondTries;
  knowledge: Pick<SiteKnowledge, 'traps' | 'equal'>;
  /** Ids of the pages being fetched. */
  inFlight: ReadonlySet<number>;
  /** The shapes of those being read only for their links, by their ids. */
  reading: ReadonlyMap<number, string>;
  /** Stores the outcome of a page that needs no fetch. Never rejects. */
  settle(page: WaitingPage, queue: OriginQueue, outcome: Outcome): Promise<void>;
}

export type WaitingPages = ReturnType<typeof createWaitingPages>;

/** The pages of a run that wait to be fetched: tells which is next, and settles those that need no fetch. */
export function createWaitingPages(
  job: Job,
  { frontier, gates }: Pick<RunParts, 'frontier' | 'gates'>,
  uses: WaitingPagesUses,
) {
  const { robots, tries, inFlight, reading } = uses;
  const { traps, equal } = uses.knowledge;
  const limit = limitOf(job);
  const delay = { team: job.team, ms: (job.options.delay ?? 0) * 1000 };
  /** Requests of all jobs to a host: `maxConcurrency` allows more than the usual, and jobs with less share it. */
  const width = Math.max(job.options.maxConcurrency ?? 0, limits.pagesAtATime.default);
  const queues = createOriginQueues(frontier, job.num, uses);
  const linkQueues = createOriginQueues(
    { waiting: (num, origin, after, count) => frontier.waiting(num, origin, after, count, true) },
    job.num,
    uses,
  );
  const linkReads = createLinkReads(job, limit);
  /** Pages whose outcomes are being stored without a fetch. */
  let settling = 0;
  /** How many of them fail. */
  let failing = 0;
  /** Links from the start to the pages that may be read: those nearer are read before, so that each is read at its depth. */
  let level = job.options.maxDiscoveryDepth === undefined ? Number.POSITIVE_INFINITY : 0;

  /** Pages that count toward the limit: not those that are there already. */
  const counted = () => countedOf(job, failing) + inFlight.size + tries.owed;
  const isFull = () => counted() >= limit;
  /** Whether the limit allows another fetch: at the end, of pages that keep their place in it. */
  const mayFetch = () => !isFull() || (tries.owed > 0 && !tries.areLeft);
  /** Whether the limit leaves a page out, unless another one turns out not to count. One that can't be fetched takes a place in it. */
  const isBeyond = ({ id }: WaitingPage, { unavailable }: OriginQueue) =>
    (isFull() || (unavailable !== undefined && job.completed + job.failed + failing >= limit)) && !tries.isOwed(id);

  function paceOf(queue: OriginQueue): Pace {
    const spacingMs = crawlDelayMs(robots.of(queue.origin));
    if (job.options.robotsUserAgent === undefined) return { spacingMs, delay, width };
    // What is said to a crawler that the job names isn't said to the crawls of others.
    return { spacingMs: 0, delay: { ...delay, ms: Math.max(delay.ms, spacingMs) }, width };
  }

  /** Whether no page is being read or settled but so many. */
  const isIdle = (held = 0) => inFlight.size === held && reading.size === 0 && settling === 0;

  /** The queues to fetch from, those of pages to crawl first. */
  function* candidates(): Iterable<OriginQueue> {
    yield* queues.all();
    if (linkReads.mayRead(reading.size)) yield* linkQueues.all();
  }

  /** Returns the next page that may be fetched now, and the level of those that are too deep yet. Others come before those set aside. */
  function pick(): ReturnType<typeof pickWaiting> {
    for (;;) {
      const next = pickWaiting();
      if (next.anyWaiting || !linkReads.mayRead(reading.size) || !linkReads.bringBack()) return next;
    }
  }

  function pickWaiting(): { queue?: OriginQueue; page?: WaitingPage; anyWaiting: boolean; nextLevel: number } {
    let nextLevel = Number.POSITIVE_INFINITY;
    let anyWaiting = queues.more || (linkReads.mayRead(reading.size) && linkQueues.more);
    for (const queue of candidates()) {
      const page = nextToFetch(queue);
      if (!page) continue;
      if (page !== 'loading' && page.depth > level) {
        nextLevel = Math.min(nextLevel, page.depth);
        continue;
      }
      if (page !== 'loading' && isBeyond(page, queue)) continue;
      anyWaiting = true;
      if (page === 'loading') continue;
      if (robots.areOpen(queue.origin)) continue;
      const wait = gates.wait(queue.host, paceOf(queue));
      if (wait === 0) return { queue, page, anyWaiting, nextLevel };
      if (Number.isFinite(wait)) queue.defer(wait);
    }
    return { anyWaiting, nextLevel };
  }

  /** Whether a page may be fetched, now or once others were. */
  function isLeft(): boolean {
    if (!mayFetch()) return false;
    const { anyWaiting, nextLevel } = pick();
    return anyWaiting || Number.isFinite(nextLevel);
  }

  /** Returns the next page of an origin that needs a fetch, and settles those before it that don't. */
  function nextToFetch(queue: OriginQueue): WaitingPage | 'loading' | undefined {
    while (settling < maxSettling) {
      let page = queue.peek();
      // One that has no place in the limit may have been put back in front of one that keeps its own.
      if (page && page !== 'loading' && isBeyond(page, queue) && queue.bring(tries.isOwed)) page = queue.peek();
      if (!page || page === 'loading' || isBeyond(page, queue) || robots.areOpen(queue.origin)) return page;
      // One of those that are being read may lead to a page to crawl.
      if (isVain(page) && [...reading.values()].includes(shapeOf(new URL(page.url)))) return 'loading';
      const outcome = outcomeWithoutFetch(page, queue);
      if (outcome) settle(page, queue, outcome);
      else if (!isVain(page)) return page;
      else {
        queue.shift();
        linkReads.setAside(page, queue);
      }
    }
    return undefined;
  }

  /** Whether enough pages such as one to be read for its links were read in vain. */
  const isVain = ({ for_links, url }: WaitingPage) => for_links === 1 && linkReads.isVain(shapeOf(new URL(url)));

  function outcomeWithoutFetch(page: WaitingPage, { origin, unavailable }: OriginQueue): Outcome | undefined {
    if (unavailable !== undefined) return failure(page, 'HOST_UNAVAILABLE', `Not fetched: ${unavailable}.`);
    const rules = robots.against({ ...page, origin });
    if (rules) {
      const error = blockedReason(rules);
      return rules.down === undefined ? { kind: 'blocked', error } : failure(page, rules.down, error);
    }
    return traps.caught(page) || (page.hidden === 0 && equal.isKnown(page.url)) ? { kind: 'trap' } : undefined;
  }

  function settle(page: WaitingPage, queue: OriginQueue, outcome: Outcome): void {
    const fails = outcome.kind === 'failed' && page.for_links === 0;
    queue.shift();
    tries.free(page.id);
    settling++;
    if (fails) failing++;
    void uses.settle(page, queue, outcome).finally(() => {
      settling--;
      if (fails) failing--;
      uses.onLoaded();
    });
  }

  return {
    isFull,
    /** Whether more pages count than the limit allows. */
    isOverfull: () => counted() > limit,
    mayFetch,
    pick,
    isIdle,
    /** Whether nothing is left to fetch, to store or to fetch once more. */
    isDone: (): boolean => !isLeft() && isIdle() && !tries.areLeft,
    /** Whether pages of the next level wait until those of this one are read. */
    get hasLevels() {
      return Number.isFinite(level);
    },
    /** Lets the pages of another level be fetched. */
    goTo(next: number): void {
      level = next;
    },
    /** Takes a page out of its queue to fetch it. */
    begin(page: WaitingPage, queue: OriginQueue): Visit {
      const isForLinks = page.for_links === 1;
      if (isForLinks) linkReads.begun(page);
      queue.shift();
      (isForLinks ? linkQueues : queues).served(queue);
      return gates.enter(queue.host, paceOf(queue));
    },
    /** Notes the origins of pages that an earlier run left. */
    async open(): Promise<void> {
      await frontier.eachOrigin(job.num, queues.note);
      await frontier.eachOrigin(job.num, linkQueues.note, true);
    },
    /** Notes a page that was added. */
    added(page: NewPage): void {
      const { origin, role, vain } = page;
      if (vain) traps.grown(page, vain);
      linkReads.found(page);
      (role === 'links' ? linkQueues : queues).note(origin);
    },
    /** The pages that are left unread because similar ones led nowhere. */
    unread: linkReads.aside,
    /** Notes that an origin has pages to crawl that were added otherwise. */
    note: queues.note,
    /** Puts a page of an origin in front of the others. */
    bring: queues.bring,
    drop: queues.drop,
    endDrop(page: number, stored: boolean): void {
      if (stored) tries.free(page);
      queues.endDrop(page, stored);
    },
  };
}
