import assert from 'node:assert/strict';
import { ApiKeys } from '../../../../src/extension/connection/keys.ts';

function keys(options: { environment?: NodeJS.ProcessEnv; broken?: boolean } = {}) {
  const secrets = new Map<string, string>();
  const state = new Map<string, unknown>();
  const warnings: string[] = [];
  const fail = () => Promise.reject(new Error('no keyring: super-secret-key'));
  const made = new ApiKeys({
    secrets: {
      get: async (slot) => (options.broken ? fail() : secrets.get(slot)),
      store: async (slot, value) => (options.broken ? fail() : void secrets.set(slot, value)),
      delete: async (slot) => void secrets.delete(slot),
      onDidChange: () => ({ dispose() {} }),
    },
    state: {
      get: <Value>(slot: string) => state.get(slot) as Value | undefined,
      update: async (slot: string, value: unknown) => void state.set(slot, value),
    } as never,
    warn: (text) => warnings.push(text),
    environment: options.environment ?? {},
  });
  return { made, warnings };
}

const origin = 'https://api.example.com';

describe('API keys', () => {
  it('are used only for the origin that they were stored for (CLI-12)', async () => {
    const { made } = keys();
    assert.equal(await made.keep(origin, 'key-1'), true);
    assert.equal(await made.get(origin), 'key-1');
    for (const other of ['https://api.example.com:8443', 'http://api.example.com', 'https://evil.example']) {
      assert.equal(await made.get(other), undefined);
    }
  });

  it('are deleted when signing out (EXT-02)', async () => {
    const { made } = keys();
    await made.keep(origin, 'key-1');
    await made.forget(origin);
    assert.equal(await made.get(origin), undefined);
  });

  it('from the environment are used only for approved servers', async () => {
    const { made } = keys({ environment: { WEBDATA_API_KEY: 'env-key' }, broken: true });
    assert.equal(await made.get(origin), undefined);
    assert.equal(await made.keep(origin, 'env-key'), true);
    assert.equal(await made.get(origin), 'env-key');
    assert.equal(await made.get('https://evil.example'), undefined);
  });

  it("can't be stored without a keyring, and the keyring’s own message isn't shown", async () => {
    const { made, warnings } = keys({ broken: true });
    assert.equal(await made.keep(origin, 'key-1'), false);
    assert.ok(warnings.length > 0);
    assert.doesNotMatch(warnings.join(), /super-secret/);
  });
});
