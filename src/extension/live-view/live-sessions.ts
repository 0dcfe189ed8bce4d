import type { RunTarget } from '../connection/run-target.ts';
import { type Disposable, Disposables } from '../ui/lifecycle.ts';

/** What a live view needs to know about a session. */
export interface LiveSession {
  id: string;
  shortId: string;
  name: string | undefined;
  status: string;
  endReason: string | undefined;
  liveViewUrl: string | undefined;
  interactiveLiveViewUrl: string | undefined;
}

/** Looks up the sessions of this window. */
export interface LiveSessions {
  /** The session that runs use. */
  readonly current: LiveSession | undefined;
  /** Newest first. */
  readonly active: readonly LiveSession[];
  find(sessionId: string): LiveSession | undefined;
  onDidChange(listener: () => void): Disposable;
}

/** Returns sessions whose current one is that of the scraped page while runs go to it. */
export function sessionsOfRuns(sessions: LiveSessions, target: RunTarget): LiveSessions {
  return {
    get current() {
      const id = target.scrape?.sessionId;
      const scrape = id === undefined ? undefined : sessions.find(id);
      return scrape?.status === 'active' ? scrape : sessions.current;
    },
    get active() {
      return sessions.active;
    },
    find: (id) => sessions.find(id),
    onDidChange(listener) {
      const listening = new Disposables();
      listening.add(sessions.onDidChange(listener));
      listening.add(target.onDidChange.on(listener));
      return listening;
    },
  };
}

/** Returns the session that a live view should show that shows this one: the current one, or after its end the newest that has a live view. */
export function followedSession(sessions: LiveSessions, shownId: string): string {
  if (sessions.current) return sessions.current.id;
  const shown = sessions.find(shownId);
  if (shown?.status === 'active') return shownId;
  const next = sessions.active.find(({ liveViewUrl, interactiveLiveViewUrl }) => liveViewUrl || interactiveLiveViewUrl);
  return next?.id ?? shownId;
}
