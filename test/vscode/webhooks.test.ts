import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { startFaultyServer } from '../harness/faulty-server.ts';

const run = async <Result>(command: string, ...args: unknown[]) =>
  (await vscode.commands.executeCommand(`webdata.${command}`, ...args)) as Result;

describe('the webhook receiver in the extension host', function () {
  this.timeout(60_000);
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

  it("creates a secret at the first start, and stores nothing that isn't signed with it", async () => {
    const { url } = await run<{ url: string }>('startWebhookReceiver');
    const body = JSON.stringify({
      success: true,
      type: 'crawl.page',
      id: randomUUID(),
      webhookId: randomUUID(),
      data: [],
    });
    const post = (path: string, method = 'POST') =>
      fetch(new URL(path, url), {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' && { body }),
      });
    assert.equal((await post('/webhooks')).status, 401);
    assert.equal((await post('/webhooks', 'GET')).status, 405);
    for (const path of ['/', '/v2/browser', '/v2/crawl', '/embedded/proof'])
      assert.equal((await post(path)).status, 404, path);
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

  it('inserts verification code into the open document, with imports first', async () => {
    const content = 'package main\n\nfunc main() {}\n';
    const document = await vscode.workspace.openTextDocument({ language: 'go', content });
    const editor = await vscode.window.showTextDocument(document);
    const end = document.positionAt(content.length);
    editor.selection = new vscode.Selection(end, end);
    await run('insertWebhookVerification');
    const text = document.getText();
    assert.match(
      text,
      /^package main\nimport "crypto\/hmac"\nimport "crypto\/sha256"\nimport "encoding\/hex"\n\nfunc main\(\) \{\}\n\/\/ IsGenuineDelivery/,
    );
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
