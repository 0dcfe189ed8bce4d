import { createHash, timingSafeEqual } from 'node:crypto';
import type { Refusal } from './guards.ts';

/** Who calls: the team its key belongs to, and the label that usage is booked under. */
export interface Caller {
  team: string;
  /** Name of the key, never the key. */
  keyLabel: string;
}

/** An API key with the team it belongs to. */
export interface ApiKey {
  key: string;
  team: string;
}

export interface Keys {
  /** Judges an Authorization header. */
  authenticate(authorization: string | undefined): Caller | Refusal;
}

export function isRefusal(judged: Caller | Refusal): judged is Refusal {
  return 'status' in judged;
}

export const defaultTeam = 'default';
const open: Caller = { team: defaultTeam, keyLabel: 'no key' };

/** Splits `KEY:TEAM` at its last colon; without one the key belongs to the default team. Throws on an empty key. */
export function parseApiKey(text: string): ApiKey {
  const colon = text.lastIndexOf(':');
  const key = colon === -1 ? text : text.slice(0, colon);
  const team = colon === -1 ? defaultTeam : text.slice(colon + 1);
  if (!key || !team || !/^[\x21-\x7e]+$/.test(key)) {
    throw new Error('An API key is KEY or KEY:TEAM, both not empty, the key of printable ASCII without spaces.');
  }
  return { key, team };
}

/** The keys that a service accepts; `undefined` accepts everybody. */
export function createKeys(apiKeys: readonly ApiKey[] | undefined): Keys {
  if (!apiKeys) return { authenticate: () => open };
  const known = apiKeys.map(({ key, team }, index) => ({
    digest: digest(key),
    caller: { team, keyLabel: index === 0 ? team : `${team} ${index + 1}` },
  }));
  return {
    authenticate(authorization) {
      if (authorization === undefined) return { status: 401, error: 'Unauthorized: Token missing' };
      const given = digest(/^Bearer ([\x21-\x7e]{1,4096})$/.exec(authorization)?.[1] ?? '');
      // Every key is compared, so that the time tells nothing about which was close.
      const matches = known.filter((candidate) => timingSafeEqual(candidate.digest, given));
      return matches[0]?.caller ?? { status: 401, error: 'Unauthorized: Invalid token' };
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
