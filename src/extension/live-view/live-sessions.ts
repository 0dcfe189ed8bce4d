import type { Disposable } from '../ui/lifecycle.ts';

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
  find(sessionId: string): LiveSession | undefined;
  onDidChange(listener: () => void): Disposable;
}
