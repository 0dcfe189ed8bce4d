import { type LeftOutReason, leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { inTurns } from '../../../platform/async.ts';
import type { Database } from '../../../platform/storage/storage.ts';
import type { Commit } from '../store/commits.ts';
import { type NewPage, pageStates } from '../store/frontier.ts';
import { type Job, limitOf } from '../store/job-table.ts';
import type { PageStoreOptions } from './page-store.ts';
import type { RunParts } from './run-parts.ts';

/** Maximum number of pages kept beyond the limit, because some may turn out not to count. */
const maxSpare = 10_000;
/** How many more pages than a job can use may wait because others turn out not to count, until no further ones are taken up. */
const maxTakenUp = 20_000;
/** Maximum number of pages disallowed by robots.txt that are kept; they don't count toward the capacity. */
const maxBlocked = 100_000;
/** Maximum number of pages kept as left out for a reason: some may be found in another way. */
const maxLeftOut = 10_000;
/** Maximum number of pages kept to be read only for their links, beyond those that were. */
const maxLinkPages = 10_000;

/** A work that adds pages. */
export interface Additions extends Commit {
  /** Pages that wait now: those to crawl, and those to read only for their links. */
  added: NewPage[];
}

/** A page that a job has found, and why robots.txt blocks it, as far as that is known. */
export interface JudgedPage {
  page: NewPage;
  reason: string | undefined;
  /** The page as a variant of one that is known under another URL. */
  variant: JudgedPage | undefined;
}

interface FoundPagesUses extends Pick<PageStoreOptions, 'blockedBy'> {
  recordBlocked(id: number, url: string, error: string, commit: Commit): void;
  /** Stores what a work adds. */
  commit(work: (changes: Additions) => Promise<void>): Promise<void>;
}

/** Adds what a job finds to its frontier, as far as the job can use it, and counts what it leaves out. */
export function createFoundPages(
  job: Job,
  { frontier, leftOut }: Pick<RunParts, 'frontier' | 'leftOut'>,
  { blockedBy, recordBlocked, commit }: FoundPagesUses,
) {
  const limit = limitOf(job);
  const capacity = limit + Math.min(maxSpare, limit * 10 + 1000);
  const room = () => {
    const free = Math.min(job.blocked, maxBlocked) + Math.min(job.repeated, maxSpare) + Math.min(job.failed, limit);
    return Math.max(0, capacity - (job.added - free));
  };
  /** Pages that were left out because there was no room. */
  let beyondLimit = 0;
  const left = new Map<LeftOutReason, number>();

  function leaveOut({ identity, url }: Pick<NewPage, 'identity' | 'url'>, reason: LeftOutReason, commit: Commit): void {
    const count = left.get(reason) ?? 0;
    left.set(reason, count + 1);
    if (count < maxLeftOut) commit.gather(leftOut, { job: job.num, reason, identity, url }, leftOut.add);
  }

  function judge(page: NewPage): JudgedPage {
    const variant = page.variant && judge(asVariant(page));
    return { page, reason: blockedBy(page), variant };
  }

  function addPages(pages: readonly JudgedPage[], changes: Additions): void {
    if (pages.length > 0) changes.gather(addAll, { pages, changes }, addAll);
  }

  async function addAll(
    found: { pages: readonly JudgedPage[]; changes: Additions }[],
    tx: Database,
    commit: Commit,
  ): Promise<void> {
    const [first] = found;
    if (!first) return;
    const known = first.changes.added.length;
    const allowed: NewPage[] = [];
    const forLinks: NewPage[] = [];
    const disallowed = new Map<string, { page: NewPage; reason: string }>();
    const variants = new Map<NewPage, JudgedPage>();
    for (const { page, reason, variant } of found.flatMap(({ pages }) => pages)) {
      if (variant) variants.set(page, variant);
      if (page.role !== undefined && page.role !== 'links') {
        // What may not be read isn't offered.
        leaveOut(page, reason === undefined ? page.role : 'robots', commit);
        continue;
      }
      if (page.role === 'links') reason === undefined ? forLinks.push(page) : leaveOut(asPage(page), 'robots', commit);
      else if (reason === undefined) allowed.push(page);
      else if (!disallowed.has(page.identity)) disallowed.set(page.identity, { page, reason });
    }
    const open = [...forLinks, ...allowed];
    const linkRoom = Math.max(0, maxLinkPages + job.link_reads - job.link_pages);
    for (const page of forLinks.slice(linkRoom)) leaveOut(page, 'unread', commit);
    if (forLinks.length > 0 && linkRoom > 0) {
      const added = await frontier.add(job.num, forLinks.slice(0, linkRoom), tx);
      job.link_pages += added.length;
      for (const { page } of added) first.changes.added.push(page);
    }
    // Pages that the job has already take no room, so there may be room for more of them.
    while (allowed.length > 0 && room() > 0) {
      const added = await frontier.add(job.num, allowed.splice(0, room()), tx);
      job.added += added.length;
      for (const { page } of added) first.changes.added.push(page);
    }
    // A crawl that goes on with a higher limit takes them up.
    const beyond = allowed.splice(0, Math.max(0, leftOutLimits.counted - beyondLimit));
    const kept = await frontier.add(job.num, beyond, tx, pageStates.beyond);
    beyondLimit += kept.length;
    while (disallowed.size > 0 && job.blocked < maxBlocked) {
      const next = [...disallowed.values()].slice(0, maxBlocked - job.blocked);
      const added = await frontier.add(
        job.num,
        next.map(({ page }) => page),
        tx,
      );
      job.added += added.length;
      for (const { id, page } of added)
        recordBlocked(id, page.url, disallowed.get(page.identity)?.reason ?? '', commit);
      for (const { page } of next) disallowed.delete(page.identity);
    }
    for (const { page } of disallowed.values()) leaveOut(page, 'robots', commit);
    // The URL of a page that is known under another one is a variant of that.
    const isNew = new Set([...first.changes.added.slice(known), ...kept.map(({ page }) => page)]);
    const { own = [], others } = Object.groupBy(
      open.filter((page) => variants.has(page)),
      (page) => (isNew.has(page) ? 'own' : 'others'),
    );
    await frontier.add(job.num, own.map(asVariant), tx, pageStates.passedOver);
    const pages = others?.flatMap((page) => variants.get(page) ?? []);
    if (pages) await addAll([{ pages, changes: first.changes }], tx, commit);
  }

  return {
    /** Returns how many more pages the job can use. */
    room,
    leaveOut,
    /** Returns pages with what robots.txt says of them, in turns: that can take long for many of them. */
    async judged(pages: readonly NewPage[]): Promise<JudgedPage[]> {
      const judged: JudgedPage[] = [];
      await inTurns(pages, (page) => judged.push(judge(page)));
      return judged;
    },
    /** Adds them with what else the transaction adds. */
    add: addPages,
    /** Lets pages beyond the limit wait: fewer count toward it than were kept. Returns their origins. */
    async takeUp(): Promise<ReadonlySet<string>> {
      let origins: string[] = [];
      // Otherwise there was room for all. Pages that never count may be without end.
      if (job.added >= capacity && job.added - job.blocked < capacity + maxTakenUp)
        await commit(async ({ tx }) => {
          origins = await frontier.takeUp(job.num, tx);
          job.added += origins.length;
        });
      beyondLimit = 0;
      return new Set(origins);
    },
  };
}

/** Returns a page that was to be read for its links as the page that it is. */
export function asPage<Page extends Pick<NewPage, 'identity'>>(page: Page): Page {
  return { ...page, identity: page.identity.replace(/^links /, '') };
}

/** Returns what a page counts as by its own URL. */
const asVariant = ({ variant, ...page }: NewPage): NewPage => ({ ...page, ...variant });
