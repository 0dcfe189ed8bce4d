import type { AgentState } from '../../../contract/agent-jobs.ts';
import type { Connection } from '../../connection/connection.ts';
import { failureStatus, retryAfterMs } from '../../connection/failures.ts';
import { stepWords } from '../../ui/text/agent-steps.ts';
import type { AskedJob } from './ask-for-job.ts';

/** A job that this window started. */
export interface StartedJob {
  id: string;
  kind: AskedJob['kind'];
  /** What it was asked for. */
  name: string;
}

interface FollowOptions {
  connection: Pick<Connection, 'existingAccess' | 'rateLimit' | 'target'>;
  wait(ms: number): Promise<void>;
  /** Whether nobody waits for the job anymore. */
  isOver(): boolean;
  report(message: string): void;
}

const pollMs = { first: 1_000, longest: 5_000 };

/** Reads a job until it ends. Returns undefined if it can't be read anymore, such as after the server changes. */
export async function followJob(
  { id, kind }: StartedJob,
  { connection, wait, isOver, report }: FollowOptions,
): Promise<AgentState | undefined> {
  const { target, rateLimit } = connection;
  for (let ms = pollMs.first; !isOver() && connection.target === target; ms = Math.min(ms * 1.5, pollMs.longest)) {
    try {
      const access = rateLimit.active ? undefined : await connection.existingAccess();
      const request = { params: { jobId: id } };
      const state = await (kind === 'agent'
        ? access?.client.getAgent(request, { retries: 0 })
        : access?.client.getExtract(request, { retries: 0 }));
      if (state && state.status !== 'processing') return state;
      const step = state?.steps?.at(-1);
      if (step) report(stepWords(step));
    } catch (error) {
      const status = failureStatus(error);
      if (status === 404 || status === 403) return undefined;
      if (status === 429) rateLimit.hit(retryAfterMs(error));
      // The service may be restarting; the job goes on afterwards.
    }
    await wait(ms * rateLimit.factor);
  }
  return undefined;
}
