import { createTemplates } from '../../../scrape/templates.ts';
import { countedOf, type Job, limitOf } from '../../store/job-table.ts';
import { createEqualUrls } from './equal-urls.ts';
import { createPageTexts } from './page-texts.ts';
import { createTraps } from './traps.ts';

/** What the runs of a job learn of its site from the pages they read. */
export type SiteKnowledge = ReturnType<typeof createSiteKnowledge>;

/** Pages of all jobs that wait for a higher limit of which this is kept: some kilobytes for each, and half a megabyte for a job. */
const maxPages = 5_000;
const maxJobs = 10;

function createSiteKnowledge() {
  return {
    templates: createTemplates(),
    texts: createPageTexts(),
    traps: createTraps(),
    equal: createEqualUrls(),
    /** URLs of login pages that were shown in place of others. */
    loginPages: new Set<string>(),
    /** The pages that are stored for the targets of their redirects although these failed, by the ids of the targets. */
    inPlaceOf: new Map<number, number>(),
  };
}

/** Keeps what runs learned of their sites, for those that go on with the same job. */
export function createKeptKnowledge() {
  const kept = new Map<string, { knowledge: SiteKnowledge; pages: number }>();
  return {
    /** Returns what is kept for a job, and no longer keeps it. */
    take({ id }: Pick<Job, 'id'>): SiteKnowledge {
      const { knowledge = createSiteKnowledge() } = kept.get(id) ?? {};
      kept.delete(id);
      return knowledge;
    },
    /** Keeps it for a job that may go on, as one does that ended at its limit, unless nothing of it may be kept. */
    keep(job: Job, knowledge: SiteKnowledge): void {
      const pages = job.completed + job.repeated;
      const mayGoOn = job.status === 'scraping' || countedOf(job) >= limitOf(job);
      if (job.kind !== 'crawl' || job.options.zeroDataRetention || !mayGoOn || pages > maxPages) return;
      kept.set(job.id, { knowledge, pages });
      let all = [...kept.values()].reduce((sum, each) => sum + each.pages, 0);
      for (const [id, each] of kept) {
        if (all <= maxPages && kept.size <= maxJobs) break;
        all -= each.pages;
        kept.delete(id);
      }
    },
  };
}
