import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { fake, Uri } from '../../harness/fake-vscode.ts';

describe('what is saved from a live view', () => {
  it('is offered in the home folder in a window without a folder', async () => {
    const { saveFile, saveFrames } = await import('../../../src/extension/live-view/save-files.ts');
    fake.reset();
    const offered: string[] = [];
    fake.answer = (_kind, options) => void offered.push((options as { defaultUri: Uri }).defaultUri.path);
    const texts = { title: '', filter: '', saved: '' };
    await saveFile(new ArrayBuffer(1), { name: 'live-shop', extension: 'png', texts });
    await saveFrames([], 'live-shop');
    const home = Uri.file(homedir()).path;
    assert.deepEqual(offered, [`${home}/live-shop.png`, home]);
  });
});
