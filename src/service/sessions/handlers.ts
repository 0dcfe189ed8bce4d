import { placeHeader, runIdHeader } from '../../contract/embedded.ts';
import type { Handlers } from '../http/bind.ts';
import { parsePlace } from '../runners/place.ts';
import type { Sessions } from './sessions.ts';

type SessionEndpoint =
  | 'createBrowserSession'
  | 'listBrowserSessions'
  | 'executeInBrowserSession'
  | 'deleteBrowserSession'
  | 'deleteBrowserSessionByBody'
  | 'resetRepl'
  | 'renewSession'
  | 'listProfiles';

/** Handlers of the browser session endpoints. */
export function sessionHandlers(sessions: Sessions): Pick<Handlers, SessionEndpoint> {
  return {
    createBrowserSession: ({ body }, { caller }) => sessions.create(caller, body),
    listBrowserSessions: async ({ query }, { caller }) => ({
      success: true,
      sessions: await sessions.list(caller, query.status),
    }),
    executeInBrowserSession: async ({ params, body }, { caller, signal, header }) => {
      const runId = header(runIdHeader)?.slice(0, 100);
      const place = parsePlace(header(placeHeader));
      return await (await sessions.live(caller, params.sessionId)).execute(body, {
        signal,
        place,
        ...(runId && { runId }),
      });
    },
    deleteBrowserSession: ({ params }, { caller }) => sessions.destroy(caller, params.sessionId),
    deleteBrowserSessionByBody: ({ body }, { caller }) => sessions.destroy(caller, body.id),
    resetRepl: async ({ params, body }, { caller }) => {
      await (await sessions.live(caller, params.sessionId)).resetRepl(body.language);
      return { success: true };
    },
    renewSession: async ({ params, body }, { caller }) => {
      const { expiresAt, activityTtl } = await sessions.renew(caller, params.sessionId, body);
      return { success: true, expiresAt: new Date(expiresAt).toISOString(), activityTtl };
    },
    listProfiles: async (_request, { caller }) => ({
      success: true,
      profiles: (await sessions.profiles(caller)).map(({ savedAt, ...profile }) => ({
        ...profile,
        savedAt: new Date(savedAt).toISOString(),
      })),
    }),
  };
}
