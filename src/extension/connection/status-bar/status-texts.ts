import * as l10n from '@vscode/l10n';
import { currentMark } from '../../ui/session-mark.ts';
import { clock, label, minutes } from '../../ui/text/text.ts';
import type { Trouble } from '../connection.ts';
import { type Target, targetName } from '../target.ts';

/** The current session, as the status bar shows it. */
export interface SessionSummary {
  shortId: string;
  name: string;
  /** Milliseconds since 1970; undefined if it has no deadline or the server sent none. */
  expiresAt: number | undefined;
  /** Idle time after which it closes, in seconds, if it has no other end. */
  idleSeconds?: number | undefined;
  busy: boolean;
}

export interface Status {
  target: Target;
  session?: SessionSummary | undefined;
  /** Why the target can't be used. */
  trouble?: Trouble | undefined;
  /** The activity in progress, such as "starting the service". */
  activity?: string | undefined;
}

/** A session with less than this time left is shown as ending soon. */
const soonMs = 60_000;

/** Returns the item's text, what a screen reader says, and the short id of the session for the hover. */
export function statusTexts(status: Status, now: number): { text: string; spoken: string; id?: string; warns?: true } {
  const target = label(targetName(status.target), 40);
  const { session, activity } = status;
  const icon = activity || session?.busy ? '$(loading~spin)' : session ? `$(${currentMark.icon})` : '$(globe)';
  if (activity)
    return { text: `${icon} Web Data: ${label(activity, 40)}`, spoken: `Web Data: ${target}, ${label(activity, 40)}` };
  const { trouble } = status;
  if (trouble) {
    const spoken =
      trouble === 'stopped' ? l10n.t('Web Data: {0} stopped', target) : l10n.t("Web Data: {0} doesn't respond", target);
    return { text: `$(warning) ${spoken}`, spoken, warns: true };
  }
  if (!session) return { text: `${icon} Web Data: ${target}`, spoken: l10n.t('Web Data: {0}, no session', target) };
  const left = session.expiresAt === undefined ? undefined : clock(session.expiresAt - now);
  const name = label(session.name, 24);
  const idle = session.idleSeconds ? l10n.t('closes after {0} idle', minutes(session.idleSeconds)) : undefined;
  const spoken = [
    l10n.t('Web Data: {0}, current session {1}', target, name),
    left ? l10n.t('{0} left', left) : idle,
    session.busy && l10n.t('running'),
  ];
  return {
    text: `${icon} ${[name, left].filter(Boolean).join(' ')} · ${target}`,
    id: session.shortId,
    spoken: spoken.filter(Boolean).join(', '),
    ...(session.expiresAt !== undefined && session.expiresAt - now <= soonMs && { warns: true }),
  };
}
