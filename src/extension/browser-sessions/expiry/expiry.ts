import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inBackground } from '../../ui/commands.ts';
import { callLater, type Disposable } from '../../ui/lifecycle.ts';
import type { BrowserSessions } from '../browser-sessions.ts';
import { sessionTitle } from '../session-texts.ts';
import { isActive, type SessionInfo } from '../sessions-store.ts';
import { warnBeforeExpiry } from './expiry-timer.ts';

/** Warns one minute before the current session expires, and offers to extend it where the server can, or to replace it. */
export function expiryNotice(parts: {
  sessions: BrowserSessions;
  /** Asks the user whether to end a session in which code is running. */
  mayEnd(session: SessionInfo): Promise<boolean>;
  stopAll(sessionId: string): void;
  log: vscode.LogOutputChannel;
}): Disposable {
  const { sessions, log } = parts;
  return warnBeforeExpiry({
    store: sessions.store,
    now: Date.now,
    after: callLater,
    warn: (session) => inBackground('Expiring session', offer(session), log),
  });

  async function offer(session: SessionInfo): Promise<void> {
    const newSession = l10n.t('New Session');
    const extend = l10n.t('Extend');
    const savesProfile = session.profile !== undefined && session.saveChanges !== false;
    const title = sessionTitle(session);
    const text = savesProfile
      ? l10n.t(
          'Web Data: Session {0} expires in one minute. Starting a new one with the same profile closes it first.',
          title,
        )
      : l10n.t('Web Data: Session {0} expires in one minute.', title);
    const chosen = await vscode.window.showWarningMessage<string>(
      text,
      ...(sessions.canExtend ? [extend] : []),
      newSession,
    );
    if (chosen === extend) await sessions.extend(session);
    if (chosen !== newSession) return;
    const latest = sessions.store.find(session.id) ?? session;
    if (savesProfile && isActive(latest)) {
      if (!(await parts.mayEnd(latest))) return;
      parts.stopAll(latest.id);
    }
    await sessions.renew(latest);
  }
}
