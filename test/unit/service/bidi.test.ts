import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { connectBidi } from '../../../src/service/browsers/chrome/bidi/bidi.ts';
import type { CdpMessage } from '../../../src/service/browsers/chrome/messages.ts';
import type { Relay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { culprit } from '../../../src/service/platform/faults.ts';
import { eventually } from '../../harness/eventually.ts';

describe('a client of WebDriver BiDi', () => {
  it('leaves no connection to the browser behind when it cannot be served', async () => {
    let closed = 0;
    const relay = {
      connect: async ({ deliver }: Parameters<Relay['connect']>[0]) => ({
        receive: ({ id }: { id?: number }) => deliver(JSON.stringify({ id, error: { code: -32000, message: 'no' } })),
        close: () => void closed++,
      }),
    } as unknown as Relay;
    const unused = () => undefined;
    await assert.rejects(
      connectBidi(relay, { deliver: unused, onEnd: unused, onBrowserClose: unused, onDisconnect: unused }),
      { message: 'no' },
    );
    assert.equal(closed, 1);
  });

  describe('in whose browser work goes on that nobody waits for (F28)', () => {
    const unused = () => undefined;
    const failLater = () =>
      setTimeout(() => {
        throw new Error('no');
      });
    let deliver: (text: string) => void;
    let sent: CdpMessage[];
    let client: Awaited<ReturnType<typeof connectBidi>>;
    /** Whom each error counts against that nothing has caught. */
    let blamed: (string | undefined)[];
    let putBack: () => void;
    /** What the service does whenever it sends the client something. */
    let onDeliver: () => void;
    const events = ['unhandledRejection', 'uncaughtException'] as const;

    beforeEach(async () => {
      [sent, blamed] = [[], []];
      onDeliver = unused;
      const others = events.map((event) => [event, process.rawListeners(event)] as const);
      for (const event of events) process.removeAllListeners(event).on(event, () => blamed.push(culprit()));
      putBack = () => {
        for (const [event, listeners] of others) {
          process.removeAllListeners(event);
          for (const listener of listeners) process.on(event, listener as () => void);
        }
      };
      const relay = {
        connect: async (options: Parameters<Relay['connect']>[0]) => {
          deliver = options.deliver;
          const receive = (command: CdpMessage) => {
            if (command.sessionId) sent.push(command);
            else deliver(JSON.stringify({ id: command.id, result: { targetInfos: [] } }));
            if (command.method !== 'Browser.close') return;
            failLater();
            options.onBrowserClose();
          };
          return { receive, close: unused };
        },
      } as unknown as Relay;
      const { promise: started, resolve: answer } = Promise.withResolvers();
      client = await connectBidi(relay, {
        deliver(text) {
          onDeliver();
          answer(text);
        },
        onEnd: unused,
        onBrowserClose: () => void Promise.reject(new Error('no')),
        onDisconnect: unused,
      });
      client.receive({ id: 1, method: 'session.new', params: { capabilities: {} } });
      await started;
      const targetInfo = { type: 'tab', targetId: 'tab', url: '', title: '', attached: true, canAccessOpener: false };
      const params = { sessionId: 'one', targetInfo, waitingForDebugger: true };
      deliver(JSON.stringify({ method: 'Target.attachedToTarget', params }));
    });
    afterEach(() => putBack());

    it('has no error when it leaves', async () => {
      assert.equal(sent.length, 1);
      client.close();
      await setImmediate();
      assert.deepEqual(blamed, []);
    });

    it('is to blame when that fails', async () => {
      deliver(JSON.stringify({ id: sent[0]?.id, error: { code: -32000, message: 'no' }, sessionId: 'one' }));
      await setImmediate();
      assert.deepEqual(blamed, ['a WebDriver BiDi client']);
    });

    it('is not to blame for what the service does for it', async () => {
      onDeliver = failLater;
      client.receive({ id: 2, method: 'browser.close', params: {} });
      // One each of its answer, of its command, and of what closing starts.
      await eventually(() => assert.deepEqual(blamed, [undefined, undefined, undefined]));
    });
  });
});
