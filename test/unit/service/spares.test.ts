import assert from 'node:assert/strict';
import { silentLog } from '../../../src/service/log.ts';
import type { BrowserHost } from '../../../src/service/sessions/host.ts';
import { createSpares } from '../../../src/service/sessions/spares.ts';
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
    const spares = createSpares({ count: 1, open, isBusy, isUsed, clock, log: silentLog });
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
    assert.equal(spares.take(), undefined);
    await pass(minute);
    assert.equal(state.opened, 2, 'the next session may come soon');
    await pass(6 * minute);
    assert.equal(state.closed, 2);
    spares.fill();
    await pass(minute);
    assert.equal(state.opened, 3);
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
