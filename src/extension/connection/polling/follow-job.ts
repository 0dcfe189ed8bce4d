import { setTimeout } from 'node:timers/promises';
import type { Client } from '../../../client/client.ts';
import type { Connection } from '../connection.ts';
import { failureStatus } from '../failures.ts';

interface FollowOptions<State> {
  connection: Pick<Connection, 'existingAccess' | 'rateLimit' | 'target'>;
  read(client: Client): Promise<State>;
  /** Whether a state is that of a job which has ended. */
  hasEnded(state: State): boolean;
  /** Called with each state before the end. */
  report?(state: State): void;
  /** Whether nobody waits for the job anymore. */
  isOver(): boolean;
  wait?(ms: number): Promise<unknown>;
}

const pollMs = { first: 1_000, longest: 5_000 };

/** Reads a job until it ends. Returns undefined if it can't be read anymore, such as after the server changes. */
export async function followJob<State>(options: FollowOptions<State>): Promise<State | undefined> {
  const { connection, read, hasEnded, report, isOver, wait = setTimeout } = options;
  const { target, rateLimit } = connection;
  for (let ms = pollMs.first; !isOver() && connection.target === target; ms = Math.min(ms * 1.5, pollMs.longest)) {
    try {
      const access = rateLimit.active ? undefined : await connection.existingAccess();
      const state = access && (await read(access.client));
      if (state !== undefined && hasEnded(state)) return state;
      if (state !== undefined) report?.(state);
    } catch (error) {
      const status = failureStatus(error);
      if (status === 404 || status === 403) return undefined;
      rateLimit.note(error);
      // The service may be restarting; the job goes on afterwards.
    }
    await wait(ms * rateLimit.factor);
  }
  return undefined;
}
