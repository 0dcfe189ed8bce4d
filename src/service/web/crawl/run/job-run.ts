import { limits } from '../../../../contract/limits.ts';
import { workingFor } from '../../../platform/asker.ts';
import { messageOf } from '../../../platform/errors.ts';
import { type Choice, createChoicePages, type FoundForm } from '../choice-pages.ts';
import { createLinkFilter, identityForLinks, type LinkFilter } from '../scope/link-filter.ts';
import { createLinkReads, shapeOf } from '../scope/shapes.ts';
import { parseLink } from '../scope/urls.ts';
import { blockedReason } from '../site/robots-cache.ts';
import type { NewPage, WaitingPage } from '../store/frontier.ts';
import { type Job, limitOf, type Say } from '../store/job-table.ts';
import { createHiddenPages } from './hidden-pages.ts';
import type { Pace, Visit } from './host-gates.ts';
import { createJobRobots } from './job-robots.ts';
import { createOriginQueues, type OriginQueue } from './origin-queues.ts';
import { createOriginals } from './originals.ts';
import { createOutsidePages } from './outside-pages.ts';
import { crawlDelayMs, createPageFetcher, failure } from './page-fetch.ts';
import { createPageStore, type Outcome } from './page-store.ts';
import { createRepeat } from './repeat.ts';
import { endOf, type RunEnd } from './run-end.ts';
import type { RunParts } from './run-parts.ts';
import { createSecondTries } from './second-tries.ts';
import { createSeeds } from './seeds.ts';
import type { SiteKnowledge } from './site-knowledge.ts';
import { createStoragePauses } from './storage-pauses.ts';

/** A running job. */
export type JobRun = ReturnType<typeof runJob>;

/** What is left to fetch. */
interface Remaining {
  waitMs: number;
  anyWaiting: boolean;
  nextLevel: number;
}

export interface RunHooks {
  /** A slot or a host became free, so other runs may continue. */
  onFree(): void;
  /** Something was stored. */
  onStored(): void;
}

/** The wait before pages are fetched once more. */
const retryFailedMs = 1000;
/** How long a run without a slot waits for one, unless one is given back before that. */
const slotRetryMs = 100;
/** Maximum number of pages being settled without a fetch at the same time; while there are any, the run isn't over. */
const maxSettling = 500;

