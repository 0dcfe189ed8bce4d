import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { fields, text } from '../../../../src/webviews/common/messages.ts';
import { eventually } from '../../../harness/eventually.ts';
import { CancellationError, EventEmitter, fake } from '../../../harness/fake-vscode.ts';

const { WebviewChannel } = await import('../../../../src/extension/ui/webview-host.ts');

const requests = { save: fields({ name: text(10) }) };

describe('the channel of a webview', () => {
  let fromView: EventEmitter<unknown>;
  let sent: unknown[];
  let logged: string[];
  const open = (parts: { save?: () => unknown; onReady?: () => unknown }) =>
    new WebviewChannel(
      {
        onDidReceiveMessage: fromView.event,
        postMessage: async (message: unknown) => void sent.push(message),
      } as unknown as vscode.Webview,
      {
        log: {
          error: (text: string) => logged.push(text),
          warn: (text: string) => logged.push(text),
        } as unknown as vscode.LogOutputChannel,
        onReady: parts.onReady ?? (() => undefined),
        requests,
        handlers: { save: async () => parts.save?.() },
      },
    );
  const request = { kind: 'request', id: 7, name: 'save', params: { name: 'a' } };

  beforeEach(() => {
    fake.reset();
    fromView = new EventEmitter();
    sent = [];
    logged = [];
  });

  it('logs and shows the failure of a request, and answers it to the page (EXT-20)', async () => {
    open({
      save: () => {
        throw new Error('The folder is read-only.');
      },
    });
    fromView.fire(request);
    await eventually(() => assert.equal(sent.length, 1));
    assert.deepEqual(sent, [{ kind: 'failure', id: 7, message: 'The folder is read-only.' }]);
    assert.deepEqual(fake.messages, ['Web Data: The folder is read-only.']);
    assert.deepEqual(logged, ['webview: save: The folder is read-only.']);
  });

  it('shows nothing for what was canceled', async () => {
    open({
      save: () => {
        throw new CancellationError();
      },
    });
    fromView.fire(request);
    await eventually(() => assert.equal(sent.length, 1));
    assert.deepEqual([fake.messages, logged], [[], []]);
  });

  it('shows why a view could not be filled when it was ready', async () => {
    open({ onReady: async () => Promise.reject(new Error('No docs.')) });
    fromView.fire({ kind: 'ready' });
    await eventually(() => assert.deepEqual(fake.messages, ['Web Data: No docs.']));
  });

  it('drops messages that no handler takes', async () => {
    open({});
    for (const odd of [null, { ...request, name: 'toString' }, { ...request, params: {} }]) fromView.fire(odd);
    await eventually(() => assert.equal(logged.length, 3));
    assert.deepEqual(sent, []);
  });
});
