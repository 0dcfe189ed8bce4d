import { transaction } from '../../../storage/storage.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Fleet } from '../../platform/fleet/fleet.ts';
import { lockTeam } from '../../platform/storage/storage.ts';
import type { SessionsOptions } from './sessions.ts';

export interface AdmissionOptions extends Pick<SessionsOptions, 'database' | 'table' | 'billing' | 'maxSessions'> {
  /** The nodes that share the database, of which this is one. */
  fleet?: Pick<Fleet, 'id' | 'claim'> | undefined;
}

/** Decides whether a team may have another session, or one for longer. Its checks hold when requests come at the same time. */
export function createAdmission({ database, table, billing, maxSessions, fleet }: AdmissionOptions) {
  return {
    /** Counts a session that starts toward its team's limits. Throws 402 and 429. */
    admit: (start: { id: string; team: string; ttl: number }): Promise<void> =>
      transaction(database, async (tx) => {
        await lockTeam(tx, start.team);
        const others = await table.lifetimes(start.team, undefined, tx);
        await billing.require(start.team, start.ttl, others, tx);
        if (others.length >= maxSessions) {
          throw new ServiceError(
            429,
            `You have reached the maximum number of concurrent browser sessions (${maxSessions} for each team). Destroy one, or start the service with a higher --max-sessions.`,
            // Another one may end at any time.
            { code: 'TOO_MANY_SESSIONS', retryAfter: 10 },
          );
        }
        await fleet?.claim(tx);
        await table.insertStart({ ...start, node: fleet?.id ?? null }, tx);
      }),
    /** Stores a longer life of a session. Throws 402. @param lifetime seconds from its creation */
    prolong: (
      { id, team, lifetime }: { id: string; team: string; lifetime: number },
      life: { activityTtl: number; expiresAt: number },
    ): Promise<void> =>
      transaction(database, async (tx) => {
        await lockTeam(tx, team);
        await billing.require(team, lifetime, await table.lifetimes(team, id, tx), tx);
        await table.setLife(id, life, tx);
      }),
  };
}
