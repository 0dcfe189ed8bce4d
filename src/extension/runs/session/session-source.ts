/** The session of a run. */
export interface RunSession {
  id: string;
  shortId: string;
  name: string | undefined;
  /** The scrape job that the page belongs to. Runs are sent to the job, which creates the session on demand. */
  jobId?: string;
}

/** Provides the sessions that runs use. */
export interface SessionSource {
  /** Returns the current session, creating it if necessary. `onEnded` is called before one that has ended is replaced. */
  ensure(onEnded?: (ended: RunSession) => void): Promise<RunSession>;
  /** Returns a session that replaces one that has ended. */
  replace(endedId: string): Promise<RunSession>;
  /** Called after code ran in a session: its page may have changed. */
  ranIn(sessionId: string): void;
  /** Called when the session of a scrape job is known. */
  sessionStarted(jobId: string, sessionId: string): void;
}
