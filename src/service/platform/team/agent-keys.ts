import { limits } from '../../../contract/limits.ts';
import { type AgentKey, type AgentRules, agentRules } from '../../../contract/mcp/agent-keys.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Handlers } from '../http/bind.ts';
import type { Caller } from '../http/keys.ts';
import type { Base } from '../platform.ts';
import { plainText } from '../storage/storage.ts';
import type { StoredKey, Use } from './key-table.ts';
import type { StoredKeys } from './stored-keys.ts';

/** The keys that people have given to agents: their rules and budgets. */
export type AgentKeys = ReturnType<typeof createAgentKeys>;

export interface AgentKeysParts extends Pick<Base, 'clock' | 'log'> {
  keys: StoredKeys;
  /** Whether other nodes use the same keys. */
  shared: boolean;
}

/** What was used and isn't stored yet. */
interface Unstored {
  caller: Caller;
  used: Use;
}

/** What the agent of a key that was just revoked may do while its calls end. */
const ofRevoked = agentRules.parse({ hosts: [], runs: 0 });
/** How soon what was used of a budget is stored, in milliseconds. */
const storeUseMs = 1_000;

export function createAgentKeys({ keys, shared, clock, log }: AgentKeysParts) {
  let unstored: Unstored[] = [];
  let storing: Unstored[] = [];
  let cancelStore: (() => void) | undefined;
  let lastTurn = Promise.resolve();

  /** Returns the keys of a caller: its own, or those with the name under which stored work of an agent is charged. */
  function keysOf({ team, agentKey, keyLabel }: Caller): StoredKey[] {
    return ofTeam(team).filter(({ id, name }) => (agentKey === undefined ? name === keyLabel : id === agentKey));
  }

  const ofTeam = (team: string) => keys.list().filter((key) => key.kind === 'agent' && key.team === team);

  /** Returns what a key has used, with what isn't stored yet. */
  function usedOf(key: StoredKey): Use {
    const all = [key.used];
    for (const { caller, used } of [...storing, ...unstored]) if (keysOf(caller).includes(key)) all.push(used);
    const sum = (part: keyof Use) => all.reduce((total, used) => total + used[part], 0);
    return { runs: sum('runs'), ms: sum('ms'), credits: sum('credits') };
  }

  /** Stores what keys have used: calls that follow one another are stored together. */
  async function storeUse(): Promise<void> {
    cancelStore?.();
    cancelStore = undefined;
    storing = unstored;
    unstored = [];
    let stored = 0;
    try {
      // The work may be that of an agent whose key another node has created.
      if (shared) await keys.read();
      await keys.changeUse(
        async () => {
          for (const { caller, used } of storing) {
            for (const { id } of keysOf(caller)) await keys.table.addUse(id, used);
            stored++;
          }
        },
        () => {
          storing = [];
        },
      );
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "what an agent has used of its budget couldn't be stored");
    } finally {
      unstored = [...storing.slice(stored), ...unstored];
      storing = [];
    }
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  const storeInTurn = () =>
    inTurn(async () => {
      if (unstored.length > 0) await storeUse();
    });

  /** Returns a key of the caller's team. Throws 404. */
  function known({ team }: Caller, keyId: string, advice: string): StoredKey {
    const found = ofTeam(team).find(({ id }) => id === keyId);
    if (!found) throw new ServiceError(404, `Key not found. ${advice}`);
    return found;
  }

  function shown(key: StoredKey): AgentKey & { createdAt: string } {
    const { id, name, createdAt, lastUsedAt, rules } = key;
    const { runs, ms, credits } = usedOf(key);
    const date = (at: number) => new Date(at).toISOString();
    return {
      id,
      name,
      createdAt: date(createdAt),
      lastUsedAt: lastUsedAt === null ? null : date(lastUsedAt),
      rules,
      used: { runs, minutes: Math.round(ms / 6_000) / 10, credits },
    };
  }

  return {
    /** Returns what the agent of a caller may do without asking; undefined if the caller has no agent's key, and may do anything. */
    rulesOf: (caller: Caller): AgentRules | undefined =>
      caller.agentKey === undefined ? undefined : (keysOf(caller)[0]?.rules ?? ofRevoked),
    /** Returns what is used up of a caller's budget, such as "20 of 20 runs"; undefined if nothing is. */
    usedUp(caller: Caller): string | undefined {
      const [key] = caller.agentKey === undefined ? [] : keysOf(caller);
      if (!key) return undefined;
      const { rules } = key;
      const used = usedOf(key);
      const minutes = used.ms / 60_000;
      if (rules.runs !== null && used.runs >= rules.runs) return `${used.runs} of ${rules.runs} runs`;
      if (rules.minutes !== null && minutes >= rules.minutes)
        return `${Math.floor(minutes)} of ${rules.minutes} minutes`;
      if (rules.credits !== null && used.credits >= rules.credits) return `${used.credits} of ${rules.credits} credits`;
      return undefined;
    },
    /** Counts what a caller uses toward its budget, if it has an agent's key. Never throws. */
    use(caller: Caller, { runs = 0, ms = 0, credits = 0 }: Partial<Use>): void {
      if (!shared && keysOf(caller).length === 0) return;
      const same = unstored.find(
        ({ caller: { team, keyLabel, agentKey } }) =>
          team === caller.team && keyLabel === caller.keyLabel && agentKey === caller.agentKey,
      );
      if (same) {
        const { used } = same;
        same.used = { runs: used.runs + runs, ms: used.ms + ms, credits: used.credits + credits };
      } else unstored.push({ caller, used: { runs, ms, credits } });
      cancelStore ??= clock.after(storeUseMs, () => void storeInTurn());
    },
    /** Stores what was used and isn't stored yet. */
    close: storeInTurn,
    handlers: {
      async listAgentKeys(_request, { caller }) {
        await keys.read();
        return {
          success: true,
          keys: ofTeam(caller.team)
            .map(shown)
            .sort((one, other) => other.createdAt.localeCompare(one.createdAt)),
        };
      },
      async createAgentKey({ body }, { caller: { team } }) {
        await keys.read();
        const existing = body.key === undefined ? undefined : await keys.find(body.key);
        if (existing && body.key !== undefined) {
          if (existing.team !== team)
            throw new ServiceError(409, 'The key belongs to another team. Create another one.');
          return { success: true, ...shown(existing), key: body.key };
        }
        if (body.key !== undefined && (await keys.table.wasRevoked(body.key)))
          throw new ServiceError(410, 'The key was revoked. Create another one.');
        if (ofTeam(team).length >= limits.agentKeys) {
          throw new ServiceError(
            409,
            `The team already has ${limits.agentKeys} agent keys. Revoke one that is no longer used.`,
          );
        }
        const { id, key } = await keys.table.create({
          kind: 'agent',
          team,
          name: plainText(body.name),
          createdAt: clock.now(),
          ...(body.key !== undefined && { key: body.key }),
        });
        await keys.read();
        return { success: true, ...shown(known({ team, keyLabel: '' }, id, 'It was revoked at once.')), key };
      },
      async setAgentRules({ params: { keyId }, body: { rules, reset } }, { caller }) {
        await keys.read();
        known(caller, keyId, 'It may have been revoked.');
        // What is being stored would be added after the reset.
        await inTurn(() =>
          keys.changeUse(
            () => keys.table.setRules(keyId, agentRules.parse(rules), reset),
            () => {
              if (reset) unstored = unstored.filter((each) => !keysOf(each.caller).some(({ id }) => id === keyId));
            },
          ),
        );
        return { success: true, ...shown(known(caller, keyId, 'It may have been revoked.')) };
      },
      async revokeAgentKey({ params: { keyId } }, { caller }) {
        await keys.read();
        known(caller, keyId, 'It may have been revoked already.');
        await keys.table.delete(keyId);
        await keys.read();
        return { success: true };
      },
    } satisfies Partial<Handlers>,
  };
}
