import { createShapes } from '../scope/shapes.ts';
import type { Job } from '../store/job-table.ts';

/** Pages that a crawl reads for their links without having found a page to crawl; each one that is found allows another. */
const readsInVain = 200;
const ofShapeInVain = { below: 10, top: 50 };

/** Decides how long a crawl reads pages only for their links: as long as they lead to pages to crawl. */
export function createLinkReads(job: Job, limit: number) {
  return {
    ...createShapes(ofShapeInVain),
    /** Whether another page may be read. @param reading pages that are being read */
    mayRead(reading: number) {
      const found = job.added - job.blocked - job.passed_over;
      return found < limit && job.link_reads + reading < readsInVain + found;
    },
  };
}
