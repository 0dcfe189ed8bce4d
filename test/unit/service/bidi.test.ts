import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { connectBidi } from '../../../src/service/browsers/chrome/bidi/bidi.ts';
import type { CdpMessage } from '../../../src/service/browsers/chrome/messages.ts';
import type { Relay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { culprit } from '../../../src/service/platform/faults.ts';

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
    let deliver: (text: string) => void;
    let sent: CdpMessage[];
    let client: Awaited<ReturnType<typeof connectBidi>>;
    /** Whom each rejection counts against that nothing has caught. */
    let blamed: (string | undefined)[];
    let others: NodeJS.UnhandledRejectionListener[];

    beforeEach(async () => {
      [sent, blamed] = [[], []];
      others = process.listeners('unhandledRejection');
      process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => blamed.push(culprit()));
      const relay = {
        connect: async (options: Parameters<Relay['connect']>[0]) => {
          deliver = options.deliver;
          const receive = (command: CdpMessage) => {
            if (command.sessionId) sent.push(command);
            else deliver(JSON.stringify({ id: command.id, result: { targetInfos: [] } }));
          };
          return { receive, close: unused };
        },
      } as unknown as Relay;
      const { promise: started, resolve: answer } = Promise.withResolvers();
      client = await connectBidi(relay, {
        deliver: answer,
        onEnd: unused,
        onBrowserClose: unused,
        onDisconnect: unused,
      });
      client.receive({ id: 1, method: 'session.new', params: { capabilities: {} } });
      await started;
      const targetInfo = { type: 'tab', targetId: 'tab', url: '', title: '', attached: true, canAccessOpener: false };
      const params = { sessionId: 'one', targetInfo, waitingForDebugger: true };
      deliver(JSON.stringify({ method: 'Target.attachedToTarget', params }));
    });
    afterEach(() => {
      process.removeAllListeners('unhandledRejection');
      for (const listener of others) process.on('unhandledRejection', listener);
    });

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
  });
});
