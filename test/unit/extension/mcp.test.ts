import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { McpServerDefinitionProvider, McpStdioServerDefinition, SecretStorage } from 'vscode';
import { agentKeyId } from '../../../src/contract/mcp/agent-key-id.ts';
import { EventEmitter, fake, happen, Uri, workspace } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const { ownKey } = await import('../../../src/extension/agents/mcp/own-key.ts');
const { mcpProviderId, offerMcp } = await import('../../../src/extension/agents/mcp/provider.ts');

const log = { error: () => undefined, warn: () => undefined } as never;

/** The secret storage that all windows share. */
function createSecrets() {
  const values = new Map<string, string>();
  const changed = new EventEmitter<{ key: string }>();
  return {
    values,
    onDidChange: changed.event as unknown as SecretStorage['onDidChange'],
    get: async (key: string) => values.get(key),
    async store(key: string, value: string) {
      values.set(key, value);
      changed.fire({ key });
    },
    async delete(key: string) {
      values.delete(key);
      changed.fire({ key });
    },
  };
}

describe("the key of VS Code's own agents", () => {
  it('is made once, without a service, and again after it was revoked', async () => {
    const secrets = createSecrets();
    const window = () => ownKey(secrets, () => '/data');
    const made = await window().get();
    assert.match(made.key, /^wda-[\w-]{43}$/);
    assert.equal(made.id, agentKeyId(made.key));
    assert.deepEqual(await window().get(), made);
    await window().forget('another');
    assert.deepEqual(await window().get(), made);
    await window().forget(made.id);
    assert.notDeepEqual(await window().get(), made);
  });

  it('is kept apart from those of services on other hosts or with another data directory', async () => {
    const secrets = createSecrets();
    const [one, other] = await Promise.all(['/data', '/other'].map((folder) => ownKey(secrets, () => folder).get()));
    assert.notDeepEqual(one, other);
    assert.deepEqual(
      [...secrets.values.keys()],
      ['/data', '/other'].map((folder) => `webdata.agentKey:${hostname()}:${folder}`),
    );
  });

  it('becomes the same in two windows that make theirs at the same time', async () => {
    const secrets = createSecrets();
    const windows = [ownKey(secrets, () => '/data'), ownKey(secrets, () => '/data')];
    await Promise.all(windows.map((window) => window.get()));
    const [first, second] = await Promise.all(windows.map((window) => window.get()));
    assert.deepEqual(first, second);
  });

  it('is replaced if it was revoked elsewhere, and otherwise made known to the service', async () => {
    const secrets = createSecrets();
    const own = ownKey(secrets, () => '/data');
    const known: unknown[] = [];
    const createAgentKey = async ({ body }: { body: object }) => void known.push(body);
    await own.introduce({ createAgentKey } as never);
    assert.deepEqual(known, [], 'there is no key yet');
    const made = await own.get();
    await own.introduce({ createAgentKey } as never);
    assert.deepEqual(known, [{ name: 'VS Code', key: made.key }]);
    const refuse = async () => Promise.reject(Object.assign(new Error('revoked'), { status: 410 }));
    await own.introduce({ createAgentKey: refuse } as never);
    assert.notDeepEqual(await own.get(), made);
  });
});

describe("the tools for VS Code's own agents", () => {
  let folder: string;
  let secrets: ReturnType<typeof createSecrets>;
  let registered: { dispose(): unknown };
  let changes: number;

  beforeEach(() => {
    fake.reset();
    folder = temporaryFolder();
    secrets = createSecrets();
    registered = offerMcp(
      {
        secrets: secrets as never,
        globalStorageUri: Uri.file(folder) as never,
        asAbsolutePath: (path) => `/extension/${path}`,
        extension: { packageJSON: { version: '1.0.0' } } as never,
      },
      log,
    );
    changes = 0;
    provider().onDidChangeMcpServerDefinitions?.(() => {
      changes++;
    });
  });
  afterEach(() => {
    registered.dispose();
    rmSync(folder, { recursive: true });
  });

  const provider = () => fake.mcpProviders.get(mcpProviderId) as McpServerDefinitionProvider<McpStdioServerDefinition>;
  const offered = async () => (await provider().provideMcpServerDefinitions({} as never)) ?? [];

  it('are complete when they are provided: there is nothing to resolve', async () => {
    assert.equal(provider().resolveMcpServerDefinition, undefined);
    fake.settings.set('webdata.embedded.chromePath', '/usr/bin/chrome');
    const [server, ...others] = await offered();
    assert.deepEqual(others, []);
    const { key } = await ownKey(secrets, () => join(folder, 'service')).get();
    assert.equal(server?.command, process.execPath);
    assert.deepEqual(server.args.slice(0, 4), [
      '/extension/dist/service.cjs',
      'mcp',
      '--data-dir',
      join(folder, 'service'),
    ]);
    assert.ok(server.args.includes('--chrome=/usr/bin/chrome'), String(server.args));
    const { WEBDATA_MCP_KEY, WEBDATA_MCP_KEY_NAME, ELECTRON_RUN_AS_NODE } = server.env;
    assert.deepEqual([WEBDATA_MCP_KEY, WEBDATA_MCP_KEY_NAME, ELECTRON_RUN_AS_NODE], [key, 'VS Code', '1']);
    assert.equal(server.version, '1.0.0');
    assert.deepEqual(await offered(), [server], 'VS Code starts again only what differs');
    assert.deepEqual(readdirSync(folder), [], 'no service was started');
  });

  it('are offered again when their key is revoked, or the settings of the service change', async () => {
    const [before] = await offered();
    const own = ownKey(secrets, () => join(folder, 'service'));
    await own.forget((await own.get()).id);
    assert.equal(changes, 1);
    const [after] = await offered();
    assert.notEqual(after?.env.WEBDATA_MCP_KEY, before?.env.WEBDATA_MCP_KEY);
    changes = 0;
    await secrets.store('something else', 'x');
    assert.equal(changes, 0);
    happen.configured('webdata.embedded.chromePath');
    assert.equal(changes, 1);
  });

  it('are offered again when the server changes and when the workspace is trusted', async () => {
    fake.settings.set('webdata.server.baseUrl', 'https://api.test');
    assert.deepEqual(await offered(), []);
    happen.configured('webdata.server.baseUrl');
    assert.equal(changes, 1);
    fake.settings.clear();
    workspace.isTrusted = false;
    assert.deepEqual(await offered(), []);
    happen.trusted();
    assert.equal(changes, 2);
    assert.equal((await offered()).length, 1);
  });
});
