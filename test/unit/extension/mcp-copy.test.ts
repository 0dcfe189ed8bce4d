import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedClient } from '../../../src/client/client.ts';
import { agentKeyId } from '../../../src/contract/mcp/agent-key-id.ts';
import { fake, Uri, workspace } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const { copyConfiguration, revokeKey } = await import('../../../src/extension/agents/mcp/copy-configuration.ts');

describe('"Copy MCP Configuration…"', () => {
  let folder: string;
  let dataDirectory: string;
  /** IDs of the keys that the service knows. */
  let known: string[];
  /** Texts that were shown, by name. */
  let shown: Map<string, string>;
  const embedded = {
    async createAgentKey({ body: { key } }: { body: { key: string } }) {
      known.push(agentKeyId(key));
      return {};
    },
    async revokeAgentKey({ params: { keyId } }: { params: { keyId: string } }) {
      known = known.filter((id) => id !== keyId);
      return {};
    },
  } as unknown as EmbeddedClient;

  beforeEach(() => {
    fake.reset();
    folder = temporaryFolder();
    dataDirectory = join(folder, 'data');
    known = [];
    shown = new Map();
    workspace.workspaceFolders = [{ uri: Uri.file(folder), name: 'shop', index: 0 }];
  });
  afterEach(() => {
    workspace.workspaceFolders = undefined;
    rmSync(folder, { recursive: true });
  });

  /** Runs the command for a program. `answers` are what the user says to its messages. */
  async function run(program: string, way: 'copy' | 'add', answers: (string | undefined)[] = []): Promise<string[]> {
    const asked: string[] = [];
    fake.answer = (kind, first) => {
      if (kind === 'message') {
        asked.push(String(first));
        return answers.shift();
      }
      const items = first as { label: string; add?: boolean }[];
      return items.find((item) => (item.add === undefined ? item.label === program : item.add === (way === 'add')));
    };
    const hold = (name: string, text: string) => {
      shown.set(name, text);
      return Uri.file(`/${name}`);
    };
    const documents = { hold } as never;
    const launcher = join(dataDirectory, 'mcp.cjs');
    await copyConfiguration({ embedded, documents, dataDirectory, launcher, program: '/service.cjs' });
    return asked;
  }
  const keyFiles = () =>
    existsSync(join(dataDirectory, 'agent-keys')) ? readdirSync(join(dataDirectory, 'agent-keys')) : [];
  const configuration = () => join(folder, '.mcp.json');

  it('copies a configuration whose key is in a file of its own', async () => {
    await run('Claude Code', 'copy');
    const { args } = JSON.parse(fake.clipboard).mcpServers['web-data'];
    const { key } = JSON.parse(readFileSync(args.at(-1), 'utf8'));
    assert.deepEqual([agentKeyId(key)], known);
    assert.equal(existsSync(configuration()), false);
  });

  it('copies for a program whose file is elsewhere on each system', async () => {
    await run('Claude Desktop', 'add');
    assert.ok(JSON.parse(fake.clipboard).mcpServers['web-data']);
  });

  it('changes nothing before the user has seen the change and agreed', async () => {
    await run('Claude Code', 'add', [undefined]);
    assert.ok(fake.ran.some(({ id }) => id === 'vscode.diff'));
    assert.match(shown.get('mcp/after/.mcp.json') ?? '', /"web-data"/);
    assert.deepEqual([existsSync(configuration()), known, keyFiles()], [false, [], []]);
  });

  it('adds to the file, and takes out of it what is undone, or whose key is revoked', async () => {
    const mine = '{\n  "mcpServers": { "other": { "command": "x" } }\n}\n';
    writeFileSync(configuration(), mine);
    await run('Claude Code', 'add', ['Add', 'Undo']);
    assert.deepEqual([readFileSync(configuration(), 'utf8'), known, keyFiles()], [mine, [], []]);

    await run('Claude Code', 'add', ['Add', undefined]);
    const { other, 'web-data': own } = JSON.parse(readFileSync(configuration(), 'utf8')).mcpServers;
    assert.deepEqual(
      [other, own.args.at(-1)],
      [{ command: 'x' }, join(dataDirectory, 'agent-keys', keyFiles()[0] ?? '')],
    );
    const [id = ''] = known;
    assert.equal(await revokeKey(embedded, dataDirectory, id), configuration());
    assert.deepEqual([readFileSync(configuration(), 'utf8'), known, keyFiles()], [mine, [], []]);
  });

  it('asks about the file that changes if the workspace has a link to it (EXT-32)', async () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'settings.json'), '{}');
    symlinkSync(join(elsewhere, 'settings.json'), configuration());
    symlinkSync(elsewhere, join(folder, '.cursor'));
    for (const [program, file] of [
      ['Claude Code', 'settings.json'],
      ['Cursor', 'mcp.json'],
    ] as const) {
      const [question, undone] = await run(program, 'add', ['Add', 'Undo']);
      const path = join(elsewhere, file);
      assert.deepEqual([question, undone], [`Add Web Data to ${path}?`, `Web Data was added to ${path}.`]);
    }
    assert.deepEqual(readdirSync(elsewhere), ['settings.json']);
    const [, , title] = fake.ran.findLast(({ id }) => id === 'vscode.diff')?.args ?? [];
    assert.equal(title, `Change to ${join(elsewhere, 'mcp.json')}`);
  });

  it('names the file as the program does where the folder itself is behind a link', async () => {
    const linked = join(folder, 'linked');
    mkdirSync(join(folder, 'shop'));
    symlinkSync(join(folder, 'shop'), linked);
    workspace.workspaceFolders = [{ uri: Uri.file(linked), name: 'shop', index: 0 }];
    const [question] = await run('Claude Code', 'add', [undefined]);
    assert.equal(question, 'Add Web Data to .mcp.json?');
  });

  it('says what to do about a file that it could damage', async () => {
    writeFileSync(configuration(), '{ "mcpServers": ');
    await assert.rejects(run('Claude Code', 'add', ['Add']), /It isn't valid JSON\. Copy the configuration instead\./);
    assert.deepEqual([known, keyFiles()], [[], []]);
  });

  it('creates no key for a configuration that is not used', async () => {
    writeFileSync(dataDirectory, '');
    fake.clipboard = '';
    await assert.rejects(run('Claude Code', 'copy'));
    assert.deepEqual([fake.clipboard, known], ['', []]);
  });
});
