import type { DeletedSession } from '../../contract/sessions.ts';
import { timeOfDay } from '../ui/dates.ts';
import { currentMark } from '../ui/session-mark.ts';
import { ago, clock, count, duration, label, minutes } from '../ui/text.ts';
import { deadlineOf, isActive, type SessionInfo } from './session-info.ts';
import type { SessionsState } from './sessions-store.ts';

/** The texts of a row in the tree. */
export interface SessionTexts {
  label: string;
  description: string;
  tooltip: string;
  spoken: string;
}

interface TextContext {
  now: number;
  current: boolean;
  busy: boolean;
  several: boolean;
  /** False leaves out the time left. */
  countdown?: boolean;
}

export function sessionTexts(session: SessionInfo, context: TextContext): SessionTexts {
  const title = sessionTitle(session);
  const state = stateWords(session, context);
  return {
    label: title,
    description: state,
    spoken: `Session ${title}, ${state}`,
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
  const left = deadline === undefined || context.countdown === false ? undefined : clock(deadline - context.now);
  const life = [left, idleWords(session, deadline, context)].filter(Boolean);
  const words = [
    context.current && context.several && currentMark.word,
    context.busy && 'running',
    profileWords(session),
  ];
  return [...(life.length > 0 ? life : ['active']), ...words].filter(Boolean).join(' · ');
}

/** `expired`, `closed after 5 min idle`, or the state with the reason, as far as they are known. */
function endWords({ status, endReason }: SessionInfo): string {
  const state = status === 'destroyed' ? 'ended' : label(status, 20);
  const why = endReason && label(endReason, 40);
  if (!why || why === 'ended' || why === state) return state;
  return status === 'destroyed' && /^(?:expired|closed)\b/.test(why) ? why : `${state} (${why})`;
}

function profileWords({ profile, saveChanges }: SessionInfo): string | undefined {
  if (profile === undefined) return undefined;
  const name = `profile ${label(profile, 40)}`;
  return saveChanges === false ? `${name}, read-only` : name;
}

/** A renewed session counts down only the last minutes before it closes for being idle. */
const countIdleMs = 5 * 60_000;

/** Time until it closes for being idle, if that is sooner than it expires. A session that runs code isn't idle. */
function idleWords(
  { idleAt, renewed, details }: SessionInfo,
  deadline: number | undefined,
  context: { now: number; busy: boolean },
): string | undefined {
  if (context.busy) return undefined;
  const left = idleAt === undefined ? undefined : idleAt - context.now;
  if (renewed && deadline === undefined && details?.activityTtl && (left === undefined || left > countIdleMs)) {
    return `closes after ${minutes(details.activityTtl)} idle`;
  }
  if (idleAt === undefined || left === undefined || left <= 0) return undefined;
  return deadline !== undefined && deadline <= idleAt ? undefined : `${clock(left)} if idle`;
}

function tooltip(session: SessionInfo, now: number): string {
  const lines = [
    `Session ${label(session.id, 100)}`,
    session.profile &&
      `Profile: ${label(session.profile, 128)}${session.saveChanges === false ? " (changes aren't saved)" : ''}`,
    session.pageTitle && `Page: ${label(session.pageTitle, 200)}`,
    session.pageUrl && `URL: ${label(session.pageUrl, 200)}`,
    session.createdAt !== undefined && `Created ${ago(now - session.createdAt)}`,
    isActive(session) && endSentence(session, now),
    !isActive(session) && `State: ${endWords(session)}`,
  ];
  return lines.filter(Boolean).join('\n');
}

function endSentence(session: SessionInfo, now: number): string | undefined {
  const deadline = deadlineOf(session, now);
  if (deadline !== undefined) return `Expires in ${clock(deadline - now)}, or ${idleSentence(session, now)}`;
  const idle = session.renewed && session.details?.activityTtl;
  return idle ? `Stays open while this window uses it; closes after ${minutes(idle)} idle` : undefined;
}

function idleSentence({ idleAt }: SessionInfo, now: number): string {
  return idleAt !== undefined && idleAt > now ? `in ${clock(idleAt - now)} if idle` : 'sooner if idle';
}

/** Returns a sentence about a destroyed session, with its duration and cost if the server reports them. */
export function endedSentence(name: string, { sessionDurationMs, creditsBilled }: DeletedSession): string {
  const lasted = sessionDurationMs ? ` after ${duration(sessionDurationMs)}` : '';
  const cost = typeof creditsBilled === 'number' ? `: ${count(creditsBilled, 'credit')}` : '';
  return `Session ${name} ended${lasted}${cost}.`;
}

/** Returns the message above the rows when something is wrong; undefined if nothing is, or if the view's welcome text says it. */
export function stateMessage(
  state: SessionsState,
  context: { rows: number; updatedAt: number | undefined; now: number },
): string | undefined {
  const stale =
    context.rows > 0 && context.updatedAt !== undefined ? ` Updated ${ago(context.now - context.updatedAt)}.` : '';
  // The searched locations are rows: a message of many lines would leave no room for them.
  if (state.kind === 'no-browser') return label(state.message.replace(/\s*\(looked at:.*$/s, '.'), 200);
  if (state.kind === 'limited') {
    // Creating one session too many fails with the same status, but doesn't delay the next refresh.
    const retry = state.until > context.now ? ` Retrying at ${timeOfDay(state.until, true)}.` : '';
    return `${label(state.message, 300)}${retry}${stale}`;
  }
  if ((state.kind === 'unreachable' || state.kind === 'signed-out') && context.rows > 0)
    return `${label(state.message, 300)}${stale}`;
  return undefined;
}

/** Returns the locations in a service's message that it found no Chrome. */
export function searchedLocations(message: string): string[] {
  const list = /\(looked at:\s*([^)]*)\)/.exec(message)?.[1] ?? '';
  return list.split(/,\s+/).filter((place) => place !== '');
}
