import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type SmallSite, startSmallSite } from '../harness/small-site.ts';

const names = ['webdata_run', 'webdata_page', 'webdata_scrape', 'webdata_crawl', 'webdata_docs'];

async function invoke(name: string, input: object, token?: vscode.CancellationToken): Promise<unknown[]> {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
  return content;
}
async function ask(name: string, input: object): Promise<string> {
  const content = await invoke(name, input);
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

describe('tools for language models', () => {
  let site: SmallSite;
  before(async () => {
    await vscode.extensions.getExtension('web-data.web-data')?.activate();
    site = await startSmallSite(['Tea', 'Coffee']);
  });
  after(async () => {
    await site.close();
    await vscode.commands.executeCommand('webdata.clearRunResults');
  });

  it('are registered in VS Code', () => {
    const known = vscode.lm.tools.filter(({ name }) => name.startsWith('webdata_'));
    assert.deepEqual(known.map(({ name }) => name).sort(), [...names].sort());
    for (const { name, description, inputSchema } of known) assert.ok(description && inputSchema, name);
  });

  it('run code in the session that the window uses', async () => {
    const text = await ask('webdata_run', { code: `await page.setContent('<title>Shop</title>'); 6 * 7` });
    assert.match(text, /^The run succeeded\. Run \w+ in session (\w+)/);
    assert.match(text, /\nBEGIN untrusted output (\w+)\n42\nEND untrusted output \1$/);
    const document = await vscode.workspace.openTextDocument({ language: 'javascript', content: 'await page.title()' });
    await vscode.window.showTextDocument(document);
    const run = (await vscode.commands.executeCommand('webdata.runFile', document.uri)) as { result?: string };
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.equal(run.result, 'Shop');
  });

  it('open and read a page there, and act on it by its references', async () => {
    const page = await ask('webdata_page', { url: site.url });
    assert.match(page, /\nBEGIN untrusted page \w+\nhttp:\/\/127\.0\.0\.1:\d+\/\nHome\n/);
    const [, ref] = /link "Tea" \[ref=(e\d+)\]/.exec(page) ?? [];
    assert.ok(ref, page);
    await ask('webdata_run', { code: `await page.locator('aria-ref=${ref}').click()` });
    assert.match(await ask('webdata_page', {}), /\/Tea\nTea\n[\s\S]*All about Tea\./);
    const image = (await invoke('webdata_page', { screenshot: true })).at(-1);
    assert.ok(image instanceof vscode.LanguageModelDataPart);
    assert.deepEqual([image.mimeType, Buffer.from(image.data).subarray(0, 2).toString('hex')], ['image/jpeg', 'ffd8']);
  });

  it('scrape a page', async () => {
    assert.match(
      await ask('webdata_scrape', { url: `${site.url}Tea` }),
      /^BEGIN untrusted page \w+\nTea · http.*\n# Tea\n/,
    );
  });

  it('crawl a site, and read its pages', async () => {
    const text = await ask('webdata_crawl', { url: site.url, wait: 120 });
    const [, job = ''] = /^Crawl (\S+): completed, 3 of 3 pages/.exec(text) ?? [];
    assert.ok(job, text);
    assert.match(await ask('webdata_crawl', { job, list: true }), /\/Coffee · Coffee\n/);
    assert.match(await ask('webdata_crawl', { job, page: `${site.url}Coffee` }), /All about Coffee\./);
  });

  it('answer from the docs with the texts that support the answer', async () => {
    const text = await ask('webdata_docs', { question: 'How long may a session live?' });
    assert.match(text, /3600/);
    assert.match(text, /\nSources:\n- browser-sessions\.md#/);
  });

  it("say if the docs don't answer", async () => {
    const text = await ask('webdata_docs', { question: 'Who won the world cup in 1998?' });
    assert.match(text, /do not answer/);
    assert.doesNotMatch(text, /Sources/);
  });

  it('reject wrong input, and say what to send', async () => {
    await assert.rejects(ask('webdata_docs', { question: 'x'.repeat(5_000) }), /Send, for example/);
    await assert.rejects(ask('webdata_run', { code: 7 }), /Send, for example/);
  });

  it('stop when their call is canceled', async () => {
    const cancelling = new vscode.CancellationTokenSource();
    const going = invoke('webdata_run', { code: 'await new Promise(() => {})', timeout: 300 }, cancelling.token);
    setTimeout(() => cancelling.cancel(), 300);
    await assert.rejects(going);
    cancelling.dispose();
    // The session is free again.
    assert.match(await ask('webdata_run', { code: `'free'` }), /\nfree\n/);
  });
});
