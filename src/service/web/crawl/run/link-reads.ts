import { createShapes, shapeOf } from '../scope/shapes.ts';
import type { NewPage, WaitingPage } from '../store/frontier.ts';
import type { Job } from '../store/job-table.ts';
import type { OriginQueue } from './origin-queues.ts';
import type { createStandIns } from './stand-ins.ts';

/** Pages that a crawl reads for their links without having found a page to crawl; each one that is found allows another. */
const readsInVain = 200;
/** Pages of a kind that are read in vain before the others wait, and how many times as many of those that should lead to pages. */
const ofKindInVain = { below: 10, top: 50 };
const patience = 5;
/** The kinds of pages that stand in for others, by whether the crawl has found those. */
const [ofFound, ofOthers] = ['found', 'others'];

/**
 * Decides how long a crawl reads pages only for their links: as long as they lead to pages to crawl. Those of a kind that doesn't
 * are set aside until it does, and are left unread if it never does.
 */
export function createLinkReads(
  job: Job,
  limit: number,
  standIns: ReturnType<typeof createStandIns>,
  identityOf: (url: URL) => string,
) {
  const kinds = createShapes(ofKindInVain);
  /** As what pages were read, and on which others they were found, by their identities. */
  const pages = new Map<string, { kind: string; from: string | undefined }>();
  const aside = new Map<string, { page: WaitingPage; queue: OriginQueue }[]>();

  function kindOf(page: Pick<WaitingPage, 'url'>): string {
    const url = new URL(page.url);
    const original = standIns.originalOf(url);
    if (!original) return shapeOf(url);
    return standIns.isFound(identityOf(original)) ? ofFound : ofOthers;
  }

  const isVain = (kind: string) => kinds.isVain(kind, kind === ofOthers ? patience : 1);

  /** Lets pages wait again that were set aside. */
  function bringBack(kind: string, isWanted: (page: WaitingPage, index: number) => boolean): void {
    const { wanted = [], others } = Object.groupBy(aside.get(kind) ?? [], ({ page }, index) =>
      isWanted(page, index) ? 'wanted' : 'others',
    );
    if (others) aside.set(kind, others);
    else aside.delete(kind);
    for (const { page, queue } of wanted.toReversed()) queue.putBack(page);
  }

  return {
    /** Whether another page may be read. @param reading pages that are being read */
    mayRead(reading: number): boolean {
      const found = job.added - job.blocked - job.passed_over - job.repeated;
      return found < limit && job.link_reads + reading < readsInVain + found;
    },
    /** Whether a page is another one that the crawl has, and enough such led nowhere else. */
    isKnown: (page: WaitingPage): boolean => kindOf(page) === ofFound && isVain(ofFound),
    /** Sets a page that was taken out of its queue aside, if enough of its kind were read in vain. */
    setAside(page: WaitingPage, queue: OriginQueue): boolean {
      const kind = kindOf(page);
      if (!isVain(kind)) return false;
      const others = aside.get(kind);
      if (others) others.push({ page, queue });
      else aside.set(kind, [{ page, queue }]);
      return true;
    },
    /** Notes that a page is read. */
    begun(page: WaitingPage): void {
      const kind = kindOf(page);
      pages.set(page.identity, { kind, from: pages.get(page.identity)?.from });
      kinds.begun(kind);
    },
    /** Notes for which page one that was read stands in, if for any. */
    read({ url }: WaitingPage, original: string | undefined): void {
      if (!standIns.learn(new URL(url), original === undefined ? undefined : new URL(original))) return;
      for (const kind of [...aside.keys()]) bringBack(kind, (page) => kindOf(page) !== kind);
    },
    /** Notes that a page was found that was not known before: that on which it was found, and those that led there, lead on. */
    found({ identity, url, role, from }: NewPage): void {
      if (role === 'links') return void pages.set(identity, { kind: shapeOf(new URL(url)), from });
      // Without patterns, no page is read only for its links.
      if (job.options.includePaths?.length) standIns.found(identity);
      for (let each = pages.get(from ?? ''); each; each = pages.get(each.from ?? '')) {
        kinds.led(each.kind);
        // So many may be read before one of them has to lead on.
        bringBack(each.kind, (_, index) => index < ofKindInVain.top);
      }
    },
  };
}
