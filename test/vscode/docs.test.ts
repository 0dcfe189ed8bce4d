import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const tool = 'webdata_docs_answer';

async function ask(question: string): Promise<string> {
  const { content } = await vscode.lm.invokeTool(tool, { input: { question }, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

describe('docs for language models', () => {
  before(async () => {
    await vscode.extensions.getExtension('web-data.web-data')?.activate();
  });

  it('are available as a tool in VS Code', () => {
    const known = vscode.lm.tools.find(({ name }) => name === tool);
    assert.ok(known, `there are ${vscode.lm.tools.map(({ name }) => name).join(', ')}`);
    assert.deepEqual((known.inputSchema as { required?: unknown }).required, ['question']);
  });

  it('answer with the texts that support the answer', async () => {
    const text = await ask('How long may a session live?');
    assert.match(text, /3600/);
    assert.match(text, /\nSources:\n- browser-sessions\.md#/);
  });

  it("say if the texts don't answer", async () => {
    const text = await ask('Who won the world cup in 1998?');
    assert.match(text, /do not answer/);
    assert.doesNotMatch(text, /Sources/);
  });

  it('reject an invalid question', async () => {
    await assert.rejects(ask('x'.repeat(5_000)));
  });
});
