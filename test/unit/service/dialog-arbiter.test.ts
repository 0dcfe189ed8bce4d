import assert from 'node:assert/strict';
import { DialogArbiter, type DialogClient } from '../../../src/service/browsers/chrome/relay/dialog-arbiter.ts';

describe('JavaScript dialogs of a page with several idle clients', () => {
  it('are reported to the one that drove it last, and to the other once that one has left (CDP-10)', () => {
    const dialogs = new DialogArbiter();
    const client = () => {
      const state = { busy: true };
      return { state, as: { isIdle: () => !state.busy } satisfies DialogClient };
    };
    const [node, python] = [client(), client()];
    for (const [sessionId, { as }] of [
      ['node', node],
      ['python', python],
    ] as const) {
      dialogs.attached(sessionId, 'page', as);
      dialogs.command(sessionId, 'Page.enable');
    }
    dialogs.command('node', 'Runtime.evaluate');
    node.state.busy = false;
    python.state.busy = false;
    let reported = 0;
    assert.equal(
      dialogs.hears(python.as, 'python', () => reported++),
      false,
    );
    assert.equal(
      dialogs.hears(node.as, 'node', () => reported++),
      true,
    );
    assert.equal(reported, 0);
    dialogs.detached('node');
    assert.equal(reported, 1);
  });

  it('TRN-15: cost no more than once through all clients with each command, however many of them wait', () => {
    const dialogs = new DialogArbiter();
    let asked = 0;
    let isIdle = false;
    const client: DialogClient = {
      isIdle() {
        asked++;
        return isIdle;
      },
    };
    const waiting = Array.from({ length: 500 }, (_, index) => `session ${index}`);
    for (const sessionId of waiting) {
      dialogs.attached(sessionId, 'page', client);
      dialogs.command(sessionId, 'Page.enable');
    }
    dialogs.attached('driver', 'page', {});
    dialogs.command('driver', 'Page.enable');
    isIdle = true;
    for (const sessionId of waiting)
      assert.ok(!dialogs.hears(client, sessionId, () => assert.fail('It was reported.')));
    asked = 0;
    dialogs.command('driver', 'Runtime.evaluate');
    assert.ok(asked <= 2 * waiting.length, `asked ${asked} times`);
  });
});
