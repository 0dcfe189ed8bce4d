import assert from 'node:assert/strict';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { createConnections } from '../../../src/service/assistants/mcp/connections.ts';
import type { Caller } from '../../../src/service/platform/http/keys.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('a connection of a coding agent', () => {
  it('belongs to its key, not to the name of the key', async () => {
    const connections = createConnections({
      tools: { list: () => [], has: () => false } as never,
      resources: {} as never,
      prompts: {} as never,
      redact: (text: string) => text,
      version: '1.0.0',
      stopping: new AbortController().signal,
      clock: createFakeClock(),
      load: () => import('../../../src/service/assistants/mcp/protocol/protocol.ts'),
    });
    const send = (caller: Caller, method: string, params: object, session?: string) =>
      connections.handle({
        method: 'POST',
        headers: new Headers({
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        }),
        body: { jsonrpc: '2.0', id: 1, method, params },
        caller,
        signal: new AbortController().signal,
      });
    const owner = { team: 'red', keyLabel: 'Cursor', storedKey: '1' };
    const clientInfo = { name: 'Cursor', version: '1' };
    const initialize = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
    const opened = await send(owner, 'initialize', initialize);
    await opened.text();
    const id = opened.headers.get('mcp-session-id') ?? '';
    const list = async (caller: Caller) => {
      const response = await send(caller, 'tools/list', {}, id);
      await response.text();
      return response.status;
    };
    const others = [
      { ...owner, storedKey: '2' },
      { team: 'red', keyLabel: 'Cursor' },
      { ...owner, team: 'blue' },
    ];
    assert.deepEqual(await Promise.all([owner, ...others].map(list)), [200, 404, 404, 404]);
    await connections.close();
  });
});
