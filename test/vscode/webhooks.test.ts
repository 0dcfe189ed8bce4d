import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { startFaultyServer } from '../harness/faulty-server.ts';

const run = async <Result>(command: string, ...args: unknown[]) =>
  (await vscode.commands.executeCommand(`webdata.${command}`, ...args)) as Result;

describe('the webhook receiver in the extension host', () => {
  after(() => run('stopWebhookReceiver'));

  it('starts once for any number of callers', async () => {
    const started = await Promise.all([
      run<{ url: string }>('startWebhookReceiver'),
      run<{ url: string }>('startWebhookReceiver'),
    ]);
    const [first, second] = started;
    assert.match(first?.url ?? '', /^http:\/\/127\.0\.0\.1:\d+\/webhooks$/);
    assert.equal(second?.url, first?.url);
    assert.equal(await run('copyWebhookUrl'), first?.url);
    assert.equal(await vscode.env.clipboard.readText(), first?.url);
  });

  it('stops listening when it is stopped, and uses the same address when it starts again', async () => {
    const { url } = await run<{ url: string }>('startWebhookReceiver');
    await run('stopWebhookReceiver');
    await assert.rejects(fetch(url));
    assert.equal((await run<{ url: string }>('startWebhookReceiver')).url, url);
  });

  it('reports that a port is in use', async () => {
    const taken = await startFaultyServer(() => undefined);
    const configuration = vscode.workspace.getConfiguration('webdata');
    try {
      await run('stopWebhookReceiver');
      await configuration.update('webhooks.port', taken.port, vscode.ConfigurationTarget.Global);
      assert.equal(await run('startWebhookReceiver'), undefined);
    } finally {
      await configuration.update('webhooks.port', undefined, vscode.ConfigurationTarget.Global);
      await taken.close();
    }
    assert.match((await run<{ url: string }>('startWebhookReceiver')).url, /^http/);
  });
});
