import assert from 'node:assert/strict';
import { eventually } from '../../../harness/eventually.ts';
import { EventEmitter, fake } from '../../../harness/fake-vscode.ts';

const { loadOnce, registerCommand, standInForCommands } = await import('../../../../src/extension/ui/commands.ts');
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
  const logged: string[] = [];
  const log = { error: (text: string) => logged.push(text) } as never;
  let loads = 0;
  let features: () => void;
  let registered: { dispose(): unknown }[];

  beforeEach(() => {
    fake.reset();
    loads = logged.length = 0;
    const load = loadOnce(async () => {
      loads++;
      features();
    }, log);
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

  it('says why the features could not be loaded, once, and loads them with the next use (EXT-22)', async () => {
    let broken = true;
    features = () => {
      registerCommand(commands.runFile, log, async () => (broken ? 'half' : 'whole'));
      createTreeView(views.activity, {
        onDidChangeTreeData: new EventEmitter<string | undefined>().event as never,
        getChildren: () => [broken ? 'half' : 'whole'],
        getTreeItem: (row: string) => ({ label: row }),
      });
      if (broken) throw new Error('No storage.');
    };
    const tree = fake.views.trees.get(views.activity);
    const used = [fake.run(commands.runFile), fake.run(commands.newSnippet), tree?.getChildren()];
    const outcomes = await Promise.allSettled(used);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    assert.deepEqual(fake.messages, ["Web Data: Couldn't load the extension: No storage."]);
    assert.deepEqual(logged, ["Load: Couldn't load the extension: No storage."]);
    broken = false;
    assert.equal(await fake.run(commands.runFile), 'whole');
    assert.deepEqual(await tree?.getChildren(), ['whole']);
    assert.equal(loads, 2);
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
    await eventually(() => assert.deepEqual(seen, [['a row']]));
    assert.equal(fake.views.trees.get(views.activity), tree);
  });

  it('reports changes of rows when VS Code has taken in the children that it waits for, or it would drop them', async () => {
    const taken = Promise.withResolvers<void>();
    fake.result = (id) => (id === 'setContext' ? taken.promise : undefined);
    const changed = new EventEmitter<string | undefined>();
    const first = Promise.withResolvers<string[]>();
    const rows = {
      onDidChangeTreeData: changed.event as never,
      getChildren: (row?: string) => (row === 'slow' ? first.promise : ['slow', 'other']),
      getTreeItem: (row: string) => ({ label: row }),
    };
    features = () => createTreeView(views.activity, rows);
    const tree = fake.views.trees.get(views.activity);
    const seen: unknown[] = [];
    tree?.onDidChangeTreeData?.((row: unknown) => seen.push(row));
    const children = tree?.getChildren('slow');
    await tree?.getChildren();
    changed.fire('slow');
    changed.fire('slow');
    changed.fire(undefined);
    first.resolve(['page 1']);
    seen.push(...((await children) as string[]));
    await eventually(() => assert.equal(fake.ran.at(-1)?.id, 'setContext'));
    assert.deepEqual(seen, [undefined, 'page 1']);
    taken.resolve();
    await eventually(() => assert.deepEqual(seen, [undefined, 'page 1', ['slow']]));
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
