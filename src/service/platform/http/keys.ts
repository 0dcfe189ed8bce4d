import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { mcpPath } from '../../../contract/mcp/mcp.ts';
import { metricsPath } from '../../../contract/operations.ts';
import { storageError } from '../storage/storage.ts';
import type { Refusal } from './guards.ts';

/** The caller of a request: its team, and the label under which its usage is recorded. */
export const callerSchema = z.object({
  team: z.string(),
  /** Name of the key, never the key. */
  keyLabel: z.string(),
  /** Name of the agent that calls, if one does. */
  agent: z.string().optional(),
  /** ID of the agent's key, which opens nothing but the Model Context Protocol server. */
  agentKey: z.string().optional(),
  /** ID of the stored key, if it is one. */
  storedKey: z.string().optional(),
  /** The only path that the key opens; undefined: the API. */
  opens: z.string().optional(),
});
export type Caller = z.output<typeof callerSchema>;

/** An API key and its team. */
export interface ApiKey {
  key: string;
  team: string;
}

export type Keys = ReturnType<typeof createKeys>;

export type Authenticated = Caller | Refusal;

/** Finds the keys that are stored. */
export interface StoredCallers {
  /** Returns the caller of a key, unless it is unknown. Rejects if the keys can't be read. */
  find(key: string): Caller | undefined | Promise<Caller | undefined>;
  hold(id: string, close: () => void): () => void;
}

export function isRefusal(result: object): result is Refusal {
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

/** Creates the check for a service's keys; with `undefined`, every caller is accepted. */
export function createKeys(
  apiKeys: readonly ApiKey[] | undefined,
  stored: StoredCallers = { find: () => undefined, hold: () => () => undefined },
) {
  const counts = new Map<string, number>();
  const known = apiKeys?.map(({ key, team }) => {
    const number = (counts.get(team) ?? 0) + 1;
    counts.set(team, number);
    return { digest: digest(key), caller: { team, keyLabel: number === 1 ? team : `${team} ${number}` } };
  });
  return {
    /** Returns the caller that an Authorization header identifies for a path, or why it is refused. Never rejects. */
    authenticate(authorization: string | undefined, path: string): Authenticated | Promise<Authenticated> {
      if (!known) return anonymous;
      if (authorization === undefined) return { status: 401, error: 'Unauthorized: Token missing' };
      const key = /^Bearer ([\x21-\x7e]{1,4096})$/.exec(authorization)?.[1] ?? '';
      const candidate = digest(key);
      // Compare every key, so that the time reveals nothing about which was close.
      const matches = known.filter((key) => timingSafeEqual(key.digest, candidate));
      if (matches[0]) return admit(matches[0].caller, path);
      const found = stored.find(key);
      if (!(found instanceof Promise)) return admit(found, path);
      return found.then((caller) => admit(caller, path)).catch(unreadable);
    },
    /** Calls `close` as soon as the caller's key is revoked. Returns a function that ends this. */
    hold: ({ storedKey }: Caller, close: () => void): (() => void) =>
      storedKey === undefined ? () => undefined : stored.hold(storedKey, close),
  };
}

/** Returns a caller whose key opens the path, or why it doesn't. */
function admit(caller: Caller | undefined, path: string): Authenticated {
  if (!caller) return { status: 401, error: 'Unauthorized: Invalid token' };
  const { opens } = caller;
  if (opens === path || (opens === undefined && path !== metricsPath)) return caller;
  if (opens === undefined)
    return {
      status: 403,
      error: `${metricsPath} needs a metrics key. Create one with "web-data-service keys create --metrics".`,
    };
  const kind = opens === mcpPath ? 'an agent key' : 'a metrics key';
  return { status: 403, error: `This is ${kind}, which opens only ${opens}. Use an API key.` };
}

function unreadable(error: unknown): Refusal {
  const known = storageError(error);
  return known
    ? { status: known.status, error: known.message }
    : { status: 500, error: "The key couldn't be checked. Send the request again in a moment." };
}

/** Returns the digest that secrets are compared by, so that the time reveals nothing about them. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
