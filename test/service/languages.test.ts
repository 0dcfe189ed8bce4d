import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../harness/folders.ts';
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

  it("gives a Python client of cdpUrl its downloads, as a file of its own and as the session's", async () => {
    const { interpreter } = await pythonForTests(() => undefined);
    const { cdpUrl } = (await service.call('GET', '/v2/browser?status=active')).body.sessions[0];
    const kept = temporaryFolder();
    const program = [
      'import sys',
      'from playwright.sync_api import sync_playwright',
      'with sync_playwright() as playwright:',
      '    browser = playwright.chromium.connect_over_cdp(sys.argv[1])',
      '    page = browser.contexts[0].pages[0]',
      `    page.set_content('<a download="report.txt" href="data:text/plain,figures">get</a>')`,
      '    with page.expect_download() as download:',
      '        page.click("a")',
      '    download.value.save_as(sys.argv[2])',
      '    print(open(download.value.path()).read(), download.value.suggested_filename)',
      '    browser.close()',
    ];
    const file = join(kept, 'report.txt');
    try {
      const { stdout } = await promisify(execFile)(interpreter, ['-c', program.join('\n'), cdpUrl, file]);
      assert.equal(stdout.trim(), 'figures report.txt');
      assert.equal(readFileSync(file, 'utf8'), 'figures');
    } finally {
      rmSync(kept, { recursive: true });
    }
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
