import { apiKeysVariable } from '../../../contract/embedded.ts';
import { mcpPath } from '../../../contract/mcp/mcp.ts';
import { metricsPath } from '../../../contract/operations.ts';
import { shorten } from '../../../contract/shorten.ts';
import { keyPrefixes } from '../../../contract/team/access-keys.ts';
import { messageOf } from '../errors.ts';
import type { Caller, StoredCallers } from '../http/keys.ts';
import type { Base } from '../platform.ts';
import { digestOf, type KeyTable, type StoredKey } from './key-table.ts';

/** The stored keys as this service knows them: at most a second old whenever one is used. */
export type StoredKeys = Awaited<ReturnType<typeof openStoredKeys>>;

export interface StoredKeysParts extends Pick<Base, 'clock' | 'log'> {
  table: KeyTable;
  /** Called with the ID of a key that has just been revoked. */
  onRevoked(id: string): void;
}

/** How long keys count as known, in milliseconds: others create and revoke keys too. */
const freshMs = 1_000;
/** How often the use of a key is stored, in milliseconds. */
const usedEveryMs = 60_000;

/** Returns the callers that stored keys identify. */
export function callersOf(keys: Pick<StoredKeys, 'find' | 'hold'>): StoredCallers {
  const callerOf = (key: StoredKey | undefined): Caller | undefined => {
    if (!key) return undefined;
    const { id, kind, team, name } = key;
    return {
      team,
      keyLabel: name,
      storedKey: id,
      ...(kind === 'agent' && { agentKey: id, opens: mcpPath }),
      ...(kind === 'metrics' && { opens: metricsPath }),
    };
  };
  return {
    find(key) {
      const found = keys.find(key);
      return found instanceof Promise ? found.then(callerOf) : callerOf(found);
    },
    hold: keys.hold,
  };
}

/** Checks that callers of a service on this address can have a key. Throws an Error with a message to show. */
export function requireTeamKey(keys: Pick<StoredKeys, 'list'>, host: string): void {
  if (keys.list().some(({ kind }) => kind === 'team')) return;
  throw new Error(
    `--host ${shorten(host)} needs API keys that its callers know: create one with "web-data-service keys create --team TEAM", or set --api-key or ${apiKeysVariable}.`,
  );
}

/** Reads the stored keys. */
export async function openStoredKeys({ table, clock, log, onRevoked }: StoredKeysParts) {
  let byDigest = await table.all();
  let readAt = clock.monotonic();
  let reading: Promise<void> | undefined;
  let isChangingUse = false;
  let cancelCheck: (() => void) | undefined;
  let closed = false;
  const holds = new Map<string, Set<() => void>>();

  async function readOnce({ withUse = false } = {}): Promise<void> {
    const at = clock.monotonic();
    const next = await table.all();
    // Whoever changes it counts its part beside what was known before.
    if (isChangingUse && !withUse) for (const [digest, key] of next) key.used = byDigest.get(digest)?.used ?? key.used;
    const known = new Set([...next.values()].map(({ id }) => id));
    const revoked = [...byDigest.values()].filter(({ id }) => !known.has(id));
    byDigest = next;
    readAt = at;
    for (const { id } of revoked) {
      onRevoked(id);
      for (const close of holds.get(id) ?? []) close();
    }
  }

  /** Reads the keys, together with all others that wait for them. */
  function shared(): Promise<void> {
    reading ??= readOnce().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** Finds out that a key was revoked while something that it opened is open. */
  function check(): void {
    if (cancelCheck || closed || holds.size === 0) return;
    cancelCheck = clock.after(freshMs, () => {
      cancelCheck = undefined;
      if (holds.size === 0) return;
      shared()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, "the stored keys couldn't be read"))
        .finally(check);
    });
  }

  function noteUse(key: StoredKey): void {
    const now = clock.now();
    if (key.lastUsedAt !== null && now - key.lastUsedAt < usedEveryMs) return;
    key.lastUsedAt = now;
    table
      .setLastUsed(key.id, now)
      .catch((error: unknown) => log.warn({ reason: messageOf(error) }, "the use of a key couldn't be stored"));
  }

  function lookUp(key: string): StoredKey | undefined {
    const found = byDigest.get(digestOf(key));
    if (found) noteUse(found);
    return found;
  }

  return {
    table,
    /** Returns a key, unless it is unknown or revoked. It may have to be read first: rejects if that fails. */
    find(key: string): StoredKey | undefined | Promise<StoredKey | undefined> {
      if (!Object.values(keyPrefixes).some((prefix) => key.startsWith(prefix))) return undefined;
      if (clock.monotonic() - readAt < freshMs) return lookUp(key);
      return shared().then(() => lookUp(key));
    },
    /** Returns the keys that were last read. */
    list: (): StoredKey[] => [...byDigest.values()],
    /** Reads the keys again: after a change, or before they are needed and nobody has used one recently. */
    async read(): Promise<void> {
      // One that has begun may not see the change.
      await reading?.catch(() => undefined);
      await shared();
    },
    /** Changes what keys have used, and reads it. Until `onRead` is called, `list` has what was known before. */
    async changeUse(work: () => Promise<void>, onRead: () => void): Promise<void> {
      isChangingUse = true;
      try {
        await work();
        // One that has begun may not see it, and could end after this one.
        await reading?.catch(() => undefined);
        await readOnce({ withUse: true });
        onRead();
      } finally {
        isChangingUse = false;
      }
    },
    /** Calls `close` as soon as the key is revoked. Returns a function that ends this. */
    hold(id: string, close: () => void): () => void {
      const closers = holds.get(id) ?? new Set();
      holds.set(id, closers.add(close));
      check();
      return () => {
        closers.delete(close);
        if (closers.size === 0 && holds.get(id) === closers) holds.delete(id);
      };
    },
    close(): void {
      closed = true;
      cancelCheck?.();
    },
  };
}
