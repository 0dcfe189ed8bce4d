import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { McpHttpServerDefinition, SecretStorage } from 'vscode';
import type { EmbeddedClient } from '../../../src/client/client.ts';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { EventEmitter, fake, happen, workspace } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const { OwnKey } = await import('../../../src/extension/agents/mcp/own-key.ts');
const { registerMcp } = await import('../../../src/extension/agents/mcp/mcp.ts');
const { mcpProviderId, standInForMcp } = await import('../../../src/extension/agents/mcp/mcp-stand-in.ts');
const { commands } = await import('../../../src/extension/ui/ids.ts');
const { Signal } = await import('../../../src/extension/ui/lifecycle.ts');

const log = { error: () => undefined, warn: () => undefined } as never;
const settled = () => new Promise((resolve) => setImmediate(resolve));

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

/** The agent keys of a service. */
function createKeys(name: string) {
  const ids: string[] = [];
  let count = 0;
  const service = {
    ids,
    /** Called while a key is created. */
    whileCreating: async () => {},
    listAgentKeys: async () => ({ success: true, keys: ids.map((id) => ({ id, name: 'VS Code', createdAt: '' })) }),
    async createAgentKey() {
      const id = `${name}${++count}`;
      await service.whileCreating();
      ids.push(id);
      return { success: true, id, name: 'VS Code', createdAt: '', key: `wda-${id}` };
    },
    async revokeAgentKey({ params }: { params: { keyId: string } }) {
      const index = ids.indexOf(params.keyId);
      if (index === -1) throw new Error('Key not found.');
      ids.splice(index, 1);
      return { success: true };
    },
  };
  return service;
}

describe("the key of VS Code's own agents", () => {
  it('is created once, and again after it was revoked', async () => {
    const [secrets, service] = [createSecrets(), createKeys('a')];
    const window = () => new OwnKey(secrets, () => '/data');
    assert.deepEqual(await window().get(service), { id: 'a1', key: 'wda-a1' });
    assert.deepEqual(await window().get(service), { id: 'a1', key: 'wda-a1' });
    await service.revokeAgentKey({ params: { keyId: 'a1' } });
    assert.deepEqual(await window().get(service), { id: 'a2', key: 'wda-a2' });
    assert.deepEqual(service.ids, ['a2']);
  });

  it('is kept apart from those of services on other hosts or with another data directory', async () => {
    const secrets = createSecrets();
    const [service, otherService] = [createKeys('a'), createKeys('b')];
    const [key, otherKey] = ['/data', '/other'].map((folder) => new OwnKey(secrets, () => folder));
    assert.ok(key && otherKey);
    await key.get(service);
    await otherKey.get(otherService);
    assert.equal((await key.get(service)).id, 'a1');
    assert.equal((await otherKey.get(otherService)).id, 'b1');
    assert.deepEqual(
      [...secrets.values.keys()],
      ['/data', '/other'].map((folder) => `webdata.agentKey:${hostname()}:${folder}`),
    );
  });

  it("is another window's if that created one meanwhile", async () => {
    const [secrets, service] = [createSecrets(), createKeys('a')];
    const [first, second] = [new OwnKey(secrets, () => '/data'), new OwnKey(secrets, () => '/data')];
    service.whileCreating = async () => {
      service.whileCreating = async () => {};
      await second.get(service);
    };
    assert.deepEqual((await first.get(service)).id, 'a2');
    assert.deepEqual(service.ids, ['a2'], 'the unused key is revoked');
  });

  it('becomes the same in two windows that stored theirs at the same time', async () => {
    const [secrets, service] = [createSecrets(), createKeys('a')];
    const windows = [new OwnKey(secrets, () => '/data'), new OwnKey(secrets, () => '/data')];
    const get = () => Promise.all(windows.map((window) => window.get(service)));
    await get();
    const [first, second] = await get();
    assert.deepEqual(first, second);
    assert.deepEqual(service.ids, [first?.id]);
  });

  it("is revoked if it can't be stored", async () => {
    const service = createKeys('a');
    const store = async () => {
      throw new Error('no keyring');
    };
    await assert.rejects(new OwnKey({ ...createSecrets(), store }, () => '/data').get(service), /no keyring/);
    assert.deepEqual(service.ids, []);
  });
});

