import { limits } from '../../../contract/limits.ts';
import type { Language } from '../../../contract/sessions/execution.ts';
import type { DeletedSession } from '../../../contract/sessions/sessions.ts';
import { isDuplicate } from '../../../storage/storage.ts';
import { attempt } from '../../browsers/page/tab.ts';
import type { BrowserHost } from '../../browsers/sessions/host.ts';
import type { Session } from '../../browsers/sessions/session.ts';
import type { Sessions } from '../../browsers/sessions/sessions.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Database } from '../../platform/storage/storage.ts';
import type { ReplayContext } from '../../web/scrape/scrape.ts';
import type { StoredScrape } from '../../web/scrape/scrape-table.ts';
import { replay } from './replay.ts';

/** A scrape job as interact needs it: without `replay`, nothing was kept to restore the page with. */
type ScrapedJob = Pick<StoredScrape, 'team' | 'replay'>;

/** The browser sessions in which the pages of scrapes continue. */
export type Interactions = ReturnType<typeof createInteractions>;

export interface InteractionsOptions extends Pick<Platform, 'database' | 'clock' | 'log' | 'activity'> {
  findJob(jobId: string): Promise<ScrapedJob | undefined>;
  sessions: Sessions;
  policy: AddressPolicy;
}

export function createInteractions(options: InteractionsOptions) {
  const { findJob, sessions, policy, activity, clock, log } = options;
  const table = interactionTable(options.database);
  /** Sessions being created, for which concurrent first calls wait. */
  const starting = new Map<string, Promise<Session>>();

  async function owned(caller: Caller, jobId: string): Promise<ScrapedJob> {
    const job = await findJob(jobId);
    if (!job) throw new ServiceError(404, 'Job not found.');
    if (job.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
    return job;
  }

  function contextOf(job: ScrapedJob): ReplayContext {
    if (!job.replay) {
      throw new ServiceError(
        409,
        'Replay context is unavailable for this scrape job. Rerun the scrape and try again.',
        { code: 'NO_REPLAY_CONTEXT' },
      );
    }
    return job.replay;
  }

  async function create(caller: Caller, jobId: string, context: ReplayContext, language: Language | undefined) {
    const known = await table.sessionOf(jobId);
    if (known !== undefined) return await sessions.live(caller, known);
    const body = {
      ttl: limits.ttl.default,
      activityTtl: limits.activityTtl.default,
      streamWebView: true,
      ...(context.profile && { profile: context.profile }),
    };
    const prepare = async (host: BrowserHost) => {
      // If it can't start, the run itself reports why.
      if (language) void attempt(host.runner(language).warm());
      try {
        const { inOtherTab } = await replay(host, context, policy, new AbortController().signal);
        // A runner that started in the meantime may not know yet that its page is closed.
        if (inOtherTab && language) await host.runner(language).reset();
      } catch (error) {
        log.warn({ job: jobId, reason: messageOf(error) }, 'a page could not be restored');
        throw new ServiceError(
          409,
          `The page could not be restored to the state of the scrape: ${messageOf(error)}. Rerun the scrape and try again.`,
          { code: 'REPLAY_FAILED', cause: error },
        );
      }
    };
    try {
      return await sessions.start(caller, body, {
        prepare,
        async store(sessionId, tx) {
          await table.insert(jobId, sessionId, clock.now(), tx);
          await activity.record({ id: jobId, team: caller.team, endpoint: 'interact', target: 'Interact session' }, tx);
        },
      });
    } catch (error) {
      const other = isDuplicate(error) ? await table.sessionOf(jobId) : undefined;
      if (other === undefined) throw error;
      return await sessions.live(caller, other);
    }
  }

  return {
    /**
     * Returns the session of a job, or creates one in the page state that the scrape ended in.
     * Throws, in this order: 404, 403, 410, 409, what `ready` throws, and 402, 429, 503, 502 if a session must be created.
     * `ready` returns the language that the call needs, if any: its runner starts while the page is being restored.
     */
    async session(caller: Caller, jobId: string, ready: () => Language | undefined): Promise<Session> {
      const job = await owned(caller, jobId);
      const sessionId = await table.sessionOf(jobId);
      const session = sessionId === undefined ? undefined : await sessions.live(caller, sessionId);
      const context = contextOf(job);
      const language = ready();
      if (session) return session;
      const pending =
        starting.get(jobId) ?? create(caller, jobId, context, language).finally(() => starting.delete(jobId));
      starting.set(jobId, pending);
      return await pending;
    },
    /** Destroys the session of a job. Throws 404 and 403. */
    async stop(caller: Caller, jobId: string): Promise<DeletedSession> {
      await owned(caller, jobId);
      await starting.get(jobId)?.catch(() => undefined);
      const sessionId = await table.sessionOf(jobId);
      if (sessionId === undefined)
        throw new ServiceError(404, 'Browser session not found: interact has not been called on this job.');
      return await sessions.destroy(caller, sessionId);
    },
  };
}

/** The session in which the page of a scrape continues. A job never gets a second one, by the table's primary key. */
export function interactionTable(database: Database) {
  return {
    /** Throws SQLite's or PostgreSQL's error for a duplicate if the job has a session. */
    async insert(jobId: string, sessionId: string, startedAt: number, db: Database = database): Promise<void> {
      await db
        .insertInto('interaction')
        .values({ job_id: jobId, session_id: sessionId, begun_at: startedAt })
        .execute();
    },
    async sessionOf(jobId: string): Promise<string | undefined> {
      const row = await database
        .selectFrom('interaction')
        .select('session_id')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return row?.session_id;
    },
  };
}
