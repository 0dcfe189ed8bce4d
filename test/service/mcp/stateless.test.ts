import assert from 'node:assert/strict';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTaskSite, type TaskSite } from '../../harness/task-site.ts';

const revision = '2026-07-28';

describe('agents whose requests stand alone', () => {
  let service: TestService;
  let site: TaskSite;
  const keys: string[] = [];
  before(async () => {
    service = await startTestService({ maxSessions: 3 });
    site = await startTaskSite();
    for (const name of ['One', 'Two']) {
      const { body } = await service.call('POST', '/embedded/agent-keys', { name });
      keys.push(body.key);
    }
  });
  after(async () => {
    site?.close();
    await service?.close();
  });

  async function ask(key: string | undefined, agent: string, tool: string, args: object = {}, signal?: AbortSignal) {
    const params = {
      name: tool,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: agent, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const response = await fetch(new URL('/mcp', service.baseUrl), {
      method: 'POST',
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return { status: response.status, result: JSON.parse(data || '{}').result };
  }
  const textOf = ({ result }: Awaited<ReturnType<typeof ask>>) => result.content[0].text as string;

  it('keep their page from one request to the next, apart from those with another key or name', async () => {
    const [one, two] = keys;
    await ask(one, 'Copilot', 'page_navigate', { url: `${site.url}/about` });
    const again = await ask(one, 'Copilot', 'page_snapshot');
    assert.match(textOf(again), /Founded by Ada/);
    assert.equal(again.result.resultType, 'complete');
    for (const [key, name] of [
      [one, 'Codex'],
      [two, 'Copilot'],
    ] as const)
      assert.match(textOf(await ask(key, name, 'page_snapshot')), /You have no session yet/);
    const { body } = await service.call('GET', '/embedded/agent-sessions');
    assert.deepEqual(
      body.sessions.map(({ agent }: { agent: string }) => agent),
      ['Copilot'],
    );
  });

  it('open one session by requests at the same time', async () => {
    const open = () => ask(keys[1], 'Busy', 'page_navigate', { url: `${site.url}/about` });
    await Promise.all([open(), open()]);
    const { body } = await service.call('GET', '/embedded/agent-sessions');
    assert.equal(body.sessions.filter(({ agent }: { agent: string }) => agent === 'Busy').length, 1);
  });

  it('cancel a call by ending its request', async () => {
    const gone = new AbortController();
    const call = ask(keys[1], 'Busy', 'page_wait', { text: 'never shown', seconds: 30 }, gone.signal);
    const other = ask(keys[1], 'Busy', 'session_list');
    await other;
    gone.abort();
    await assert.rejects(call);
    // The turn is free again: an action doesn't wait for the 30 seconds.
    assert.match(textOf(await ask(keys[1], 'Busy', 'page_wait', { text: 'Founded', seconds: 5 })), /It is so\./);
  });

  it('need a key, and lose what they have with it', async () => {
    assert.equal((await ask(undefined, 'Copilot', 'session_list')).status, 401);
    const { body } = await service.call('GET', '/embedded/agent-keys');
    const { id } = body.keys.find(({ name }: { name: string }) => name === 'One');
    await service.call('DELETE', `/embedded/agent-keys/${id}`);
    assert.equal((await ask(keys[0], 'Copilot', 'session_list')).status, 401);
  });
});
