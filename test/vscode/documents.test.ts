import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { withoutCommands } from '../../src/extension/ui/text/visible-text.ts';
import { eventually } from '../harness/eventually.ts';
import { commandLinks } from '../harness/hostile-markdown.ts';

/** Returns the links that run commands, of those that VS Code's editor follows in Markdown; not its own, which lead to the definition of a link. */
async function followed(content: string): Promise<string[]> {
  const { uri } = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', uri, 100);
  return links.map(({ target }) => String(target)).filter((target) => /^command:workbench/i.test(target));
}

describe('Markdown of others in an editor (EXT-33)', () => {
  it('has no links that run commands', async () => {
    // VS Code's Markdown starts with the first document.
    for (const link of commandLinks)
      await eventually(async () => assert.notEqual((await followed(link)).length, 0, link));
    assert.deepEqual(await followed(withoutCommands(commandLinks.join('\n\n'))), []);
  });
});
