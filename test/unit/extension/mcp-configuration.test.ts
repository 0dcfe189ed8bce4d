import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms, mcpConfiguration } from '../../../src/extension/agents/mcp/configuration.ts';
import { launcherText } from '../../../src/extension/agents/mcp/launcher.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the MCP configuration for coding agents', () => {
  const server = {
    execPath: 'C:\\Program Files\\Code\\Code.exe',
    launcher: '/home/ada/it\'s "here"/mcp.cjs',
    dataDirectory: '/home/ada/data',
    key: 'wda-0123',
  };
  const args = [server.launcher, 'mcp', '--data-dir', server.dataDirectory];
  const env = { ELECTRON_RUN_AS_NODE: '1', WEBDATA_MCP_KEY: 'wda-0123' };

  it('is JSON for most of them, under the name that they expect', () => {
    assert.deepEqual(JSON.parse(mcpConfiguration({ format: 'mcpServers' }, server)), {
      mcpServers: { 'web-data': { command: server.execPath, args, env } },
    });
    assert.deepEqual(JSON.parse(mcpConfiguration({ format: 'servers' }, server)), {
      servers: { 'web-data': { type: 'stdio', command: server.execPath, args, env } },
    });
    assert.ok(agentPrograms.some(({ name, format }) => name === 'Codex' && format === 'toml'));
  });

  it('is TOML for Codex, with the same values', () => {
    assert.equal(
      mcpConfiguration({ format: 'toml' }, server),
      String.raw`[mcp_servers.web-data]
command = "C:\\Program Files\\Code\\Code.exe"
args = ["/home/ada/it's \"here\"/mcp.cjs","mcp","--data-dir","/home/ada/data"]

[mcp_servers.web-data.env]
ELECTRON_RUN_AS_NODE = "1"
WEBDATA_MCP_KEY = "wda-0123"
`,
    );
  });

  it('names a program that stays where it is and loads the version that is installed', () => {
    const folder = temporaryFolder();
    try {
      const [program, launcher] = ["it's.cjs", 'mcp.cjs'].map((name) => join(folder, name)) as [string, string];
      writeFileSync(program, 'process.stdout.write(process.argv[2]);');
      writeFileSync(launcher, launcherText(program));
      assert.equal(execFileSync(process.execPath, [launcher, 'mcp'], { encoding: 'utf8' }), 'mcp');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is offered to VS Code by the ID in the manifest', async () => {
    const source = readFileSync('src/extension/agents/mcp/mcp-stand-in.ts', 'utf8');
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8'));
    const [provider] = contributes.mcpServerDefinitionProviders;
    assert.match(source, new RegExp(`mcpProviderId = '${provider.id}'`));
  });
});
