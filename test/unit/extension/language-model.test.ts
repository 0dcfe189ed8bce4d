import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  findModelServers,
  listModels,
  ModelServerError,
  modelBaseUrl,
  testModel,
} from '../../../src/extension/agents/language-model/model-servers.ts';
import { keptSecret } from '../../../src/extension/ui/kept-secret.ts';
import { fake } from '../../harness/fake-vscode.ts';
import { type ScriptedModel, startScriptedModel } from '../../harness/scripted-model.ts';

const { setUpLanguageModel } = await import('../../../src/extension/agents/language-model/set-up.ts');

const { fetch } = globalThis;

describe('the set-up of a language model', () => {
  let model: ScriptedModel;
  before(async () => {
    model = await startScriptedModel();
  });
  after(() => model.close());

  it('finds the running servers, with their models', async () => {
    model.serve({ models: ['small', 'large'] });
    const found = await findModelServers(fetch, [
      { name: 'Ollama', baseUrl: 'http://127.0.0.1:9/v1' },
      { name: 'LM Studio', baseUrl: model.baseUrl },
    ]);
    assert.deepEqual(found, [{ name: 'LM Studio', baseUrl: model.baseUrl, models: ['small', 'large'] }]);
  });

  it('finds a server that lists its models only with a key', async () => {
    model.serve({ models: ['hidden'], apiKey: 'model-key-1' });
    const found = await findModelServers(fetch, [{ name: 'LM Studio', baseUrl: model.baseUrl }]);
    assert.deepEqual(found, [{ name: 'LM Studio', baseUrl: model.baseUrl, models: [] }]);
    assert.deepEqual(await listModels({ baseUrl: model.baseUrl, apiKey: 'model-key-1' }, fetch), ['hidden']);
  });

  it('lists models without the icons that their names would be, and uses them by their names (EXT-11)', async () => {
    const name = '$(trash) [a](command:x)';
    model.serve({ models: [name] });
    model.script([{ text: 'OK' }]);
    const labels: string[] = [];
    fake.answer = (_kind, list) => {
      const { items } = list as { items: { label: string }[] };
      labels.push(...items.map(({ label }) => label));
      return { accept: items };
    };
    const key = { get: async () => undefined, set: async () => true };
    const isSetUp = await setUpLanguageModel({ key, offer: async () => undefined } as never, {
      baseUrl: model.baseUrl,
    });
    fake.reset();
    assert.equal(isSetUp, true);
    assert.deepEqual(labels, ['$\u200a(trash) [a]\u200a(command:x)']);
    assert.equal(model.requests.at(-1)?.model, name);
  });

  it('tests a model with one call that includes the key', async () => {
    model.serve({ models: ['small'], apiKey: 'model-key-1' });
    model.script([{ text: 'OK' }]);
    await testModel({ baseUrl: model.baseUrl, apiKey: 'model-key-1', model: 'small' }, fetch);
    assert.equal(model.requests.length, 1);
    assert.deepEqual([model.requests[0]?.model, model.requests[0]?.authorization], ['small', 'Bearer model-key-1']);
  });

  it('reports what is wrong, never with the key', async () => {
    model.serve({ models: [] });
    const server = { baseUrl: model.baseUrl, apiKey: 'model-key-1', model: 'small' };
    const cases = [
      [{ status: 401, body: '{"error":"bad key model-key-1"}' }, /rejected this key \(status 401\)/, true],
      [
        { status: 404, body: '{"error":{"message":"model small for model-key-1 not found"}}' },
        /404: model small/,
        false,
      ],
      [{ status: 200, body: '<html>' }, /doesn't have the OpenAI chat completions API/, false],
      [{ status: 200, body: '{"ok":true}' }, /doesn't have the OpenAI chat completions API/, false],
    ] as const;
    for (const [answer, message, needsKey] of cases) {
      model.script([answer]);
      const error = await testModel(server, fetch).then(
        () => assert.fail('accepted'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ModelServerError);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /model-key-1/);
      assert.equal(error.needsKey, needsKey);
    }
    await assert.rejects(listModels({ baseUrl: 'http://127.0.0.1:9/v1' }, fetch), /Can't reach the language model/);
  });

  it('follows no redirect, which could leak a key', async () => {
    const server = createServer((_request, response) => response.writeHead(307, { location: model.baseUrl }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    model.script([{ text: 'OK' }]);
    await assert.rejects(testModel({ baseUrl, apiKey: 'model-key-1', model: 'small' }, fetch), ModelServerError);
    assert.equal(model.requests.length, 0);
    server.closeAllConnections();
    server.close();
  });

  it('accepts an address in common forms', () => {
    assert.equal(modelBaseUrl('127.0.0.1:11434/v1/'), 'http://127.0.0.1:11434/v1');
    assert.equal(modelBaseUrl('api.example.com/v1'), 'https://api.example.com/v1');
    assert.equal(modelBaseUrl('https://api.example.com/v1/chat/completions'), 'https://api.example.com/v1');
    for (const bad of ['', 'ftp://a.test', 'https://user:secret@a.test/v1', 'https://a.test/v1?key=1', 'a b'])
      assert.equal(modelBaseUrl(bad), undefined, bad);
  });
});

describe('the key of a language model', () => {
  it('is kept in the secret storage', async () => {
    const stored = new Map<string, string>();
    const secrets = {
      get: async (name: string) => stored.get(name),
      store: async (name: string, value: string) => void stored.set(name, value),
      delete: async (name: string) => void stored.delete(name),
      onDidChange: () => ({ dispose: () => undefined }),
    };
    const key = keptSecret(secrets, 'webdata.languageModel.key');
    assert.equal(await key.set('model-key-1'), true);
    assert.equal(await key.get(), 'model-key-1');
    assert.deepEqual([...stored.values()], ['model-key-1']);
    assert.equal(await key.set(undefined), true);
    assert.equal(await key.get(), undefined);
  });

  it('is kept only in memory without a keyring, with a notice', async () => {
    const broken = () => Promise.reject(new Error('no keyring'));
    const secrets = { get: broken, store: broken, delete: broken, onDidChange: () => ({ dispose: () => undefined }) };
    const key = keptSecret(secrets, 'webdata.languageModel.key');
    assert.equal(await key.set('model-key-1'), false);
    assert.equal(await key.get(), 'model-key-1');
    assert.equal(await key.set(undefined), true);
    assert.equal(await key.get(), undefined);
  });
});
