import { limits } from '../../../../contract/limits.ts';
import { workingFor } from '../../../platform/asker.ts';
import { messageOf } from '../../../platform/errors.ts';
import { filterOf } from '../scope/link-filter.ts';
import { shapeOf } from '../scope/shapes.ts';
import type { WaitingPage } from '../store/frontier.ts';
import type { Job, Say } from '../store/job-table.ts';
import type { Visit } from './host-gates/host-gates.ts';
import { createJobRobots } from './job-robots.ts';
import { createOriginals } from './originals.ts';
import type { Outcome } from './outcome.ts';
import { createPageFetcher } from './page-fetch/page-fetch.ts';
import { createPageStore } from './page-store.ts';
import { createRepeat } from './repeat.ts';
import { createRunEnd, type RunEnd } from './run-end/run-end.ts';
import type { RunParts } from './run-parts.ts';
import { createSeeds } from './seeds.ts';
import { maxPages } from './site-knowledge/page-texts.ts';
import type { SiteKnowledge } from './site-knowledge/site-knowledge.ts';
import { createStoragePauses } from './storage-pauses.ts';
import type { OriginQueue } from './waiting-pages/origin-queues.ts';
import { createSecondTries } from './waiting-pages/second-tries.ts';
import { createWaitingPages } from './waiting-pages/waiting-pages.ts';

/** A running job. */
export type JobRun = ReturnType<typeof runJob>;

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

