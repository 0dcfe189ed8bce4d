import type { RunTarget } from '../connection/run-target.ts';
import { UserError } from '../ui/commands.ts';
import { shortId } from '../ui/text.ts';
import type { RunSession, SessionSource } from './run-session.ts';

/** The sessions that runs go to: the page of a scrape while that is the target, else browser sessions. */
export function targetSessions(browserSessions: Omit<SessionSource, 'begun'>, target: RunTarget): SessionSource {
  return {
    async ensure(): Promise<RunSession> {
      const { scrape } = target;
      if (!scrape) return await browserSessions.ensure();
      const { jobId, sessionId, name } = scrape;
      // Until it lives in a session, the job stands for it: its runs take turns all the same.
      return { id: sessionId ?? jobId, shortId: shortId(sessionId ?? jobId), name: `scrape ${name}`, jobId };
    },
    async replace(endedId) {
      const { scrape } = target;
      if (scrape === undefined || (scrape.sessionId ?? scrape.jobId) !== endedId)
        return await browserSessions.replace(endedId);
      target.clear();
      throw new UserError(
        `The page of the scrape of ${scrape.name} has ended, for good. Scrape it again to go on with it; runs go to browser sessions now.`,
      );
    },
    ranIn: (sessionId) => browserSessions.ranIn(sessionId),
    begun: (jobId, sessionId) => target.setSession(jobId, sessionId),
  };
}
