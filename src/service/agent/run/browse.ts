import { limits } from '../../../contract/limits.ts';
import type { AddressPolicy } from '../../fetch/address-policy/address-policy.ts';
import type { Caller } from '../../http/keys.ts';
import { runAgent } from '../../interact/agent/agent.ts';
import { replay } from '../../interact/replay.ts';
import type { LanguageModel } from '../../language-model/language-model.ts';
import { sessionCredits } from '../../sessions/credits.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Database } from '../../storage/storage.ts';
import type { ReadPage } from '../store/steps.ts';

export interface BrowseRequest {
  caller: Caller;
  url: URL;
  task: string;
  /** Throws if the model may not go to a URL. */
  check(url: URL): void;
  model: LanguageModel;
  /** Most credits for the session. */
  credits: number;
  signal: AbortSignal;
  /** Called with the session in the transaction that stores it. */
  onSession(id: string, tx: Database): Promise<void>;
}

export interface Browsed {
  /** What the model reports. */
  output: string;
  /** The last page, as it was seen. */
  page: ReadPage;
  error?: string;
}

/** Operates a page in a browser session, which people can watch and take over. The session bills itself. */
export interface Browse {
  run(request: BrowseRequest): Promise<Browsed>;
  /** Ends a session, if it hasn't ended, and returns its credits; 0 if there is no such session. */
  settle(caller: Caller, session: string): Promise<number>;
}

/** Credits of the shortest session in which a model operates the page. */
export const leastBrowseCredits = sessionCredits(0, true);
const longestMs = 10 * 60_000;

export function createBrowse(sessions: Sessions, policy: AddressPolicy): Browse {
  return {
    async run({ caller, url, task, check, model, credits, signal, onSession }) {
      let timeoutMs = longestMs;
      // Whole minutes are charged, and the session takes a moment to start and end.
      while (timeoutMs > 30_000 && sessionCredits(timeoutMs + 30_000, true) > credits) timeoutMs -= 30_000;
      const ttl = Math.max(limits.ttl.min, Math.ceil(timeoutMs / 1000) + 60);
      const context = {
        ...{ url: url.href, waitFor: 0, actions: [], headers: {}, mobile: false, skipTlsVerification: false },
        ...{ location: undefined, profile: undefined },
      };
      const within: AddressPolicy = {
        ...policy,
        checkUrl(target) {
          check(target);
          policy.checkUrl(target);
        },
      };
      const body = { ttl, activityTtl: limits.activityTtl.max, streamWebView: true };
      const session = await sessions.start(caller, body, {
        prepare: async (host) => void (await replay(host, context, policy, signal)),
        store: onSession,
      });
      session.markPrompted();
      return await session.inTurn({ signal }, async (turn) => {
        const outcome = await runAgent({ ...turn, model, policy: within, task, timeoutMs, log: () => undefined });
        const { url: last = url.href, title } = turn.host.tabs.list().findLast((tab) => tab.url !== '') ?? {};
        return {
          output: outcome.output ?? '',
          page: { url: last, ...(title && { title }), content: outcome.result ?? '' },
          ...(outcome.error && { error: outcome.error }),
        };
      });
    },
    async settle(caller, session) {
      try {
        return (await sessions.destroy(caller, session)).creditsBilled ?? 0;
      } catch {
        return 0;
      }
    },
  };
}
