import assert from 'node:assert/strict';
import { openChannel } from '../../../src/webviews/common/channel.ts';
import { openFakeWebview } from '../../harness/fake-webview.ts';

describe('the channel of a view to the extension', () => {
  it('tells whoever waits why a request failed, and is no error for a page where nobody does (EXT-20)', async () => {
    const webview = openFakeWebview();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.prependListener('unhandledRejection', note);
    try {
      const channel = openChannel<object, Record<string, (value: unknown) => value is object>>({});
      const awaited = channel.request('save', {});
      void channel.request('open', {});
      for (const id of [1, 2]) {
        const data = { kind: 'failure', id, message: 'The folder is read-only.' };
        window.dispatchEvent(Object.assign(new Event('message'), { origin: window.origin, data }));
      }
      await assert.rejects(awaited, /read-only/);
      await new Promise(setImmediate);
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
      webview.close();
    }
  });
});
