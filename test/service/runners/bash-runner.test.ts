import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { limits } from '../../../src/contract/limits.ts';
import { createBashRunner } from '../../../src/service/browsers/runners/bash/bash.ts';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { findStrays } from '../../../src/service/platform/system/stray-processes.ts';
import { startChromium } from '../../harness/chromium.ts';
import { eventually } from '../../harness/eventually.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';
import { agentBrowserForTests, needs } from '../../harness/runner-tools.ts';
import { amply, until, useRunner } from '../../harness/runners.ts';

const linux = process.platform === 'linux';

describe('bash runner', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  needs(agentBrowserForTests);
  const fixture = useRunner((options) => createBashRunner({ ...options, agentBrowser: agentBrowserForTests }));
  const { run, result } = fixture;

  it('returns every part of a run; the result is trimmed standard output', async () => {
    assert.deepEqual(await run('echo " out "; echo err >&2'), {
      stdout: ' out \n',
      stderr: 'err\n',
      result: 'out',
      exitCode: 0,
      killed: false,
    });
  });

  it('keeps variables, functions, options and the working directory', async () => {
    await run('x=1; declare -A map; map[k]=v; f() { echo "f $1"; }; export e=2; cd /; shopt -s extglob');
    assert.equal(await result(`f "$x \${map[k]} $e $PWD"; shopt -q extglob && sh -c 'echo $e'`), 'f 1 v 2 /\n2');
    await run('cd -');
  });

  it('drives the same tab as node and python', async () => {
    const node = createNodeRunner(fixture.options);
    try {
      await result('agent-browser open "data:text/html,<title>Shared</title><button>Press</button>"');
      assert.equal((await node.run({ code: 'page.title()', timeoutMs: amply })).result, 'Shared');
      await node.run({ code: 'await page.evaluate(() => { document.title = "Changed" })', timeoutMs: amply });
      assert.equal(await result('agent-browser get title'), 'Changed');
      assert.match(await result('agent-browser snapshot -i && echo and'), /button "Press" \[ref=e\d+\]\nand$/);
      assert.equal(Number((await node.run({ code: 'context.pages().length', timeoutMs: amply })).result), 1);
    } finally {
      await node.dispose();
    }
  });

  it("returns the shell's exit code and error text (EXE-09)", async () => {
    const missing = await run('echo one\nnot-a-command');
    assert.deepEqual(missing, {
      stdout: 'one\n',
      stderr: 'snippet.sh: line 2: not-a-command: command not found\n',
      result: 'one',
      exitCode: 127,
      killed: false,
      error: 'snippet.sh: line 2: not-a-command: command not found',
    });
    assert.deepEqual([(await run('false')).exitCode, (await run('false')).error], [1, 'The code exited with code 1.']);
    assert.equal((await run('(exit 42)')).exitCode, 42);
    const syntax = await run('echo never\nif then');
    assert.equal(syntax.exitCode, 2);
    assert.match(syntax.error ?? '', /line 2: syntax error near unexpected token `then'/);
    const failed = await run('agent-browser click "#none-of-these"');
    assert.notEqual(failed.exitCode, 0);
    assert.ok(failed.error);
  });

  it('restarts the shell after exit', async () => {
    for (const [code, expected] of [
      ['exit', 0],
      ['exit 3', 3],
      ['exit 255', 255],
      ['set -e; false; echo never', 1],
      ['exec sh -c "exit 4"', 4],
    ] as const) {
      const outcome = await run(`kept=1; head -c ${limits.output} /dev/zero | tr '\\0' x; ${code}`);
      assert.deepEqual(
        [outcome.exitCode, outcome.killed, outcome.stdout.length],
        [expected, false, limits.output],
        code,
      );
      assert.equal(await result('echo "[$kept]"; agent-browser get url > /dev/null'), '[]');
    }
    assert.equal((await run('kill -TERM $$; sleep 10')).exitCode, 143);
  });

  it('survives commands that would end its own loop', async () => {
    await run('kept=1');
    for (const code of [
      'break',
      'continue',
      'for i in 1 2; do break; done; continue',
      'unset IFS',
      'IFS=x',
      'set -u',
      'set -f',
    ]) {
      assert.equal((await run(code)).exitCode, 0, code);
      assert.equal(await result('echo "$kept"'), '1', code);
    }
    await fixture.runner.reset();
  });

  it('traces only snippets', async () => {
    assert.equal((await run('set -x; echo one')).stderr, '++ echo one\n');
    assert.equal((await run('echo two')).stderr, '++ echo two\n');
    assert.equal((await run('set +x')).stderr, '++ set +x\n');
    assert.equal((await run('echo three')).stderr, '');
  });

  it('is killed at the timeout, keeps its output, and the next run is fresh', async () => {
    for (const code of [
      'echo partial; while :; do :; done',
      'trap "" TERM INT; echo partial; sleep 300',
      'echo partial; cat /dev/zero > /dev/null',
    ]) {
      // A slow machine may need longer to get to the output.
      await eventually(async () =>
        assert.deepEqual(await run(`kept=1; ${code}`, { timeoutMs: 1000 }), {
          stdout: 'partial\n',
          stderr: '',
          result: 'partial',
          exitCode: 137,
          killed: true,
          error: 'The run was killed after its timeout of 1 s.',
        }),
      );
      assert.equal(await result('echo "[$kept]"'), '[]');
    }
  });

  it('stops a process tree that keeps growing (EXE-05)', async function () {
    if (!linux) this.skip();
    const code = 'grow() { [ $1 -gt 0 ] && { grow $(($1 - 1)) & grow $(($1 - 1)) & }; sleep 300; }; grow 6';
    const outcome = await run(`${code} & for i in {1..10000}; do /bin/true; done; wait`, { timeoutMs: 2000 });
    assert.equal(outcome.killed, true);
    await fixture.runner.warm();
    await until(async () => (await fixture.processes()).length <= 4);
  });

  it('truncates each output stream separately, at a character boundary', async () => {
    const { stdout, stderr, truncated } = await run(`yes é | head -c 50000000; printf '\\xff' >&2`);
    assert.equal(stdout, 'é\n'.repeat(Math.ceil(limits.output / 3)).slice(0, stdout.length));
    assert.ok(limits.output - Buffer.byteLength(stdout) < 2);
    assert.deepEqual([stderr, truncated], ['\ufffd', true]);
  });

  it('accepts code of every form and length (EXE-12)', async () => {
    const emoji = '😀'.repeat(limits.code.max - 7);
    assert.equal(await result(`echo '${emoji}'`), emoji);
    assert.equal(await result('#!/bin/bash\necho hashbang'), 'hashbang');
    assert.equal(await result('\ufeffecho mark'), 'mark');
    assert.equal(await result("cat <<'EOF'\n$x \\ `'\"\nEOF"), '$x \\ `\'"');
    assert.equal(await result('# nothing'), '');
    const nul = await run('echo a\0b');
    assert.deepEqual([nul.exitCode, nul.error], [1, "bash doesn't support NUL characters. Remove them from the code."]);
  });

  it("isn't fooled by output that looks like a result (EXE-11)", async () => {
    const forged = '{"type":"result","nonce":"x","exitCode":7}';
    const outcome = await run(`echo '${forged}'; echo '${forged}' 2>/dev/null >&4; true`);
    assert.deepEqual([outcome.exitCode, outcome.stdout], [0, `${forged}\n`]);
  });

  it('has an empty standard input, and no variables of the service', async () => {
    process.env.WEBDATA_TEST_SECRET = 'secret';
    try {
      assert.equal(await result('cat; read line || echo end'), 'end');
      assert.doesNotMatch(await result('env'), /SECRET|VSCODE|NODE_OPTIONS/);
      assert.match(await result('echo $CDP_URL'), /^ws:\/\//);
      assert.doesNotMatch(await result("tr '\\0' ' ' < /proc/$$/cmdline"), /ws:\/\//);
    } finally {
      delete process.env.WEBDATA_TEST_SECRET;
    }
  });

  it("doesn't wait for background processes, and stops them with the runner", async function () {
    if (!linux) this.skip();
    const before = (await fixture.processes()).length;
    const outcome = await run(
      'sleep 300 & setsid sleep 300 & (setsid setsid nohup sleep 300 >/dev/null 2>&1 &); echo done',
    );
    assert.equal(outcome.stdout, 'done\n');
    await until(async () => (await fixture.processes()).length === before + 3);
    await fixture.runner.reset();
    await fixture.runner.warm();
    await until(async () => (await fixture.processes()).length === before);
  });

  it("leaves no viewer port of agent-browser's daemon open", async () => {
    assert.equal(await result('agent-browser stream status'), 'Streaming disabled');
  });

  it('leaves nothing behind when its service is killed', async function () {
    if (!linux) this.skip();
    const directory = temporaryFolder();
    const chromium = await startChromium();
    const marker = ['WEBDATA_TEST', directory] as const;
    const service = `
      import { createBashRunner } from './src/service/browsers/runners/bash/bash.ts';
      const options = { cdpUrl: '${chromium.cdpUrl}', directory: '${directory}', marker: ${JSON.stringify(marker)} };
      const runner = createBashRunner({ ...options, agentBrowser: async () => '${await agentBrowserForTests(() => undefined)}' });
      const onOutput = () => console.log('running');
      runner.run({ code: 'setsid sleep 300 & echo 1; while :; do :; done', timeoutMs: 300000, onOutput });
    `;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', service], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      // A process that is just becoming another program has no environment for a moment.
      await until(async () => (await findStrays(...marker)).length >= 3);
      child.kill('SIGKILL');
      await until(async () => (await findStrays(...marker)).length === 0);
    } finally {
      child.kill('SIGKILL');
      await chromium.kill();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
