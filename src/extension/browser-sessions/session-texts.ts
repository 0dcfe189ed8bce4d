import * as l10n from '@vscode/l10n';
import type { DeletedSession } from '../../contract/sessions/sessions.ts';
import { staleMessage } from '../connection/polling/server-store.ts';
import { currentMark } from '../ui/session-mark.ts';
import { ago, clock, count, duration, label, minutes, type RowTexts, stateWord } from '../ui/text/text.ts';
import { deadlineOf, idleLimit, isActive, type SessionInfo, type SessionsState } from './sessions-store.ts';

interface TextContext {
  now: number;
  current: boolean;
  busy: boolean;
  several: boolean;
  /** What an agent does in it now. */
  agent?: string | undefined;
}

export function sessionTexts(session: SessionInfo, context: TextContext): RowTexts {
  const title = sessionTitle(session);
  const state = stateWords(session, context);
  return {
    label: title,
    description: state,
    spoken: l10n.t('Session {0}, {1}', title, state),
    tooltip: tooltip(session, context.now),
  };
}

/** Returns the title of a session: its name, cut so that the time left has room beside it. */
export function sessionTitle({ name }: Pick<SessionInfo, 'name'>): string {
  return label(name, 32);
}

function stateWords(session: SessionInfo, context: TextContext): string {
  if (!isActive(session)) {
    const when = session.endedAt === undefined ? undefined : ago(context.now - session.endedAt);
    return [when, endWords(session)].filter(Boolean).join(' · ');
  }
  const deadline = deadlineOf(session, context.now);
  const left = deadline === undefined ? undefined : clock(deadline - context.now);
  const life = [left, idleWords(session, deadline, context)].filter(Boolean);
  const words = [
    context.agent ?? (session.agent && l10n.t('agent {0}', label(session.agent, 40))),
    context.current && context.several && currentMark.word,
    context.busy && l10n.t('running'),
    profileWords(session),
  ];
  const lives = life.length > 0 ? life : [l10n.t('active')];
  // What an agent does matters more than the time left, and the row may be narrow.
  return [...(context.agent ? [words.shift(), ...lives] : lives), ...words].filter(Boolean).join(' · ');
}

/** `expired`, `closed after 5 min idle`, or the state with the reason, as far as they are known. */
function endWords({ status, endReason }: SessionInfo): string {
  const state = status === 'destroyed' ? l10n.t('ended') : stateWord(status);
  const why = endReason && label(endReason, 40);
  if (!why || why === 'ended' || why === status) return state;
  return status === 'destroyed' && /^(?:expired|closed)\b/.test(why) ? why : l10n.t('{0} ({1})', state, why);
}

function profileWords({ profile, saveChanges }: SessionInfo): string | undefined {
  if (profile === undefined) return undefined;
  const name = l10n.t('profile {0}', label(profile, 40));
  return saveChanges === false ? l10n.t('{0}, read-only', name) : name;
}

/** A renewed session counts down only the last minutes before it closes for being idle. */
const countIdleMs = 5 * 60_000;

/** Time until it closes for being idle, if that is sooner than it expires. A session that runs code isn't idle. */
function idleWords(session: SessionInfo, deadline: number | undefined, context: { now: number; busy: boolean }) {
  if (context.busy) return undefined;
  const { idleAt, renewed } = session;
  const limit = idleLimit(session);
  if (renewed && deadline === undefined && limit === undefined) return undefined;
  const left = idleAt === undefined ? undefined : idleAt - context.now;
  if (limit !== undefined && deadline === undefined && (left === undefined || left > countIdleMs)) {
    return l10n.t('closes after {0} idle', minutes(limit));
  }
  if (idleAt === undefined || left === undefined || left <= 0) return undefined;
  return deadline !== undefined && deadline <= idleAt ? undefined : l10n.t('{0} if idle', clock(left));
}

function tooltip(session: SessionInfo, now: number): string {
  const lines = [
    l10n.t('Session {0}', label(session.id, 100)),
    session.profile && profileLine(session.profile, session.saveChanges),
    session.pageTitle && l10n.t('Page: {0}', label(session.pageTitle, 200)),
    session.pageUrl && l10n.t('URL: {0}', label(session.pageUrl, 200)),
    session.createdAt !== undefined && l10n.t('Created {0}', ago(now - session.createdAt)),
    isActive(session) && endSentence(session, now),
    !isActive(session) && l10n.t('State: {0}', endWords(session)),
  ];
  return lines.filter(Boolean).join('\n');
}

function endSentence(session: SessionInfo, now: number): string | undefined {
  const deadline = deadlineOf(session, now);
  if (deadline !== undefined) return expirySentence(clock(deadline - now), session, now);
  if (!session.renewed) return undefined;
  const idle = idleLimit(session);
  return idle === undefined
    ? l10n.t('Stays open while this window uses it')
    : l10n.t('Stays open while this window uses it; closes after {0} idle', minutes(idle));
}

function expirySentence(left: string, { idleAt }: SessionInfo, now: number): string {
  return idleAt !== undefined && idleAt > now
    ? l10n.t('Expires in {0}, or in {1} if idle', left, clock(idleAt - now))
    : l10n.t('Expires in {0}, or sooner if idle', left);
}

function profileLine(profile: string, saveChanges: boolean | undefined): string {
  const name = label(profile, 128);
  return saveChanges === false ? l10n.t("Profile: {0} (changes aren't saved)", name) : l10n.t('Profile: {0}', name);
}

/**
 * Returns a sentence about a destroyed session, with its duration and cost if the server reports them.
 * @param isFree whether it ran on the user's own machine, where credits are only counted
 */
export function endedSentence(
  name: string,
  { sessionDurationMs, creditsBilled }: DeletedSession,
  isFree = false,
): string {
  const credits = typeof creditsBilled === 'number' ? count(creditsBilled, 'credit') : undefined;
  const cost = credits !== undefined && isFree ? l10n.t('{0}, which cost nothing here', credits) : credits;
  if (!sessionDurationMs) {
    return cost === undefined ? l10n.t('Session {0} ended.', name) : l10n.t('Session {0} ended: {1}.', name, cost);
  }
  const lasted = duration(sessionDurationMs);
  return cost === undefined
    ? l10n.t('Session {0} ended after {1}.', name, lasted)
    : l10n.t('Session {0} ended after {1}: {2}.', name, lasted, cost);
}

/** Returns the message above the rows when something is wrong; undefined if nothing is, or if the view's welcome text says it. */
export function stateMessage(state: SessionsState, look: Parameters<typeof staleMessage>[1]): string | undefined {
  if (state.kind !== 'no-browser') return staleMessage(state, look);
  // The searched locations are rows: a message of many lines would leave no room for them.
  return state.searched.length > 0
    ? l10n.t('No Chrome, Chromium, Edge or Brave was found.')
    : label(state.message, 200);
}
