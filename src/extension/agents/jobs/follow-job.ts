import type { AgentState } from '../../../contract/agent-jobs.ts';
import type { Connection } from '../../connection/connection.ts';
import { failureStatus } from '../../connection/failures.ts';
import { stepWords } from '../../ui/agent-steps.ts';

/** A job that this window started. */
export interface StartedJob {
  id: string;
  /** What it was asked for. */
  name: string;
}

interface FollowOptions {
  connection: Pick<Connection, 'existingAccess' | 'target'>;
  wait(ms: number): Promise<void>;
  /** Whether nobody waits for the job any more. */
  isOver(): boolean;
  report(message: string): void;
}

const pollMs = { first: 1_000, longest: 5_000 };

/** Reads a job until it ends. Returns undefined if it can't be read any more, such as after a change of the server. */
export async function followJob(
  { id }: StartedJob,
  { connection, wait, isOver, report }: FollowOptions,
): Promise<AgentState | undefined> {
  const { target } = connection;
  for (let ms = pollMs.first; !isOver() && connection.target === target; ms = Math.min(ms * 1.5, pollMs.longest)) {
    try {
      const access = await connection.existingAccess();
      const state = await access?.client.getAgent({ params: { jobId: id } }, { retries: 0 });
      if (state && state.status !== 'processing') return state;
      const step = state?.steps?.at(-1);
      if (step) report(stepWords(step));
    } catch (error) {
      // The service may be restarting; the job goes on afterwards.
      if (failureStatus(error) === 404 || failureStatus(error) === 403) return undefined;
    }
    await wait(ms);
  }
  return undefined;
}
