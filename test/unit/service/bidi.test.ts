import assert from 'node:assert/strict';
import { connectBidi } from '../../../src/service/browsers/chrome/bidi/bidi.ts';
import type { Relay } from '../../../src/service/browsers/chrome/relay/relay.ts';

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
});