/** Runs a job from its stored state to its end. @param knowledge what earlier runs of it have learned */
export function runJob(job: Job, parts: RunParts, knowledge: SiteKnowledge, hooks: RunHooks) {
  const { clock, gates, slots, ledger } = parts;
  const asker = { team: job.team, work: job.id };
  const isCrawl = job.kind === 'crawl';
  const limit = limitOf(job);
  const width = job.options.maxConcurrency ?? limits.pagesAtATime.default;
  /** Requests of all jobs to a host: `maxConcurrency` allows more than the usual, and jobs with less share it. */
  const hostWidth = Math.max(width, limits.pagesAtATime.default);
  const delayMs = (job.options.delay ?? 0) * 1000;

  const stopped = new AbortController();
  const { promise: ended, resolve: resolveEnd } = Promise.withResolvers<RunEnd | undefined>();
  const inFlight = new Set<number>();
  /** Pages being read only for their links. */
  const reading = new Set<number>();
  const robots = createJobRobots(job, parts.robots, stopped.signal, pump);
  const queueHooks = {
    onLoaded: pump,
    onFailed: (error: unknown) => void pauseAfter(error, "a job's pages could not be read"),
    after: (ms: number, callback: () => void) => void clock.after(ms, callback),
  };
  const queues = createOriginQueues(parts.frontier, job.num, queueHooks);
  const linkQueues = createOriginQueues(
    { waiting: (num, origin, after, count) => parts.frontier.waiting(num, origin, after, count, true) },
    job.num,
    queueHooks,
  );
  const linkReads = createLinkReads(job, limit);
  const filter = isCrawl ? createLinkFilter(new URL(job.url), job.options, parts.matcher, isLoggedIn(job)) : undefined;
  if (filter && job.found_at) filter.scope.extend(new URL(job.found_at));
  const { traps, equal, inPlaceOf } = knowledge;
  const store = createPageStore(job, parts, {
    inFlight,
    inPlaceOf,
    blockedBy,
    onAdded(page) {
      const { origin, role, from, vain } = page;
      if (vain) traps.grown(page, vain);
      if (from !== undefined && role !== 'links') linkReads.led(from);
      (role === 'links' ? linkQueues : queues).note(origin);
    },
    onDropped: queues.drop,
    onDropStored: (page, stored) => {
      if (stored) tries.free(page);
      queues.endDrop(page, stored);
    },
    onOutdated: outdate,
  });
  const say: Say = (about, said) => {
    if (said === undefined) delete job.warnings[about];
    else job.warnings[about] = said;
  };
  const repeat = job.since === null ? undefined : createRepeat(job.since, parts.earlier, say);
  const outside = createOutsidePages();
  const findOutside = (pages: readonly NewPage[], listed: readonly string[], content?: readonly string[]) =>
    outside.found(
      pages.filter((page) => !blockedBy(page)),
      listed.filter((url) => {
        const origin = parseLink(url)?.origin;
        return origin !== undefined && !robots.against({ url, origin });
      }),
      content,
    );
  const choices = createChoicePages();
  const keepForm = async (found: FoundForm) => {
    if (choices.add(found)) await store.keepForm(found);
  };
  const uses = {
    filter,
    repeat,
    knowledge,
    readRobots: robots.read,
    onFound: findOutside,
    onChoices: keepForm,
    say,
  };
  const fetch = createPageFetcher(job, parts, uses, stopped.signal);

  const pauses = createStoragePauses(job.id, parts);
  const tries = createSecondTries();
  const seeds =
    filter &&
    createSeeds(
      job,
      parts,
      {
        filter,
        store,
        say,
        onChange: pump,
        onStorageFailed: (error) => pauseAfter(error, 'the sitemaps of a crawl could not be stored'),
      },
      stopped.signal,
    );
  const hidden = filter && createHiddenPages(job, parts, { filter, store, say });
  const originals = createOriginals(job.num, parts.frontier, store, pump);

  let over = false;
  /** Whether the origins of the frontier are known. */
  let opened = false;
  /** Whether the credits left are being read, and whether to look again then. */
  let counting: false | 'once' | 'again' = false;
  /** Whether how the job ended is being determined. */
  let ending = false;
  /** Pages whose outcomes are being stored without a fetch. */
  let settling = 0;
  /** How many of them fail. */
  let failing = 0;
  /** Links from the start to the pages that may be read: those nearer are read before, so that each is read at its depth. */
  let level = job.options.maxDiscoveryDepth === undefined ? Number.POSITIVE_INFINITY : 0;
  let cancelTimer: () => void = () => undefined;

  function end(result: RunEnd | undefined): void {
    if (over) return;
    over = true;
    cancelTimer();
    originals.release();
    stopped.abort(new Error('The job has ended.'));
    filter?.dispose();
    resolveEnd(result);
  }

  function outdate(): void {
    end({ status: 'outdated' });
  }

  /** Pages that count toward the limit: not those that are there already. */
  const counted = () => job.completed + job.failed + failing + inFlight.size + tries.owed;
  const isFull = () => counted() >= limit;
  /** Whether the limit allows another fetch: at the end, of pages that keep their place in it. */
  const mayFetch = () => !isFull() || (tries.owed > 0 && !tries.areLeft);

  function paceOf(queue: OriginQueue): Pace {
    return {
      spacingMs: crawlDelayMs(robots.of(queue.origin)),
      delay: { team: job.team, ms: delayMs },
      width: hostWidth,
    };
  }

  function pump(): void {
    if (over || !opened) return;
    // Another job may have called.
    workingFor(asker, () => {
      if (!ledger.limited) return startFetches(Number.POSITIVE_INFINITY);
      if (counting) counting = 'again';
      else void countCredits();
    });
  }

  /** Starts the fetches that the team's credits allow. */
  async function countCredits(): Promise<void> {
    counting = 'once';
    // Pages in flight will be charged, or have been since.
    const pages = inFlight.size;
    try {
      const left = (await ledger.remaining(job.team)) ?? Number.POSITIVE_INFINITY;
      if (!over) startFetches(left - pages, pages);
    } catch (error) {
      pauseAfter(error, "a team's credits could not be read");
    }
    const again = (counting as string) === 'again';
    counting = false;
    if (again) pump();
  }

  /** @param affordable how many more pages the credits allow @param charged pages in flight that this takes into account */
  function startFetches(affordable: number, charged = 0): void {
    cancelTimer();
    if (pauses.leftMs > 0) {
      cancelTimer = clock.after(pauses.leftMs, pump);
      return;
    }
    if (seeds?.holdUp) return;
    let left = affordable;
    let waitMs = Number.POSITIVE_INFINITY;
    let anyWaiting = false;
    let nextLevel = Number.POSITIVE_INFINITY;
    while (inFlight.size - originals.held + reading.size < (pauses.isTrying ? 1 : width) && mayFetch()) {
      const next = pick();
      ({ waitMs, anyWaiting, nextLevel } = next);
      if (!next.queue || !next.page) break;
      const isForLinks = next.page.for_links === 1;
      if (left <= 0 && !isForLinks) {
        if (isHeldUp()) originals.release();
        if (charged === 0 && inFlight.size === 0)
          end({ status: 'failed', error: "The month's credits are used up. Start the service with more --credits." });
        return;
      }
      if (!slots.take(job.team)) {
        // A slot that is given back starts the next fetch; the precedence of another team ends without an event.
        waitMs = slotRetryMs;
        break;
      }
      waitMs = Number.POSITIVE_INFINITY;
      if (isForLinks) linkReads.begun(shapeOf(new URL(next.page.url)));
      else left--;
      next.queue.shift();
      (isForLinks ? linkQueues : queues).served(next.queue);
      void fetchPage(next.page, next.queue, gates.enter(next.queue.host, paceOf(next.queue)));
    }
    // While sitemaps that take long are still read, the crawl goes on to the next level, but doesn't end.
    const isStuck = (!seeds?.areOpen || Number.isFinite(level)) && (!mayFetch() || !anyWaiting);
    if (isStuck && tries.areLeft && (isIdle() || isHeldUp())) {
      tries.begin();
      pauses.pause(retryFailedMs);
      cancelTimer = clock.after(retryFailedMs, pump);
      return;
    }
    // An original may be found on the next level.
    if (isStuck && (isIdle() || isHeldUp()) && mayFetch() && Number.isFinite(nextLevel)) {
      level = nextLevel;
      return startFetches(affordable, charged);
    }
    if (isStuck && !seeds?.areOpen && isHeldUp()) return originals.release();
    if (isStuck && !seeds?.areOpen && isIdle()) return void endAsFound();
    if (Number.isFinite(waitMs)) cancelTimer = clock.after(waitMs, pump);
  }

  const isIdle = () => inFlight.size === 0 && reading.size === 0 && settling === 0;

  /** Whether the only pages left are those that wait for others. */
  const isHeldUp = () => originals.held > 0 && inFlight.size === originals.held && reading.size === 0 && settling === 0;

  /** Ends a run with nothing left to do, unless pages are added in the meantime. */
  async function endAsFound(): Promise<void> {
    if (ending) return;
    ending = true;
    try {
      await addLast();
      const result = await endOf(job, parts.frontier, filter, robots.first());
      const { includePaths } = job.options;
      const lists =
        filter &&
        isDone() &&
        !isFull() &&
        (await outside.warning(job.completed, { ...filter, includePaths }, job.runs > 1));
      const forms = filter && (await choices.text((found) => areUnknown(found, filter)));
      if (isDone()) {
        if (lists) say('lists', lists);
        if (isCrawl) say('forms', forms);
        return end(result);
      }
    } catch (error) {
      pauseAfter(error, 'the outcome of a job could not be read');
    } finally {
      ending = false;
    }
    pump();
  }

  /** Tells which choices are pages that the crawl would get, or read for their links, but hasn't found. */
  async function areUnknown(found: readonly Choice[], { against, identityOf }: LinkFilter): Promise<boolean[]> {
    const keys = found.map(({ url }) => identityOf(url));
    const isKnown = await parts.frontier.knownOf(job.num, [...keys, ...keys.map(identityForLinks)]);
    const reasons = await against(found.map(({ url }) => url));
    return found.map(({ url: { href, origin }, isList }, at) => {
      const key = keys[at] ?? '';
      const mayRead = reasons[at] === undefined || (isList && reasons[at] === 'include');
      return mayRead && !robots.against({ url: href, origin }) && !isKnown(key) && !isKnown(identityForLinks(key));
    });
  }

  /** Adds pages that are found in other ways than by links, as long as there is room: those that may lead to others first. */
  async function addLast(): Promise<void> {
    const hasRoom = () => !isFull() && isDone();
    const takeUp = async () => {
      if (hasRoom()) for (const origin of await store.takeUp()) queues.note(origin, true);
    };
    if (!isFull()) await seeds?.addOfNewSite();
    await takeUp();
    await hidden?.add(hasRoom);
    // What was added last may be beyond the limit by now.
    await takeUp();
  }

  /** Whether nothing is left to fetch, to store or to fetch once more. */
  const isDone = () => !isLeft() && isIdle() && !tries.areLeft;

  /** Whether a page may be fetched, now or once others were. */
  function isLeft(): boolean {
    if (!mayFetch()) return false;
    const { anyWaiting, nextLevel } = pick();
    return anyWaiting || Number.isFinite(nextLevel);
  }

  /** The queues to fetch from, those of pages to crawl first. */
  function* candidates(): Iterable<OriginQueue> {
    yield* queues.all();
    if (linkReads.mayRead(reading.size)) yield* linkQueues.all();
  }

  /** Returns the next page that may be fetched now, or how long to wait for one, and the level of those that are too deep yet. */
  function pick(): Remaining & { queue?: OriginQueue; page?: WaitingPage } {
    const waitMs = Number.POSITIVE_INFINITY;
    let nextLevel = Number.POSITIVE_INFINITY;
    let anyWaiting = queues.more || (linkReads.mayRead(reading.size) && linkQueues.more);
    for (const queue of candidates()) {
      const page = nextToFetch(queue);
      if (!page) continue;
      if (page !== 'loading' && page.depth > level) {
        nextLevel = Math.min(nextLevel, page.depth);
        continue;
      }
      if (page !== 'loading' && isBeyond(page)) continue;
      anyWaiting = true;
      if (page === 'loading') continue;
      if (robots.areOpen(queue.origin)) continue;
      const wait = gates.wait(queue.host, paceOf(queue));
      if (wait === 0) return { queue, page, waitMs: 0, anyWaiting, nextLevel };
      if (Number.isFinite(wait)) queue.defer(wait);
    }
    return { waitMs, anyWaiting, nextLevel };
  }

  /** Whether the limit leaves a page out, unless another one turns out not to count. */
  const isBeyond = ({ id }: WaitingPage) => isFull() && !tries.isOwed(id);

  function blockedBy(page: NewPage): string | undefined {
    const rules = robots.against(page);
    return rules && rules.down === undefined ? blockedReason(rules) : undefined;
  }

  /** Returns the next page of an origin that needs a fetch, and settles those before it that don't. */
  function nextToFetch(queue: OriginQueue): WaitingPage | 'loading' | undefined {
    while (settling < maxSettling) {
      let page = queue.peek();
      // One that has no place in the limit may have been put back in front of one that keeps its own.
      if (page && page !== 'loading' && isBeyond(page) && queue.bring(tries.isOwed)) page = queue.peek();
      if (!page || page === 'loading' || isBeyond(page) || robots.areOpen(queue.origin)) return page;
      const rules = robots.against({ ...page, origin: queue.origin });
      if (page.for_links === 1 && (queue.unavailable !== undefined || linkReads.isVain(shapeOf(new URL(page.url))))) {
        settleUnfetched(page, queue, { kind: 'read for links', found: [], read: false });
        continue;
      }
      if (queue.unavailable !== undefined) {
        settleUnfetched(page, queue, failure(page, 'HOST_UNAVAILABLE', `Not fetched: ${queue.unavailable}.`));
      } else if (rules) {
        const error = blockedReason(rules);
        settleUnfetched(
          page,
          queue,
          rules.down === undefined ? { kind: 'blocked', error } : failure(page, rules.down, error),
        );
      } else if (traps.caught(page) || (page.hidden === 0 && equal.isKnown(page.url))) {
        settleUnfetched(page, queue, { kind: 'trap' });
      } else {
        return page;
      }
    }
    return undefined;
  }

  function settleUnfetched(page: WaitingPage, queue: OriginQueue, outcome: Outcome): void {
    const fails = outcome.kind === 'failed' && page.for_links === 0;
    queue.shift();
    tries.free(page.id);
    settling++;
    if (fails) failing++;
    void store
      .settle(page, outcome)
      .then(() => {
        stored();
        originals.note(page.identity);
      })
      .then(undefined, (error: unknown) => storeFailed(page, queue, error))
      .finally(() => {
        settling--;
        if (fails) failing--;
        pump();
      });
  }

  async function fetchPage(page: WaitingPage, queue: OriginQueue, visit: Visit): Promise<void> {
    const pages = page.for_links === 1 ? reading : inFlight;
    pages.add(page.id);
    const wasOwed = tries.free(page.id);
    const putBack = () => {
      if (wasOwed) tries.owe(page.id);
      queue.putBack(page);
    };
    let holdsSlot = true;
    // While a page is converted, another one can be fetched in its slot; a page to be rendered continues without a slot.
    const onAsking = (asking: boolean) => {
      if (asking === holdsSlot) return;
      if (asking) holdsSlot = slots.take(job.team);
      else {
        holdsSlot = false;
        slots.release(job.team);
        pump();
        hooks.onFree();
      }
    };
    try {
      const result = await fetch(page, visit, onAsking);
      if (over) return;
      if (result === 'try again') {
        putBack();
      } else if ('unavailable' in result) {
        queue.unavailable = result.unavailable;
        putBack();
      } else {
        const { original, login } = result;
        if (login?.isElsewhere) originals.note(login.key);
        if (original || login?.isElsewhere === false) {
          onAsking(false);
          await (original ? originals.settled(original) : login && originals.noted(login.key));
          if (over) return;
        }
        const outcome = result.repeated?.() ?? result.outcome;
        if (tries.putOff(page, queue, outcome)) return;
        if (outcome.kind === 'read for links' && outcome.standsIn) linkReads.standsIn(shapeOf(new URL(page.url)));
        await store.settle(page, outcome);
        originals.note(page.identity);
        if (result.links) filter?.remember(result.links, page.depth + 1);
        stored();
      }
    } catch (error) {
      if (!over) storeFailed(page, queue, error);
    } finally {
      pages.delete(page.id);
      if (holdsSlot) slots.release(job.team);
      pump();
      hooks.onFree();
    }
  }

  function stored(): void {
    pauses.succeeded();
    hooks.onStored();
  }

  /** Puts a page that could not be stored back, to fetch it again after a pause. */
  function storeFailed(page: WaitingPage, queue: OriginQueue, error: unknown): void {
    queue.putBack(page);
    pauseAfter(error, 'a page could not be stored');
  }

  /** Pauses the run after a storage failure, and ends it after many in a row. Returns milliseconds until it goes on. */
  function pauseAfter(error: unknown, what: string): number {
    if (over) return 0;
    if (pauses.failed(error, what)) {
      end({ status: 'failed', error: `Pages could not be stored: ${messageOf(error)}` });
      return 0;
    }
    cancelTimer();
    cancelTimer = clock.after(pauses.leftMs, pump);
    return pauses.leftMs;
  }

  /** Finds what an earlier run left to do. */
  async function open(): Promise<void> {
    while (!over && !opened) {
      try {
        for (const found of job.runs > 1 ? await parts.leftOut.forms(job.num) : []) choices.add(found);
        await parts.frontier.eachOrigin(job.num, queues.note);
        await parts.frontier.eachOrigin(job.num, linkQueues.note, true);
        opened = true;
      } catch (error) {
        const waitMs = pauseAfter(error, "a job's pages could not be read");
        await new Promise<void>((resolve) => clock.after(waitMs, resolve));
      }
    }
    void seeds?.add();
    pump();
  }

  void workingFor(asker, open);
  return {
    job,
    knowledge,
    /** Pages being fetched. */
    get active(): number {
      return inFlight.size + reading.size;
    },
    /** Resolves with how the job ended, or undefined if the run was stopped. */
    ended,
    /** Starts the fetches that are possible now. To be called whenever that may have changed. */
    pump,
    /** Notes that pages of these origins were added from outside the run. */
    noteAdded(origins: Iterable<string>): void {
      for (const origin of origins) queues.note(origin);
      pump();
    },
    /** Stops immediately and cancels fetches in flight. */
    stop: (): void => end(undefined),
    /** Ends the run, so that another continues from what is stored. */
    outdate,
  };
}

/** Whether a job's pages are those of a person who is logged in. */
function isLoggedIn({ scrapeOptions: { profile, headers = {} } }: Job): boolean {
  return profile !== undefined || Object.keys(headers).some((name) => /^(?:cookie|authorization)$/i.test(name));
}
