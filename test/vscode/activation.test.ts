import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const COMMANDS = [
  'webdata.runFile',
  'webdata.runSelectionOrCell',
  'webdata.newBrowserSession',
  'webdata.destroyBrowserSession',
  'webdata.stopRun',
  'webdata.resetRepl',
  'webdata.showServiceLog',
  'webdata.connectToServer',
  'webdata.useEmbeddedService',
];

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

  it('registers every command in its manifest', async () => {
    await vscode.extensions.getExtension('web-data.web-data')?.activate();
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      COMMANDS.filter((command) => !known.has(command)),
      [],
    );
  });

  it('puts all its commands under one category', () => {
    const manifest = vscode.extensions.getExtension('web-data.web-data')?.packageJSON;
    const commands: { command: string; category?: string }[] = manifest?.contributes?.commands ?? [];
    assert.ok(commands.length > 0);
    assert.deepEqual(
      commands.filter(({ category }) => category !== 'Web Data').map(({ command }) => command),
      [],
    );
  });
});
