import type { DeletedSession } from '../../contract/sessions.ts';
import { ago, clock, count, duration, label, timeOfDay } from '../ui/text.ts';
import { isActive, type SessionInfo } from './session-info.ts';
import type { SessionsState } from './sessions-store.ts';

/** What a row of the tree says. */
export interface SessionTexts {
  label: string;
  description: string;
  tooltip: string;
  spoken: string;
}

export function sessionTexts(
  session: SessionInfo,
  look: { now: number; current: boolean; busy: boolean; several: boolean },
): SessionTexts {
  const title = sessionTitle(session);
  const state = stateWords(session, look);
  return {
    label: title,
    description: state,
    spoken: `Session ${title}, ${state}`,
    tooltip: tooltip(session, look.now),
  };
}

/** How a session is called: its short id and its name. */
export function sessionTitle({ name, shortId }: Pick<SessionInfo, 'name' | 'shortId'>): string {
  return name ? `${shortId} ${label(name, 40)}` : shortId;
}

function stateWords(
  session: SessionInfo,
  look: { now: number; current: boolean; busy: boolean; several: boolean },
): string {
  if (!isActive(session)) {
    const why = session.endReason && session.endReason !== 'ended' ? label(session.endReason, 40) : undefined;
    const state = session.status === 'destroyed' ? 'ended' : label(session.status, 20);
    const when = session.endedAt === undefined ? undefined : ago(look.now - session.endedAt);
    return [why && why !== state ? `${state} (${why})` : state, when].filter(Boolean).join(' · ');
  }
  const left = session.expiresAt === undefined ? 'active' : clock(session.expiresAt - look.now);
  const words = [look.busy && 'running', look.current && look.several && 'current', profileWords(session), left];
  return [...words, idleWords(session, look)].filter(Boolean).join(' · ');
}

function profileWords({ profile, saveChanges }: SessionInfo): string | undefined {
  if (profile === undefined) return undefined;
  return saveChanges === false ? 'profile, read-only' : 'profile';
}

/** How long it lives on if nobody uses it, where that is sooner than its end. A run that goes on is use. */
function idleWords({ idleAt, expiresAt }: SessionInfo, look: { now: number; busy: boolean }): string | undefined {
  if (idleAt === undefined || look.busy || idleAt <= look.now) return undefined;
  if (expiresAt !== undefined && expiresAt <= idleAt) return undefined;
  return `${clock(idleAt - look.now)} if idle`;
}

function tooltip(session: SessionInfo, now: number): string {
  const lines = [
    `Session ${label(session.id, 100)}`,
    session.profile &&
      `Profile: ${label(session.profile, 128)}${session.saveChanges === false ? ' (changes are not saved)' : ''}`,
    session.pageTitle && `Page: ${label(session.pageTitle, 200)}`,
    session.pageUrl && `Address: ${label(session.pageUrl, 200)}`,
    session.createdAt !== undefined && `Created ${ago(now - session.createdAt)}`,
    isActive(session) &&
      session.expiresAt !== undefined &&
      `Ends in ${clock(session.expiresAt - now)}, or ${idleSentence(session, now)}`,
    !isActive(session) &&
      `State: ${label(session.status, 40)}${session.endReason ? ` (${label(session.endReason, 80)})` : ''}`,
  ];
  return lines.filter(Boolean).join('\n');
}

function idleSentence({ idleAt }: SessionInfo, now: number): string {
  return idleAt !== undefined && idleAt > now
    ? `in ${clock(idleAt - now)} if it is not used`
    : 'sooner if it is not used';
}

/** What the end of a session came to, as far as the server says. */
export function endedSentence(shortId: string, { sessionDurationMs, creditsBilled }: DeletedSession): string {
  const lasted = sessionDurationMs ? ` after ${duration(sessionDurationMs)}` : '';
  const cost = typeof creditsBilled === 'number' ? `: ${count(creditsBilled, 'credit')}` : '';
  return `Session ${shortId} ended${lasted}${cost}.`;
}

/** What stands above the rows when something is wrong; undefined when nothing is, or when the view's welcome text says it. */
export function stateMessage(
  state: SessionsState,
  look: { rows: number; updatedAt: number | undefined; now: number },
): string | undefined {
  const stale = look.rows > 0 && look.updatedAt !== undefined ? ` Updated ${ago(look.now - look.updatedAt)}.` : '';
  // Where it was looked for is told in rows: a message of many lines would leave no room for them.
  if (state.kind === 'no-browser') return label(state.message.replace(/\s*\(looked at:.*$/s, '.'), 200);
  if (state.kind === 'limited') {
    // A session that is one too many is refused with the same status, and holds no reading back.
    const goesOn = state.until > look.now ? ` Reading goes on at ${timeOfDay(state.until, true)}.` : '';
    return `${label(state.message, 300)}${goesOn}${stale}`;
  }
  if ((state.kind === 'unreachable' || state.kind === 'signed-out') && look.rows > 0)
    return `${label(state.message, 300)}${stale}`;
  return undefined;
}

/** The places that a service names when it has found no Chrome. */
export function placesLookedAt(message: string): string[] {
  const list = /\(looked at:\s*([^)]*)\)/.exec(message)?.[1] ?? '';
  return list.split(/,\s+/).filter((place) => place !== '');
}
