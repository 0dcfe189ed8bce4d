import type { Handlers } from '../../platform/http/bind.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Sessions } from './sessions.ts';

/** Handlers of the browser session endpoints. */
export function sessionHandlers(sessions: Sessions, keptRuns: KeptRuns) {
  return {
    ...keptRuns.handlers,
    createBrowserSession: ({ body }, { caller, signal }) => sessions.create(caller, body, signal),
    listBrowserSessions: async ({ query }, { caller }) => ({
      success: true,
      sessions: await sessions.list(caller, query.status),
    }),
    executeInBrowserSession: ({ params, body }, context) =>
      keptRuns.run(context, async (options) =>
        (await sessions.live(context.caller, params.sessionId)).execute(body, options),
      ),
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
  } satisfies Partial<Handlers>;
}
