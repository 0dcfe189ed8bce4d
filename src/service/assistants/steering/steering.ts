import type { FromService } from '../../../contract/embedded.ts';
import type { AgentRules } from '../../../contract/mcp/agent-keys.ts';
import type { AgentRun, AgentSession } from '../../../contract/mcp/agent-sessions.ts';
import type { Clock } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { createPermits } from './permits.ts';
import { type RecordedAction, writeSnippet } from './snippet.ts';
import { waitForPerson } from './wait-for-person.ts';

/** A call of an agent's tool, as far as a person steers it. */
export interface SteeredCall {
  agent: { readonly caller: Caller };
  /** Aborts when nobody waits for the call anymore. */
  signal: AbortSignal;
  report(progress: { progress: number; message: string }): void;
  /** What the agent is told with the answer. */
  notes: string[];
  /** Milliseconds for which the call has waited for a person. */
  waitedMs: number;
}

/** The part of a session that is steered. */
export interface SteeredSession {
  readonly id: string;
  /** Stops or lets through the commands of code that runs in it. */
  setHeld(held: boolean): void;
}

/** What agents do in sessions, and how people see and steer it. */
export type Steering = ReturnType<typeof createSteering>;

export interface SteeringParts {
  /** Returns what an agent may do without asking; undefined: everything. */
  rulesOf(caller: Caller): AgentRules | undefined;
  send(team: string, message: FromService): void;
  clock: Clock;
}

interface Steered {
  team: string;
  agent: string;
  /** How many calls act now. */
  working: number;
  acting: boolean;
  cancelIdle: () => void;
  pausedByPerson: boolean;
  /** How often a person has handed it back. */
  handedBack: number;
  /** Sessions in which code of an agent runs now. */
  running: Set<SteeredSession>;
  actions: RecordedAction[];
}

/** How long after its last call an agent is said to use a session: models think between calls. */
const actingMs = 20_000;
/** How long a call waits for a person to hand a session back: clients give up on calls after a minute. */
const waitMs = 20_000;
/** Most actions that are recorded of a session; the oldest are forgotten first. */
const maxActions = 1_000;

const handedBack = 'The user took this session over and has handed it back: the page may have changed.';

class TakenOver extends Error {}

