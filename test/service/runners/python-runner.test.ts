import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/contract/limits.ts';
import { createPythonRunner } from '../../../src/service/browsers/runners/python/python.ts';
import { eventually } from '../../harness/eventually.ts';
import { needs, pythonForTests } from '../../harness/runner-tools.ts';
import { amply, until, useRunner } from '../../harness/runners.ts';

const linux = process.platform === 'linux';
const titled = (title: string) => `data:text/html,<title>${title}</title><h1>${title}</h1>`;

describe('python runner', () => {
  needs(pythonForTests);
  const fixture = useRunner((options) => createPythonRunner({ ...options, environment: () => pythonForTests }));
  const { run, result } = fixture;

  it('has page, context and browser of async Playwright, and top-level await', async () => {
    assert.equal(await result(`await page.goto("${titled('One')}")\nawait page.title()`), 'One');
    assert.equal(await result('page.context == context and context.browser == browser'), 'True');
    assert.equal(
      await result(
        'async with page.expect_popup() as info:\n    await page.evaluate("window.open()")\nawait (await info.value).close()\n"popup"',
      ),
      'popup',
    );
  });

  it('returns every part of a run', async () => {
    assert.deepEqual(await run('import sys\nprint("out")\nprint("err", file=sys.stderr)\n7'), {
      stdout: 'out\n',
      stderr: 'err\n',
      result: '7',
      exitCode: 0,
      killed: false,
    });
  });

  it('returns the last value as text, otherwise trimmed standard output', async () => {
    for (const [code, expected] of [
      ['"text"', 'text'],
      ['1 + 1', '2'],
      ['0.1', '0.1'],
      ['True', 'True'],
      ['{"a": [1, None, True, "é"]}', '{"a":[1,null,true,"é"]}'],
      ['[]', '[]'],
      ['(1, 2)', '(1, 2)'],
      ['{1: 2}', '{1: 2}'],
      ['{1}', '{1}'],
      ['[float("nan")]', '[nan]'],
      ['[(1,)]', '[(1,)]'],
      ['b"ab"', "b'ab'"],
      ['page.title()', 'One'],
      ['page', "<Page url='data:text/html,<title>One</title><h1>One</h1>'>"],
      ['print(" a ")', 'a'],
      ['x = 5', ''],
      ['None', ''],
      ['x = []; x.append(x); x', '[[...]]'],
      ['class Bad:\n    def __repr__(self): raise ValueError()\nBad()', '<Bad (repr() raised ValueError)>'],
      ['10 ** 5000', '<int (repr() raised ValueError)>'],
      ['"\\ud800"', '\ud800'],
    ] as const) {
      assert.equal(await result(code), expected, code);
    }
    assert.match(await result('await page.screenshot()'), /^data:image\/png;base64,iVBOR/);
  });

  it('shows what handles stand for, wherever they are in a value', async () => {
    await run('await page.set_content("<ul>\\n<li class=tea>Mint</li><li>Chai</li></ul>")');
    const mint = '<ElementHandle <li class="tea">Mint</li>>';
    for (const [code, expected] of [
      ['page.wait_for_selector("li")', mint],
      ['page.query_selector_all("li")', `[${mint}, <ElementHandle <li>Chai</li>>]`],
      ['{"first": (await page.query_selector("li"),)}', `{'first': (${mint},)}`],
      ['page.evaluate_handle("({ a: 1, b: [1, 2] })")', '<JSHandle { a: 1, b: Array(2) }>'],
      ['page.evaluate_handle("5")', '<JSHandle 5>'],
    ] as const) {
      assert.equal(await result(code), expected, code);
    }
    for (const [code, expected] of [
      ['print(await page.query_selector("li"))\nprint("after")', `${mint}\nafter\n`],
      ['print(await page.query_selector_all("li"))', `[${mint}, <ElementHandle <li>Chai</li>>]\n`],
      [
        'for each in await page.query_selector_all("li"):\n    print(f"tea {each}")',
        `tea ${mint}\ntea <ElementHandle <li>Chai</li>>\n`,
      ],
      ['def show(each):\n    print({"tea": each})\nshow(await page.query_selector("li"))', `{'tea': ${mint}}\n`],
      ['async def main():\n    print(await page.query_selector("li"))\nasyncio.run(main())', `${mint}\n`],
      ['first = await page.query_selector("li")\nprint(first)\nawait page.set_content("<p>Sold out</p>")', `${mint}\n`],
    ] as const) {
      assert.equal((await run(`import asyncio\n${code}`)).stdout, expected, code);
    }
  });

  it('shows handles of a page that does not answer, because it shows a dialog', async () => {
    await run('await page.set_content("<ul><li>Mint</li><li>Chai</li></ul>")');
    await run('items = await page.query_selector_all("li")');
    const shown =
      'async with page.expect_event("dialog") as shown:\n    await page.evaluate("setTimeout(() => alert(1))")';
    assert.equal((await run(`${shown}\ndialog = await shown.value`)).error, undefined);
    assert.match(await result('items * 50'), /^\[(?:<ElementHandle[^,]*>(?:, |\]$)){100}$/);
    const printed = await run('print(items * 50)\nawait dialog.accept()');
    assert.match(printed.stdout, /^\[(?:<ElementHandle[^,]*>(?:, |\]\n$)){100}$/);
    assert.equal(await result('items[0]'), '<ElementHandle <li>Mint</li>>');
  });

  it('keeps the state from run to run', async () => {
    await run('import math\na = 1\ndef f():\n    return a + math.floor(1.5)\nclass C:\n    b = 3');
    assert.equal(await result('a = 10\n[f(), C.b]'), '[11,3]');
    await run('from __future__ import annotations');
    assert.equal(await result('def g(x: undefined_name): pass\ng.__annotations__'), '{"x":"undefined_name"}');
    assert.equal(await result('import pickle\npickle.loads(pickle.dumps(C())).b'), '3');
  });

  it('reports errors with only the frames of the snippet, and keeps the state', async () => {
    const outcome = await run('kept = 1\ndef inner():\n    open("/none")\nprint("before")\ninner()');
    assert.equal(
      outcome.stderr,
      `Traceback (most recent call last):\n  File "snippet.py", line 5, in <module>\n    inner()\n  File "snippet.py", line 3, in inner\n    open("/none")\nFileNotFoundError: [Errno 2] No such file or directory: '/none'\n`,
    );
    assert.equal(
      outcome.error,
      `FileNotFoundError: [Errno 2] No such file or directory: '/none'\n  File "snippet.py", line 3`,
    );
    assert.deepEqual(
      [outcome.exitCode, outcome.killed, outcome.stdout, outcome.result],
      [1, false, 'before\n', 'before'],
    );
    assert.equal(await result('kept'), '1');

    const later = await run('\ninner()');
    assert.match(
      later.stderr,
      /File "snippet\.py", line 2, in <module>\n.*File "earlier snippet", line 3, in inner\n/s,
    );
    assert.match(later.error ?? '', /\n {2}File "snippet\.py", line 2$/);
  });

  it('reports syntax errors, Playwright errors, causes and unusual errors', async () => {
    const syntax = await run('a = 1\nif a\n    pass');
    assert.equal(syntax.error, `SyntaxError: expected ':'\n  File "snippet.py", line 2`);
    assert.match(syntax.stderr, /^ {2}File "snippet\.py", line 2\n {4}if a\n/);
    assert.match((await run('x = "\0"')).error ?? '', /^SyntaxError: .*null bytes/);
    assert.match((await run('x = "\ud800"')).error ?? '', /^SyntaxError: .*surrogates/);
    assert.equal(
      (await run('\nawait page.click("#none", timeout=100)')).error,
      'TimeoutError: Page.click: Timeout 100ms exceeded.\nCall log:\n  - waiting for locator("#none")\n  File "snippet.py", line 2',
    );
    assert.match(
      (await run('raise ValueError("a") from KeyError("b")')).stderr,
      /^KeyError: 'b'\n\nThe above exception was the direct cause/,
    );
    assert.match(
      (await run('raise ExceptionGroup("g", [ValueError("one")])')).stderr,
      /ExceptionGroup: g \(1 sub-exception\)[\s\S]*ValueError: one/,
    );
    assert.match(
      (await run('class Bad(Exception):\n    def __str__(self): raise KeyError()\nraise Bad()')).error ?? '',
      /Bad/,
    );
    assert.match((await run('def deep(): deep()\ndeep()')).error ?? '', /^RecursionError: /);
    assert.equal((await run('raise KeyboardInterrupt()')).exitCode, 1);
    assert.equal((await run('import asyncio\nasyncio.current_task().cancel()\nawait asyncio.sleep(1)')).exitCode, 1);
    assert.equal(await result('"alive"'), 'alive');
  });

  it('reports exceptions of background tasks, in this run or the next', async () => {
    const [over, raised] = ['over', 'raised'].map((name) => join(fixture.options.directory, name));
    const later = (until: string) =>
      `import asyncio, os\nasync def later():\n    while not ${until}: await asyncio.sleep(0.01)\n    print("late")\n    open(${JSON.stringify(raised)}, "w").close()\n    raise ValueError("unseen")\nasyncio.create_task(later())\nNone`;
    await run(later(`os.path.exists(${JSON.stringify(over)})`));
    writeFileSync(over ?? '', '');
    // What it wrote meanwhile isn't the next run's own, even if the service was too busy to read it.
    while (!existsSync(raised ?? '')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    const outcome = await run('import gc\ngc.collect()\nprint("own")');
    assert.equal(outcome.stdout, 'late\nown\n');
    assert.equal(outcome.result, 'own');
    assert.match(outcome.stderr, /^Task exception was never retrieved\nTraceback .*\n(?:.*\n)+ValueError: unseen$/m);
    assert.equal(outcome.exitCode, 0);
    const inThisRun = await run(
      `${later('True')}\nawait asyncio.sleep(0)\nawait asyncio.sleep(0)\nimport gc\ngc.collect()\nprint("own")`,
    );
    assert.equal(inThisRun.stdout, 'late\nown\n');
    assert.match(inThisRun.stderr, /^Task exception was never retrieved\nTraceback .*\n(?:.*\n)+ValueError: unseen$/m);
  });

  it('reports exceptions of callbacks and futures without naming files of its own', async () => {
    const own = /webdata_runner|snippet-|Exception in callback/;
    for (const leave of [
      'loop.call_soon(fail)',
      'done = loop.create_future()\ndone.add_done_callback(fail)\ndone.set_result(1)',
    ]) {
      const { stderr } = await run(
        `import asyncio\ndef fail(*_): raise ValueError("unseen")\nloop = asyncio.get_running_loop()\n${leave}\nawait asyncio.sleep(0)\nawait asyncio.sleep(0)`,
      );
      assert.match(stderr, /^Traceback .*\n(?:.*\n)+ValueError: unseen$/m);
      assert.doesNotMatch(stderr, own);
    }
    const { stderr } = await run(
      'lost = loop.create_future()\nlost.set_exception(ValueError("unread"))\nimport gc\ndel lost\ngc.collect()\nawait asyncio.sleep(0)',
    );
    assert.match(stderr, /^Future exception was never retrieved\n(?:.*\n)*ValueError: unread$/m);
  });

  it('handles SystemExit as Python does, with complete output', async () => {
    for (const [code, expected] of [
      ['raise SystemExit', 0],
      ['import sys; sys.exit(3)', 3],
      ['exit(255)', 255],
      ['import os; os._exit(4)', 4],
    ] as const) {
      const outcome = await run(`kept = 1\nprint("x" * ${limits.output - 1})\n${code}`);
      assert.deepEqual([outcome.exitCode, outcome.killed, outcome.stdout.length], [expected, false, limits.output]);
      assert.equal(await result('"kept" in globals()'), 'False');
    }
    const text = await run('raise SystemExit("because")');
    assert.deepEqual([text.exitCode, text.stderr, text.error], [1, 'because\n', 'because']);
    assert.equal((await run('import atexit; atexit.register(print, "bye"); exit(0)')).stdout, 'bye\n');
  });

  it('is killed at the timeout, keeps its output, and the next run is fresh', async () => {
    for (const code of [
      'print("partial")\nwhile True: pass',
      'import time, signal\nfor name in (signal.SIGTERM, signal.SIGINT): signal.signal(name, signal.SIG_IGN)\nprint("partial")\ntime.sleep(300)',
      'import re\nprint("partial")\nre.match("(a*)*b", "a" * 40)',
      'import asyncio\nprint("partial")\nawait asyncio.Event().wait()',
    ]) {
      // A slow machine may need longer to get to the output.
      await eventually(async () =>
        assert.deepEqual(await run(`kept = 1\n${code}`, { timeoutMs: 1000 }), {
          stdout: 'partial\n',
          stderr: '',
          result: 'partial',
          exitCode: 137,
          killed: true,
          error: 'The run was killed after its timeout of 1 s.',
        }),
      );
      assert.equal(await result('"kept" in globals()'), 'False');
    }
  });

  it('can be canceled', async () => {
    const controller = new AbortController();
    const outcome = await run('import sys\nsys.stdout.write("begun")\nwhile True: pass', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    assert.deepEqual([outcome.killed, outcome.stdout, outcome.error], [true, 'begun', 'The run was canceled.']);
  });

  it('truncates each output stream separately, at a character boundary', async () => {
    const { stdout, stderr, truncated } = await run(
      'import sys\nfor _ in range(20): sys.stdout.write("é" * 100_000)\nsys.stderr.buffer.write(b"\\xff\\n")',
    );
    assert.equal(stdout, 'é'.repeat(limits.output / 2));
    assert.equal(stderr, '\ufffd\n');
    assert.equal(truncated, true);
    const long = await run('"é" * 25_000_000');
    assert.deepEqual([long.result === 'é'.repeat(limits.output / 2), long.truncated], [true, true]);
  });

  it("isn't fooled by output that looks like a result (EXE-11)", async () => {
    const forged = `{"type":"result","nonce":"x","exitCode":7,"result":"forged"}\\n`;
    const outcome = await run(`import os\nos.write(1, b'${forged}')\nos.write(4, b'${forged}')\n"true"`);
    assert.deepEqual([outcome.result, outcome.exitCode], ['true', 0]);
  });

  it("doesn't wait for background processes, and stops them with the runner", async function () {
    if (!linux) this.skip();
    const before = (await fixture.processes()).length;
    await run(
      'import subprocess\nsubprocess.Popen(["sleep", "300"]); subprocess.Popen(["setsid", "sleep", "300"])\nNone',
    );
    await until(async () => (await fixture.processes()).length === before + 2);
    assert.equal(
      await result('import os\npid = os.fork()\nif pid == 0:\n    import time\n    time.sleep(300)\n"parent"'),
      'parent',
    );
    await fixture.runner.reset();
    await fixture.runner.warm();
    await until(async () => (await fixture.processes()).length === before);
  });

  it('responds once when a snippet forks', async () => {
    const outcome = await run('import os\nos.fork()\nprint("two")\n"one answer"');
    assert.equal(outcome.result, 'one answer');
    assert.equal(await result('1'), '1');
    await fixture.runner.reset();
  });

  it('limits memory: the snippet gets a MemoryError', async function () {
    if (!linux) this.skip();
    // Memory that isn't written to, so that the test needs little.
    const outcome = await run('kept = 1\nall = []\nwhile True: all.append(bytes(50_000_000))');
    assert.match(outcome.error ?? '', /^MemoryError/);
    assert.equal(await result('del all\nkept'), '1');
    assert.equal(await result('open("/proc/self/oom_score_adj").read()'), '1000\n');
  });

  it('runs with a minimal environment, and imports from its own folder', async () => {
    process.env.WEBDATA_TEST_SECRET = 'secret';
    process.env.PYTHONSTARTUP = '/none';
    try {
      const names = await result('import os\n" ".join(os.environ)');
      assert.doesNotMatch(names, /SECRET|PYTHON(?!IOENCODING)|VSCODE|NODE_OPTIONS/);
      assert.doesNotMatch(await result('open("/proc/self/cmdline").read()'), /ws:\/\/|devtools/);
      await run('open("own.py", "w").write("value = 42")');
      assert.equal(await result('import own\nown.value'), '42');
      assert.equal(
        await result('import sys\nos.remove("own.py")\n[path for path in sys.path if "python-runner" in path]'),
        '[]',
      );
    } finally {
      delete process.env.WEBDATA_TEST_SECRET;
      delete process.env.PYTHONSTARTUP;
    }
  });

  it('replaces what a run closed, and keeps what was reassigned', async () => {
    await run(`page = await context.new_page()\nawait page.goto("${titled('Two')}")`);
    assert.equal(await result('page.title()'), 'Two');
    await run('await page.close()');
    assert.equal(await result('page.is_closed()'), 'False');
    await run('kept = 1\nawait browser.close()');
    assert.equal(await result('[browser.is_connected(), page.is_closed(), kept]'), '[true,false,1]');
    await run('page = 5');
    assert.equal(await result('page'), '5');
    await fixture.runner.reset();
  });

  it('accepts code of every form and length (EXE-12)', async () => {
    const emoji = '😀'.repeat(limits.code.max - 2);
    assert.equal(await result(`"${emoji}"`), emoji);
    for (const [code, expected] of [
      ['#!/usr/bin/env python3\n"hashbang"', 'hashbang'],
      ['\ufeff"mark"', 'mark'],
      ['x = "a"\r\nx\r\n', 'a'],
      ['# nothing', ''],
      ['"""text\nof lines"""', 'text\nof lines'],
      ['"</script>"', '</script>'],
    ] as const) {
      assert.equal(await result(code), expected, JSON.stringify(code));
    }
  });
});

describe('python runner: a browser that closes', () => {
  needs(pythonForTests);
  const fixture = useRunner((options) => createPythonRunner({ ...options, environment: () => pythonForTests }));

  it("ends a run that doesn't use it, and every later run", async () => {
    const outcome = await fixture.run('import asyncio\nprint("waiting")\nawait asyncio.Event().wait()', {
      timeoutMs: amply,
      onOutput: () => void fixture.chromium.kill(),
    });
    assert.deepEqual([outcome.error, outcome.exitCode, outcome.killed], ["The session's browser has closed", 1, false]);
    assert.equal((await fixture.run('1')).error, "The session's browser has closed");
  });
});
