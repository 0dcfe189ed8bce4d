import assert from 'node:assert/strict';
import { RefreshPolicy } from '../../../../src/extension/connection/polling/refresh-policy.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';

function policy(isNotified = false) {
  const clock = createFakeClock();
  const reasons: string[] = [];
  let outcome: () => void = () => {};
  const made = new RefreshPolicy({
    refresh: async (reason) => {
      reasons.push(reason);
      outcome();
    },
    after: clock.after,
    now: clock.now,
    isNotified: () => isNotified,
  });
  const rest = () => new Promise<void>((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    await rest();
    clock.advance(ms);
    await rest();
  };
  return { made, reasons, pass, onRefresh: (what: () => void) => (outcome = what) };
}

describe('when the sessions are read again', () => {
  it('is at once when the view is shown, then by interval', async () => {
    const { made, reasons, pass } = policy();
    made.setVisible(true);
    await pass(15_000);
    await pass(15_000);
    assert.deepEqual(reasons, ['shown', 'interval', 'interval']);
    made.dispose();
  });

  it('is never while nobody looks', async () => {
    const { made, reasons, pass } = policy();
    made.setVisible(true);
    await pass(0);
    made.setVisible(false);
    await pass(3_600_000);
    assert.deepEqual(reasons, ['shown']);
  });

  it('is never by interval where the service tells of changes', async () => {
    const { made, reasons, pass } = policy(true);
    made.setVisible(true);
    await pass(3_600_000);
    assert.deepEqual(reasons, ['shown']);
  });

  it('is once for changes that come together', async () => {
    const { made, reasons, pass } = policy(true);
    for (let count = 0; count < 20; count++) made.request('changed');
    await pass(100);
    assert.deepEqual(reasons, ['changed']);
  });

  it('is later and later while it fails', async () => {
    const { made, reasons, pass, onRefresh } = policy();
    onRefresh(() => made.failed(undefined));
    made.setVisible(true);
    await pass(30_000);
    await pass(30_000);
    await pass(30_000);
    assert.deepEqual(reasons, ['shown', 'interval', 'interval']);
    made.dispose();
  });

  it('is not before the time that a server asked to wait, but when the person asks', async () => {
    const { made, reasons, pass, onRefresh } = policy();
    onRefresh(() => made.failed(60_000));
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
});
