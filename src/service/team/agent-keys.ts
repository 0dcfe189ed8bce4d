import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type AgentKey, agentKeyPrefix } from '../../contract/agent-keys.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Handlers } from '../http/bind.ts';
import type { Caller } from '../http/keys.ts';
import type { Log } from '../log.ts';
import { type Database, plainText } from '../storage/storage.ts';

/** The keys that people have given to agents. Only their digests are stored. */
export interface AgentKeys {
  readonly handlers: Pick<Handlers, 'listAgentKeys' | 'createAgentKey' | 'revokeAgentKey'>;
  /** Returns the caller that a key identifies, unless it is unknown or revoked. */
  find(key: string): Caller | undefined;
}

export interface AgentKeysParts {
  database: Database;
  clock: Clock;
  log: Log;
  /** Called with the ID of a key that has just been revoked. */
  onRevoked(id: string): void;
}

interface Known {
  id: string;
  team: string;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
}

/** How often the use of a key is stored, in milliseconds. */
const usedEveryMs = 60_000;

/** Reads the stored keys. */
export async function openAgentKeys({ database, clock, log, onRevoked }: AgentKeysParts): Promise<AgentKeys> {
  const byDigest = new Map<string, Known>();
  for (const row of await database.selectFrom('agent_key').selectAll().execute()) {
    const { id, team, name, created_at: createdAt, last_used_at: lastUsedAt } = row;
    byDigest.set(row.digest, { id, team, name, createdAt, lastUsedAt });
  }

  function noteUse(key: Known): void {
    const now = clock.now();
    if (key.lastUsedAt !== null && now - key.lastUsedAt < usedEveryMs) return;
    key.lastUsedAt = now;
    database
      .updateTable('agent_key')
      .set({ last_used_at: now })
      .where('id', '=', key.id)
      .execute()
      .catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, "the use of an agent's key couldn't be stored"),
      );
  }

  const ofTeam = (team: string) => [...byDigest].filter(([, key]) => key.team === team);

  return {
    find(key) {
      if (!key.startsWith(agentKeyPrefix)) return undefined;
      const known = byDigest.get(digest(key));
      if (!known) return undefined;
      noteUse(known);
      return { team: known.team, keyLabel: known.name, agentKey: known.id };
    },
    handlers: {
      listAgentKeys: (_request, { caller }) => ({
        success: true,
        keys: ofTeam(caller.team)
          .map(([, key]) => shown(key))
          .sort((one, other) => other.createdAt.localeCompare(one.createdAt)),
      }),
      async createAgentKey({ body }, { caller: { team } }) {
        if (ofTeam(team).length >= limits.agentKeys) {
          throw new ServiceError(
            409,
            `The team already has ${limits.agentKeys} agent keys. Revoke one that is no longer used.`,
          );
        }
        const key = agentKeyPrefix + randomBytes(32).toString('base64url');
        const created = {
          id: randomUUID(),
          team,
          name: plainText(body.name),
          createdAt: clock.now(),
          lastUsedAt: null,
        };
        const { id, name, createdAt } = created;
        await database
          .insertInto('agent_key')
          .values({ id, team, name, digest: digest(key), created_at: createdAt, last_used_at: null })
          .execute();
        byDigest.set(digest(key), created);
        return { success: true, ...shown(created), key };
      },
      async revokeAgentKey({ params: { keyId } }, { caller }) {
        const [found] = ofTeam(caller.team).filter(([, { id }]) => id === keyId);
        if (!found) throw new ServiceError(404, 'Key not found. It may have been revoked already.');
        await database.deleteFrom('agent_key').where('id', '=', keyId).execute();
        byDigest.delete(found[0]);
        onRevoked(keyId);
        return { success: true };
      },
    },
  };
}

function shown({ id, name, createdAt, lastUsedAt }: Known): AgentKey & { createdAt: string } {
  const date = (at: number) => new Date(at).toISOString();
  return { id, name, createdAt: date(createdAt), lastUsedAt: lastUsedAt === null ? null : date(lastUsedAt) };
}

/** The key is random, so its digest needs no salt, and looking it up reveals nothing about other keys. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}
