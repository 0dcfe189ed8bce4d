import { limits } from '../../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/storage/storage.ts';
import type { AgentJob } from '../store/job-table.ts';
import type { ReadPage, Step } from '../store/steps.ts';

/** Credits for a response of the language model, a page, a map and a search. */
export const costs = { response: 1, page: 1, map: 1, search: 2 } as const;

/** What a job may still use: credits, responses of the model, and time. */
export type Budget = ReturnType<typeof openBudget>;

/** Share of the time after which the model has to answer. */
const answerShare = 0.8;

export function openBudget(job: AgentJob, journal: Journal, clock: Clock, stop: AbortSignal) {
  const { maxCredits } = job.request;
  const limitMs = limits.agentTime * 1000;
  const begun = clock.monotonic() - job.active_ms;
  const late = new AbortController();
  const cancel = clock.after(Math.max(0, limitMs - job.active_ms), () => late.abort(outOfTime()));
  const credits = () => maxCredits - journal.credits;
  const activeMs = () => Math.floor(clock.monotonic() - begun);
  const timeLeftMs = () => limitMs * answerShare - activeMs();
  const responses = () => journal.steps.filter(({ kind }) => kind === 'response').length;
  return {
    /** Credits left. */
    credits,
    /** Characters of pages that the job may still keep. */
    text: (): number => limits.agentText - journal.pages.reduce((sum, { content }) => sum + content.length, 0),
    /** Milliseconds for which the job has worked, with those before a restart. */
    activeMs,
    /** Milliseconds until the job has to answer. */
    timeLeftMs,
    /** Aborts when the time is over, and when the run stops. */
    signal: AbortSignal.any([stop, late.signal]),
    /** Returns why the job should answer with what it has; undefined if it may go on. */
    scarce(): string | undefined {
      if (credits() <= costs.response) return 'the credits of the job are almost used up';
      if (responses() >= limits.agentSteps - 2) return 'this is one of the last steps of the job';
      if (timeLeftMs() <= 0) return 'the time of the job is almost up';
      return undefined;
    },
    /** Throws a JobFailed if nothing more may be done. */
    check(): void {
      if (activeMs() >= limitMs) throw outOfTime();
      if (credits() < costs.response) {
        throw new JobFailed(
          `The job used up its ${maxCredits} credits without an answer. Start it with a higher maxCredits.`,
        );
      }
      if (responses() >= limits.agentSteps) {
        throw new JobFailed(
          `The job found no answer within ${limits.agentSteps} steps. Ask for less, or name the pages to read.`,
        );
      }
    },
    close: cancel,
  };
}

function outOfTime(): JobFailed {
  return new JobFailed(
    `The job found no answer within ${limits.agentTime / 60} minutes. Ask for less, or name the pages to read.`,
  );
}

/** The steps of a job that runs. What is added is stored, and charged, at once and once. */
export interface Journal {
  readonly steps: readonly Step[];
  /** The pages that were read. */
  readonly pages: readonly ReadPage[];
  /** Credits used so far. */
  readonly credits: number;
  /**
   * Stores a step and charges its credits, in a transaction. Throws a JobOver if the job has ended meanwhile; only what a
   * browser session has charged is then added to the job.
   */
  add(step: Step, cost?: Cost): Promise<void>;
}

/** What a step costs. */
export interface Cost {
  /** Credits to charge. */
  credits?: number;
  /** Credits that a browser session has charged already. */
  billed?: number;
  /** A transaction to store the step in. */
  tx?: Database;
}

/** The job can't be completed. The message is shown. */
export class JobFailed extends Error {}

/** The job has ended, or its run has to stop. */
export class JobOver extends Error {}

/** The run stops because the service does: the next service goes on from the stored steps. */
export class ServiceStopping extends JobOver {}
