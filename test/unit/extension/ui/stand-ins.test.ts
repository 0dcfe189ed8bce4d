import assert from 'node:assert/strict';
import { EventEmitter, fake } from '../../../harness/fake-vscode.ts';

const { registerCommand, standInForCommands } = await import('../../../../src/extension/ui/commands.ts');
const { commands, liveViewType, pageScheme, views } = await import('../../../../src/extension/ui/ids.ts');
const { provideFiles, standInForFiles } = await import(
  '../../../../src/extension/ui/virtual-documents/read-only-files.ts'
);
const { requireParts } = await import('../../../../src/extension/ui/stand-ins/stand-ins.ts');
const { createTreeView, registerWebviewView, restoreLiveViews, standInForViews } = await import(
  '../../../../src/extension/ui/stand-ins/views.ts'
);
const { Uri, workspace } = await import('vscode');

describe('what is registered at activation', () => {
  const log = { error: () => undefined } as never;
  let loads = 0;
  let features: () => void;
  let registered: { dispose(): unknown }[];
  /** As activation does it: the features load once, whoever asks first. */
  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= Promise.resolve().then(() => {
      loads++;
      features();
    });
    return loading;
  };

  beforeEach(() => {
    fake.reset();
    loads = 0;
    loading = undefined;
    registered = [...standInForCommands(load), ...standInForViews(load), standInForFiles(pageScheme, load)];
  });
  afterEach(() => {
    for (const one of registered) one.dispose();
  });

  it('loads the features with the first command, once, and runs it with its arguments', async () => {
    features = () => registerCommand(commands.runFile, log, async (name) => `ran ${name}`);
    const both = [fake.run(commands.runFile, 'a.js'), fake.run(commands.runFile, 'b.js')];
    assert.deepEqual(await Promise.all(both), ['ran a.js', 'ran b.js']);
    assert.equal(loads, 1);
  });

  it('includes every command, and loads nothing by itself', () => {
    assert.deepEqual([...fake.commands.keys()].sort(), Object.values(commands).sort());
    assert.deepEqual([...fake.views.trees.keys(), ...fake.views.webviews.keys()].sort(), Object.values(views).sort());
    assert.equal(loads, 0);
  });

  it('shows the rows of the features in the view that was there before them, and their changes', async () => {
    const changed = new EventEmitter<string | undefined>();
    const rows = {
      onDidChangeTreeData: changed.event as never,
      getChildren: () => ['a row'],
      getTreeItem: (row: string) => ({ label: row }),
    };
    features = () => createTreeView(views.activity, rows);
    const tree = fake.views.trees.get(views.activity);
    const seen: unknown[] = [];
    tree?.onDidChangeTreeData?.((row: unknown) => seen.push(row));
    assert.deepEqual(await tree?.getChildren(), ['a row']);
    changed.fire('a row');
    assert.deepEqual(seen, ['a row']);
    assert.equal(fake.views.trees.get(views.activity), tree);
  });

  it('passes webviews, restored panels and files on', async () => {
    const asked: unknown[] = [];
    features = () => {
      registerWebviewView(views.docs, { resolveWebviewView: (view) => void asked.push(view) });
      restoreLiveViews({ deserializeWebviewPanel: async (panel, state) => void asked.push(panel, state) });
      provideFiles(pageScheme, { stat: () => ({}) as never, readFile: () => Buffer.from('text') });
    };
    await fake.views.webviews.get(views.docs)?.resolveWebviewView('docs');
    await fake.views.panels.get(liveViewType)?.deserializeWebviewPanel('panel', 'state');
    assert.deepEqual(asked, ['docs', 'panel', 'state']);
    const file = Uri.from({ scheme: pageScheme, path: '/page.md' });
    assert.equal(String(await workspace.fs.readFile(file)), 'text');
  });

  it('names what no feature has taken over', () => {
    assert.throws(() => requireParts(), /No feature has taken over .*webdata\.newSnippet/);
  });
});
