import type { Disposable } from '../ui/lifecycle.ts';

/** A session as far as its live view goes. */
export interface LiveSession {
  id: string;
  shortId: string;
  name: string | undefined;
  status: string;
  endReason: string | undefined;
  liveViewUrl: string | undefined;
  interactiveLiveViewUrl: string | undefined;
}

/** The sessions of this window, wherever they are kept. */
export interface LiveSessions {
  find(sessionId: string): LiveSession | undefined;
  onDidChange(listener: () => void): Disposable;
}
