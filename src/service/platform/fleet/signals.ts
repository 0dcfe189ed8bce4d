import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { getOrAdd } from '../maps.ts';
import type { Database } from '../storage/storage.ts';

/** What a signal is about. */
export type Topic =
  /** A queue has work. */
  | 'work'
  /** Another node than the one that runs it changed a crawl or batch. */
  | 'crawl-changed'
  /** Progress of a crawl or batch was stored, or it ended. */
  | 'crawl-progress'
  /** An agent job was canceled. */
  | 'agent-changed'
  /** A host is free, or another node wants it. */
  | 'host';

/** Short messages between the nodes that share a database. They only save time: any may be lost, so nothing depends on them. */
export type Signals = Omit<ReturnType<typeof createSignals>, 'received' | 'missed'>;

/** For a service that doesn't share its database. */
export const noSignals: Signals = {
  send: async () => undefined,
  sendSoon: () => undefined,
  on: () => undefined,
  onGap: () => undefined,
};

export const signalChannel = 'web_data';
/** How long messages wait for others. */
const gatherMs = 200;
/** Length of a message in PostgreSQL, in bytes. */
const maxLength = 7_000;

/** Returns the signals of a node, and what its connection calls when something arrives. */
export function createSignals(database: Database, { clock, log }: { clock: Clock; log: Log }) {
  const listeners = new Map<Topic, ((text: string) => void)[]>();
  const gapListeners: (() => void)[] = [];
  const soon = new Map<Topic, Set<string>>();
  let isTimed = false;

  const notify = (payload: string, db: Database) => sql`SELECT pg_notify(${signalChannel}, ${payload})`.execute(db);

  async function flush(): Promise<void> {
    isTimed = false;
    const payloads = [...soon].flatMap(([topic, texts]) => joined([...texts]).map((text) => `${topic} ${text}`));
    soon.clear();
    try {
      for (const payload of payloads) await notify(payload, database);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'progress could not be sent to the other nodes');
    }
  }

  return {
    /** Sends with the transaction, once it is committed. Each node receives it, this one included. */
    async send(topic: Topic, text: string, tx: Database): Promise<void> {
      await notify(`${topic} ${text}`, tx);
    },
    /** Sends soon, together with others. Never fails. */
    sendSoon(topic: Topic, text: string): void {
      getOrAdd(soon, topic, () => new Set()).add(text);
      if (!isTimed) clock.after(gatherMs, () => void flush());
      isTimed = true;
    },
    on(topic: Topic, listener: (text: string) => void): void {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    /** Calls `listener` when messages may have been missed. */
    onGap: (listener: () => void): void => void gapListeners.push(listener),
    received(payload: string): void {
      const space = payload.indexOf(' ');
      for (const text of payload.slice(space + 1).split('\n'))
        for (const listener of listeners.get(payload.slice(0, space) as Topic) ?? []) listener(text);
    },
    missed(): void {
      for (const listener of gapListeners) listener();
    },
  };
}

/** Joins texts without line breaks into as few messages as possible. */
function joined(texts: readonly string[]): string[] {
  const messages: string[] = [];
  for (const text of texts) {
    const last = messages.at(-1);
    if (last !== undefined && Buffer.byteLength(last) + Buffer.byteLength(text) < maxLength)
      messages[messages.length - 1] = `${last}\n${text}`;
    else messages.push(text);
  }
  return messages;
}
