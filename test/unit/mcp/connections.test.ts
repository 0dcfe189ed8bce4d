import assert from 'node:assert/strict';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { createConnections } from '../../../src/service/assistants/mcp/connections.ts';
import type { Agent, ToolCall } from '../../../src/service/assistants/mcp/tools/tool.ts';
import type { Caller } from '../../../src/service/platform/http/keys.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

const clientInfo = { name: 'Cursor', version: '1' };
const initialize = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };

/** Opens the endpoint of agents, with these tools. */
function openConnections(tools: object) {
  const clock = createFakeClock();
  const connections = createConnections({
    tools: { list: () => [], has: () => false, ...tools } as never,
    resources: {} as never,
    prompts: {} as never,
    redact: (text: string) => text,
    version: '1.0.0',
    stopping: new AbortController().signal,
    clock,
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
  return {
    clock,
    send,
    close: connections.close,
    /** Returns the ID of a new connection. */
    async open(caller: Caller): Promise<string> {
      const opened = await send(caller, 'initialize', initialize);
      await opened.text();
      return opened.headers.get('mcp-session-id') ?? '';
    },
  };
}

describe('a connection of a coding agent', () => {
  it('belongs to its key, not to the name of the key', async () => {
    const { open, send, close } = openConnections({});
    const owner = { team: 'red', keyLabel: 'Cursor', storedKey: '1' };
    const id = await open(owner);
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
    await close();
  });

  it('keeps what its agent can read again within a budget of its team (BUD-24)', async () => {
    const agents: Agent[] = [];
    const text = 'x'.repeat(8 * 1024 * 1024);
    const call = async (_name: string, _args: unknown, { agent }: ToolCall) => {
      agents.push(agent);
      agent.runs.add({ language: 'node', code: '', result: { stdout: text, result: '' } as never });
      agent.seen.set('session', { url: '', outline: text });
      return await agent.answers.write({ content: { name: 'page', text } });
    };
    const { open, send, close, clock } = openConnections({ has: () => true, call });
    const ask = async (team: string) => {
      const caller = { team, keyLabel: team };
      clock.advance(1);
      const response = await send(caller, 'tools/call', { name: 'any', arguments: {} }, await open(caller));
      assert.equal(response.status, 200);
      await response.text();
    };
    await ask('blue');
    for (let count = 0; count < 6; count++) await ask('red');
    const kept = agents.map(({ answers, runs, seen }) => [answers.length, runs.length, seen.size]);
    const [whole, none] = [[text.length, text.length, 1], Array(3).fill(0)];
    assert.deepEqual(kept, [whole, none, none, none, none, whole, whole]);
    assert.equal(agents[1]?.runs.list().length, 0);
    await close();
  });
});
