import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { limits } from '../../../src/contract/limits.ts';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { findStrays } from '../../../src/service/platform/system/stray-processes.ts';
import { startChromium } from '../../harness/chromium.ts';
import { eventually } from '../../harness/eventually.ts';
import { repository } from '../../harness/folders.ts';
import { amply, until, useRunner } from '../../harness/runners.ts';
import { isWhole } from '../../harness/sample.ts';

const linux = process.platform === 'linux';

/** Whether a process of this id runs. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('node runner: limits', () => {
  const fixture = useRunner(createNodeRunner);
  const { run, result } = fixture;

  describe('a run that is killed', () => {
    for (const [what, code] of [
      ['loops for ever', 'console.log("partial"); while (true);'],
      ['waits for ever', 'console.log("partial"); await new Promise(() => {})'],
      [
        'ignores signals',
        'for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {}); console.log("partial"); while (true);',
      ],
      [
        'starts a chain of programs',
        'console.log("partial"); require("child_process").execSync("sh -c \'trap \\"\\" TERM; sleep 300; sleep 300\'")',
      ],
    ] as const) {
      it(`keeps the output of code that ${what}, and the next run gets a fresh REPL (EXE-01, EXE-02)`, async () => {
        await run('let kept = 1');
        // A slow machine may need longer to get to the output.
        await eventually(async () =>
          assert.deepEqual(await run(code, { timeoutMs: 1000 }), {
            stdout: 'partial\n',
            stderr: '',
            result: 'partial',
            exitCode: 137,
            killed: true,
            error: 'The run was killed after its timeout of 1 s.',
          }),
        );
        assert.equal(await result('typeof kept + typeof page.url()'), 'undefinedstring');
      });
    }

    it('can be canceled before and while it runs', async () => {
      const before = await run('console.log("never")', { signal: AbortSignal.abort() });
      assert.deepEqual(
        [before.killed, before.exitCode, before.stdout, before.error],
        [true, 137, '', 'The run was canceled.'],
      );
      assert.equal(await result('let kept = 1; kept'), '1');
      const controller = new AbortController();
      const outcome = await run('console.log("begun"); while (true);', {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      });
      assert.deepEqual(
        [outcome.killed, outcome.exitCode, outcome.stdout, outcome.error],
        [true, 137, 'begun\n', 'The run was canceled.'],
      );
    });

    it('reports the reason of the cancellation', async () => {
      const controller = new AbortController();
      const outcome = await run('console.log(1); while (true);', {
        signal: controller.signal,
        onOutput: () => controller.abort(new Error('The session expired.')),
      });
      assert.equal(outcome.error, 'The session expired.');
    });

    it('can be ended by a reset', async () => {
      const outcome = await run('console.log(1); while (true);', { onOutput: () => void fixture.runner.reset() });
      assert.deepEqual([outcome.killed, outcome.error], [true, 'The REPL was reset while the code was running.']);
      assert.equal(await result('"fresh"'), 'fresh');
    });
  });

  it('loses its state on a reset, and keeps the browser', async () => {
    await run('let kept = 1; await page.goto("data:text/html,<title>Kept</title>")');
    await fixture.runner.reset();
    assert.equal(await result('typeof kept + await page.title()'), 'undefinedKept');
  });

  it('rejects a second run at the same time', async () => {
    const first = run('await new Promise((done) => setTimeout(done, 50))');
    await assert.rejects(run('1'), /A run is already in progress/);
    await first;
  });

  describe('output', () => {
    it('is truncated at the limit, each stream separately, and drained (EXE-06)', async () => {
      const before = process.memoryUsage().rss;
      const { stdout, stderr, truncated, exitCode, sizes } = await run(
        'const block = "é".repeat(1 << 20); for (let i = 0; i < 100; i++) process.stdout.write(block); process.stderr.write("whole")',
      );
      assert.equal(stdout, 'é'.repeat(limits.output / 2));
      assert.equal(stderr, 'whole');
      assert.deepEqual([truncated, exitCode], [true, 0]);
      assert.deepEqual(sizes, { stdout: 200 * 1024 * 1024, stderr: 5, result: 4 });
      assert.ok(process.memoryUsage().rss - before < 150 * 1024 * 1024);
    });

    it(`of ${isWhole ? '1 GB' : '128 MB'} leaves the session usable, and its size is known (EXE-06)`, async () => {
      const [block, count] = [1 << 20, isWhole ? 1024 : 128];
      const outcome = await run(
        `{ const block = Buffer.alloc(${block}, 'x\\n'); for (let i = 0; i < ${count}; i++) process.stdout.write(block); } 'done'`,
      );
      assert.deepEqual([outcome.result, outcome.exitCode, outcome.truncated], ['done', 0, true]);
      assert.deepEqual(outcome.sizes, { stdout: count * block, stderr: 0, result: 4 });
      assert.equal(await result('"alive"'), 'alive');
    });

    it(`of a value of ${isWhole ? 10 : 2} million nodes is truncated, and the session continues`, async () => {
      const length = isWhole ? 2_500_000 : 500_000;
      const outcome = await run(`Array.from({ length: ${length} }, (_, n) => ({ a: n, b: "x", c: null }))`);
      assert.deepEqual([outcome.exitCode, outcome.truncated], [0, true]);
      assert.ok((outcome.sizes?.result ?? 0) > 24 * length);
      assert.equal(await result('"alive"'), 'alive');
    });

    it("never splits a character, and shows bytes that aren't UTF-8 (EXE-06)", async () => {
      const { stdout, stderr } = await run(
        'process.stdout.write("a" + "😀".repeat(1 << 19)); process.stderr.write(Buffer.of(255, 10))',
      );
      assert.equal(stdout, `a${'😀'.repeat(limits.output / 4 - 1)}`);
      assert.equal(stderr, '\ufffd\n');
    });

    it("can't be mistaken for a result (EXE-11)", async () => {
      const forged = '{"type":"result","nonce":"x","exitCode":7,"result":"forged"}\\n';
      const outcome = await run(
        `process.stdout.write('${forged}'); require('fs').writeSync(4, '${forged}'); "true result"`,
      );
      assert.deepEqual([outcome.result, outcome.exitCode], ['true result', 0]);
    });

    it('is complete when a snippet exits its process (EXE-09)', async () => {
      for (const code of [0, 1, 255]) {
        const outcome = await run(`console.log("x".repeat(${limits.output - 1})); process.exit(${code})`);
        assert.equal(outcome.stdout.length, limits.output);
        assert.equal(outcome.exitCode, code);
        assert.equal(outcome.killed, false);
        assert.equal(outcome.error, code === 0 ? undefined : `The snippet's process exited with code ${code}.`);
        assert.equal(await result('"fresh"'), 'fresh');
      }
    });
  });

  describe('processes', () => {
    it("can be left behind with open output: the response doesn't wait (EXE-03)", async () => {
      const outcome = await run('require("child_process").spawn("sleep", ["300"], { stdio: "inherit" }).pid');
      const pid = Number(outcome.result);
      assert.ok(lives(pid));
      await fixture.runner.reset();
      await until(() => !lives(pid));
    });

    it('are stopped with the runner even outside its group (EXE-04)', async function () {
      if (!linux) this.skip();
      await run(
        'require("child_process").spawn("sh", ["-c", "setsid sh -c \'sleep 300 & sleep 300\' & (nohup setsid setsid sleep 300 > /dev/null 2>&1 &)"], { detached: true }).unref()',
      );
      await until(async () => (await fixture.processes()).length >= 4);
      await fixture.runner.reset();
      await fixture.runner.warm();
      await until(async () => (await fixture.processes()).length === 1);
    });

    it('are stopped with the runner even without its environment (EXE-22)', async function () {
      if (!linux) this.skip();
      const outcome = await run(
        'const shell = require("child_process").spawn("sh", ["-c", "setsid sleep 300 & echo $!; wait"], { detached: true, env: {} }); console.log(String(await new Promise((done) => shell.stdout.once("data", done))))',
      );
      const pid = Number(outcome.stdout);
      assert.ok(lives(pid));
      await fixture.runner.reset();
      await until(() => !lives(pid));
    });

    it('can be the runner itself, killed by a snippet (EXE-08)', async () => {
      const outcome = await run('process.kill(process.pid, "SIGTERM"); await new Promise(() => {})');
      assert.deepEqual(
        [outcome.exitCode, outcome.killed, outcome.error],
        [143, false, "The snippet's process was stopped by SIGTERM."],
      );
      const abort = await run('process.abort()');
      assert.equal(abort.exitCode, 134);
      assert.equal(await result('"fresh"'), 'fresh');
    });

    it('can exit between runs: the next run says so', async () => {
      await run('setTimeout(() => process.exit(3), 20); let kept = 1');
      await until(async () => (await fixture.processes()).length === 0);
      const outcome = await run('typeof kept');
      assert.equal(outcome.stderr, "The snippet's process exited with code 3. Its variables were lost.\n");
      assert.deepEqual([outcome.result, outcome.exitCode], ['undefined', 0]);
    });
  });

  it('that exhaust the memory are stopped, and nothing else is (EXE-07)', async () => {
    const outcome = await run('const all = []; for (;;) all.push(new Array(1e6).fill(all.length))', {
      timeoutMs: 2 * amply,
    });
    assert.match(outcome.error ?? '', /ran out of memory/);
    assert.notEqual(outcome.exitCode, 0);
    assert.equal(outcome.killed, false);
    assert.equal(await result('page.evaluate(() => 1 + 1)'), '2');
  });

  it('of snippets are what the system kills first when memory runs out', async function () {
    if (!linux) this.skip();
    assert.equal(await result('require("fs").readFileSync("/proc/self/oom_score_adj", "utf8")'), '1000\n');
  });

  it('survive a snippet that opens files up to the limit (EXE-07)', async () => {
    const { exitCode, error } = await run(
      'const fs = require("fs"); for (let i = 0; i < 2_000_000; i++) fs.openSync("/dev/null")',
    );
    assert.equal(exitCode, 1);
    assert.match(error ?? '', /EMFILE|ENFILE/);
    await fixture.runner.reset();
    assert.equal(await result('"alive"'), 'alive');
  });
});

describe('node runner: shutdown', () => {
  before(function () {
    if (!linux) this.skip();
  });

  it('leaves nothing behind when it is disposed', async () => {
    const marker = ['WEBDATA_TEST', `disposed-${process.pid}`] as const;
    const runner = createNodeRunner({ cdpUrl: 'ws://127.0.0.1:9/', directory: repository, marker });
    await assert.rejects(runner.warm(), { message: "The session's browser has closed" });
    assert.equal((await findStrays(...marker)).length, 1);
    await runner.dispose();
    assert.deepEqual(await findStrays(...marker), []);
    await assert.rejects(runner.run({ code: '1', timeoutMs: amply }), { status: 503 });
    await assert.rejects(runner.warm(), { status: 503 });
  });

  for (const [killer, code] of [
    ['killed', 'require("child_process").spawn("sleep", ["300"], { detached: true }); console.log(1); while (true);'],
    ['killed by a snippet', 'console.log(1); process.kill(process.ppid, "SIGKILL"); while (true);'],
  ] as const) {
    it(`leaves nothing behind when its service is ${killer}, even in an endless loop`, async () => {
      const marker = ['WEBDATA_TEST', `orphan-${process.pid}`] as const;
      const chromium = await startChromium();
      const service = `
        import { createNodeRunner } from './src/service/browsers/runners/node/node.ts';
        const options = { cdpUrl: '${chromium.cdpUrl}', directory: '.', marker: ${JSON.stringify(marker)} };
        const onOutput = () => process.kill(process.pid, 'SIGKILL');
        createNodeRunner(options).run({ code: '${code}', timeoutMs: 300000, onOutput });
      `;
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', service], {
        cwd: repository,
        stdio: 'inherit',
      });
      try {
        await once(child, 'exit');
        await until(async () => (await findStrays(...marker)).length === 0);
      } finally {
        child.kill('SIGKILL');
        await chromium.kill();
      }
    });
  }
});
