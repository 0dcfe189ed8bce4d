import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import type { LogOutputChannel } from 'vscode';
import { fake, Uri } from '../../harness/fake-vscode.ts';

describe('what is saved from a live view', () => {
  it('is offered in the home folder in a window without a folder', async () => {
    const { saveFile, saveFrames } = await import('../../../src/extension/live-view/save-files.ts');
    fake.reset();
    const offered: string[] = [];
    const log = {} as LogOutputChannel;
    fake.answer = (_kind, options) => void offered.push((options as { defaultUri: Uri }).defaultUri.path);
    const texts = { title: '', filter: '', saved: '' };
    await saveFile(new ArrayBuffer(1), { name: 'live-shop', extension: 'png', texts }, log);
    await saveFrames([], 'live-shop', log);
    const home = Uri.file(homedir()).path;
    assert.deepEqual(offered, [`${home}/live-shop.png`, home]);
  });
});
