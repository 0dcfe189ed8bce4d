import * as vscode from 'vscode';
import { showError } from '../../ui/commands.ts';
import type { Disposable } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text.ts';
import type { BrowserSessions } from '../browser-sessions.ts';
import { isActive, type SessionInfo } from '../session-info.ts';
import { sessionTitle } from '../session-texts.ts';
import { ExpiryWarning } from './expiry-timer.ts';

/** A message one minute before the current session ends, with a new session in its place as a button. */
export function expiryNotice(parts: {
  sessions: BrowserSessions;
  /** Whether a session may be ended although code runs in it. */
  mayEnd(session: SessionInfo): Promise<boolean>;
  stopAll(sessionId: string): void;
  log: vscode.LogOutputChannel;
}): Disposable {
  const { sessions, log } = parts;
  return new ExpiryWarning({
    store: sessions.store,
    now: Date.now,
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    warn: (session) => void offer(session),
  });

  async function offer(session: SessionInfo): Promise<void> {
    const fresh = 'New Session';
    const saver = session.profile !== undefined && session.saveChanges !== false;
    const chosen = await vscode.window.showWarningMessage(
      `Web Data: session ${sessionTitle(session)} ends in one minute.${saver ? ' A new one with its profile ends it first.' : ''}`,
      fresh,
    );
    if (chosen !== fresh) return;
    try {
      const latest = sessions.store.find(session.id) ?? session;
      if (saver && isActive(latest)) {
        if (!(await parts.mayEnd(latest))) return;
        parts.stopAll(latest.id);
      }
      await sessions.renew(latest);
    } catch (error) {
      log.error(`New session: ${messageOf(error)}`);
      void showError(error);
    }
  }
}
