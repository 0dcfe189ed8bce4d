import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type AgentKey, type AgentRules, agentKeyPrefix, agentRules } from '../../contract/agent-keys.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Handlers } from '../http/bind.ts';
import type { Caller } from '../http/keys.ts';
import type { Log } from '../log.ts';
import { type Database, plainText } from '../storage/storage.ts';

/** The keys that people have given to agents. Only their digests are stored. */
export interface AgentKeys {
  readonly handlers: Pick<Handlers, 'listAgentKeys' | 'createAgentKey' | 'setAgentRules' | 'revokeAgentKey'>;
  /** Returns the caller that a key identifies, unless it is unknown or revoked. */
  find(key: string): Caller | undefined;
  /** Returns what the agent of a caller may do without asking; undefined if the caller has no agent's key, and may do anything. */
  rulesOf(caller: Caller): AgentRules | undefined;
  /** Returns what is used up of a caller's budget, such as "20 of 20 runs"; undefined if nothing is. */
  usedUp(caller: Caller): string | undefined;
  /** Counts what a caller uses toward its budget, if it has an agent's key. Never throws. */
  use(caller: Caller, used: Partial<Use>): void;
  /** Stores what was used and isn't stored yet. */
  close(): Promise<void>;
}

/** What an agent uses. */
interface Use {
  runs: number;
  /** Milliseconds that its calls take. */
  ms: number;
  credits: number;
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
  rules: AgentRules;
  used: Use;
}

/** How often the use of a key is stored, in milliseconds. */
const usedEveryMs = 60_000;
/** How soon what was used of a budget is stored, in milliseconds. */
const storeUseMs = 1_000;

/** Reads the stored keys. */
export async function openAgentKeys({ database, clock, log, onRevoked }: AgentKeysParts): Promise<AgentKeys> {
  const byDigest = new Map<string, Known>();
  for (const row of await database.selectFrom('agent_key').selectAll().execute()) {
    const { id, team, name, created_at: createdAt, last_used_at: lastUsedAt } = row;
    const rules = agentRules.parse(row.rules === null ? {} : JSON.parse(row.rules));
    const used = { runs: row.used_runs, ms: row.used_ms, credits: row.used_credits };
    byDigest.set(row.digest, { id, team, name, createdAt, lastUsedAt, rules, used });
  }
  /** Keys whose use has to be stored, and what stops the wait until then. */
  const unstored = new Map<Known, () => void>();

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

  /** Stores what a key has used, soon: calls that follow one another are stored together. */
  function storeUseSoon(key: Known): void {
    if (!unstored.has(key))
      unstored.set(
        key,
        clock.after(storeUseMs, () => void storeUse(key)),
      );
  }

  async function storeUse(key: Known): Promise<void> {
    unstored.get(key)?.();
    unstored.delete(key);
    const { runs, ms, credits } = key.used;
    try {
      await database
        .updateTable('agent_key')
        .set({ used_runs: runs, used_ms: Math.round(ms), used_credits: credits })
        .where('id', '=', key.id)
        .execute();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "what an agent has used of its budget couldn't be stored");
    }
  }

  /** Returns the keys of a caller: its own, or those with the name under which stored work of an agent is charged. */
  function keysOf({ team, agentKey, keyLabel }: Caller): Known[] {
    const keys = ofTeam(team).map(([, key]) => key);
    return keys.filter(({ id, name }) => (agentKey === undefined ? name === keyLabel : id === agentKey));
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
    rulesOf: (caller) => (caller.agentKey === undefined ? undefined : keysOf(caller)[0]?.rules),
    usedUp(caller) {
      const [key] = caller.agentKey === undefined ? [] : keysOf(caller);
      if (!key) return undefined;
      const { rules, used } = key;
      const minutes = used.ms / 60_000;
      if (rules.runs !== null && used.runs >= rules.runs) return `${used.runs} of ${rules.runs} runs`;
      if (rules.minutes !== null && minutes >= rules.minutes)
        return `${Math.floor(minutes)} of ${rules.minutes} minutes`;
      if (rules.credits !== null && used.credits >= rules.credits) return `${used.credits} of ${rules.credits} credits`;
      return undefined;
    },
    use(caller, { runs = 0, ms = 0, credits = 0 }) {
      for (const key of keysOf(caller)) {
        key.used.runs += runs;
        key.used.ms += ms;
        key.used.credits += credits;
        storeUseSoon(key);
      }
    },
    close: async () => void (await Promise.all([...unstored.keys()].map(storeUse))),
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
          rules: agentRules.parse({}),
          used: { runs: 0, ms: 0, credits: 0 },
        };
        const { id, name, createdAt } = created;
        await database
          .insertInto('agent_key')
          .values({ id, team, name, digest: digest(key), created_at: createdAt, last_used_at: null })
          .execute();
        byDigest.set(digest(key), created);
        return { success: true, ...shown(created), key };
      },
      async setAgentRules({ params: { keyId }, body: { rules, reset } }, { caller }) {
        const [key] = keysOf({ ...caller, agentKey: keyId });
        if (!key) throw new ServiceError(404, 'Key not found. It may have been revoked.');
        const used = reset ? { runs: 0, ms: 0, credits: 0 } : key.used;
        await database
          .updateTable('agent_key')
          .set({
            rules: JSON.stringify(rules),
            ...(reset && { used_runs: 0, used_ms: 0, used_credits: 0 }),
          })
          .where('id', '=', keyId)
          .execute();
        Object.assign(key, { rules, used });
        return { success: true, ...shown(key) };
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

function shown(key: Known): AgentKey & { createdAt: string } {
  const { id, name, createdAt, lastUsedAt, rules, used } = key;
  const date = (at: number) => new Date(at).toISOString();
  return {
    id,
    name,
    createdAt: date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : date(lastUsedAt),
    rules,
    used: { runs: used.runs, minutes: Math.round(used.ms / 6_000) / 10, credits: used.credits },
  };
}

/** The key is random, so its digest needs no salt, and looking it up reveals nothing about other keys. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}
