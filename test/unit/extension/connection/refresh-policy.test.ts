import assert from 'node:assert/strict';
import { RefreshPolicy } from '../../../../src/extension/connection/polling/refresh-policy.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';

function policy(isNotified = false) {
  const clock = createFakeClock();
  const reasons: string[] = [];
  const limit = { until: 0, factor: 1 };
  let outcome: () => void = () => {};
  const made = new RefreshPolicy({
    refresh: async (reason) => {
      reasons.push(reason);
      outcome();
    },
    after: clock.after,
    now: clock.now,
    isNotified: () => isNotified,
    limit,
  });
  const rest = () => new Promise<void>((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    await rest();
    clock.advance(ms);
    await rest();
  };
  return { made, reasons, pass, limit, clock, onRefresh: (what: () => void) => (outcome = what) };
}

describe('refreshing the sessions', () => {
  it('happens when the view is shown, then at intervals', async () => {
    const { made, reasons, pass } = policy();
    made.setVisible(true);
    await pass(15_000);
    await pass(15_000);
    assert.deepEqual(reasons, ['shown', 'interval', 'interval']);
    made.dispose();
  });

  it('never happens at intervals if the service sends changes', async () => {
    const { made, reasons, pass } = policy(true);
    made.setVisible(true);
    await pass(3_600_000);
    assert.deepEqual(reasons, ['shown']);
  });

  it('happens once for simultaneous changes', async () => {
    const { made, reasons, pass } = policy(true);
    for (let count = 0; count < 20; count++) made.request('changed');
    await pass(100);
    assert.deepEqual(reasons, ['changed']);
  });

  it('backs off while it fails', async () => {
    const { made, reasons, pass, onRefresh } = policy();
    onRefresh(() => made.failed());
    made.setVisible(true);
    await pass(30_000);
    await pass(30_000);
    await pass(30_000);
    assert.deepEqual(reasons, ['shown', 'interval', 'interval']);
    made.dispose();
  });

  it('waits until the time that a server asked for, unless the user refreshes', async () => {
    const { made, reasons, pass, onRefresh, limit, clock } = policy();
    onRefresh(() => (limit.until = clock.now() + 60_000));
    made.setVisible(true);
    await pass(1_000);
    made.request('destroyed');
    made.request('changed');
    await pass(40_000);
    assert.deepEqual(reasons, ['shown']);
    made.request('command');
    await pass(0);
    assert.deepEqual(reasons, ['shown', 'command']);
    made.dispose();
  });

  it('is not what a refresh does in a view that is hidden', async () => {
    const { made, reasons, pass } = policy();
    made.refresh();
    await pass(1_000);
    assert.deepEqual(reasons, []);
  });
});
