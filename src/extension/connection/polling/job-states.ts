import type { Client } from '../../../client/client.ts';
import { type JobRef, readState } from '../../../client/job-documents.ts';
import type { AgentStep } from '../../../contract/agent-jobs.ts';
import type { JobState } from '../../../contract/crawl/crawl-jobs.ts';
import { failureStatus } from '../failures.ts';
import type { RateLimit } from './rate-limit.ts';

/** A job whose status can be read. */
export type ReadableJob = JobRef | { readonly kind: 'agent'; readonly id: string };

/** The status of a job as read from the server; `gone` if the job doesn't exist there. */
export type JobStateResult =
  | (Partial<JobState> & {
      status: string;
      /** The last step of an agent. */
      step?: AgentStep | undefined;
    })
  | 'gone';

const concurrency = 4;

/**
 * Reads the status of jobs, by id. Jobs whose status can't be read are left out.
 * A 429 stops the reading and slows all polling.
 */
export async function readJobStates(
  client: Client,
  jobs: readonly ReadableJob[],
  limit: RateLimit,
): Promise<Map<string, JobStateResult>> {
  const states = new Map<string, JobStateResult>();
  const remaining = [...jobs];
  const readNext = async (): Promise<void> => {
    for (let job = remaining.shift(); job; job = remaining.shift()) {
      try {
        states.set(
          job.id,
          job.kind === 'agent'
            ? await readAgent(client, job.id)
            : await readState(client, job, { limit: 1 }, { retries: 0 }),
        );
      } catch (error) {
        const status = failureStatus(error);
        if (status === 404) states.set(job.id, 'gone');
        if (status !== 429) continue;
        limit.note(error);
        remaining.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, readNext));
  return states;
}

async function readAgent(client: Client, jobId: string): Promise<JobStateResult> {
  const { status, error, steps } = await client.getExtract({ params: { jobId } }, { retries: 0 });
  return { status: status ?? 'processing', error, step: steps?.at(-1) };
}
