import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../harness/eventually.ts';

describe("the tools for VS Code's own agents", () => {
  it('are started by VS Code from the definition, and work', async () => {
    // VS Code asks for the definitions of extensions when its list of servers is opened.
    void vscode.commands.executeCommand('workbench.mcp.listServer');
    const tool = await eventually(async () => {
      await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
      const found = vscode.lm.tools.find(({ name }) => name.endsWith('session_list'));
      assert.ok(found, vscode.lm.tools.map(({ name }) => name).join(', '));
      return found;
    });
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    const { content } = await vscode.lm.invokeTool(tool.name, { input: {}, toolInvocationToken: undefined });
    const text = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
    assert.match(text, /session/i);
  });
});
