import { randomUUID } from 'node:crypto';
import type { FeedbackBody } from '../../../contract/team/team.ts';
import { transaction } from '../../../storage/storage.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/storage.ts';
import type { Activity } from './activity.ts';

/** What callers say of results, for whoever runs the service. */
export type Feedback = ReturnType<typeof createFeedback>;

/** Maximum number of a team's; the oldest are removed. */
const kept = 1000;

export function createFeedback(database: Database, activity: Pick<Activity, 'has'>, clock: Clock) {
  return {
    /** Stores it once for each job and endpoint. Throws 404 if the team made no such request in the last 24 hours. */
    async store(team: string, { endpoint, jobId, ...said }: FeedbackBody) {
      if (!(await activity.has(team, jobId))) throw new ServiceError(404, 'Job not found.');
      return await transaction(database, async (tx) => {
        const stored = await tx
          .selectFrom('feedback')
          .select('id')
          .where('team', '=', team)
          .where('job_id', '=', jobId)
          .where('endpoint', '=', endpoint)
          .executeTakeFirst();
        if (stored) return { id: stored.id, isRepeated: true };
        const id = randomUUID();
        const row = { id, team, job_id: jobId, endpoint, body: JSON.stringify(said), created_at: clock.now() };
        await tx.insertInto('feedback').values(row).execute();
        await tx
          .deleteFrom('feedback')
          .where('team', '=', team)
          .where('id', 'not in', (of) =>
            of.selectFrom('feedback').select('id').where('team', '=', team).orderBy('created_at', 'desc').limit(kept),
          )
          .execute();
        return { id, isRepeated: false };
      });
    },
  };
}
