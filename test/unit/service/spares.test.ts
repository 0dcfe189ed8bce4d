import assert from 'node:assert/strict';
import type { BrowserHost } from '../../../src/service/browsers/sessions/host.ts';
import { createSpares } from '../../../src/service/browsers/sessions/spares.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('spare browsers', () => {
  const minute = 60_000;

  function setUp() {
    const clock = createFakeClock();
    const state = { opened: 0, closed: 0, busy: false, used: false };
    const open = async () => {
      state.opened++;
      return {
        browser: { ended: new Promise<string>(() => undefined) },
        runner: () => ({ warm: async () => undefined }),
        close: async () => void state.closed++,
      } as unknown as BrowserHost;
    };
    const { isBusy, isUsed } = { isBusy: () => state.busy, isUsed: () => state.used };
    const spares = createSpares({ count: 1, most: 4, open, isBusy, isUsed, clock, log: silentLog });
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 15_000) {
        clock.advance(15_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { spares, state, pass };
  }

  it('open only while no job runs', async () => {
    const { spares, state, pass } = setUp();
    state.busy = true;
    spares.fill();
    await pass(minute);
    assert.equal(state.opened, 0);
    state.busy = false;
    await pass(minute);
    assert.equal(state.opened, 1);
    await spares.close();
    assert.equal(state.closed, 1);
  });

  it('close after five minutes without a session, and open again when one may be needed', async () => {
    const { spares, state, pass } = setUp();
    spares.fill();
    await pass(4 * minute);
    assert.deepEqual([state.opened, state.closed], [1, 0]);
    await pass(2 * minute);
    assert.equal(state.closed, 1);
    assert.equal(await spares.take(), undefined);
    await pass(minute);
    assert.equal(state.opened, 2, 'the next session may come soon');
    await pass(6 * minute);
    assert.equal(state.closed, 2);
    spares.fill();
    await pass(minute);
    assert.equal(state.opened, 3);
    await spares.close();
  });

  it('go to sessions that wait while they open, one to each', async () => {
    const { spares, state } = setUp();
    spares.fill();
    const [first, second] = [spares.take(), spares.take()];
    assert.ok(await first);
    assert.equal(await second, undefined, 'the second session opens its own');
    assert.equal(state.opened, 1);
    await spares.close();
    assert.equal(state.closed, 0, 'it belongs to the session');
  });

  it("don't keep a session waiting that can't have one", async () => {
    const clock = createFakeClock();
    const open = () => Promise.reject(new Error('no browser'));
    const none = () => false;
    const spares = createSpares({ count: 1, most: 1, open, isBusy: none, isUsed: none, clock, log: silentLog });
    spares.fill();
    assert.equal(await spares.take(), undefined);
    await spares.close();
  });

  it('follow how many sessions are asked for at once, up to what the machine has room for, and go again', async () => {
    const { spares, state, pass } = setUp();
    state.used = true;
    await Promise.all(Array.from({ length: 6 }, () => spares.take()));
    await pass(minute);
    assert.equal(state.opened, 4);
    await spares.take();
    await pass(minute);
    assert.equal(state.opened, 5, 'the one that was taken is replaced');
    await pass(4 * minute);
    assert.equal(state.closed, 3, 'one stays');
    await spares.close();
  });

  it('stay while there are sessions', async () => {
    const { spares, state, pass } = setUp();
    state.used = true;
    spares.fill();
    await pass(30 * minute);
    assert.deepEqual([state.opened, state.closed], [1, 0]);
    state.used = false;
    await pass(4 * minute);
    assert.equal(state.closed, 0);
    await pass(2 * minute);
    assert.equal(state.closed, 1);
    await spares.close();
  });
});