export function createSteering({ rulesOf, send, clock }: SteeringParts) {
  const sessions = new Map<string, Steered>();
  /** Sessions that a person controls in a live view, whether or not an agent has used them. */
  const controlled = new Set<string>();
  /** How many hand-backs of each session an agent knows of. */
  const known = new WeakMap<SteeredCall['agent'], Map<string, number>>();
  /** Called whenever a session may have been handed back. */
  const waiting = new Set<() => void>();
  const permits = createPermits({ rulesOf, clock, onChange: changed });

  function isPaused(sessionId: string): boolean {
    return controlled.has(sessionId) || sessions.get(sessionId)?.pausedByPerson === true;
  }

  function shown(sessionId: string, { agent, acting, actions }: Steered): AgentSession {
    return {
      sessionId,
      agent,
      acting,
      paused: isPaused(sessionId),
      controlled: controlled.has(sessionId),
      actions: actions.length,
    };
  }

  function stateOf(team: string) {
    const own = [...sessions].filter(([, steered]) => steered.team === team);
    return { sessions: own.map(([id, steered]) => shown(id, steered)), requests: permits.list(team) };
  }

  function changed(team: string): void {
    send(team, { type: 'agents', ...stateOf(team) });
  }

  function steeredBy(sessionId: string, { caller }: SteeredCall['agent']): Steered {
    const agent = caller.agent ?? caller.keyLabel;
    const found = sessions.get(sessionId);
    if (found) {
      found.agent = agent;
      return found;
    }
    const steered: Steered = {
      team: caller.team,
      agent,
      working: 0,
      acting: false,
      cancelIdle: () => undefined,
      pausedByPerson: false,
      handedBack: 0,
      running: new Set(),
      actions: [],
    };
    sessions.set(sessionId, steered);
    return steered;
  }

  /** Changes who has a session, and tells everybody whom that concerns. */
  function change(team: string, sessionId: string, apply: () => void): void {
    const before = isPaused(sessionId);
    apply();
    const steered = sessions.get(sessionId);
    if (!steered) return;
    const paused = isPaused(sessionId);
    if (before && !paused) steered.handedBack++;
    for (const session of steered.running) session.setHeld(paused);
    for (const check of [...waiting]) check();
    changed(team);
  }

  /** Whether a person has had a session since this was last called for an agent. */
  function wasHandedBack(sessionId: string, call: SteeredCall): boolean {
    const steered = sessions.get(sessionId);
    const count = steered?.handedBack ?? 0;
    const seen = known.get(call.agent) ?? new Map<string, number>();
    known.set(call.agent, seen);
    const last = seen.get(sessionId);
    seen.set(sessionId, count);
    return last !== undefined && last !== count;
  }

  async function untilHandedBack(sessionId: string, call: SteeredCall, deadline: number): Promise<void> {
    if (!isPaused(sessionId)) return;
    call.signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (!isPaused(sessionId)) resolve();
    };
    waiting.add(check);
    const leftMs = Math.max(0, deadline - clock.monotonic());
    await waitForPerson(call, 'The user has taken over: waiting,', leftMs, promise, clock);
    waiting.delete(check);
    call.signal.throwIfAborted();
    if (!isPaused(sessionId)) return;
    throw new ServiceError(
      409,
      'Not done: the user has taken over this session. Next: wait, then call this tool again, which waits for the user. page_snapshot and page_screenshot show the page meanwhile.',
    );
  }

  function begin(team: string, steered: Steered): void {
    steered.working++;
    steered.cancelIdle();
    if (steered.acting) return;
    steered.acting = true;
    changed(team);
  }

  function end(team: string, sessionId: string, steered: Steered): void {
    steered.working--;
    if (steered.working > 0) return;
    steered.cancelIdle = clock.after(actingMs, () => {
      steered.acting = false;
      if (sessions.get(sessionId) === steered) changed(team);
    });
  }

  function found(team: string, sessionId: string): Steered {
    const steered = sessions.get(sessionId);
    if (steered?.team === team) return steered;
    throw new ServiceError(404, 'No agent has used this session, or it has ended.');
  }

  return {
    handlers: {
      listAgentSessions: (_request, { caller }) => ({ success: true, ...stateOf(caller.team) }),
      pauseAgent({ params: { sessionId }, body }, { caller: { team } }) {
        const steered = found(team, sessionId);
        change(team, sessionId, () => {
          steered.pausedByPerson = body.paused;
        });
        return { success: true, ...shown(sessionId, steered) };
      },
      getAgentSnippet({ params: { sessionId } }, { caller }) {
        const { agent, actions } = found(caller.team, sessionId);
        return { success: true, code: writeSnippet(agent, actions), actions: actions.length };
      },
      answerPermitRequest({ params: { requestId }, body }, { caller }) {
        permits.answer(caller.team, requestId, body.answer);
        return { success: true };
      },
    } satisfies Partial<Handlers>,
    /** A person took or released control of a session in a live view. */
    setControlled(team: string, sessionId: string, isControlled: boolean): void {
      if (controlled.has(sessionId) === isControlled) return;
      change(team, sessionId, () => {
        if (isControlled) controlled.add(sessionId);
        else controlled.delete(sessionId);
      });
    },
    /** A session has ended. */
    ended(sessionId: string): void {
      controlled.delete(sessionId);
      permits.ended(sessionId);
      const steered = sessions.get(sessionId);
      if (!steered) return;
      steered.cancelIdle();
      sessions.delete(sessionId);
      for (const check of [...waiting]) check();
      changed(steered.team);
    },
    /**
     * Acts in a session once no person keeps it. `check` throws when a person has taken the session over since; what it throws
     * makes `work` start again later. Throws a ServiceError for the agent if the person keeps the session for too long, or has
     * handed it back and the agent hasn't seen the page since, unless the action is as right on any page (`anyPage`).
     */
    async act<Result>(
      session: SteeredSession,
      call: SteeredCall,
      { anyPage }: { anyPage: boolean },
      work: (check: () => void) => Promise<Result>,
    ): Promise<Result> {
      const { team } = call.agent.caller;
      const steered = steeredBy(session.id, call.agent);
      const deadline = clock.monotonic() + waitMs;
      for (;;) {
        await untilHandedBack(session.id, call, deadline);
        if (wasHandedBack(session.id, call)) {
          if (!anyPage) throw new ServiceError(409, `Not done: ${handedBack} Next: page_snapshot, then decide again.`);
          call.notes.push(handedBack);
        }
        begin(team, steered);
        try {
          return await work(() => {
            if (isPaused(session.id)) throw new TakenOver();
          });
        } catch (error) {
          if (!(error instanceof TakenOver)) throw error;
        } finally {
          end(team, session.id, steered);
        }
      }
    },
    /** Lets code of an agent be held while a person has the session. */
    async running<Result>(session: SteeredSession, work: () => Promise<Result>): Promise<Result> {
      const steered = sessions.get(session.id);
      steered?.running.add(session);
      session.setHeld(isPaused(session.id));
      try {
        return await work();
      } finally {
        steered?.running.delete(session);
        session.setHeld(false);
      }
    },
    /** Notes what an agent that only looks at a session should know about it. Returns whether the person has handed it back. */
    look(sessionId: string, call: SteeredCall): boolean {
      if (isPaused(sessionId) && sessions.has(sessionId))
        call.notes.push('The user has taken over this session: tools that act wait until it is handed back.');
      if (!wasHandedBack(sessionId, call)) return false;
      call.notes.push(handedBack);
      return true;
    },
    /** Returns once a person or the rules of the agent's key allow something. Throws a ServiceError for the agent if not. */
    permit: permits.permit,
    /** Whether the rules of an agent's key let it do this without asking. */
    permits: permits.permits,
    /** Keeps what an agent has done. */
    record(sessionId: string, action: RecordedAction): void {
      const steered = sessions.get(sessionId);
      if (!steered) return;
      steered.actions.push(action);
      if (steered.actions.length > maxActions) steered.actions.shift();
      changed(steered.team);
    },
    /** Shows a run of an agent's code to the windows of a team. */
    showRun: (team: string, run: AgentRun): void => send(team, { type: 'agent-run', run }),
    close(): void {
      for (const { cancelIdle } of sessions.values()) cancelIdle();
      permits.close();
    },
  };
}
