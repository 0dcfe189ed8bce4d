import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { commands, contextKeys } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { fake, happen, Uri, workspace } from '../../harness/fake-vscode.ts';
import { repository } from '../../harness/folders.ts';

const { trackCells } = await import('../../../src/extension/runs/editor/cell-context.ts');
const { CellLenses } = await import('../../../src/extension/runs/cell-commands.ts');
const { registerRunCommands } = await import('../../../src/extension/runs/run-commands.ts');
const { RunStore } = await import('../../../src/extension/runs/run-store.ts');
const { RunFilesStore } = await import('../../../src/extension/types/run-files-store.ts');

/** A document whose lines can be changed. It counts how often its lines and its whole text are read. */
function documentOf(name: string, languageId: string, lines: string[]) {
  const reads = { lines: 0, texts: 0 };
  return {
    uri: Uri.file(`/project/${name}`),
    languageId,
    reads,
    lines,
    get lineCount() {
      return lines.length;
    },
    lineAt(line: number) {
      reads.lines++;
      return { text: lines[line] ?? '' };
    },
    getText() {
      reads.texts++;
      return lines.join('\n');
    },
    /** Types a text into a line. */
    type(line: number, text: string) {
      lines[line] = text + (lines[line] ?? '');
      lines.splice(line, 1, ...(lines[line] as string).split('\n'));
      happen.changed(this, text, line);
    },
  };
}

const state = { get: <Value>(_key: string, initial: Value) => initial, update: async () => undefined };
const keyValue = (name: keyof typeof contextKeys) =>
  fake.ran.findLast(({ id, args }) => id === 'setContext' && args[0] === contextKeys[name])?.args[1];

describe('cells in the active editor', () => {
  let files: InstanceType<typeof RunFilesStore>;
  let tracking: { dispose(): unknown };
  beforeEach(() => {
    fake.reset();
    files = new RunFilesStore(state);
    tracking = trackCells(files);
    // The last values are remembered beyond a test.
    happen.activated({ document: documentOf('start.js', 'javascript', ['// %%']) });
    happen.activated(undefined);
    fake.ran.length = 0;
  });
  afterEach(() => tracking.dispose());

  it('are found without reading the document at each keystroke (EXT-24)', () => {
    const document = documentOf(
      'long.js',
      'javascript',
      Array.from({ length: 5_000 }, () => 'x'),
    );
    happen.activated({ document });
    document.reads.lines = 0;
    for (let count = 0; count < 50; count++) document.type(4_000, 'a');
    assert.ok(document.reads.lines <= 100, String(document.reads.lines));
    document.type(10, '// %% one\n');
    assert.equal(keyValue('hasCells'), true);
    document.reads.lines = 0;
    for (let count = 0; count < 50; count++) document.type(count % 2 ? 3 : 4_000, 'b\n');
    assert.ok(document.reads.lines <= 100, String(document.reads.lines));
    assert.equal(document.reads.texts, 0);
    assert.equal(keyValue('hasCells'), true);
  });

  it('are gone with the line that started the last one', () => {
    const document = documentOf('a.js', 'javascript', ['a', '// %% one', 'b', '// %% two']);
    happen.activated({ document });
    assert.equal(keyValue('hasCells'), true);
    document.type(1, 'no ');
    assert.equal(keyValue('hasCells'), true, 'another cell is left');
    document.type(3, 'no ');
    assert.equal(keyValue('hasCells'), false);
    document.lines[0] = '# %';
    document.lines[0] = '# %%';
    happen.changed(document, '%', 0);
    assert.equal(keyValue('hasCells'), true);
  });

  it('of Python belong to another extension that runs them, until the file is run here', () => {
    const document = documentOf('data.py', 'python', ['# %%', 'import pandas']);
    const lenses = new CellLenses(files);
    const shown = () => lenses.provideCodeLenses(document as never as vscode.TextDocument).length;
    happen.activated({ document });
    assert.deepEqual([keyValue('ownsCells'), shown()], [true, 2]);
    happen.installed('ms-toolsai.jupyter');
    assert.deepEqual([keyValue('hasCells'), keyValue('ownsCells'), shown()], [true, false, 0]);
    files.add(document.uri.toString());
    assert.deepEqual([keyValue('ownsCells'), shown()], [true, 2]);
    happen.activated({ document: documentOf('a.ts', 'typescript', ['// %%']) });
    assert.equal(keyValue('ownsCells'), true, 'nothing else runs these');
    lenses.dispose();
  });
});

describe('the commands that run code', () => {
  it('know the runs that were restored before them, and say that a cell is gone', async () => {
    fake.reset();
    const store = new RunStore();
    store.restore([{ id: 'old' } as never]);
    const signal = new Signal<string>();
    const registered = registerRunCommands({
      runs: { store, onRunAgain: signal },
      results: { onRunAgain: signal, onStop: signal },
      files: new RunFilesStore(state),
      log: { error: () => undefined },
    } as never);
    assert.equal(keyValue('hasRuns'), true);
    store.clear();
    assert.equal(keyValue('hasRuns'), false);

    const document = documentOf('a.js', 'javascript', ['// %% one', '1']);
    workspace.textDocuments = [document];
    for (const command of [commands.runCell, commands.runCellsAbove]) {
      fake.messages.length = 0;
      await fake.run(command, document.uri.toString(), 7);
      assert.match(fake.messages[0] ?? '', /This cell no longer exists/, command);
    }
    registered.dispose();
  });
});

describe('keys and buttons that other extensions have too', () => {
  const { contributes } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const items = (menu: string): { command: string; when: string; group: string }[] => contributes.menus[menu];

  it('are left to Jupyter and to the windows where code is typed in', () => {
    const [shiftEnter] = contributes.keybindings.filter(({ key }: { key: string }) => key === 'shift+enter');
    const others = ['jupyter.hascodecells', 'notebookEditorFocused'].map((key) => `!${key}`);
    const windows = ['interactive', 'repl'].map((name) => `activeEditor != workbench.editor.${name}`);
    for (const term of ['webdata.ownsCells', ...others, ...windows])
      assert.ok(shiftEnter.when.split(' && ').includes(term), term);
  });

  it('share the play button of the editor, in front only for files that were run here', () => {
    assert.deepEqual(
      items('editor/title').filter(({ command }) => command === commands.runFile),
      [],
    );
    const shared = items('editor/title/run').map(({ when, group }) => [
      /resource (?:not )?in \S+/.exec(when)?.[0],
      group,
    ]);
    assert.deepEqual(shared, [
      ['resource in webdata.ranFiles', 'navigation@0'],
      ['resource not in webdata.ranFiles', 'z_webdata@1'],
    ]);
  });
});
