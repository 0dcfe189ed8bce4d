import { shorten } from '../../../../../contract/shorten.ts';
import { createTurn, inTurns } from '../../../../platform/async.ts';
import { type Choice, createChoicePages, type FoundForm } from '../../choice-pages.ts';
import { identityForLinks, type LinkFilter } from '../../scope/link-filter.ts';
import { createOutsidePages } from '../../scope/outside-pages.ts';
import { parseLink } from '../../scope/urls.ts';
import { blockedCrawl } from '../../site/robots-cache.ts';
import type { NewPage } from '../../store/frontier.ts';
import type { Job, Say } from '../../store/job-table.ts';
import type { JobRobots } from '../job-robots.ts';
import type { PageStore } from '../page-store.ts';
import type { RunParts } from '../run-parts.ts';
import type { Seeds } from '../seeds.ts';
import type { WaitingPages } from '../waiting-pages/waiting-pages.ts';
import { createHiddenPages } from './hidden-pages.ts';

/** How a run ended. */
export type RunEnd =
  | { status: 'completed' }
  | { status: 'failed'; error: string }
  /** The run has to continue from what is stored, which may differ from what it knows. */
  | { status: 'outdated' };

interface RunEndUses {
  /** Which links are followed; undefined for a batch. */
  filter: LinkFilter | undefined;
  seeds: Seeds | undefined;
  robots: JobRobots;
  store: PageStore;
  waiting: WaitingPages;
  say: Say;
}

/** Notes where the pages of a crawl lead that it doesn't follow, and once nothing else is left, finds how it ends and what it may lack. */
export function createRunEnd(
  job: Job,
  parts: Pick<RunParts, 'frontier' | 'leftOut' | 'versions' | 'earlier'>,
  { filter, seeds, robots, store, waiting, say }: RunEndUses,
) {
  const { frontier, leftOut } = parts;
  const hidden = filter && createHiddenPages(job, parts, { filter, store, say });
  const outside = createOutsidePages();
  const choices = createChoicePages();

  /** Tells which choices are pages that the crawl would get, or read for their links, but hasn't found. */
  async function areUnknown(found: readonly Choice[], { against, identityOf }: LinkFilter): Promise<boolean[]> {
    const keys = found.map(({ url }) => identityOf(url));
    const isKnown = await frontier.knownOf(job.num, [...keys, ...keys.map(identityForLinks)]);
    const reasons = await against(found.map(({ url }) => url));
    return found.map(({ url: { href, origin }, isList }, at) => {
      const key = keys[at] ?? '';
      const mayRead = reasons[at] === undefined || (isList && reasons[at] === 'include');
      return mayRead && !robots.against({ url: href, origin }) && !isKnown(key) && !isKnown(identityForLinks(key));
    });
  }

  /** Adds pages that are found in other ways than by links, as long as there is room: those that may lead to others first. */
  async function addLast(): Promise<void> {
    const hasRoom = () => !waiting.isFull() && waiting.isDone();
    const takeUp = async () => {
      if (hasRoom()) for (const origin of await store.takeUp()) waiting.note(origin, true);
    };
    if (!waiting.isFull()) await seeds?.addOfNewSite();
    await takeUp();
    await hidden?.add(hasRoom);
    // What was added last may be beyond the limit by now.
    await takeUp();
  }

  async function endOf(): Promise<RunEnd> {
    if (!filter || job.completed > 0) return { status: 'completed' };
    const failed = await frontier.firstFailure(job.num);
    if (failed) {
      const { url, error } = failed;
      const isStart = filter.identityOf(new URL(url)) === filter.identityOf(new URL(job.url));
      const reason = error ?? 'The page failed.';
      return {
        status: 'failed',
        error: isStart
          ? reason.replace(/^The page /, 'The start page ')
          : `No page could be crawled. ${shorten(url)}: ${reason}`,
      };
    }
    if (job.blocked > 0 && job.passed_over === 0) return { status: 'failed', error: blockedCrawl(robots.first()) };
    return { status: 'completed' };
  }

  return {
    /** Notes what a page leads to, and the links that it lists. */
    async onFound(pages: readonly NewPage[], listed: readonly string[], content?: readonly string[]): Promise<void> {
      const turn = createTurn();
      const open: NewPage[] = [];
      await inTurns(pages, (page) => void (robots.blockedBy(page) ?? open.push(page)), turn);
      const openListed: string[] = [];
      const keepListed = (url: string) => {
        const origin = parseLink(url)?.origin;
        if (origin !== undefined && !robots.against({ url, origin })) openListed.push(url);
      };
      await inTurns(listed, keepListed, turn);
      await outside.found(open, openListed, content);
    },
    async onChoices(found: FoundForm): Promise<void> {
      if (choices.add(found)) await store.keepForm(found);
    },
    /** Reads what an earlier run has noted. */
    async open(): Promise<void> {
      for (const found of job.runs > 1 ? await leftOut.forms(job.num) : []) choices.add(found);
    },
    /** Calls back with how the run ends, unless there are pages to read by then. */
    async reach(onEnd: (end: RunEnd) => void): Promise<void> {
      await addLast();
      const end = await endOf();
      const { includePaths } = job.options;
      const lists =
        filter &&
        waiting.isDone() &&
        !waiting.isFull() &&
        (await outside.warning(job.completed, { ...filter, includePaths }, job.runs > 1));
      const forms = filter && (await choices.text((found) => areUnknown(found, filter)));
      if (!waiting.isDone()) return;
      await store.leaveUnread(waiting.unread());
      if (lists) say('lists', lists);
      if (filter) say('forms', forms);
      onEnd(end);
    },
  };
}
