import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension', () => {
  it('is the one of this repository and activates', async () => {
    const extension = vscode.extensions.getExtension('web-data.web-data');
    assert.ok(extension, 'VS Code does not know web-data.web-data');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('runs where the workspace is', () => {
    const extension = vscode.extensions.getExtension('web-data.web-data');
    assert.equal(extension?.extensionKind, vscode.ExtensionKind.Workspace);
  });

  it('registers every command in its manifest, under one category', async () => {
    const extension = vscode.extensions.getExtension('web-data.web-data');
    await extension?.activate();
    const commands: { command: string; category?: string }[] = extension?.packageJSON.contributes.commands;
    const known = new Set(await vscode.commands.getCommands(true));
    assert.ok(commands.length > 0);
    assert.deepEqual(
      commands.filter(({ command, category }) => !known.has(command) || category !== 'Web Data'),
      [],
    );
  });
});
