import type { Database } from '../../../platform/storage/storage.ts';
import type { ReadPage, Step } from '../store/steps.ts';

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
