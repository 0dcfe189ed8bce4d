import assert from 'node:assert/strict';
import { attachingOf, Starts } from '../../../src/service/browsers/chrome/relay/starts.ts';
import { eventually } from '../../harness/eventually.ts';

describe('the start of new pages', () => {
  const asks = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  const told = (sessionId: string, targetId = 'P', type = 'page', waitingForDebugger = true) => ({
    sessionId,
    waitingForDebugger,
    targetInfo: { targetId, type },
  });
  let starts: Starts;
  let started: string[];
  const start = (sessionId: string) => {
    // What an earlier test holds may start late.
    const now = started;
    starts.start(sessionId, () => now.push(sessionId));
  };
  beforeEach(() => {
    starts = new Starts();
    started = [];
  });

  /** Clients that new pages wait for. */
  function clients<Client extends object>(...all: Client[]): Client[] {
    for (const client of all) starts.answered(client, 'waits');
    return all;
  }

  it('waits for every client that was told of a page, whatever their order', () => {
    const [first, second] = clients({}, {});
    assert.ok(first && second);
    starts.attached(first, told('S1'));
    starts.attached(second, told('S2'));
    start('S2');
    assert.deepEqual(started, []);
    start('S1');
    assert.deepEqual(started, ['S2', 'S1']);
    start('S1');
    assert.deepEqual(started, ['S2', 'S1', 'S1']);
  });

  it('waits for a client that will be told, although the first has answered before', () => {
    const [first, second] = clients({}, {});
    assert.ok(first && second);
    starts.attached(first, told('S1'));
    start('S1');
    assert.deepEqual(started, []);
    starts.attached(second, told('S2'));
    start('S2');
    assert.deepEqual(started, ['S1', 'S2']);
  });

  it('waits for none that asked for no waiting, or is told of some targets only', () => {
    const [first] = clients({});
    assert.ok(first);
    const other = {};
    for (const params of [
      { autoAttach: true, waitForDebuggerOnStart: false },
      { autoAttach: false, waitForDebuggerOnStart: true },
      { ...asks, filter: [{ type: 'page', exclude: true }, {}] },
    ]) {
      const asked = attachingOf({ id: 1, method: 'Target.setAutoAttach', params });
      assert.equal(asked, 'never');
      starts.answered(other, 'waits');
      starts.answered(other, asked);
    }
    assert.equal(attachingOf({ id: 1, method: 'Target.setAutoAttach', params: asks }), 'waits');
    assert.equal(attachingOf({ id: 1, method: 'Target.setDiscoverTargets', params: { discover: true } }), undefined);
    starts.attached(first, told('S1'));
    start('S1');
    assert.deepEqual(started, ['S1']);
  });

  it('is not held for targets that are no pages, or have started', () => {
    const [first] = clients({}, {});
    assert.ok(first);
    starts.attached(first, told('S1', 'W', 'worker'));
    starts.attached(first, told('S2', 'P', 'page', false));
    for (const sessionId of ['S1', 'S2', 'unknown']) start(sessionId);
    assert.deepEqual(started, ['S1', 'S2', 'unknown']);
  });

  it('no longer waits for clients that have left, and pages that were detached', () => {
    const [first, second, third] = clients({}, {}, {});
    assert.ok(first && second && third);
    starts.attached(first, told('S1'));
    starts.attached(second, told('S2'));
    start('S1');
    starts.detached('S2');
    assert.deepEqual(started, []);
    starts.left(third);
    assert.deepEqual(started, ['S1']);
  });

  it("gives up on clients that don't answer, until they do", async () => {
    starts = new Starts(1);
    const [first, silent] = clients({}, {});
    assert.ok(first && silent);
    starts.attached(first, told('S1'));
    starts.attached(silent, told('S2'));
    start('S1');
    await eventually(() => assert.deepEqual(started, ['S1']));
    starts.attached(silent, told('S4', 'Q'));
    starts.attached(first, told('S3', 'Q'));
    start('S3');
    assert.deepEqual(started, ['S1', 'S3']);
    starts.command(silent);
    starts.attached(first, told('S5', 'R'));
    start('S5');
    assert.deepEqual(started, ['S1', 'S3']);
  });

  it('waits for the service itself for as long as it takes', async () => {
    starts = new Starts(1);
    const [first, service, silent] = clients<{ isService?: boolean }>({}, { isService: true }, {});
    assert.ok(first && service && silent);
    starts.attached(first, told('S1'));
    starts.attached(service, told('S2'));
    starts.attached(silent, told('S3'));
    start('S1');
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(started, []);
    start('S2');
    assert.deepEqual(started, ['S1', 'S2']);
  });
});
