import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { type Client, type ClientOptions, createClient } from '../../../src/client/client.ts';
import type { ClientClock } from '../../../src/client/clock.ts';
import { ClientError } from '../../../src/client/errors.ts';

/** A key that must never be seen in any text. */
export const canary = 'wd-canary-7f3a91c2d4e5b6';

/** A clock that ends waits before a retry immediately and records them; call timeouts never fire. */
export interface ImpatientClock extends ClientClock {
  readonly waits: number[];
}

export function createImpatientClock(): ImpatientClock {
  const waits: number[] = [];
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    after(ms, callback) {
      // A retry waits at most 60 s, and every call's own limit is longer.
      if (ms > 60_000) return () => {};
      waits.push(ms);
      const soon = setImmediate(callback);
      return () => clearImmediate(soon);
    },
  };
}

/** A client with the canary as its key and no waiting before retries. */
export function connect(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl,
    apiKey: canary,
    fetch: globalThis.fetch,
    clock: createImpatientClock(),
    random: () => 0.5,
    ...options,
  });
}

/** The ClientError that a call rejects with, of the given class, with no trace of the key anywhere in it. */
export async function failureOf<Kind extends ClientError>(
  promise: Promise<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: a class of any constructor arguments.
  kind: abstract new (...args: any[]) => Kind,
): Promise<Kind> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  assert.ok('error' in outcome, `expected a failure, got ${inspect(outcome)}`);
  assertKeyless(outcome.error);
  assert.ok(outcome.error instanceof kind, `expected ${kind.name}, got ${inspect(outcome.error)}`);
  return outcome.error;
}

/** Checks that no form of the key is in an error, its causes or its stack. */
export function assertKeyless(error: unknown): void {
  assert.ok(error instanceof ClientError, `not an error of the client: ${inspect(error)}`);
  const everything = [
    inspect(error, { depth: 10, showHidden: true, getters: true }),
    String(error),
    JSON.stringify(error),
  ];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    everything.push(cause.message, cause.stack ?? '');
  const forms = [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64').replace(/=+$/, ''),
    canary.slice(0, 10),
  ];
  for (const text of everything) for (const form of forms) assert.ok(!text.includes(form), `the key is in: ${text}`);
}
