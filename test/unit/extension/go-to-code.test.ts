import assert from 'node:assert/strict';
import type { Run } from '../../../src/extension/runs/run-store.ts';
import { fake, TabInputText, Uri } from '../../harness/fake-vscode.ts';

describe('Go to code', () => {
  const run = { document: 'file:/shop/teas.js', line: 3 } as Run;
  const go = async (of = run) => {
    const { goToCode } = await import('../../../src/extension/runs/results/result-actions.ts');
    await goToCode(of);
    return fake.shown.at(-1);
  };
  const group = (viewColumn: number, isActive: boolean, ...files: string[]) => ({
    viewColumn,
    isActive,
    tabs: files.map((file) => ({
      input: file === 'live view' ? undefined : new TabInputText(Uri.parse(`file:${file}`)),
    })),
  });
  beforeEach(() => fake.reset());

  it('shows the file where it is open, not over the view beside it that has the focus', async () => {
    fake.groups.push(group(1, false, '/shop/teas.js'), group(2, true, 'live view'));
    assert.deepEqual(await go(), { uri: run.document, viewColumn: 1 });
  });

  it('stays in the active column if the file is open there too', async () => {
    fake.groups.push(group(1, false, '/shop/teas.js'), group(2, true, '/shop/teas.js'));
    assert.deepEqual(await go(), { uri: run.document, viewColumn: 2 });
  });

  it('opens a file that is not open in the active column', async () => {
    fake.groups.push(group(1, true, '/shop/other.js'));
    assert.deepEqual(await go(), { uri: run.document });
  });

  it('opens code that is from no document as a new one, to edit and to run', async () => {
    await go({ code: 'await page.title()', language: 'node' } as Run);
    assert.deepEqual(fake.shown, [{ uri: 'untitled:javascript await page.title()' }]);
  });
});
