import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { openPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { createRelay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { attachesPages, Starts } from '../../../src/service/browsers/chrome/relay/starts.ts';
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
    const note = () => now.push(sessionId);
    starts.start(sessionId, note, note);
  };
  beforeEach(() => {
    starts = new Starts();
    started = [];
  });

  /** Clients that new pages wait for. */
  function clients<Client extends object>(...all: Client[]): Client[] {
    for (const client of all) starts.answered(client, true);
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
      const asked = attachesPages({ id: 1, method: 'Target.setAutoAttach', params });
      assert.equal(asked, false);
      starts.answered(other, true);
      starts.answered(other, asked);
    }
    assert.equal(attachesPages({ id: 1, method: 'Target.setAutoAttach', params: asks }), true);
    assert.equal(attachesPages({ id: 1, method: 'Target.setDiscoverTargets', params: { discover: true } }), undefined);
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

  it('is answered to a client that was too slow, also if it has started by then', async () => {
    starts = new Starts(1);
    const [first, slow] = clients({}, {});
    assert.ok(first && slow);
    starts.attached(first, told('S1'));
    starts.attached(slow, told('S2'));
    start('S1');
    await eventually(() => assert.deepEqual(started, ['S1']));
    starts.start('S2', assert.fail, () => started.push('S2'));
    assert.deepEqual(started, ['S1', 'S2']);
    starts.detached('S1');
    starts.start('S2', () => started.push('forwarded'), assert.fail);
    assert.deepEqual(started, ['S1', 'S2', 'forwarded']);
  });

  it('is answered to every client, also if the page stands in a dialog at once and answers nothing', async () => {
    const [toChrome, fromChrome] = [new PassThrough(), new PassThrough()];
    const commands: { id: number; method: string; sessionId?: string }[] = [];
    const say = (message: object) => fromChrome.write(`${JSON.stringify(message)}\0`);
    let text = '';
    toChrome.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (text + chunk).split('\0');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const command = JSON.parse(message);
        const { id, method, sessionId } = command;
        commands.push(command);
        if (method === 'Target.attachToBrowserTarget') say({ id, result: { sessionId: `ROOT${id}` } });
        else if (method === 'Target.setAutoAttach') say({ id, sessionId, result: {} });
      }
    });
    const relay = createRelay(openPipe(toChrome, fromChrome, assert.fail));
    const received: Record<string, unknown>[] = [];
    const connect = () =>
      relay.connect({
        deliver: (delivered) => received.push(JSON.parse(String(delivered))),
        onBrowserClose: assert.fail,
        onDisconnect: () => undefined,
      });
    const [first, second] = [await connect(), await connect()];
    for (const client of [first, second]) client.receive({ id: 1, method: 'Target.setAutoAttach', params: asks });
    await eventually(() => assert.equal(received.length, 2));
    const [root, otherRoot] = commands.map(({ sessionId }) => sessionId).filter((sessionId) => sessionId !== undefined);
    say({ method: 'Target.attachedToTarget', sessionId: root, params: told('S1') });
    say({ method: 'Target.attachedToTarget', sessionId: otherRoot, params: told('S2') });
    await eventually(() => assert.equal(received.length, 4));
    const begin = { id: 2, method: 'Runtime.runIfWaitingForDebugger' };
    first.receive({ ...begin, sessionId: 'S1' });
    second.receive({ ...begin, sessionId: 'S2' });
    await eventually(() => {
      const sent = commands.filter(({ method }) => method === begin.method).map(({ sessionId }) => sessionId);
      assert.deepEqual(sent, ['S1', 'S2']);
    });
    assert.deepEqual(received.slice(4), [
      { id: 2, result: {}, sessionId: 'S1' },
      { id: 2, result: {}, sessionId: 'S2' },
    ]);
  });
});
