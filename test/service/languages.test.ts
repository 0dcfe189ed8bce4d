import assert from 'node:assert/strict';
import { join } from 'node:path';
import { agentBrowserForTests, needs, pythonForTests } from '../harness/runner-tools.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('a session in three languages', () => {
  needs(pythonForTests, agentBrowserForTests);
  let service: TestService;
  let id: string;
  before(async () => {
    const { interpreter } = await pythonForTests(() => undefined);
    const agentBrowserPath = join(await agentBrowserForTests(() => undefined), 'agent-browser');
    service = await startTestService({ pythonPath: interpreter, agentBrowserPath });
    ({ id } = (await service.call('POST', '/v2/browser', {})).body);
  });
  after(() => service?.close());

  const run = async (language: string, code: string, timeout = 60) => {
    const { status, body } = await service.call('POST', `/v2/browser/${id}/execute`, { code, language, timeout });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };

  it('shows the same tab to each language', async () => {
    await run(
      'node',
      `await page.goto("data:text/html,<title>from node</title><button onclick=\\"document.title='pressed'\\">Press</button>"); 1`,
    );
    assert.equal((await run('python', 'await page.title()')).result, 'from node');
    const bash = await run('bash', 'agent-browser get title');
    assert.equal(bash.stdout.trim(), 'from node', JSON.stringify(bash));
    await run('python', 'await page.click("button")');
    assert.equal((await run('bash', 'agent-browser get title')).stdout.trim(), 'pressed');
    assert.equal((await run('node', 'await page.title()')).result, 'pressed');
  });

  it('keeps a separate, persistent state for each language', async () => {
    await run('node', 'var kept = "node"');
    await run('python', 'kept = "python"');
    await run('bash', 'kept=bash; cd /');
    assert.equal((await run('node', 'kept')).result, 'node');
    assert.equal((await run('python', 'kept')).result, 'python');
    assert.equal((await run('bash', 'echo $kept $PWD')).result, 'bash /');
    await service.call('POST', `/embedded/browser/${id}/reset`, { language: 'python' });
    assert.equal((await run('python', '"kept" in globals()')).result, 'False');
    assert.equal((await run('node', 'kept')).result, 'node');
  });

  it('shares one queue', async () => {
    const slow = run(
      'python',
      'import asyncio\nawait page.evaluate("window.order = [1]")\nawait asyncio.sleep(1)\nawait page.evaluate("window.order.push(2)")',
    );
    const quick = run('node', 'await page.evaluate("window.order.length")', 1);
    await slow;
    assert.equal((await quick).result, '2');
  });

  it('reports the exit code of the shell', async () => {
    const { exitCode, success, error } = await run('bash', 'exit 3');
    assert.deepEqual([exitCode, success], [3, true]);
    assert.ok(error);
    assert.equal((await run('bash', 'echo again')).result, 'again');
  });
});
