import { randomBytes, randomUUID } from 'node:crypto';
import { agentKeyId } from '../../../contract/mcp/agent-key-id.ts';
import { type AgentRules, agentRules } from '../../../contract/mcp/agent-keys.ts';
import { type KeyKind, keyPrefixes } from '../../../contract/team/access-keys.ts';
import { digest } from '../http/keys.ts';
import type { Database } from '../storage/storage.ts';

/** A stored key. Only the digest of the key itself is stored. */
export interface StoredKey {
  id: string;
  kind: KeyKind;
  /** Empty for keys of the metrics. */
  team: string;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
  /** What an agent may do without asking. */
  rules: AgentRules;
  used: Use;
}

/** What an agent uses. */
export interface Use {
  runs: number;
  /** Milliseconds that its calls take. */
  ms: number;
  credits: number;
}

/** Reads and writes the stored keys. */
export type KeyTable = ReturnType<typeof keyTable>;

export function keyTable(database: Database) {
  return {
    /** Returns all keys, by digest. */
    async all(): Promise<Map<string, StoredKey>> {
      const keys = new Map<string, StoredKey>();
      for (const row of await database.selectFrom('access_key').selectAll().execute()) {
        if (row.kind === 'revoked') continue;
        const { id, kind, team, name, created_at: createdAt, last_used_at: lastUsedAt } = row;
        const rules = agentRules.parse(row.rules === null ? {} : JSON.parse(row.rules));
        const used = { runs: row.used_runs, ms: row.used_ms, credits: row.used_credits };
        keys.set(row.digest, { id, kind, team, name, createdAt, lastUsedAt, rules, used });
      }
      return keys;
    },
    /** Creates a key, and returns it: it can't be read again. `name` is one that PostgreSQL can store. */
    async create({
      kind,
      team,
      createdAt,
      name: given,
      key: made,
    }: Pick<StoredKey, 'kind' | 'team'> & { name?: string; key?: string; createdAt: number }) {
      const id = made === undefined ? randomUUID() : agentKeyId(made);
      const key = made ?? keyPrefixes[kind] + randomBytes(32).toString('base64url');
      const name = given ?? `key ${id.slice(0, 8)}`;
      await database
        .insertInto('access_key')
        .values({ id, kind, team, name, digest: digestOf(key), created_at: createdAt, last_used_at: null })
        // Two programs may bring the same key at the same time.
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      return { id, name, key };
    },
    /** Returns whether there was such a key. One that its owner has made stays known as revoked: it must not be created again. */
    async delete(id: string): Promise<boolean> {
      const given = await database.selectFrom('access_key').select('digest').where('id', '=', id).executeTakeFirst();
      if (given && id === idOfDigest(given.digest)) {
        await database.updateTable('access_key').set({ kind: 'revoked' }).where('id', '=', id).execute();
        return true;
      }
      const { numDeletedRows } = await database.deleteFrom('access_key').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0;
    },
    async wasRevoked(key: string): Promise<boolean> {
      const row = await database
        .selectFrom('access_key')
        .select('kind')
        .where('id', '=', agentKeyId(key))
        .executeTakeFirst();
      return row?.kind === 'revoked';
    },
    async setRules(id: string, rules: AgentRules, reset: boolean): Promise<void> {
      await database
        .updateTable('access_key')
        .set({ rules: JSON.stringify(rules), ...(reset && { used_runs: 0, used_ms: 0, used_credits: 0 }) })
        .where('id', '=', id)
        .execute();
    },
    async addUse(id: string, { runs, ms, credits }: Use): Promise<void> {
      // Several nodes may count for one key.
      await database
        .updateTable('access_key')
        .set(({ eb }) => ({
          used_runs: eb('used_runs', '+', runs),
          used_ms: eb('used_ms', '+', Math.round(ms)),
          used_credits: eb('used_credits', '+', credits),
        }))
        .where('id', '=', id)
        .execute();
    },
    async setLastUsed(id: string, at: number): Promise<void> {
      await database.updateTable('access_key').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}

/** Returns the ID that `agentKeyId` gives a key, from its digest. */
function idOfDigest(digest: string): string {
  return Buffer.from(digest, 'base64').toString('hex').slice(0, 32);
}

/** The key is random, so its digest needs no salt, and looking it up reveals nothing about other keys. */
export function digestOf(key: string): string {
  return digest(key).toString('base64');
}
