import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '../../harness/eventually.ts';
import { fake, happen, Uri, workspace } from '../../harness/fake-vscode.ts';

const { loadWhenNeeded } = await import('../../../src/extension/first-need.ts');

const folder = mkdtempSync(join(tmpdir(), 'webdata-first-need-'));
const inFolder = (name: string, languageId: string, text = '') => ({
  uri: Uri.file(`/work space/${name}`),
  languageId,
  getText: () => text,
  lineCount: text.split('\n').length,
  lineAt: (line: number) => ({ text: text.split('\n')[line] ?? '' }),
});

describe('what loads the features before one is used', () => {
  let loads: number;
  let state: Map<string, unknown>;
  let watching: { dispose(): unknown } | undefined;

  /** Starts a window and waits until it has looked around. */
  async function start(runFiles: string[] = []): Promise<void> {
    const context = { globalStorageUri: Uri.file(folder), workspaceState: state } as never;
    const files = { has: (uri: string) => runFiles.includes(uri) } as never;
    watching = loadWhenNeeded(context, files, () => {
      loads++;
    });
    await settled();
  }
  async function settled(): Promise<void> {
    // The search for the service's file takes some turns.
    for (let count = 0; count < 20; count++) await turn();
  }

  beforeEach(() => {
    fake.reset();
    fake.settings.set('webdata.embedded.dataDirectory', folder);
    loads = 0;
    state = new Map();
  });
  afterEach(() => {
    watching?.dispose();
    rmSync(join(folder, 'service.json'), { force: true });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is nothing in a window that does not use them', async () => {
    workspace.textDocuments = [inFolder('a.ts', 'typescript', 'const a = 1;'), inFolder('b.md', 'markdown', '# %% x')];
    await start();
    happen.opened(inFolder('c.py', 'python', 'print(1)'));
    happen.changed(inFolder('a.ts', 'typescript', 'const a = 1 % 2;'), '%');
    happen.configured('editor.fontSize');
    assert.equal(loads, 0);
  });

  it('is a service that may be running, to link to it again', async () => {
    writeFileSync(join(folder, 'service.json'), '{}');
    await start();
    await eventually(() => assert.equal(loads, 1));
  });

  it('waits for trust before it links to a service', async () => {
    writeFileSync(join(folder, 'service.json'), '{}');
    workspace.isTrusted = false;
    await start();
    assert.equal(loads, 0);
    happen.trusted();
    await eventually(() => assert.equal(loads, 1));
  });

  it('is a server, a receiver that was listening, or a changed setting', async () => {
    fake.settings.set('webdata.server.baseUrl', 'https://data.test');
    await start();
    assert.equal(loads, 1);

    fake.settings.delete('webdata.server.baseUrl');
    state.set('webdata.webhooks.receiving', true);
    await start();
    assert.equal(loads, 2);

    state.clear();
    await start();
    happen.configured('webdata.server.baseUrl');
    happen.configured('webdata.server.baseUrl');
    assert.equal(loads, 3);
  });

  it('is a document with cells, a crawl, or a Python file that was run', async () => {
    const run = inFolder('run.py', 'python', 'page');
    for (const document of [
      inFolder('a.ts', 'typescript', 'const a = 1;\n// %% one\n'),
      inFolder('docs.crawl.json', 'json', '{}'),
      { ...inFolder('draft', 'json'), uri: Uri.from({ scheme: 'webdata-crawl', path: '/a.crawl.json' }) },
      run,
    ]) {
      loads = 0;
      await start([run.uri.toString()]);
      happen.opened(document);
      assert.equal(loads, 1, document.uri.toString());
    }
  });

  it('is the first cell that is typed', async () => {
    await start();
    happen.changed(inFolder('a.py', 'python', '# %'), '%');
    assert.equal(loads, 0);
    happen.changed(inFolder('a.py', 'python', '# %%'), '%');
    assert.equal(loads, 1);
  });
});
