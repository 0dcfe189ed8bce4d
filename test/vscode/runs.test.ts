import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../harness/eventually.ts';

interface RunSummary {
  id: string;
  sessionId: string;
  state: 'ok' | 'failed' | 'cancelled';
  result?: string;
  stdout?: string;
  stderr?: string;
  error?: string;
}

async function open(content: string, language = 'javascript'): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument({ language, content });
  const editor = await vscode.window.showTextDocument(document);
  // The extension host hears a little later which editor is the active one.
  await eventually(() => assert.equal(vscode.window.activeTextEditor?.document, document));
  // A new buffer has the name of the last one, and may come with what VS Code had backed up of that.
  if (document.getText() !== content) {
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    assert.ok(await editor.edit((edit) => edit.replace(all, content)));
  }
  return editor;
}

async function runFile(content: string, language?: string): Promise<RunSummary> {
  await open(content, language);
  return (await vscode.commands.executeCommand('webdata.runFile')) as RunSummary;
}

function diagnostics(editor: vscode.TextEditor): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(editor.document.uri).filter(({ source }) => source === 'Web Data');
}

const place = ({ range }: vscode.Diagnostic) => [range.start.line, range.start.character];

describe('running code', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('marks an error on its line until the next run', async () => {
    const editor = await open(`const a = 1;\nfunction inner() {\n  throw new TypeError('on purpose');\n}\ninner();`);
    const run = (await vscode.commands.executeCommand('webdata.runFile')) as RunSummary;
    assert.equal(run.state, 'failed');
    const [found, ...others] = diagnostics(editor);
    assert.ok(found);
    assert.deepEqual([place(found), others.length], [[2, 8], 0]);
    assert.match(found.message, /TypeError: on purpose/);
    await editor.edit((edit) => edit.replace(new vscode.Range(4, 0, 4, 8), ''));
    await vscode.commands.executeCommand('webdata.runFile');
    assert.deepEqual(diagnostics(editor), []);
  });

  it('marks a syntax error at its position', async () => {
    const editor = await open('const ok = 1;\nconst bad = = 2;\n');
    await vscode.commands.executeCommand('webdata.runFile');
    const [found] = diagnostics(editor);
    assert.ok(found);
    assert.equal(found.range.start.line, 1);
  });

  it('marks no line when a run is killed by its limit', async () => {
    const configuration = vscode.workspace.getConfiguration('webdata');
    await configuration.update('run.timeout', 1, vscode.ConfigurationTarget.Global);
    try {
      const editor = await open('const start = 1;\nfor (;;);\n');
      const run = (await vscode.commands.executeCommand('webdata.runFile')) as RunSummary;
      assert.match(run.error ?? '', /the limit in the setting webdata\.run\.timeout/);
      assert.deepEqual(diagnostics(editor), []);
    } finally {
      await configuration.update('run.timeout', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('rejects a file of an unsupported language', async () => {
    await open('hello', 'plaintext');
    assert.equal(await vscode.commands.executeCommand('webdata.runFile'), undefined);
  });

  it('runs only the selection, and marks its error at the column in the file', async () => {
    const editor = await open(`const before = 1; missing.call();`);
    editor.selection = new vscode.Selection(0, 18, 0, 33);
    await vscode.commands.executeCommand('webdata.runSelectionOrCell');
    const [found] = diagnostics(editor);
    assert.ok(found);
    assert.deepEqual(place(found), [0, 18]);
  });
});

describe('sessions and runs', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('gets a fresh REPL on reset, and keeps the page', async () => {
    await runFile(`await page.setContent('<title>Still here</title>'); globalThis.marker = 1;`);
    await vscode.commands.executeCommand('webdata.resetRepl');
    const run = await runFile(`[typeof marker, await page.title()]`);
    assert.deepEqual(JSON.parse(run.result ?? '[]'), ['undefined', 'Still here'], run.error);
  });

  it('runs in a session that was just created', async () => {
    const before = await runFile('1');
    const id = await vscode.commands.executeCommand('webdata.newBrowserSession');
    const after = await runFile('2');
    assert.notEqual(after.sessionId, before.sessionId);
    assert.equal(after.sessionId, id);
  });

  it('runs in two sessions at once', async () => {
    const one = (await vscode.commands.executeCommand('webdata.newBrowserSession')) as string;
    await open(`await new Promise(() => {})`);
    const endless = vscode.commands.executeCommand('webdata.runFile') as Promise<RunSummary>;
    const two = (await vscode.commands.executeCommand('webdata.newBrowserSession')) as string;
    const quick = await runFile(`'quick'`);
    assert.deepEqual([quick.sessionId, quick.result], [two, 'quick'], quick.error);
    await vscode.commands.executeCommand('webdata.stopRun');
    const stopped = await endless;
    assert.deepEqual([stopped.sessionId, stopped.state], [one, 'cancelled']);
  });
});
