import * as l10n from '@vscode/l10n';
import type { RunTarget } from '../../connection/run-target.ts';
import { UserError } from '../../ui/commands.ts';
import { shortId } from '../../ui/text/text.ts';
import type { RunSession, SessionSource } from './session-source.ts';

/** Returns the sessions that runs use: the session of the scrape while a scrape is the target, else browser sessions. */
export function targetSessions(
  browserSessions: Omit<SessionSource, 'sessionStarted'>,
  target: RunTarget,
): SessionSource {
  return {
    async ensure(onEnded): Promise<RunSession> {
      const { scrape } = target;
      if (!scrape) return await browserSessions.ensure(onEnded);
      const { jobId, sessionId, name } = scrape;
      // Until the session is known, the job id identifies it, so that its runs are queued too.
      return { id: sessionId ?? jobId, shortId: shortId(sessionId ?? jobId), name: l10n.t('scrape {0}', name), jobId };
    },
    async replace(endedId) {
      const { scrape } = target;
      if (scrape === undefined || (scrape.sessionId ?? scrape.jobId) !== endedId)
        return await browserSessions.replace(endedId);
      target.clear();
      throw new UserError(
        l10n.t('The browser for {0} has closed. Scrape again to continue. Runs now use browser sessions.', scrape.name),
      );
    },
    ranIn: (sessionId) => browserSessions.ranIn(sessionId),
    sessionStarted: (jobId, sessionId) => target.setSession(jobId, sessionId),
  };
}
