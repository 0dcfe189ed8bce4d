import { getOrAdd } from '../../../../platform/maps.ts';
import { createShapes, shapeOf } from '../../scope/shapes.ts';
import type { NewPage, WaitingPage } from '../../store/frontier.ts';
import type { Job } from '../../store/job-table.ts';
import type { OriginQueue } from './origin-queues.ts';

/** Pages that a crawl reads for their links without having found a page to crawl; each one that is found allows another. */
const readsInVain = 200;
const ofShapeInVain = { below: 10, top: 50 };
/** How often those of a shape that has led to new pages are tried again once nothing else is left: lists may have items in common. */
const maxTrials = 4;
/** Maximum number of shapes that are credited with a page that was found. */
const maxAbove = 20;

/** The shape of a page, and the nearest one above it that has another shape. */
interface Place {
  shape: string;
  above: Place | undefined;
}

/**
 * Decides how long a crawl reads pages only for their links: as long as they lead to pages to crawl. Those of a shape that doesn't
 * are set aside, and read only if one of their shape leads on after all.
 */
export function createLinkReads(job: Job, limit: number) {
  const shapes = createShapes(ofShapeInVain);
  /** The pages that are known, by their identities. */
  const places = new Map<string, Place>();
  const aside = new Map<string, { page: WaitingPage; queue: OriginQueue }[]>();
  const trials = new Map<string, number>();

  return {
    isVain: shapes.isVain,
    /** Whether another page may be read. @param reading pages that are being read */
    mayRead(reading: number) {
      const found = job.added - job.blocked - job.passed_over - job.repeated;
      return found < limit && job.link_reads + reading < readsInVain + found;
    },
    /** Notes that a page is read. */
    begun({ identity, url }: WaitingPage): void {
      const shape = shapeOf(new URL(url));
      if (!places.has(identity)) places.set(identity, { shape, above: undefined });
      shapes.begun(shape);
    },
    /** Notes a page that was not known before: that on which it was found, and those that led there, lead on. */
    found({ identity, url, role, from = '' }: NewPage): void {
      const on = places.get(from);
      if (role === 'links') {
        const shape = shapeOf(new URL(url));
        places.set(identity, { shape, above: on?.shape === shape ? on.above : on });
        return;
      }
      for (let [each, count] = [on, 0]; each && count < maxAbove; each = each.above, count++) {
        shapes.led(each.shape);
        trials.delete(each.shape);
      }
    },
    /** Sets a page aside that was taken out of its queue. */
    setAside(page: WaitingPage, queue: OriginQueue): void {
      getOrAdd(aside, shapeOf(new URL(page.url)), () => []).push({ page, queue });
    },
    /**
     * Lets some pages of a shape wait again, those that were found first: of one that has led on since, or else of one that did
     * before. Returns false if there are none.
     */
    bringBack(): boolean {
      const mayLead = (each: string) => shapes.isFruitful(each) && (trials.get(each) ?? 0) < maxTrials;
      const all = [...aside];
      const [shape, pages] = all.find(([each]) => !shapes.isVain(each)) ?? all.find(([each]) => mayLead(each)) ?? [];
      if (shape === undefined || !pages) return false;
      if (shapes.isVain(shape)) {
        trials.set(shape, (trials.get(shape) ?? 0) + 1);
        shapes.tryAgain(shape);
      }
      const first = pages.sort((one, other) => one.page.id - other.page.id).splice(0, ofShapeInVain.below);
      if (pages.length === 0) aside.delete(shape);
      for (const { page, queue } of first.reverse()) queue.putBack(page);
      return true;
    },
    /** The pages that are set aside. */
    aside: (): WaitingPage[] => [...aside.values()].flatMap((pages) => pages.map(({ page }) => page)),
  };
}
