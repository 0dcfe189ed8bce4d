import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPrograms, serverEntry } from '../../../src/extension/agents/mcp/configuration.ts';
import { NotEditable, withEntry } from '../../../src/extension/agents/mcp/configuration-text.ts';
import { undoConfiguration, writeConfiguration, writeKeyFile } from '../../../src/extension/agents/mcp/key-files.ts';
import { launcherText } from '../../../src/extension/agents/mcp/launcher.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the MCP configuration for coding agents', () => {
  const server = {
    execPath: 'C:\\Program Files\\Code.exe',
    launcher: '/home/ada/it\'s "here"/mcp.cjs',
    dataDirectory: '/home/ada/data',
    keyFile: '/home/ada/data/agent-keys/0123.json',
  };
  const args = [server.launcher, 'mcp', '--data-dir', server.dataDirectory, '--key-file', server.keyFile];
  const entry = { command: server.execPath, args, env: { ELECTRON_RUN_AS_NODE: '1' } };

  it('is what each program reads, and contains no key', () => {
    const texts = agentPrograms.map((agent) => [
      agent.name,
      withEntry(undefined, agent.format, serverEntry(agent, server)),
    ]);
    const named = Object.fromEntries(texts) as Record<string, string>;
    const json = (name: string) => JSON.parse(named[name] ?? '');
    assert.deepEqual(json('Claude Code'), { mcpServers: { 'web-data': entry } });
    assert.deepEqual(json('VS Code'), { servers: { 'web-data': { type: 'stdio', ...entry } } });
    assert.deepEqual(json('Copilot CLI'), { mcpServers: { 'web-data': { type: 'local', tools: ['*'], ...entry } } });
    assert.equal(
      named.Codex,
      String.raw`[mcp_servers.web-data]
command = "C:\\Program Files\\Code.exe"
args = [ "/home/ada/it's \"here\"/mcp.cjs", "mcp", "--data-dir", "/home/ada/data", "--key-file", "/home/ada/data/agent-keys/0123.json" ]

[mcp_servers.web-data.env]
ELECTRON_RUN_AS_NODE = "1"
`,
    );
    for (const [name, text] of texts) assert.doesNotMatch(text ?? '', /wda-/, name);
  });

  /** Configurations of others, which must stay as they are. */
  const others = [
    [
      'mcpServers',
      '{\n    // Mine.\n    "mcpServers": {\n        "other": { "command": "x" }, // last\n    },\n    "keep": 1\n}\n',
    ],
    ['mcpServers', '{"mcpServers":{}}'],
    ['servers', '{\r\n\t"inputs": [],\r\n\t"servers": {\r\n\t\t"a": {"command": "b"}\r\n\t}\r\n}\r\n'],
    ['mcpServers', ''],
    [
      'toml',
      '# Mine.\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y" # why\n\n[profiles.a]\nbig = 9007199254740993\n',
    ],
    ['toml', 'model = "x"'],
    ['toml', ''],
  ] as const;

  it('is added to a file without changing anything else in it, replaced, and taken out again', () => {
    for (const [format, before] of others) {
      const added = withEntry(before, format, entry);
      const comments = before.match(/(\/\/|#).*/g) ?? [];
      for (const comment of comments) assert.ok(added.includes(comment), `${comment} is lost in ${added}`);
      const replaced = withEntry(added, format, { ...entry, command: 'other' });
      assert.equal(withEntry(replaced, format, entry), added);
      const without = withEntry(added, format, undefined);
      for (const comment of comments) assert.ok(without.includes(comment), `${comment} is lost in ${without}`);
      assert.doesNotMatch(without, /web-data/);
    }
  });

  it('keeps what follows it in a TOML file, with its comments', () => {
    const text =
      '[mcp_servers."web-data"]\ncommand = "old"\n[mcp_servers."web-data".env]\nA = "1"\n\n# Next.\n[next]\na = 1\n';
    assert.equal(withEntry(text, 'toml', undefined), '\n# Next.\n[next]\na = 1\n');
    const replaced = withEntry(text, 'toml', entry);
    assert.ok(replaced.startsWith('\n# Next.\n[next]\na = 1\n\n[mcp_servers.web-data]\n'), replaced);
  });

  it('is refused by a file that it could damage', () => {
    const risky = [
      ['mcpServers', '{ "mcpServers": '],
      ['mcpServers', '[]'],
      ['mcpServers', '{ "mcpServers": [] }'],
      ['toml', 'mcp_servers = { other = { command = "x" } }\n'],
      ['toml', 'a = \n'],
      ['toml', 'mcp_servers.web-data.command = "x"\n'],
    ] as const;
    for (const [format, text] of risky) assert.throws(() => withEntry(text, format, entry), NotEditable, text);
  });

  it('is undone exactly, or else taken out of what others have written since', async () => {
    const folder = temporaryFolder();
    const keyFile = join(folder, 'agent-keys', '0123.json');
    const own = { ...entry, args: ['mcp', '--key-file', keyFile] };
    try {
      for (const [index, [format, before]] of others.entries()) {
        const path = join(folder, `${index}`, 'config');
        mkdirSync(join(folder, `${index}`));
        writeFileSync(path, before, { mode: 0o640 });
        const written = await writeConfiguration(path, format, before, withEntry(before, format, own));
        assert.equal(statSync(path).mode & 0o777, 0o640);
        await writeKeyFile(keyFile, { key: 'wda-0', written });
        assert.equal(statSync(keyFile).mode & 0o777, 0o600);
        assert.equal(await undoConfiguration(keyFile), path);
        assert.equal(readFileSync(path, 'utf8'), before);
        assert.equal(existsSync(keyFile), false);
      }
      // A new file is removed, unless somebody has added to it.
      const path = join(folder, 'new', '.mcp.json');
      for (const more of [undefined, { other: { command: 'x' } }]) {
        const text = withEntry(undefined, 'mcpServers', own);
        await writeKeyFile(keyFile, {
          key: 'wda-0',
          written: await writeConfiguration(path, 'mcpServers', undefined, text),
        });
        if (more) {
          const { mcpServers } = JSON.parse(text);
          writeFileSync(path, JSON.stringify({ mcpServers: { ...more, ...mcpServers } }));
        }
        await undoConfiguration(keyFile);
        assert.equal(existsSync(path), more !== undefined);
      }
      assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { mcpServers: { other: { command: 'x' } } });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is written through a link, and not over what has changed since it was shown', async () => {
    const folder = temporaryFolder();
    try {
      const [target, link] = [join(folder, 'dotfiles.json'), join(folder, 'config.json')];
      writeFileSync(target, '{}');
      symlinkSync(target, link);
      await writeConfiguration(link, 'mcpServers', '{}', '{"a":1}');
      assert.equal(readFileSync(target, 'utf8'), '{"a":1}');
      await assert.rejects(writeConfiguration(link, 'mcpServers', '{}', '{"b":1}'), /has changed in the meantime/);
      assert.equal(readFileSync(target, 'utf8'), '{"a":1}');
    } finally {
      rmSync(folder, { recursive: true });
    }
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
    const source = readFileSync('src/extension/agents/mcp/provider.ts', 'utf8');
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8'));
    const [provider] = contributes.mcpServerDefinitionProviders;
    assert.match(source, new RegExp(`mcpProviderId = '${provider.id}'`));
  });
});
