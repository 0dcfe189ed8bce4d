import * as z from 'zod';
import { limits } from '../../../../contract/limits.ts';
import { createSessionBody, type ListedSession } from '../../../../contract/sessions/sessions.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { plain } from '../../../browsers/page/driver/driver.ts';
import type { Session } from '../../../browsers/sessions/session.ts';
import type { Sessions } from '../../../browsers/sessions/sessions.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Steering } from '../../steering/steering.ts';
import { type Agent, acts, reads, sessionField, steers, type Tool, tool } from './tool.ts';

/** The browser sessions of agents. */
export type AgentSessions = ReturnType<typeof createAgentSessions>;

/** Characters of a session's ID that are shown; any that are unique are accepted. */
const shortLength = 8;
export const shortId = (id: string) => id.slice(0, shortLength);

/** Seconds of inactivity after which the session of an agent ends: models and people take their time. */
const activityTtl = 900;

export function createAgentSessions(sessions: Sessions) {
  /** Calls that arrive at the same time share the session that the first of them opens. */
  const opening = new WeakMap<Agent, Promise<Session>>();

  async function open(agent: Agent): Promise<Session> {
    const { id } = await sessions.create(agent.caller, createSessionBody.parse({ ttl: limits.ttl.max, activityTtl }));
    agent.session = id;
    return await sessions.live(agent.caller, id);
  }

  async function idOf(agent: Agent, start: string): Promise<string> {
    if (start.length >= 36) return start;
    const all = await sessions.list(agent.caller);
    const matching = all.filter(({ id }) => id.startsWith(start));
    const active = matching.filter(({ status }) => status === 'active');
    const [found, ...others] = active.length > 0 ? active : matching.slice(0, 1);
    if (!found) throw new ServiceError(404, `No session has an ID that starts with "${shorten(start, 40)}".`);
    if (others.length > 0)
      throw new ServiceError(409, `Several sessions start with "${shorten(start, 40)}": send more of the ID.`);
    return found.id;
  }

  return {
    /** Returns the session that a call names, or the agent's own. With `open`, opens one if it has none. Throws 404, 403, 409 or 410. */
    async find(agent: Agent, id: string | undefined, { open: mayOpen }: { open: boolean } = { open: false }) {
      if (id !== undefined) return await sessions.live(agent.caller, await idOf(agent, id));
      if (agent.session !== undefined) {
        try {
          return await sessions.live(agent.caller, agent.session);
        } catch (error) {
          if (!mayOpen) throw error;
          agent.session = undefined;
        }
      }
      if (!mayOpen) {
        throw new ServiceError(409, 'You have no session yet. Call page_navigate with a "url": it opens one.');
      }
      const started = opening.get(agent) ?? open(agent).finally(() => opening.delete(agent));
      opening.set(agent, started);
      return await started;
    },
  };
}

/** Tools for the life of browser sessions. */
export function sessionTools(sessions: Sessions, ofAgents: AgentSessions, steering: Steering): Record<string, Tool> {
  return {
    session_create: tool({
      title: 'Open a browser session',
      description:
        'Open a browser with a saved profile, or a second one. Otherwise page_navigate and run_code open one.',
      schema: z.strictObject({
        profile: z.string().min(1).max(limits.profileName.max).optional().describe('Saved logins to use, by name'),
        save: z.boolean().optional().describe('Save changes to the profile when the session ends; default false'),
        ttl: z.int().min(limits.ttl.min).max(limits.ttl.max).optional().describe('Seconds until it ends, default 3600'),
      }),
      example: { profile: 'work' },
      hints: steers,
      async run({ profile, save = false, ttl = limits.ttl.max }, { agent, signal }) {
        const body = createSessionBody.parse({
          ttl,
          activityTtl,
          ...(profile !== undefined && { profile: { name: profile, saveChanges: save } }),
        });
        const { id } = await sessions.create(agent.caller, body, signal);
        signal.throwIfAborted();
        agent.session = id;
        return {
          text: `Opened session ${shortId(id)}. It is now yours: calls without "session" use it.`,
          next: 'Next: page_navigate.',
        };
      },
    }),
    session_list: tool({
      title: 'List browser sessions',
      description: "List the open browser sessions: yours, other agents' and the user's.",
      schema: z.strictObject({}),
      example: {},
      hints: reads,
      async run(_args, { agent }) {
        const open = await sessions.list(agent.caller, 'active');
        if (open.length === 0) return { text: 'No session is open.', next: 'Next: page_navigate opens one.' };
        return { content: { name: 'sessions', text: open.map((session) => describe(session, agent)).join('\n') } };
      },
    }),
    session_close: tool({
      title: 'Close a browser session',
      description: 'Close a session when you are done with it.',
      schema: z.strictObject({ session: sessionField }),
      example: { session: '3f2a91bc' },
      hints: { ...acts, openWorldHint: false },
      async run({ session: given }, call) {
        const { agent } = call;
        const session = await ofAgents.find(agent, given);
        const { id } = session;
        const { sessionDurationMs } = await steering.act(session, call, { anyPage: true }, () =>
          sessions.destroy(agent.caller, id),
        );
        if (agent.session === id) agent.session = undefined;
        agent.seen.delete(id);
        return { text: `Closed session ${shortId(id)} after ${Math.round((sessionDurationMs ?? 0) / 1000)} s.` };
      },
    }),
  };
}

function describe(session: ListedSession, agent: Agent): string {
  const { id, page, profile, expiresAt, agent: owner } = session;
  const left = expiresAt ? Math.max(0, Math.round((Date.parse(expiresAt) - Date.now()) / 60_000)) : undefined;
  return [
    shortId(id),
    id === agent.session ? 'yours' : (owner ?? 'the user'),
    page?.url ? `${plain(page.title).slice(0, 100)} ${plain(page.url).slice(0, 300)}`.trim() : 'blank page',
    ...(profile ? [`profile ${profile.name}`] : []),
    ...(left === undefined ? [] : [`${left} min left`]),
  ].join(' · ');
}
