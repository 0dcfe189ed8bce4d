import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { SecretStorage } from 'vscode';
import { discoveryFile } from '../../../src/contract/embedded.ts';
import { agentKeyId } from '../../../src/contract/mcp/agent-key-id.ts';
import { forwardToAgentHost } from '../../harness/agent-host.ts';
import { eventually } from '../../harness/eventually.ts';
import { Uri } from '../../harness/fake-vscode.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';
import { isRunning } from '../../harness/is-running.ts';
import { ScriptedAgent } from '../../harness/mcp-agent.ts';
import { databaseOf } from '../../harness/postgres.ts';
import { call } from '../../harness/service.ts';

const { agentPrograms, serverEntry } = await import('../../../src/extension/agents/mcp/configuration.ts');
const { keyFilePath, undoConfiguration, writeKeyFile } = await import('../../../src/extension/agents/mcp/key-files.ts');
const { writeLauncher } = await import('../../../src/extension/agents/mcp/launcher.ts');
const { definitionOf } = await import('../../../src/extension/agents/mcp/definition.ts');

describe("what VS Code's Agent Host is given", () => {
  it('starts the service when an agent connects, with a key that is listed and can be revoked', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'service');
    const database = await databaseOf(dataDir);
    const secrets = new Map<string, string>();
    const context = {
      globalStorageUri: Uri.file(folder) as never,
      asAbsolutePath: (path: string) => join(repository, path),
      extension: { packageJSON: { version: '1.0.0' } } as never,
      secrets: {
        get: async (name: string) => secrets.get(name),
        store: async (name: string, value: string) => void secrets.set(name, value),
      } as unknown as SecretStorage,
    };
    const connect = async () => {
      const server = forwardToAgentHost(await definitionOf(context));
      assert.ok('command' in server);
      const { PATH = '' } = process.env;
      const env = { PATH, ...server.env, ...(database && { WEBDATA_DATABASE: database }) };
      const transport = new StdioClientTransport({ ...server, env, stderr: 'ignore' });
      return await ScriptedAgent.over(transport, 'Copilot');
    };
    const service = () => discoveryFile.parse(JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8')));
    const ask = async (method: string, path: string, body?: object) =>
      await call(`http://127.0.0.1:${service().port}`, service().apiKey ?? '', method, path, body);
    const listed = async () => (await ask('GET', '/embedded/agent-keys')).body.keys as { id: string; name: string }[];
    try {
      await definitionOf(context);
      assert.equal(existsSync(dataDir), false, 'nothing starts before an agent connects');

      const agent = await connect();
      assert.equal(await agent.call('session_list'), 'No session is open.\nNext: page_navigate opens one.');
      const [key, ...others] = await listed();
      assert.ok(key);
      assert.deepEqual([key.name, others], ['VS Code', []]);
      const second = await connect();
      await second.call('session_list');
      assert.deepEqual(
        (await listed()).map(({ id }) => id),
        [key.id],
        'all connections have one key',
      );
      await second.close();

      assert.equal((await ask('DELETE', `/embedded/agent-keys/${key.id}`)).status, 200);
      await assert.rejects(agent.call('session_list'), /key/);
      await agent.close();
      await assert.rejects(connect(), /The key was revoked\. Next: run "Manage Agent Keys…" in VS Code/);
      assert.deepEqual(await listed(), [], 'a revoked key stays revoked');

      secrets.clear();
      const third = await connect();
      await third.call('session_list');
      assert.notEqual((await listed())[0]?.id, key.id);
      await third.close();

      // What "Copy MCP Configuration…" writes.
      const ownKey = `wda-${'k'.repeat(43)}`;
      const [keyFile, launcher] = [keyFilePath(dataDir, agentKeyId(ownKey)), join(dataDir, 'mcp.cjs')];
      await writeLauncher(launcher, join(repository, 'dist/service.cjs'));
      await writeKeyFile(keyFile, { key: ownKey });
      const [program] = agentPrograms;
      assert.ok(program);
      const command = { execPath: process.execPath, launcher, dataDirectory: dataDir, keyFile };
      const { args, env } = serverEntry(program, command) as { args: string[]; env: Record<string, string> };
      const start = () => new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
      assert.equal((await ask('POST', '/embedded/agent-keys', { name: 'Claude Code', key: ownKey })).status, 200);
      const configured = await ScriptedAgent.over(start(), 'Claude Code');
      await configured.call('session_list');
      await configured.close();

      // An agent of the newer revision, which doesn't introduce itself.
      const plain = start();
      const answers: { id?: unknown; result?: { tools?: { name: string }[] } }[] = [];
      plain.onmessage = (message) => void answers.push(message as never);
      await plain.start();
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'Newer', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      await plain.send({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta } });
      await eventually(() => {
        const tools = answers.find(({ id }) => id === 7)?.result?.tools ?? [];
        assert.ok(
          tools.some(({ name }) => name === 'page_wait'),
          JSON.stringify(answers).slice(0, 500),
        );
      });
      await plain.close();

      assert.equal(await undoConfiguration(keyFile), undefined);
      await assert.rejects(ScriptedAgent.over(start(), 'Claude Code'));
    } finally {
      if (existsSync(join(dataDir, 'service.json'))) {
        const { pid } = service();
        process.kill(pid, 'SIGTERM');
        await eventually(() => assert.ok(!isRunning(pid)));
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  });
});
