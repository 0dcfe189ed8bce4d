import packageJson from '../../../../package.json' with { type: 'json' };
import { createTurn } from '../../platform/async.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { archiveOf } from './har.ts';
import { listConsole, listRequests, shownExchange } from './shown.ts';

/** Handlers of the console and the network of sessions. */
export function trafficHandlers(sessions: Pick<Sessions, 'live'>) {
  const of = async (caller: Caller, id: string) => (await sessions.live(caller, id)).traffic.begin();
  return {
    listConsole: async ({ params, query }, { caller }) => {
      const { console, since } = await of(caller, params.sessionId);
      const { cursor, dropped } = console.entries;
      return { success: true, entries: await listConsole(console, query), ...recorded(since), cursor, dropped };
    },
    listNetwork: async ({ params, query }, { caller }) => {
      const { network, since } = await of(caller, params.sessionId);
      const { cursor, dropped } = network.entries;
      return { success: true, requests: await listRequests(network, query), ...recorded(since), cursor, dropped };
    },
    readNetworkRequest: async ({ params, query: { secrets = false } }, { caller }) => {
      const { network } = await of(caller, params.sessionId);
      checkSecrets(secrets, caller);
      const entry = network.entries.find(params.requestId);
      if (!entry) throw new ServiceError(404, 'Request not found: it may no longer be kept. List the requests again.');
      return await shownExchange(entry, await network.bodyOf(entry), secrets, createTurn());
    },
    exportNetwork: async ({ params, query: { secrets = false } }, { caller }) => {
      const { network } = await of(caller, params.sessionId);
      checkSecrets(secrets, caller);
      return archiveOf(network.entries.list(), packageJson.version, secrets);
    },
  } satisfies Partial<Handlers>;
}

function recorded(since: number): { recordedSince: string } {
  return { recordedSince: new Date(since).toISOString() };
}

/** Agents see no secrets: what they read goes to a language model. */
function checkSecrets(secrets: boolean, { agent, agentKey }: Caller): void {
  if (secrets && (agent !== undefined || agentKey !== undefined))
    throw new ServiceError(403, 'Agents can\'t read secrets. Omit the parameter "secrets".');
}
