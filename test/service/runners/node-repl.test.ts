import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/contract/limits.ts';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { awaits } from '../../harness/code-files.ts';
import { eventually } from '../../harness/eventually.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { useRunner } from '../../harness/runners.ts';

describe('node runner: the REPL', () => {
  const fixture = useRunner(createNodeRunner);
  const { run, result } = fixture;

  it('returns the value of the last expression', async () => {
    assert.equal(await result('1 + 1'), '2');
    assert.equal(await result('const rows = [{ a: 1 }]; rows'), '[{"a":1}]');
    assert.equal(await result('if (true) { "yes" } else { "no" }'), 'yes');
    assert.equal(await result('null'), 'null');
    assert.equal(await result('Promise.resolve("awaited")'), 'awaited');
    assert.equal(await result('await new Promise((done) => setTimeout(() => done(5), 5))'), '5');
  });

  it('returns every part of a run', async () => {
    assert.deepEqual(await run('console.log("out"); console.error("err"); 7'), {
      stdout: 'out\n',
      stderr: 'err\n',
      result: '7',
      exitCode: 0,
      killed: false,
    });
  });

  it('returns trimmed standard output if there is no value', async () => {
    assert.equal(await result('console.log("  a\\n b "); undefined'), 'a\n b');
    assert.equal(await result('let nothing'), '');
  });

  it("doesn't await a thenable that isn't a promise", async () => {
    assert.match(await result('({ then() {} })'), /then: \[Function: then\]/);
  });

  it('shows every kind of value without failing (EXE-10)', async () => {
    for (const [code, expected] of [
      ['NaN', 'NaN'],
      ['-0', '-0'],
      ['-Infinity', '-Infinity'],
      ['123456789012345678901234567890n', '123456789012345678901234567890n'],
      ['Symbol("s")', 'Symbol(s)'],
      ['(() => 1)', '[Function (anonymous)]'],
      ['const circle = {}; circle.self = circle', '<ref *1> { self: [Circular *1] }'],
      ['({ get bad() { throw new Error("no") } })', '{ bad: [Getter] }'],
      ['new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })', '{}'],
      ['Object.create(null)', '{}'],
      ['new (class Point { x = 1 })', 'Point { x: 1 }'],
      ['new Date(0)', '1970-01-01T00:00:00.000Z'],
      ['new Map([["k", 1]])', "Map(1) { 'k' => 1 }"],
      ['({ a: undefined })', '{ a: undefined }'],
      ['Buffer.from("ab")', '<Buffer 61 62>'],
      ['""', ''],
      ['globalThis === this', 'true'],
    ] as const) {
      assert.equal(await result(code), expected, code);
    }
  });

  it('truncates a result at the limit', async () => {
    const { result: text, truncated, exitCode } = await run('"é".repeat(25_000_000)');
    assert.equal(exitCode, 0);
    assert.equal(text, 'é'.repeat(limits.output / 2));
    assert.equal(truncated, true);
    assert.equal((await run('"x".repeat(1024)')).truncated, undefined);
  });

  it('keeps declarations for the next run', async () => {
    await run('let a = 1; const b = 2; var c = 3; class D { e = 4 }; function f() { return a + b + c }; g = 5');
    assert.equal(await result('[a, b, c, new D().e, f(), g].join()'), '1,2,3,4,6,5');
    await run('a = 10');
    assert.equal(await result('f()'), '15');
  });

  it('lets any name be redeclared in any form', async () => {
    const kinds = {
      let: (name: string) => `let ${name} = 'let'`,
      const: (name: string) => `const ${name} = 'const'`,
      var: (name: string) => `var ${name} = 'var'`,
      loop: (name: string) => `for (var ${name} of ['loop']);`,
      class: (name: string) => `class ${name} { static toString() { return 'class' } }`,
      function: (name: string) => `function ${name}() {}; ${name}.toString = () => 'function'`,
      import: (name: string) => `import * as ${name} from 'node:os'`,
      assignment: (name: string) => `${name} = 'assignment'`,
    };
    let count = 0;
    for (const [first, declare] of Object.entries(kinds)) {
      for (const [second, again] of Object.entries(kinds)) {
        const name = `name${count++}`;
        await result(declare(name));
        await result(again(name));
        const expected = second === 'import' ? 'object' : second;
        assert.equal(
          await result(`typeof ${name} === 'object' ? 'object' : String(${name})`),
          expected,
          `${first}, ${second}`,
        );
      }
    }
  });

  it('hoists functions', async () => {
    assert.equal(
      await result('early(); function early() { return later() }\nfunction later() { return `hoisted` }'),
      'hoisted',
    );
    assert.equal(await result('const got = early2(); function early2() { return 1 }\ngot'), '1');
    assert.equal(await result('function twice() { return 1 }; function twice() { return 2 }; twice()'), '2');
  });

  it('allows redeclaring a name whose initializer failed', async () => {
    const { exitCode } = await run('const pending = await Promise.reject(new Error("no"))');
    assert.equal(exitCode, 1);
    assert.equal((await run('pending')).exitCode, 1);
    assert.equal(await result('const pending = 1; pending'), '1');
  });

  it('keeps working when a snippet redefines globals', async () => {
    const names = [
      'URL',
      'Map',
      'Set',
      'Promise',
      'Object',
      'Array',
      'JSON',
      'Error',
      'Buffer',
      'process',
      'Symbol',
      'String',
    ];
    await run(
      `const ${names.map((name) => `${name} = 1`).join(', ')}; import { setTimeout, setImmediate } from 'node:timers/promises'`,
    );
    assert.equal(await result('URL + Map'), '2');
    assert.equal(await result('await setTimeout(1, "slept")'), 'slept');
    assert.equal(
      await result('await page.goto("data:text/html,<title>still there</title>"); page.title()'),
      'still there',
    );
    const { error } = await run('await page.click("#none", { timeout: 50 })');
    assert.match(error ?? '', /^TimeoutError: page\.click: Timeout 50ms exceeded/);
    assert.equal(await result('({ a: [1] })'), '{"a":[1]}');
    assert.equal(await result('class URL {}; typeof URL'), 'function');
    await fixture.runner.reset();
  });

  it('accepts code of every form', async () => {
    for (const [code, expected] of [
      ['#!/usr/bin/env node\n"hashbang"', 'hashbang'],
      ['\ufeff"mark"', 'mark'],
      ['"a"\r\n+ "b"\r\n', 'ab'],
      ['"</script>" // comment at the end', '</script>'],
      ['"\ud800"', '\ud800'],
      ['/* nothing */', ''],
      [' ', ''],
      ['//# sourceURL=other.js\n1', '1'],
      ['"\\u0000"', '\0'],
      ['"use strict"; (function () { return this })()', ''],
      ['/(?<year>\\d+)/.exec("in 2026").groups.year', '2026'],
      ['with ({ x: 3 }) x', '3'],
      ['using held = { [Symbol.dispose]() {} }; "using"', 'using'],
      ['debugger; "on"', 'on'],
    ] as const) {
      assert.equal(await result(code), expected, JSON.stringify(code));
    }
  });

  it('accepts the longest code, and every character arrives (EXE-12)', async () => {
    const emoji = '😀'.repeat(limits.code.max - 2);
    assert.equal(await result(`"${emoji}"`), emoji);
    assert.equal(await result(' '.repeat(limits.code.max - 1).concat('7')), '7');
    assert.equal((await run('1\0')).exitCode, 1);
    assert.equal(await result("'a\u2028\u2029'.length"), '3');
    assert.equal(await result('// one\u2028// two\u20297'), '7');
  });

  /** Starts code in the background of a run, and resolves when it has run between this run and the next. */
  async function between(code: string): Promise<void> {
    const folder = temporaryFolder();
    const [go, told] = ['go', 'told'].map((name) => join(folder, name)) as [string, string];
    await run(`var fs = require("node:fs"), timer = setInterval(() => {
      if (!fs.existsSync(${JSON.stringify(go)})) return;
      clearInterval(timer);
      ${code};
      fs.writeFileSync(${JSON.stringify(told)}, "");
    }, 5)`);
    writeFileSync(go, '');
    await eventually(() => assert.ok(existsSync(told)));
    rmSync(folder, { recursive: true });
  }

  it('delivers output printed between runs with the next run, outside its result', async () => {
    await between('console.log("late")');
    const events: string[] = [];
    const { stdout, result: value } = await run('console.log("own")', { onOutput: (_, text) => events.push(text) });
    assert.equal(stdout, 'late\nown\n');
    assert.equal(value, 'own');
    assert.equal(events.join(''), stdout);
  });

  it('has the result and the error of a run after any output printed before it', async () => {
    const flood = `const text = "x".repeat(${limits.output}); console.log(text); console.error(text)`;
    await between(flood);
    const streamed: string[] = [];
    const outcome = await run('console.log("the answer")', { onOutput: (_, text) => streamed.push(text) });
    assert.equal(outcome.result, 'the answer');
    assert.equal(outcome.truncated, true);
    assert.match(streamed.join(''), /the answer/);
    await between(flood);
    assert.equal((await run('console.error("why"); process.exit(3)')).error, 'why');
  });

  it('streams output as it is printed', async () => {
    const seen: string[] = [];
    let first: () => void = () => undefined;
    const came = new Promise<void>((resolve) => {
      first = resolve;
    });
    const released = join(fixture.options.directory, 'released');
    const running = run(`console.log("one"); ${awaits(released)} console.error("two")`, {
      onOutput(stream, text) {
        seen.push(`${stream}: ${text}`);
        first();
      },
    });
    await came;
    assert.deepEqual(seen, ['stdout: one\n']);
    writeFileSync(released, '');
    await running;
    assert.deepEqual(seen, ['stdout: one\n', 'stderr: two\n']);
    rmSync(released);
  });

  it('has a complete console without colors', async () => {
    const { stdout, stderr } = await run(
      'console.table([{ a: 1 }]); console.group("g"); console.info({ b: "c" }); console.groupEnd(); console.dir([1]); console.count(); console.warn("w"); console.assert(false, "as"); require("console").log("same")',
    );
    assert.match(stdout, /│ 0 {7}│ 1 │/);
    assert.match(stdout, /g\n {2}\{ b: 'c' \}\n\[ 1 \]\ndefault: 1\nsame\n$/);
    assert.equal(stderr, 'w\nAssertion failed: as\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that there are none
    assert.doesNotMatch(stdout + stderr, /\x1b/);
  });

  it('keeps the standard streams open, whatever a snippet does to them', async () => {
    const { stdout } = await run(
      'process.stdout.write("a"); process.stdout.end("b"); process.stdout.destroy(); await require("stream/promises").pipeline(["c"], process.stdout, { end: false }); console.log("d")',
    );
    assert.equal(stdout, 'abcd\n');
    assert.equal((await run('console.log("still")')).stdout, 'still\n');
  });

  it('runs in a private folder with a minimal environment (EXE-13)', async () => {
    process.env.WEBDATA_TEST_SECRET = 'secret';
    process.env.NODE_OPTIONS_TEST = 'x';
    try {
      const names = JSON.parse(await result('Object.keys(process.env)')) as string[];
      const allowed =
        /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|FONTCONFIG_PATH|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|WEBDATA_TEST|WEBDATA_TEST_RUNNER)$/;
      assert.deepEqual(
        names.filter((name) => !allowed.test(name)),
        [],
      );
      assert.doesNotMatch(
        await result('require("fs").readFileSync("/proc/self/cmdline", "latin1")'),
        /ws:\/\/|devtools/,
      );
      assert.equal(await result('require("fs").readdirSync(process.cwd()).length'), '0');
    } finally {
      delete process.env.WEBDATA_TEST_SECRET;
      delete process.env.NODE_OPTIONS_TEST;
    }
  });
});
