import { createHash, timingSafeEqual } from 'node:crypto';
import type { Refusal } from './guards.ts';

/** The caller of a request: its team, and the label under which its usage is recorded. */
export interface Caller {
  team: string;
  /** Name of the key, never the key. */
  keyLabel: string;
  /** Name of the agent that calls, if one does. */
  agent?: string;
  /** ID of the agent's key, which opens nothing but the Model Context Protocol server. */
  agentKey?: string;
}

/** An API key and its team. */
export interface ApiKey {
  key: string;
  team: string;
}

export interface Keys {
  /** Returns the caller that an Authorization header identifies, or why it is refused. */
  authenticate(authorization: string | undefined): Caller | Refusal;
}

export function isRefusal(result: Caller | Refusal): result is Refusal {
  return 'status' in result;
}

export const defaultTeam = 'default';
const anonymous: Caller = { team: defaultTeam, keyLabel: 'no key' };

/** Splits `KEY:TEAM` at the last colon; without a colon, the team is the default team. Throws if a part is empty or the key is invalid. */
export function parseApiKey(text: string): ApiKey {
  const colon = text.lastIndexOf(':');
  const key = colon === -1 ? text : text.slice(0, colon);
  const team = colon === -1 ? defaultTeam : text.slice(colon + 1);
  if (!key || !team || !/^[\x21-\x7e]+$/.test(key)) {
    throw new Error(
      'Expected an API key as KEY or KEY:TEAM: neither part empty, and the key in printable ASCII without spaces.',
    );
  }
  return { key, team };
}

/**
 * Creates the check for a service's keys; with `undefined`, every caller is accepted.
 * @param ofAgent returns the caller of a key that was given to an agent
 */
export function createKeys(
  apiKeys: readonly ApiKey[] | undefined,
  ofAgent: (key: string) => Caller | undefined = () => undefined,
): Keys {
  if (!apiKeys) return { authenticate: () => anonymous };
  const known = apiKeys.map(({ key, team }, index) => ({
    digest: digest(key),
    caller: { team, keyLabel: index === 0 ? team : `${team} ${index + 1}` },
  }));
  return {
    authenticate(authorization) {
      if (authorization === undefined) return { status: 401, error: 'Unauthorized: Token missing' };
      const key = /^Bearer ([\x21-\x7e]{1,4096})$/.exec(authorization)?.[1] ?? '';
      const candidate = digest(key);
      // Compare every key, so that the time reveals nothing about which was close.
      const matches = known.filter((key) => timingSafeEqual(key.digest, candidate));
      return matches[0]?.caller ?? ofAgent(key) ?? { status: 401, error: 'Unauthorized: Invalid token' };
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
