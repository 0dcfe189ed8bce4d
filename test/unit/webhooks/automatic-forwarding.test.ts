import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { automaticForwarding } from '../../../src/extension/webhooks/receiver/forwarder.ts';
import { eventually } from '../../harness/eventually.ts';

describe('automatic forwarding (WHK-17)', () => {
  let stored: number;
  let sent: string[];
  let failures: string[];
  let readFails: boolean;
  let retryMs: number;
  /** What sending a delivery does, by its number. */
  let outcomes: Map<number, (signal: AbortSignal) => Promise<unknown>>;
  let forwarding: ReturnType<typeof automaticForwarding>;

  beforeEach(() => {
    stored = 0;
    sent = [];
    failures = [];
    readFails = false;
    retryMs = 1;
    outcomes = new Map();
    forwarding = automaticForwarding({
      store: {
        after(num) {
          if (readFails) throw new Error('The disk is full.');
          return num < stored ? num + 1 : undefined;
        },
        newest: () => stored,
      },
      async send(num, url, signal) {
        sent.push(`${num} to ${url}`);
        await outcomes.get(num)?.(signal);
      },
      onForwarded: () => undefined,
      onFailure: (error) => failures.push((error as Error).message),
      get retryMs() {
        return retryMs;
      },
    });
  });
  const arrive = (count: number) => {
    stored += count;
    forwarding.wake();
  };

  it('goes on at once with the next delivery when the outcome of one cannot be stored', async () => {
    retryMs = 2 ** 30;
    outcomes.set(2, () => Promise.reject(new Error('database is locked')));
    await forwarding.setHandler('a');
    arrive(3);
    await eventually(() => assert.deepEqual(sent, ['1 to a', '2 to a', '3 to a']));
    assert.deepEqual(failures, ['database is locked']);
  });

  it('reads the store again after an error, without another delivery', async () => {
    await forwarding.setHandler('a');
    readFails = true;
    arrive(1);
    await eventually(() => assert.ok(failures.length > 0));
    readFails = false;
    await eventually(() => assert.deepEqual(sent, ['1 to a']));
  });

  it('does not wait for a handler that is no longer used', async () => {
    const hangs = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    outcomes.set(1, hangs).set(2, hangs);
    await forwarding.setHandler('hangs');
    arrive(1);
    await eventually(() => assert.deepEqual(sent, ['1 to hangs']));
    await forwarding.setHandler(undefined);
    arrive(1);
    for (let count = 0; count < 10; count++) await turn();
    await forwarding.setHandler('b');
    arrive(1);
    await eventually(() => assert.deepEqual(sent, ['1 to hangs', '3 to b']));
    assert.deepEqual(failures, []);
  });
});
