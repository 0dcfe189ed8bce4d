import assert from 'node:assert/strict';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { until, useRunner } from '../../harness/runners.ts';

describe('node runner: errors', () => {
  const fixture = useRunner(createNodeRunner);
  const { run, result } = fixture;

  it('reports message and position, and keeps the state', async () => {
    const outcome = await run('let kept = 1\nconsole.log("before")\n  nothing.here');
    assert.deepEqual(outcome, {
      stdout: 'before\n',
      stderr: 'ReferenceError: nothing is not defined\n    at snippet.js:3:3\n',
      result: 'before',
      exitCode: 1,
      killed: false,
      error: 'ReferenceError: nothing is not defined\n    at snippet.js:3:3',
    });
    assert.equal(await result('kept'), '1');
  });

  it('shows the codes of errors of Node.js, and no others', async () => {
    const headOf = (code: string) => result(`try { ${code} } catch (error) { error.stack.split('\\n')[0] }`);
    assert.equal(
      await headOf('require("node:path").join(1)'),
      'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received type number (1)',
    );
    assert.equal(await headOf('require("node:assert").equal(1, 2)'), 'AssertionError [ERR_ASSERTION]: 1 == 2');
    assert.equal(await headOf('throw Object.assign(new Error("mine"), { code: "ERR_MINE" })'), 'Error: mine');
    for (const code of ['code: 7', 'code: Symbol("ERR_MINE")', 'code: { __proto__: null }', 'get code() { throw 1 }']) {
      const descriptors = `Object.getOwnPropertyDescriptors({ ${code} })`;
      assert.equal(
        await headOf(`throw Object.defineProperties(new Error("mine"), ${descriptors})`),
        'Error: mine',
        code,
      );
    }
  });

  it('fails a run whose code sets an exit code, and no other', async () => {
    const { exitCode, result: value, error } = await run('process.exitCode = 3; 5');
    assert.deepEqual([exitCode, value, error], [3, '5', 'The code exited with code 3.']);
    assert.equal((await run('process.exitCode = 300')).exitCode, 44);
    assert.equal((await run('6')).exitCode, 0);
  });

  it('shows only the frames of the snippet', async () => {
    const { stderr } = await run(
      'function a() {\n  require("fs").readFileSync("/none")\n}\nconst b = async () => {\n  await 1\n  a()\n}\nawait b()',
    );
    assert.equal(
      stderr,
      "Error: ENOENT: no such file or directory, open '/none'\n    at a (snippet.js:2:17)\n    at b (snippet.js:6:3)\n    at async snippet.js:8:1 {\n  errno: -2,\n  code: 'ENOENT',\n  syscall: 'open',\n  path: '/none'\n}\n",
    );
  });

  it('distinguishes frames of earlier snippets from those of this one', async () => {
    await run('\n\nfunction thrower() { throw new TypeError("deep") }');
    const { stderr, error } = await run('\nthrower()');
    assert.equal(stderr, 'TypeError: deep\n    at thrower (earlier snippet:3:28)\n    at snippet.js:2:1\n');
    assert.equal(error, 'TypeError: deep\n    at snippet.js:2:1');
  });

  it('uses the same positions in stacks that a snippet prints', async () => {
    assert.equal(
      await result('try { null.x } catch (error) { error.stack }'),
      "TypeError: Cannot read properties of null (reading 'x')\n    at snippet.js:1:12",
    );
    assert.match((await run('console.error(new Error("shown"))')).stderr, /^Error: shown\n {4}at snippet\.js:1:15\n$/);
    assert.equal(
      await result('  function f() { return new Error("x").stack }; f()'),
      'Error: x\n    at f (snippet.js:1:25)\n    at snippet.js:1:49',
    );
    assert.equal(
      await result('function f() { return new Error("x").stack }; f()'),
      'Error: x\n    at f (snippet.js:1:23)\n    at snippet.js:1:47',
    );
  });

  it('uses the same positions for code that only V8 accepts', async () => {
    const { error } = await run(
      'function same() { return 3 }\nfunction later() { throw new Error("later") }\n same() = 1',
    );
    assert.match(error ?? '', /Invalid left-hand side in assignment\n {4}at snippet\.js:3:2$/);
    assert.equal(
      (await run('later()')).stderr,
      'Error: later\n    at later (earlier snippet:2:26)\n    at snippet.js:1:1\n',
    );
  });

  it('reports the position of syntax errors', async () => {
    for (const [code, expected] of [
      ['let a = 1;\n let b c', "SyntaxError: Unexpected identifier 'c'\n    at snippet.js:2:8"],
      ['let d; let d', "SyntaxError: Identifier 'd' has already been declared\n    at snippet.js:1:12"],
      ['f(1 2)', 'SyntaxError: missing ) after argument list\n    at snippet.js:1:3'],
      ['f(\n{', 'SyntaxError: Unexpected end of input\n    at snippet.js:2:2'],
      [
        '"use strict"; with (a) b',
        'SyntaxError: Strict mode code may not include a with statement\n    at snippet.js:1:15',
      ],
      ['return 1\nlet e = = 2', 'SyntaxError: Unexpected token\n    at snippet.js:2:9'],
      ['class A { static { return } }', "SyntaxError: 'return' outside of function\n    at snippet.js:1:20"],
      ['1\0', 'SyntaxError: Invalid or unexpected token\n    at snippet.js:1:2'],
      [
        'const logged = (kind) => kind;\n@logged class A {}',
        'SyntaxError: Invalid or unexpected token\n    at snippet.js:2:1',
      ],
    ] as const) {
      const { error, stderr, exitCode } = await run(code);
      assert.equal(error, expected, code);
      assert.equal(stderr, `${expected}\n`);
      assert.equal(exitCode, 1);
    }
    assert.match(
      (await run('\n JSON.parse("{")')).error ?? '',
      /^SyntaxError: Expected property name.*\n {4}at snippet\.js:2:7$/s,
    );
    assert.match(
      (await run('await Promise.reject(new SyntaxError("late"))')).error ?? '',
      /^SyntaxError: late\n {4}at snippet\.js:1:22$/,
    );
  });

  it('keeps nothing open for a syntax error', async () => {
    await run(`var open = 0, inspector = require("node:inspector").Session.prototype;
      for (const [name, by] of [["connect", 1], ["disconnect", -1]]) {
        const own = inspector[name];
        inspector[name] = function () { open += by; return own.call(this); };
      }`);
    assert.match((await run('const = 1')).error ?? '', /SyntaxError/);
    assert.equal(await result('open'), '0');
  });

  it('accepts any thrown value (EXE-10)', async () => {
    for (const [code, expected] of [
      ['throw null', 'Uncaught null'],
      ['throw undefined', 'Uncaught undefined'],
      ['throw "text"', "Uncaught 'text'"],
      ['throw { a: 1 }', 'Uncaught { a: 1 }'],
      ['throw Symbol("s")', 'Uncaught Symbol(s)'],
      ['await Promise.reject()', 'Uncaught undefined'],
      ['Promise.reject("value")', "Uncaught 'value'"],
      ['throw new Proxy(new Error("x"), { get() { throw 1 } })', 'Uncaught '],
      ['throw Object.create(Error.prototype)', 'Error'],
    ] as const) {
      const { error, exitCode } = await run(code);
      assert.ok(error?.startsWith(expected), `${code}: ${error}`);
      assert.equal(exitCode, 1);
    }
    const hostile =
      'class Bad extends Error { get stack() { throw 1 } get message() { throw 2 } get name() { throw 3 } }; throw new Bad()';
    assert.equal((await run(hostile)).exitCode, 1);
    const later = 'setTimeout(() => { throw new Bad() }); await new Promise((done) => setTimeout(done, 50))';
    assert.equal((await run(hostile.replace('throw new Bad()', later))).exitCode, 0);
    assert.equal((await run('throw new Error("x".repeat(5_000_000))')).exitCode, 1);
    assert.ok(((await run('throw new Error("x".repeat(5_000_000))')).error ?? '').length < 70_000);
    assert.equal(await result('"alive"'), 'alive');
  });

  it('reports causes and the errors of an AggregateError', async () => {
    const { stderr } = await run('throw new Error("outer", { cause: new Error("inner") })');
    assert.equal(
      stderr,
      'Error: outer\n    at snippet.js:1:7 {\n  [cause]: Error: inner\n      at snippet.js:1:35\n}\n',
    );
    assert.match(
      (await run('await Promise.any([Promise.reject(new Error("one"))])')).stderr,
      /^\[?AggregateError: .*\[errors\]: \[\n {4}Error: one\n/s,
    );
    const failedFetch = await run('\nawait fetch("http://127.0.0.1:9/")');
    assert.match(failedFetch.error ?? '', /^TypeError: fetch failed/);
  });

  it("keeps Playwright's errors readable", async () => {
    const { error, stderr } = await run('\nawait page.locator("#none").click({ timeout: 100 })');
    assert.equal(
      error,
      "TimeoutError: locator.click: Timeout 100ms exceeded.\nCall log:\n  - waiting for locator('#none')\n    at snippet.js:2:29",
    );
    assert.equal(stderr, `${error}\n`);
    const inPage = await run('await page.evaluate(() => {\n  throw new RangeError("in the page")\n})');
    assert.equal(inPage.error, 'page.evaluate: RangeError: in the page\n    at snippet.js:1:12');
    assert.match(
      (await run('await page.goto("http://127.0.0.1:9/")')).error ?? '',
      /^page\.goto: net::ERR_\w+ at http:\/\/127\.0\.0\.1:9\//,
    );
  });

  it('reports unhandled errors in this run or the next, and continues', async () => {
    const now = await run('Promise.reject(new Error("unhandled")); 1');
    assert.equal(now.stderr, 'Error: unhandled\n    at snippet.js:1:16\n');
    assert.deepEqual([now.exitCode, now.result], [0, '1']);

    // A late error belongs to the current run, which on a busy machine may still be the one that set the timer.
    const late = async (code: string) => {
      const answers = [await run(code)];
      await until(async () => {
        if (answers.at(-1)?.stderr === '') answers.push(await run('"next"'));
        return answers.at(-1)?.stderr !== '';
      });
      assert.ok(answers.every((answer) => answer.exitCode === 0));
      return answers.at(-1)?.stderr ?? '';
    };
    assert.match(
      await late('setTimeout(() => { throw new Error("from a timer") }, 20)'),
      /^Error: from a timer\n {4}at Timeout\._onTimeout \((earlier snippet|snippet\.js):1:26\)\n$/,
    );
    assert.match(
      await late('setTimeout(() => { Promise.reject(new Error("late")) }, 20)'),
      /^Error: late\n {4}at Timeout\._onTimeout \((earlier snippet|snippet\.js):1:35\)\n$/,
    );
    assert.equal(await result('"alive"'), 'alive');
  });

  it('survives deep recursion and ten thousand open timers (EXE-07)', async () => {
    assert.match(
      (await run('function deep() { deep() }; deep()')).error ?? '',
      /^RangeError: Maximum call stack size exceeded/,
    );
    assert.equal(await result('for (let i = 0; i < 10_000; i++) setTimeout(() => {}, 1e6).unref(); "set"'), 'set');
    assert.equal(await result('"alive"'), 'alive');
  });
});
