import assert from 'node:assert/strict';
import { fake, Uri } from '../../harness/fake-vscode.ts';

describe('the features of the extension', () => {
  it('leave nothing behind if one of them cannot be created (EXT-22)', async () => {
    const { createFeatures } = await import('../../../src/extension/features.ts');
    const { Connection } = await import('../../../src/extension/connection/connection.ts');
    fake.reset();
    const { dispose } = Connection.prototype;
    let ended = 0;
    Connection.prototype.dispose = function () {
      ended++;
      dispose.call(this);
    };
    const workspaceState = {
      get: () => {
        throw new Error('The storage is damaged.');
      },
    };
    const context = {
      workspaceState,
      globalState: { get: () => undefined, update: async () => undefined },
      extension: { id: 'a.b', packageJSON: {} },
      extensionUri: Uri.file('/a'),
      globalStorageUri: Uri.file('/b'),
      secrets: { get: async () => undefined, onDidChange: () => ({ dispose: () => undefined }) },
    };
    try {
      assert.throws(() => createFeatures({ context, log: { warn: () => undefined } } as never), /storage is damaged/);
      assert.equal(ended, 1);
    } finally {
      Connection.prototype.dispose = dispose;
    }
  });
});