/** Runs a job from its stored state to its end. @param knowledge what earlier runs of it have learned */
export function runJob(job: Job, parts: RunParts, knowledge: SiteKnowledge, hooks: RunHooks) {
  const { clock, slots, ledger } = parts;
  const asker = { team: job.team, work: job.id };
  const width = job.options.maxConcurrency ?? limits.pagesAtATime.default;

  const stopped = new AbortController();
  const isOver = () => stopped.signal.aborted;
  const { promise: ended, resolve: resolveEnd } = Promise.withResolvers<RunEnd | undefined>();
  const inFlight = new Set<number>();
  /** The shapes of pages being read only for their links, by their ids. */
  const reading = new Map<number, string>();
  /** Originals that are read beyond the limit: copies that name them have their places. */
  const inPlaceOfCopies = new Set<number>();
  const robots = createJobRobots(job, parts.robots, stopped.signal, pump);
  const say: Say = (about, said) => {
    if (said === undefined) delete job.warnings[about];
    else job.warnings[about] = said;
  };
  const filter = job.kind === 'crawl' ? filterOf(job, parts.matcher, say) : undefined;
  const tries = createSecondTries();
  const waiting = createWaitingPages(job, parts, {
    robots,
    tries,
    knowledge,
    inFlight,
    reading,
    settle: storeUnfetched,
    onLoaded: pump,
    onFailed: (error) => void pauseAfter(error, "a job's pages could not be read"),
    after: (ms, callback) => void clock.after(ms, callback),
  });
  const store = createPageStore(job, parts, {
    inFlight,
    inPlaceOf: knowledge.inPlaceOf,
    blockedBy: robots.blockedBy,
    onAdded: waiting.added,
    onDropped: waiting.drop,
    onDropStored: waiting.endDrop,
    onOutdated: outdate,
  });
  const repeat = job.since === null ? undefined : createRepeat(job.since, parts.earlier, say);
  const pauses = createStoragePauses(job.id, parts);
  const seeds = filter && createSeeds(job, parts, { filter, store, say, onChange: pump, pauseAfter }, stopped.signal);
  const runEnd = createRunEnd(job, parts, { filter, seeds, robots, store, waiting, say });
  const { onFound, onChoices } = runEnd;
  const uses = { filter, repeat, knowledge, readRobots: robots.read, onFound, onChoices, say };
  const fetch = createPageFetcher(job, parts, uses, stopped.signal);
  const originals = createOriginals(job.num, parts.frontier, store, pump);

  /** Whether the origins of the frontier are known. */
  let opened = false;
  /** Whether the credits left are being read, and whether to look again then. */
  let counting: false | 'once' | 'again' = false;
  /** Whether how the job ended is being determined. */
  let ending = false;
  let cancelTimer: () => void = () => undefined;

  function end(result: RunEnd | undefined): void {
    if (isOver()) return;
    cancelTimer();
    originals.release();
    stopped.abort(new Error('The job has ended.'));
    filter?.dispose();
    resolveEnd(result);
  }

  function outdate(): void {
    end({ status: 'outdated' });
  }

  function pump(): void {
    if (isOver() || !opened) return;
    // Another job may have called.
    workingFor(asker, () => {
      if (!ledger.limited) return goOn(Number.POSITIVE_INFINITY);
      if (counting) counting = 'again';
      else void countCredits();
    });
  }

  function pumpAfter(ms: number): void {
    cancelTimer();
    cancelTimer = clock.after(ms, pump);
  }

  /** Starts the fetches that the team's credits allow. */
  async function countCredits(): Promise<void> {
    counting = 'once';
    // Pages in flight will be charged, or have been since.
    const pages = inFlight.size;
    try {
      const left = (await ledger.remaining(job.team)) ?? Number.POSITIVE_INFINITY;
      if (!isOver()) goOn(left - pages, pages);
    } catch (error) {
      pauseAfter(error, "a team's credits could not be read");
    }
    const again = (counting as string) === 'again';
    counting = false;
    if (again) pump();
  }

  /** As `startFetches`, but a page that can't be read from storage ends its own job only, and not the one that calls. */
  function goOn(affordable: number, charged?: number): void {
    try {
      startFetches(affordable, charged);
    } catch (error) {
      parts.log.error({ job: job.id, reason: messageOf(error) }, 'a job could not go on');
      end({ status: 'failed', error: `The job can't go on: ${messageOf(error)}` });
    }
  }

  /** @param affordable how many more pages the credits allow @param charged pages in flight that this takes into account */
  function startFetches(affordable: number, charged = 0): void {
    cancelTimer();
    if (pauses.leftMs > 0) return pumpAfter(pauses.leftMs);
    if (seeds?.holdUp) return;
    let left = affordable;
    let lacksSlot = false;
    let anyWaiting = false;
    let nextLevel = Number.POSITIVE_INFINITY;
    while (inFlight.size - originals.held + reading.size < (pauses.isTrying ? 1 : width) && waiting.mayFetch()) {
      const next = waiting.pick();
      ({ anyWaiting, nextLevel } = next);
      if (!next.queue || !next.page) break;
      const counts = next.page.for_links === 0;
      if (left <= 0 && counts) {
        if (isHeldUp()) originals.release();
        if (charged === 0 && inFlight.size === 0)
          end({ status: 'failed', error: "The month's credits are used up. Start the service with more --credits." });
        return;
      }
      if (!slots.take(job.team)) {
        // A slot that is given back starts the next fetch; the precedence of another team ends without an event.
        lacksSlot = true;
        break;
      }
      if (counts) left--;
      void fetchPage(next.page, next.queue, waiting.begin(next.page, next.queue));
    }
    // While sitemaps that take long are still read, the crawl goes on to the next level, but doesn't end.
    const isStuck = (!seeds?.areOpen || waiting.hasLevels) && (!waiting.mayFetch() || !anyWaiting);
    if (isStuck && (waiting.isIdle() || isHeldUp())) {
      if (tries.areLeft) {
        tries.begin();
        pauses.pause(retryFailedMs);
        return pumpAfter(retryFailedMs);
      }
      // An original may be found on the next level.
      if (waiting.mayFetch() && Number.isFinite(nextLevel)) {
        waiting.goTo(nextLevel);
        return startFetches(affordable, charged);
      }
      if (!seeds?.areOpen) {
        if (!isHeldUp()) return void endAsFound();
        if (readOriginals()) return startFetches(affordable, charged);
        for (const id of inPlaceOfCopies) tries.free(id);
        return originals.release();
      }
    }
    if (lacksSlot) pumpAfter(slotRetryMs);
  }

  /** Whether the only pages left are those that wait for others. */
  const isHeldUp = () => originals.held > 0 && waiting.isIdle(originals.held);

  /** Gives originals that the limit leaves out the places of the copies that wait for them. Returns whether there are such. */
  function readOriginals(): boolean {
    if (!waiting.isFull()) return false;
    const left = originals.unread().filter(({ page: { id } }) => !inFlight.has(id) && !inPlaceOfCopies.has(id));
    for (const { page, origin } of left) {
      inPlaceOfCopies.add(page.id);
      tries.owe(page.id);
      waiting.bring(origin, page);
    }
    return left.length > 0;
  }

  /** Ends a run with nothing left to do, unless pages are added in the meantime. */
  async function endAsFound(): Promise<void> {
    if (ending) return;
    ending = true;
    try {
      await runEnd.reach(end);
    } catch (error) {
      pauseAfter(error, 'the outcome of a job could not be read');
    } finally {
      ending = false;
    }
    pump();
  }

  function storeUnfetched(page: WaitingPage, queue: OriginQueue, outcome: Outcome): Promise<void> {
    return store
      .settle(page, outcome)
      .then(() => {
        stored();
        originals.note(page.identity);
      })
      .then(undefined, (error: unknown) => storeFailed(page, queue, error));
  }

  async function fetchPage(page: WaitingPage, queue: OriginQueue, visit: Visit): Promise<void> {
    if (page.for_links === 1) reading.set(page.id, shapeOf(new URL(page.url)));
    else inFlight.add(page.id);
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
      if (isOver()) return;
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
          if (isOver()) return;
        }
        const outcome = result.repeated?.() ?? result.outcome;
        // The page that it names as the original is another one, which has taken its place in the limit.
        if (original && outcome.kind === 'document' && waiting.isOverfull()) return queue.putBack(page);
        if (tries.putOff(page, queue, outcome)) return;
        await store.settle(page, outcome);
        originals.note(page.identity);
        if (result.links) filter?.remember(result.links, page.depth + 1);
        stored();
      }
    } catch (error) {
      if (!isOver()) storeFailed(page, queue, error);
    } finally {
      reading.delete(page.id);
      inFlight.delete(page.id);
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
    if (isOver()) return 0;
    if (pauses.failed(error, what)) {
      end({ status: 'failed', error: `Pages could not be stored: ${messageOf(error)}` });
      return 0;
    }
    pumpAfter(pauses.leftMs);
    return pauses.leftMs;
  }

  /** Finds what an earlier run left to do. */
  async function open(): Promise<void> {
    while (!isOver() && !opened) {
      try {
        await runEnd.open();
        // What the last run knew may be gone with its service.
        const texts = filter && job.runs > 1 ? await parts.frontier.texts(job.num, maxPages) : [];
        for (const text of texts) knowledge.texts.restore(text);
        await waiting.open();
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
      for (const origin of origins) waiting.note(origin);
      pump();
    },
    /** Stops immediately and cancels fetches in flight. */
    stop: (): void => end(undefined),
    /** Ends the run, so that another continues from what is stored. */
    outdate,
  };
}
