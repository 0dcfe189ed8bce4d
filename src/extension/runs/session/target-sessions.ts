import * as l10n from '@vscode/l10n';
import type { RunTarget } from '../../connection/run-target.ts';
import { UserError } from '../../ui/commands.ts';
import { shortId } from '../../ui/text/text.ts';

/** Returns the sessions that runs use. Runs in the session of a scrape go through its job, which opens the page again if needed. */
export function targetSessions(
  browserSessions: Omit<SessionSource, 'sessionStarted'>,
  target: RunTarget,
): SessionSource {
  return {
    async ensure(onEnded): Promise<RunSession> {
      const { scrape } = target;
      if (!scrape) return await browserSessions.ensure(onEnded);
      const { jobId, sessionId } = scrape;
      return { id: sessionId, shortId: shortId(sessionId), jobId };
    },
    async replace(endedId) {
      const { scrape } = target;
      if (scrape?.sessionId !== endedId) return await browserSessions.replace(endedId);
      target.clear();
      throw new UserError(
        l10n.t(
          'The browser for {0} has closed. Scrape again to continue on its page. Code now runs in a new session.',
          scrape.name,
        ),
      );
    },
    ranIn: (sessionId) => browserSessions.ranIn(sessionId),
    sessionStarted: (jobId, sessionId) => target.setSession(jobId, sessionId),
  };
}

/** The session of a run. */
export interface RunSession {
  id: string;
  shortId: string;
  /** The scrape job that the page belongs to. Runs are sent to the job, which creates the session on demand. */
  jobId?: string;
}

/** Provides the sessions that runs use. */
export interface SessionSource {
  /** Returns the current session, creating it if necessary. `onEnded` is called before one that has ended is replaced. */
  ensure(onEnded?: (ended: RunSession) => void): Promise<RunSession>;
  /** Returns a session that replaces one that has ended. */
  replace(endedId: string): Promise<RunSession>;
  /** Called after code ran in a session. */
  ranIn(sessionId: string): void;
  /** Called when the session of a scrape job is known. */
  sessionStarted(jobId: string, sessionId: string): void;
}