describe("the tools for VS Code's own agents", () => {
  let folder: string;
  let secrets: ReturnType<typeof createSecrets>;
  let service: ReturnType<typeof createKeys>;
  /** Undefined while the service doesn't run. */
  let baseUrl: string | undefined;
  let connection: { onDidChange: InstanceType<typeof Signal<void>>; dataDirectory: string };
  let registered: { dispose(): unknown }[];
  let changes: number;

  beforeEach(() => {
    fake.reset();
    folder = temporaryFolder();
    secrets = createSecrets();
    service = createKeys('a');
    baseUrl = undefined;
    const access = () => ({ embedded: service as unknown as EmbeddedClient, baseUrl });
    const target = { kind: 'embedded' };
    connection = {
      onDidChange: new Signal<void>(),
      dataDirectory: folder,
      ...{
        target,
        async access() {
          if (baseUrl === undefined) {
            baseUrl = 'http://127.0.0.1:4000';
            connection.onDidChange.fire();
          }
          return access();
        },
        existingAccess: async () => (baseUrl === undefined ? undefined : access()),
      },
    };
    registered = [];
    const program = join(folder, 'service.cjs');
    const load = async () => {
      registered.push(
        registerMcp({ connection: connection as unknown as Connection, secrets: secrets as never, program, log }),
      );
    };
    registered.push(standInForMcp('1.0.0', load, log));
    changes = 0;
    provider().onDidChangeMcpServerDefinitions(() => {
      changes++;
    });
  });
  afterEach(() => {
    for (const one of registered.reverse()) one.dispose();
    rmSync(folder, { recursive: true });
  });

  interface Provider {
    onDidChangeMcpServerDefinitions(listener: () => void): unknown;
    provideMcpServerDefinitions(): McpHttpServerDefinition[];
    resolveMcpServerDefinition(server: McpHttpServerDefinition): Promise<McpHttpServerDefinition>;
  }
  const provider = () => fake.mcpProviders.get(mcpProviderId) as Provider;
  const offered = () =>
    provider()
      .provideMcpServerDefinitions()
      .map(({ uri }) => uri.toString());
  const resolve = async () => {
    const [server] = provider().provideMcpServerDefinitions();
    assert.ok(server);
    const { uri, headers } = await provider().resolveMcpServerDefinition(server);
    await settled();
    return [uri.toString(), headers.Authorization];
  };

  it('start the service when an agent uses them, which changes nothing of what was offered', async () => {
    const before = offered();
    assert.deepEqual(await resolve(), ['http://127.0.0.1:4000/mcp', 'Bearer wda-a1']);
    connection.onDidChange.fire();
    await settled();
    assert.deepEqual([offered(), changes], [before, 0]);
  });

  it('are offered again when the service has stopped or has another address', async () => {
    await resolve();
    const before = offered();
    baseUrl = undefined;
    connection.onDidChange.fire();
    await settled();
    assert.equal(changes, 1);
    assert.notDeepEqual(offered(), before, 'VS Code keeps its connection to what is the same');
    await resolve();
    assert.equal(changes, 1);
    baseUrl = 'http://127.0.0.1:4001';
    connection.onDidChange.fire();
    await settled();
    assert.equal(changes, 2);
    assert.equal((await resolve())[0], 'http://127.0.0.1:4001/mcp');
  });

  it("are offered again when their key is revoked, or replaced by another window's", async () => {
    await resolve();
    fake.answer = (kind, items) => (kind === 'pick' ? (items as unknown[])[0] : undefined);
    await fake.run(commands.manageAgentKeys);
    await settled();
    assert.equal(changes, 1);
    assert.deepEqual([secrets.values.size, service.ids], [0, []]);
    assert.equal((await resolve())[1], 'Bearer wda-a2');
    assert.equal(changes, 1);
    const [name = ''] = secrets.values.keys();
    await secrets.store('something else', 'x');
    await settled();
    assert.equal(changes, 1);
    service.ids.push('b1');
    await secrets.store(name, JSON.stringify({ id: 'b1', key: 'wda-b1' }));
    await settled();
    assert.equal(changes, 2);
    assert.equal((await resolve())[1], 'Bearer wda-b1');
    assert.deepEqual(service.ids, ['b1'], 'the replaced key is revoked');
  });

  it('are offered again when the server changes and when the workspace is trusted', async () => {
    fake.settings.set('webdata.server.baseUrl', 'https://api.test');
    assert.deepEqual(offered(), []);
    happen.configured('webdata.server.baseUrl');
    assert.equal(changes, 1);
    fake.settings.clear();
    workspace.isTrusted = false;
    assert.deepEqual(offered(), []);
    happen.trusted();
    assert.equal(changes, 2);
    assert.equal(offered().length, 1);
  });

  it('are resolved with one key by calls at the same time', async () => {
    await Promise.all([resolve(), resolve()]);
    assert.deepEqual(service.ids, ['a1']);
  });

  it("create no key for a configuration that can't be used", async () => {
    await resolve();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    connection.dataDirectory = join(file, 'data');
    fake.clipboard = '';
    fake.answer = (kind, items) => (kind === 'pick' ? (items as unknown[])[0] : undefined);
    await fake.run(commands.copyMcpConfiguration);
    assert.equal(fake.clipboard, '');
    assert.deepEqual(service.ids, ['a1']);
  });
});
