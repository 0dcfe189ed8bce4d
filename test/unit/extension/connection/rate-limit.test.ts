import assert from 'node:assert/strict';
import { RateLimit } from '../../../../src/extension/connection/polling/rate-limit.ts';
import { RefreshPolicy } from '../../../../src/extension/connection/polling/refresh-policy.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';

describe('the rate limit of all polling', () => {
  it('waits as long as the server asks, at most an hour', () => {
    const clock = createFakeClock();
    const limit = new RateLimit(clock.now);
    limit.hit(90_000);
    assert.equal(limit.until, clock.now() + 90_000);
    limit.hit(24 * 60 * 60_000);
    assert.equal(limit.until, clock.now() + 60 * 60_000);
  });

  it('waits longer with every 429 without Retry-After, and resets over time', () => {
    const clock = createFakeClock();
    const limit = new RateLimit(clock.now);
    const waits = [1, 2, 3].map(() => {
      limit.hit(undefined);
      const waitMs = limit.until - clock.now();
      clock.advance(waitMs);
      return waitMs;
    });
    assert.deepEqual(waits, [30_000, 60_000, 120_000]);
    assert.equal(limit.factor, 8);
    clock.advance(4 * 60_000);
    assert.equal(limit.factor, 2);
    clock.advance(60 * 60_000);
    assert.equal(limit.factor, 1);
  });

  it('counts the 429s of one burst once', () => {
    const limit = new RateLimit(createFakeClock().now);
    for (let count = 0; count < 5; count++) limit.hit(10_000);
    assert.equal(limit.factor, 2);
  });
});

describe('started crawls', () => {
  it('are followed for a while even if no view is visible', async () => {
    const clock = createFakeClock();
    const rest = () => new Promise<void>((resolve) => setImmediate(resolve));
    let readings = 0;
    const made = new RefreshPolicy({
      refresh: async () => void readings++,
      after: clock.after,
      now: clock.now,
      pollMs: () => 60_000,
      limit: new RateLimit(clock.now),
    });
    made.watch(10 * 60_000);
    made.request('started');
    for (let minute = 0; minute < 60; minute++) {
      await rest();
      clock.advance(60_000);
    }
    assert.equal(readings, 10);
    made.dispose();
  });
});
