import { limits } from '../../../contract/limits.ts';
import type { FeedbackBody } from '../../../contract/team/team.ts';
import type { Handlers } from '../http/bind.ts';
import type { Caller } from '../http/keys.ts';
import type { Platform } from '../platform.ts';
import type { Feedback } from './feedback.ts';

export interface TeamHandlerParts extends Pick<Platform, 'activity' | 'ledger'> {
  feedback: Feedback;
  /** Returns the team's crawl and batch jobs, how many of them are queued, pages being fetched, and when a job last completed. */
  counts(caller: Caller): Promise<{ jobs: number; waiting: number; pages: number; lastSuccess: number | undefined }>;
  /** Maximum number of pages fetched concurrently. */
  maxPages: number;
}

type Submitted = FeedbackBody & { origin?: string | undefined; integration?: string | null | undefined };

/** Creates the handlers for a team's activity and usage. */
export function teamHandlers({ activity, ledger, feedback, counts, maxPages }: TeamHandlerParts) {
  async function store(team: string, { origin: _origin, integration: _integration, ...said }: Submitted) {
    const { id, isRepeated } = await feedback.store(team, said);
    return { success: true, feedbackId: id, creditsRefunded: 0, ...(isRepeated && { alreadySubmitted: true }) };
  }

  return {
    submitFeedback: ({ body }, { caller }) => store(caller.team, body),
    submitSearchFeedback: ({ params, body }, { caller }) =>
      store(caller.team, { endpoint: 'search', jobId: params.jobId, ...body }),
    listActivity: async ({ query }, { caller }) => ({ success: true, ...(await activity.page(caller.team, query)) }),
    getTokenUsage: async ({ query }, { caller }) => ({
      success: true,
      periods: await ledger.periods(caller.team, query.byApiKey === true),
    }),
    async getCreditHistory({ query }, { caller }) {
      const periods = await ledger.periods(caller.team, query.byApiKey === true);
      return {
        success: true,
        periods: periods.map(({ tokensUsed, totalTokens: _total, ...period }) => {
          const creditsUsed = (tokensUsed ?? 0) / limits.tokensPerCredit;
          return { ...period, creditsUsed, totalCredits: creditsUsed };
        }),
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
  } satisfies Partial<Handlers>;
}
