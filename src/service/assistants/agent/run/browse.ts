import { limits } from '../../../../contract/limits.ts';
import { connectCdpClient } from '../../../browsers/chrome/cdp-client.ts';
import { confineBrowser, type MayOpen } from '../../../browsers/page/confinement.ts';
import { sessionCredits } from '../../../browsers/sessions/billing.ts';
import type { Sessions } from '../../../browsers/sessions/sessions.ts';
import type { Caller } from '../../../platform/http/keys.ts';
import type { AddressPolicy } from '../../../platform/network/address-policy/address-policy.ts';
import type { Database } from '../../../platform/storage/storage.ts';
import { type AgentOptions, runAgent } from '../../interact/agent/agent.ts';
import { replay } from '../../interact/replay.ts';
import type { ReadPage } from '../store/steps.ts';
import { NotDone, withoutFragment } from './web.ts';

export interface BrowseRequest extends Pick<AgentOptions, 'model' | 'task' | 'signal'> {
  caller: Caller;
  url: URL;
  /** Checks every request of the session's browser. */
  policy: AddressPolicy;
  /** Throws if the model may not go to a URL. */
  check(url: URL): void;
  /** Maximum credits and milliseconds for the session. */
  credits: number;
  timeLeftMs: number;
  /** Called with the session in the transaction that stores it. */
  onSession(id: string, tx: Database): Promise<void>;
}

/** Operates a page in a browser session, which people can watch and take over. The session bills itself. */
export type Browse = ReturnType<typeof createBrowse>;

/** Credits of the shortest session in which a model operates the page. */
export const leastBrowseCredits = sessionCredits(0, true);
const longestMs = 10 * 60_000;
const shortestMs = 30_000;

export function createBrowse(sessions: Sessions) {
  return {
    /** Returns what the model reports, and the last page as it was seen. Throws a NotDone if there isn't time for it. */
    async run(request: BrowseRequest): Promise<{ output: string; page: ReadPage; error?: string }> {
      const { caller, url, task, policy, check, model, credits, timeLeftMs, signal, onSession } = request;
      if (timeLeftMs < shortestMs) throw new NotDone("The job's time is almost up. Finish with what you have.");
      let timeoutMs = Math.min(longestMs, timeLeftMs);
      // Whole minutes are charged, and the session takes a moment to start and end.
      while (timeoutMs > shortestMs && sessionCredits(timeoutMs + 30_000, true) > credits) {
        timeoutMs = Math.max(shortestMs, timeoutMs - 30_000);
      }
      const ttl = Math.max(limits.ttl.min, Math.ceil(timeoutMs / 1000) + 60);
      const context = {
        url: url.href,
        waitFor: 0,
        actions: [],
        headers: {},
        mobile: false,
        skipTlsVerification: false,
        location: undefined,
        profile: undefined,
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
        policy,
        async prepare(host) {
          // Clicks and scripts lead anywhere, whatever the model may go to.
          await confineBrowser(await connectCdpClient(host.relay), policy, documentsAllowedBy(check));
          await replay(host, context, policy, signal);
        },
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
    /** Ends a session, if it hasn't ended, and returns its credits; 0 if there is no such session. */
    async settle(caller: Caller, session: string): Promise<number> {
      try {
        return (await sessions.destroy(caller, session)).creditsBilled ?? 0;
      } catch {
        return 0;
      }
    },
  };
}

/** Where a page that may be opened redirects to belongs to it, even if the task allows only the given URLs. */
function documentsAllowedBy(check: (url: URL) => void): MayOpen {
  const reached = new Set<string>();
  return (url, redirected) => {
    const address = withoutFragment(url.href);
    if (redirected) reached.add(address);
    if (reached.has(address)) return true;
    try {
      check(url);
      return true;
    } catch {
      return false;
    }
  };
}
