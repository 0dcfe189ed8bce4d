import { limits } from '../../contract/limits.ts';
import type { Handlers } from '../http/bind.ts';
import type { Caller } from '../http/keys.ts';
import type { Activity } from './activity.ts';
import type { Ledger } from './ledger.ts';

type TeamEndpoint =
  | 'listActivity'
  | 'getTokenUsage'
  | 'getCreditUsage'
  | 'getCreditHistory'
  | 'getTokenBalance'
  | 'getQueueStatus'
  | 'checkConcurrency';

export interface TeamHandlerParts {
  activity: Activity;
  ledger: Ledger;
  /** Returns the team's crawl and batch jobs, how many of them are queued, pages being fetched, and when a job last completed. */
  counts(caller: Caller): Promise<{ jobs: number; waiting: number; pages: number; lastSuccess: number | undefined }>;
  /** Maximum number of pages fetched concurrently. */
  maxPages: number;
}

/** Creates the handlers for a team's activity and usage. */
export function teamHandlers({ activity, ledger, counts, maxPages }: TeamHandlerParts): Pick<Handlers, TeamEndpoint> {
  return {
    listActivity: async ({ query }, { caller }) => ({ success: true, ...(await activity.page(caller.team, query)) }),
    getTokenUsage: async ({ query }, { caller }) => ({
      success: true,
      periods: await ledger.periods(caller.team, query.byApiKey === true),
    }),
    async getCreditHistory({ query }, { caller }) {
      const periods = await ledger.periods(caller.team, query.byApiKey === true);
      return {
        success: true,
        periods: periods.map(({ tokensUsed, totalTokens: _total, ...period }) => ({
          ...period,
          creditsUsed: (tokensUsed ?? 0) / limits.tokensPerCredit,
        })),
      };
    },
    getCreditUsage: async (_request, { caller }) => ({ success: true, data: await ledger.balance(caller.team) }),
    async getTokenBalance(_request, { caller }) {
      const { remainingCredits, planCredits, ...period } = await ledger.balance(caller.team);
      const { tokensPerCredit } = limits;
      return {
        success: true,
        data: {
          remainingTokens: remainingCredits * tokensPerCredit,
          planTokens: planCredits * tokensPerCredit,
          ...period,
        },
      };
    },
    async getQueueStatus(_request, { caller }) {
      const { jobs, waiting, lastSuccess } = await counts(caller);
      return {
        success: true,
        jobsInQueue: jobs,
        activeJobsInQueue: jobs - waiting,
        waitingJobsInQueue: waiting,
        maxConcurrency: maxPages,
        mostRecentSuccess: lastSuccess === undefined ? null : new Date(lastSuccess).toISOString(),
      };
    },
    checkConcurrency: async (_request, { caller }) => ({
      success: true,
      concurrency: (await counts(caller)).pages,
      maxConcurrency: maxPages,
    }),
  };
}
