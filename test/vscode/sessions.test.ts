import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../harness/eventually.ts';

interface RunSummary {
  sessionId: string;
  state: string;
  result?: string;
  error?: string;
}

const configuration = () => vscode.workspace.getConfiguration('webdata.session');
const set = (name: string, value: unknown) => configuration().update(name, value, vscode.ConfigurationTarget.Global);

/** Reads the details of a session as a user does: from the document. */
async function detailsOf(sessionId: unknown): Promise<Record<string, unknown>> {
  await vscode.commands.executeCommand('webdata.showBrowserSession', { sessionId });
  const text = vscode.window.activeTextEditor?.document.getText() ?? '';
  return JSON.parse(text);
}

/** The details once the list of the service has come in. */
async function listedDetails(sessionId: unknown): Promise<Record<string, unknown>> {
  let details = await detailsOf(sessionId);
  for (const end = Date.now() + 15_000; details.lastActivity === undefined && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    details = await detailsOf(sessionId);
  }
  return details;
}

async function run(content: string, language = 'javascript'): Promise<RunSummary> {
  const document = await vscode.workspace.openTextDocument({ language, content });
  await vscode.window.showTextDocument(document);
  return (await vscode.commands.executeCommand('webdata.runFile')) as RunSummary;
}

describe('browser sessions with settings', () => {
  const made: unknown[] = [];
  const create = async () => {
    const id = await vscode.commands.executeCommand('webdata.newBrowserSession');
    made.push(id);
    return id;
  };
  afterEach(async () => {
    for (const name of ['ttl', 'activityTtl', 'profile', 'saveChanges', 'liveView']) await set(name, undefined);
    for (const sessionId of made.splice(0)) {
      await vscode.commands.executeCommand('webdata.destroyBrowserSession', { sessionId });
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it("get the server defaults if nothing is set, and the window's idle time", async () => {
    const id = await create();
    await listedDetails(id);
    await eventually(async () => {
      const details = await detailsOf(id);
      assert.deepEqual([details.ttl, details.activityTtl, details.streamWebView], [600, 1800, true]);
      assert.equal(details.profile, undefined);
    });
  });

  it('get the settings, and show them in their document without secrets', async () => {
    await set('ttl', 45);
    await set('activityTtl', 20);
    await set('profile', 'settings 🛒');
    await set('saveChanges', false);
    await set('liveView', false);
    const details = await listedDetails(await create());
    assert.deepEqual([details.ttl, details.activityTtl, details.streamWebView], [45, 20, false]);
    assert.deepEqual(details.profile, { name: 'settings 🛒', saveChanges: false });
    assert.match(String(details.cdpUrl), /\/… \(hidden/);
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'webdata-document');
  });

  it('are replaced with the same options when they have ended', async () => {
    await set('profile', 'kept');
    const first = await create();
    assert.deepEqual((await listedDetails(first)).profile, { name: 'kept', saveChanges: true });
    await set('profile', undefined);
    const last = await run(
      `const cdp = await browser.newBrowserCDPSession(); setTimeout(() => cdp.send('Browser.close').catch(() => {}), 50); 1`,
    );
    assert.equal(last.sessionId, first, last.error);
    let next = await run('1 + 1');
    for (const end = Date.now() + 20_000; next.sessionId === first && Date.now() < end; ) next = await run('1 + 1');
    made.push(next.sessionId);
    assert.notEqual(next.sessionId, first, next.error);
    assert.equal(next.state, 'ok', next.error);
    const { profile } = await listedDetails(next.sessionId);
    assert.deepEqual(profile, { name: 'kept', saveChanges: true });
  });
});
