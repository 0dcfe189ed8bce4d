import * as z from 'zod';
import { pageLimits } from '../../../../contract/crawl/page-limits.ts';
import type { FoundPage } from '../../../../contract/crawl/pages.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf, ServiceError } from '../../../platform/errors.ts';
import type { Handlers } from '../../../platform/http/bind.ts';
import type { Caller } from '../../../platform/http/keys.ts';
import type { Jobs } from '../jobs.ts';
import type { Job, JobSummary } from '../store/job-table.ts';
import { cursorOf, findPage, listFolder, listPages, readCursor } from './page-lists.ts';
import type { PageTable } from './page-table.ts';
import type { PageSearch } from './search/page-search.ts';
import type { SearchedJob } from './search/tasks.ts';

export interface PageHandlerParts {
  jobs: Pick<Jobs, 'findAny' | 'ofTeam'>;
  pages: PageTable;
  search: PageSearch;
  clock: Clock;
}

const skipped = z.int().min(0).max(1_000_000);

/** Handles the endpoints for the pages of crawls and batches. */
export function pageHandlers({ jobs, pages, search, clock }: PageHandlerParts) {
  /** Returns a job whose pages are shown, and indexes them: they are likely to be searched next. */
  async function shown(caller: Caller, id: string): Promise<Job> {
    const job = await jobs.findAny(caller, id);
    if (job.completed > 0 && !job.options.zeroDataRetention) search.index(caller.team, searched(job));
    return job;
  }

  return {
    listPages: async ({ params, query }, { caller }) => ({
      success: true,
      ...(await listPages(pages, await shown(caller, params.jobId), query)),
    }),
    async findPages({ params, body }, { caller }) {
      const job = await jobs.findAny(caller, params.jobId);
      const found: { url: string; page: FoundPage['page'] }[] = [];
      for (const url of body.urls) {
        const page = await findPage(pages, job, url);
        if (page) found.push({ url, page });
      }
      return { success: true, found };
    },
    listPageFolder: async ({ params, query }, { caller }) => ({
      success: true,
      ...(await listFolder(pages, await shown(caller, params.jobId), query)),
    }),
    async searchPages({ query: { query, jobId, onlyChanges = false, cursor, limit } }, { caller, signal }) {
      const count = limit ?? pageLimits.found.default;
      const skip = readCursor(skipped, cursor) ?? 0;
      const all = jobId === undefined ? await jobs.ofTeam(caller.team) : [await jobs.findAny(caller, jobId)];
      const now = clock.now();
      const isLive = ({ status, expires_at }: JobSummary) => status === 'scraping' || expires_at > now;
      // The index would keep the text of pages that are not to be stored.
      const kept = all.filter((job) => isLive(job) && !job.options.zeroDataRetention);
      const request = {
        query,
        team: caller.team,
        only: jobId,
        onlyChanges,
        skip,
        count,
        jobs: kept.map(searched),
        expired: all.filter((job) => !isLive(job)).map(({ id }) => id),
      };
      const answer = await search.search(request, signal).catch((error: unknown) => {
        if (error instanceof ServiceError) throw error;
        throw new ServiceError(500, messageOf(error), { code: 'SEARCH_FAILED', cause: error });
      });
      const ids = new Map(kept.map(({ num, id }) => [num, id]));
      const results: FoundPage[] = [];
      for (const { row, matches, moreMatches } of answer.found) {
        // It may have been removed since.
        const stored = await pages.byId(row);
        const foundIn = stored && ids.get(stored.job);
        if (stored && foundIn !== undefined) results.push({ jobId: foundIn, page: stored.page, matches, moreMatches });
      }
      const end = skip + count;
      const { total, indexed } = answer;
      return { success: true, results, total, cursor: end < total ? cursorOf(end) : null, indexed };
    },
  } satisfies Partial<Handlers>;
}

function searched({ num, id, completed }: JobSummary): SearchedJob {
  return { num, id, documents: completed };
}
