import assert from 'node:assert/strict';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { fake } from '../../harness/fake-vscode.ts';

describe('an editor without an API for chat models', () => {
  it('lends none, and loads the features (EXT-22)', async () => {
    const { lendLanguageModel } = await import('../../../src/extension/agents/language-model/window-model.ts');
    fake.reset();
    const sent: unknown[] = [];
    const connection = {
      onModelMessage: new Signal(),
      onServiceLinked: new Signal(),
      sendToService: (message: unknown) => sent.push(message),
    } as unknown as Connection;
    const key = { get: async () => undefined, onDidChange: () => ({ dispose: () => undefined }) } as never;
    const lent = lendLanguageModel(connection, key, {} as never);
    await lent.offer();
    assert.deepEqual(sent, [
      { type: 'model-endpoint', endpoint: null },
      { type: 'window-model', name: null },
    ]);
    lent.dispose();
  });
});
