import * as z from 'zod';
import { pageLimits } from '../../../../contract/crawl/page-limits.ts';
import type { FoundPage } from '../../../../contract/crawl/pages.ts';
import type { Clock } from '../../../platform/clock.ts';
import { messageOf, ServiceError } from '../../../platform/errors.ts';
import type { Handlers } from '../../../platform/http/bind.ts';
import type { Caller } from '../../../platform/http/keys.ts';
import type { Jobs } from '../jobs.ts';
import type { Job, JobTable } from '../store/job-table.ts';
import { cursorOf, findPage, listFolder, listPages, readCursor } from './page-lists.ts';
import type { PageTable } from './page-table.ts';
import type { PageSearch } from './search/page-search.ts';
import type { SearchAnswer, SearchedJob } from './search/tasks.ts';

export interface PageHandlerParts {
  jobs: Pick<Jobs, 'findAny'>;
  jobTable: Pick<JobTable, 'ofTeam'>;
  pages: PageTable;
  search: PageSearch;
  clock: Clock;
}

type PageEndpoint = 'listPages' | 'findPages' | 'listPageFolder' | 'searchPages';

const skipped = z.int().min(0).max(1_000_000);

/** Handles the endpoints for the pages of crawls and batches. */
export function pageHandlers({ jobs, jobTable, pages, search, clock }: PageHandlerParts): Pick<Handlers, PageEndpoint> {
  /** Returns a job whose pages are shown, and indexes them: they are likely to be searched next. */
  async function shown(caller: Caller, id: string): Promise<Job> {
    const job = await jobs.findAny(caller, id);
    if (job.completed > 0 && !job.options.zeroDataRetention) search.index(caller.team, searched(job));
    return job;
  }

  async function askIndex(
    caller: Caller,
    query: string,
    only: string | undefined,
    onlyChanges: boolean,
    skip: number,
    count: number,
  ) {
    const all = only === undefined ? await jobTable.ofTeam(caller.team) : [await jobs.findAny(caller, only)];
    const now = clock.now();
    const isLive = ({ status, expires_at }: Pick<Job, 'status' | 'expires_at'>) =>
      status === 'scraping' || expires_at > now;
    const request = {
      query,
      team: caller.team,
      // The index would keep the text of pages that are not to be stored.
      jobs: all.filter((job) => isLive(job) && !job.options.zeroDataRetention).map(searched),
      only,
      onlyChanges,
      expired: all.filter((job) => !isLive(job)).map(({ id }) => id),
      skip,
      count,
    };
    try {
      return { answer: await search.search(request), ids: new Map(request.jobs.map(({ num, id }) => [num, id])) };
    } catch (error) {
      throw new ServiceError(500, messageOf(error), { code: 'SEARCH_FAILED', cause: error });
    }
  }

  /** Returns the pages of a search answer that still exist. */
  async function foundPages(answer: SearchAnswer, ids: ReadonlyMap<number, string>): Promise<FoundPage[]> {
    const found: FoundPage[] = [];
    for (const { row, matches, moreMatches } of answer.found) {
      const stored = await pages.byId(row);
      const jobId = stored && ids.get(stored.job);
      if (stored && jobId !== undefined) found.push({ jobId, page: stored.page, matches, moreMatches });
    }
    return found;
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
    async searchPages({ query: { query, jobId, onlyChanges = false, cursor, limit } }, { caller }) {
      const count = limit ?? pageLimits.found.default;
      const skip = readCursor(skipped, cursor) ?? 0;
      const { answer, ids } = await askIndex(caller, query, jobId, onlyChanges, skip, count);
      const end = skip + count;
      return {
        success: true,
        results: await foundPages(answer, ids),
        total: answer.total,
        cursor: end < answer.total ? cursorOf(end) : null,
        indexed: answer.indexed,
      };
    },
  };
}

function searched({ num, id, completed }: Pick<Job, 'num' | 'id' | 'completed'>): SearchedJob {
  return { num, id, documents: completed };
}
