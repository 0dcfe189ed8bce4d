import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { startFaultyServer } from '../harness/faulty-server.ts';

const run = async <Result>(command: string, ...args: unknown[]) =>
  (await vscode.commands.executeCommand(`webdata.${command}`, ...args)) as Result;

describe('the webhook receiver in the extension host', function () {
  this.timeout(60_000);
  after(() => run('stopWebhookReceiver'));

  it('starts once, however many ask for it', async () => {
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

  it('has a secret of its own from the first start, and stores nothing that is not signed with it', async () => {
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

  it('listens no more when it is stopped, and at the same address when it is started again', async () => {
    const { url } = await run<{ url: string }>('startWebhookReceiver');
    await run('stopWebhookReceiver');
    await assert.rejects(fetch(url));
    assert.equal((await run<{ url: string }>('startWebhookReceiver')).url, url);
  });

  it('says that a port is taken', async () => {
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

  it('puts verification code into the document that is open, imports first', async () => {
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
