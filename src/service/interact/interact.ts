import type { Language } from '../../contract/execution.ts';
import { limits } from '../../contract/limits.ts';
import type { DeletedSession } from '../../contract/sessions.ts';
import type { Clock } from '../clock.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { AddressPolicy } from '../fetch/address-policy.ts';
import type { Caller } from '../http/keys.ts';
import type { Log } from '../log.ts';
import { attempt } from '../page/tab.ts';
import type { ReplayContext } from '../scrape/scrape.ts';
import type { Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Activity } from '../team/activity.ts';
import type { InteractionTable } from './interaction-table.ts';
import { replay } from './replay.ts';

/** A scrape job as interact needs it. */
export interface ScrapedJob {
  team: string;
  url: string;
  /** Absent where nothing was kept to bring the page back with. */
  replay: ReplayContext | undefined;
}

/** The sessions in which scrapes' pages live on. */
export interface Interactions {
  /**
   * The session of a job, made at the page state of its scrape when there is none yet.
   * Throws, in this order: 404, 403, 410, 409, what `ready` throws, and 402, 429, 503, 502 where a session must be made.
   * `ready` tells what language the call needs, if any: its runner starts while the page comes back.
   */
  session(caller: Caller, jobId: string, ready: () => Language | undefined): Promise<Session>;
  /** Ends the session of a job. Throws 404 and 403. */
  stop(caller: Caller, jobId: string): Promise<DeletedSession>;
}

export interface InteractionsOptions {
  findJob(jobId: string): ScrapedJob | undefined;
  table: InteractionTable;
  sessions: Sessions;
  policy: AddressPolicy;
  activity: Activity;
  clock: Clock;
  log: Log;
}

export function createInteractions(options: InteractionsOptions): Interactions {
  const { findJob, table, sessions, policy, activity, clock, log } = options;
  /** First calls that came at once wait for the same session. */
  const coming = new Map<string, Promise<Session>>();

  function owned(caller: Caller, jobId: string): ScrapedJob {
    const job = findJob(jobId);
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

  async function begin(
    caller: Caller,
    jobId: string,
    context: ReplayContext,
    language: Language | undefined,
  ): Promise<Session> {
    const body = {
      ttl: limits.ttl.default,
      activityTtl: limits.activityTtl.default,
      streamWebView: true,
      ...(context.profile && { profile: context.profile }),
    };
    const session = await sessions.start(caller, body, async (host) => {
      // Whatever keeps it from starting is told by the run itself.
      if (language) void attempt(host.runner(language).warm());
      try {
        const { inOtherTab } = await replay(host, context, policy, new AbortController().signal);
        // A runner that came meanwhile may not have heard yet that its page is closed.
        if (inOtherTab && language) await host.runner(language).reset();
      } catch (error) {
        log.warn({ job: jobId, reason: messageOf(error) }, 'a page could not be brought back');
        throw new ServiceError(
          409,
          `The page could not be brought back to the state of the scrape: ${messageOf(error)}. Rerun the scrape and try again.`,
          { code: 'REPLAY_FAILED', cause: error },
        );
      }
    });
    table.insert(jobId, session.id, clock.now());
    activity.record({ id: jobId, team: caller.team, endpoint: 'interact', target: 'Interact session' });
    return session;
  }

  return {
    async session(caller, jobId, ready) {
      const job = owned(caller, jobId);
      const sessionId = table.sessionOf(jobId);
      const session = sessionId === undefined ? undefined : sessions.live(caller, sessionId);
      const context = contextOf(job);
      const language = ready();
      if (session) return session;
      const pending = coming.get(jobId) ?? begin(caller, jobId, context, language).finally(() => coming.delete(jobId));
      coming.set(jobId, pending);
      return await pending;
    },
    async stop(caller, jobId) {
      owned(caller, jobId);
      await coming.get(jobId)?.catch(() => undefined);
      const sessionId = table.sessionOf(jobId);
      if (sessionId === undefined)
        throw new ServiceError(404, 'Browser session not found: no interaction was begun on this job.');
      return await sessions.destroy(caller, sessionId);
    },
  };
}
