import assert from 'node:assert/strict';
import * as vscode from 'vscode';

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
  while (vscode.window.activeTextEditor?.document !== document) await new Promise((done) => setTimeout(done, 20));
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

  it('runs the buffer, saved or not, and returns its result', async () => {
    const run = await runFile(`console.log('printed'); [1, 2, 3].map((n) => n * 2)`);
    assert.equal(run.state, 'ok', run.error);
    assert.equal(run.stdout, 'printed\n');
    assert.deepEqual(JSON.parse(run.result ?? ''), [2, 4, 6]);
  });

  it('drives a real page, and keeps it and the variables for the next run', async () => {
    const first = await runFile(`await page.setContent('<title>Shop</title>'); const kept = 41;`);
    assert.equal(first.state, 'ok', first.error);
    const second = await runFile(`[await page.title(), kept + 1]`);
    assert.equal(second.sessionId, first.sessionId);
    assert.equal(second.state, 'ok', second.error);
    assert.deepEqual(JSON.parse(second.result ?? ''), ['Shop', 42]);
  });

  it('runs TypeScript without its types', async () => {
    const run = await runFile(`interface Row { n: number }\nconst row: Row = { n: 7 };\n(row as Row).n`, 'typescript');
    assert.equal(run.result, '7', run.error);
  });

  it('keeps the focus in the editor, and the text unchanged', async () => {
    const editor = await open('1 + 1');
    await vscode.commands.executeCommand('webdata.runFile');
    assert.equal(vscode.window.activeTextEditor, editor);
    assert.equal(editor.document.getText(), '1 + 1');
  });

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

  it("marks TypeScript that can't be stripped at its position, and sends nothing", async () => {
    const editor = await open('let a = 1;\nenum Colour { Red }\n', 'typescript');
    const run = (await vscode.commands.executeCommand('webdata.runFile')) as RunSummary;
    assert.deepEqual([run.state, run.sessionId], ['failed', '']);
    const [found] = diagnostics(editor);
    assert.ok(found);
    assert.deepEqual(place(found), [1, 0]);
  });

  it('rejects code that is too long, with the limit in the message', async () => {
    const run = await runFile(`'${'x'.repeat(100_000)}'`);
    assert.deepEqual([run.state, run.sessionId], ['failed', '']);
    assert.match(run.error ?? '', /1 to 100,000 characters, got 100,002/);
  });

  it('rejects a file of an unsupported language', async () => {
    await open('hello', 'plaintext');
    assert.equal(await vscode.commands.executeCommand('webdata.runFile'), undefined);
  });
});

describe('running a part of a file', () => {
  const content = `// %% first\nconst one = 1;\none\n\n// %% second\nthrow new Error('in the second cell');\n`;
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('runs the cell at the cursor', async () => {
    const editor = await open(content);
    editor.selection = new vscode.Selection(2, 0, 2, 0);
    const run = (await vscode.commands.executeCommand('webdata.runSelectionOrCell')) as RunSummary;
    assert.deepEqual([run.state, run.result], ['ok', '1']);
  });

  it('marks the error of a cell on its line of the file', async () => {
    const editor = await open(content);
    editor.selection = new vscode.Selection(5, 3, 5, 3);
    await vscode.commands.executeCommand('webdata.runSelectionOrCell');
    const [found] = diagnostics(editor);
    assert.ok(found);
    assert.deepEqual(place(found), [5, 6]);
  });

  it('runs only the selection, and marks its error at the column in the file', async () => {
    const editor = await open(`const before = 1; missing.call();`);
    editor.selection = new vscode.Selection(0, 18, 0, 33);
    await vscode.commands.executeCommand('webdata.runSelectionOrCell');
    const [found] = diagnostics(editor);
    assert.ok(found);
    assert.deepEqual(place(found), [0, 18]);
  });

  it('shows Run cell above the first line of each cell', async () => {
    const editor = await open(content);
    const lenses = (await vscode.commands.executeCommand(
      'vscode.executeCodeLensProvider',
      editor.document.uri,
      10,
    )) as vscode.CodeLens[];
    const ours = lenses.filter(({ command }) => command?.command === 'webdata.runCell');
    assert.deepEqual(
      ours.map(({ range }) => range.start.line),
      [0, 4],
    );
    const [lens] = ours;
    const run = (await vscode.commands.executeCommand(
      lens?.command?.command ?? '',
      ...(lens?.command?.arguments ?? []),
    )) as RunSummary;
    assert.equal(run.result, '1');
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
    await vscode.commands.executeCommand('webdata.destroyBrowserSession', { sessionId: id });
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
    for (const sessionId of [one, two]) {
      await vscode.commands.executeCommand('webdata.destroyBrowserSession', { sessionId });
    }
  });

  it('replaces a session that has ended, and runs the code in the new one', async () => {
    const last = await runFile(
      `const cdp = await browser.newBrowserCDPSession(); setTimeout(() => cdp.send('Browser.close').catch(() => {}), 50); 1`,
    );
    // Until the browser is gone, runs still reach the old session.
    let run = await runFile('1 + 1');
    for (const end = Date.now() + 20_000; run.sessionId === last.sessionId && Date.now() < end; )
      run = await runFile('1 + 1');
    assert.notEqual(run.sessionId, last.sessionId);
    assert.deepEqual([run.state, run.result], ['ok', '2'], run.error);
  });

  it('stops a run immediately', async () => {
    const going = runFile(`console.log('on'); await new Promise(() => {})`);
    const stop = setInterval(() => vscode.commands.executeCommand('webdata.stopRun'), 500);
    const run = await going;
    clearInterval(stop);
    assert.equal(run.state, 'cancelled');
    assert.equal((await runFile('1')).state, 'ok');
  });
});
