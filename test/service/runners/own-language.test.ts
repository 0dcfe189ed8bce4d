// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBashRunner } from '../../../src/service/browsers/runners/bash/bash.ts';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { createPythonRunner } from '../../../src/service/browsers/runners/python/python.ts';
import type { Runner } from '../../../src/service/browsers/runners/runner.ts';
import { startChromium, type TestChromium } from '../../harness/chromium.ts';
import { agentBrowserForTests, needs, pythonForTests } from '../../harness/runner-tools.ts';
import { amply } from '../../harness/runners.ts';

describe('code in a file runs as its own language does', () => {
  needs(pythonForTests, agentBrowserForTests);
  const runners: Partial<Record<string, Runner>> = {};
  const server = createServer((_, response) => response.end('page'));
  let chromium: TestChromium;
  let folder: string;
  let url: string;
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata language ')));
    mkdirSync(join(folder, 'own'));
    chromium = await startChromium();
    const options = {
      cdpUrl: chromium.cdpUrl,
      directory: join(folder, 'own'),
      marker: ['WEBDATA_TEST', randomUUID()] as const,
    };
    runners.node = createNodeRunner(options);
    runners.python = createPythonRunner({ ...options, environment: () => pythonForTests });
    runners.bash = createBashRunner({ ...options, agentBrowser: agentBrowserForTests });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(async () => {
    server.close();
    await Promise.all(Object.values(runners).map((runner) => runner?.dispose()));
    await chromium?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  async function run(language: string, file: string, code: string, line?: number) {
    const place = { file: join(folder, file), directory: folder, environment: {}, ...(line !== undefined && { line }) };
    const outcome = await runners[language]?.run({ code, timeoutMs: amply, place });
    if (!outcome) throw new Error(`no runner for ${language}`);
    return outcome;
  }
  async function result(language: string, file: string, code: string): Promise<string> {
    const { result: value, error, stderr } = await run(language, file, code);
    assert.deepEqual([error, stderr], [undefined, ''], code);
    return value;
  }
  /** What a program prints for a file. */
  function plain(command: string, file: string, code: string): { stdout: string; stderr: string } {
    write(file, code);
    return spawnSync(command, [join(folder, file)], { cwd: folder, encoding: 'utf8' });
  }

  it('node: its names change nothing for fetch, packages and modules of the project', async () => {
    mkdirSync(join(folder, 'node_modules', 'sleeper'), { recursive: true });
    write('node_modules/sleeper/package.json', '{ "name": "sleeper", "main": "index.js" }');
    const sleep =
      '(ms) => new Promise((done) => setTimeout(() => done(typeof helper + typeof window + new URL("a:b")), ms))';
    write('node_modules/sleeper/index.js', `exports.sleep = ${sleep};`);
    write('sleep.ts', `export const sleep = ${sleep};`);
    for (const declare of [
      "const URL = 'x', Promise = 1, window = {}",
      "import { setTimeout } from 'node:timers/promises'",
      'let Buffer, process; function fetchAll() {} class Map {}',
      'const { console } = { console: 1 }; var JSON = 2, Object = 3',
      'const helper = 4',
    ])
      await result('node', 'main.ts', `${declare}; 0`);
    const code =
      "import { sleep } from './sleep.ts'; import { sleep as other } from 'sleeper'; [await sleep(1), await other(1)]";
    assert.equal(await result('node', 'main.ts', code), '["undefinedundefineda:b","undefinedundefineda:b"]');
    assert.equal(await result('node', 'main.ts', `await (await fetch('${url}')).text() + URL`), 'pagex');
    await runners.node?.reset();
  });

  it('node: imports are live, from files of the project too', async () => {
    write(
      'late.ts',
      'export let config: unknown; export async function load() { config = { ok: true } }\nexport default config;',
    );
    write(
      'again.mjs',
      "export { config as settings } from './late.ts'; export * from './late.ts'; export * as all from './late.ts';",
    );
    const code = "import { config, load } from './late.ts'; import { settings, all } from './again.mjs';";
    const before = await result('node', 'main.ts', `${code} const before = [config, settings]; await load(); before`);
    assert.equal(before, '[ undefined, undefined ]');
    for (let times = 0; times < 2; times++)
      assert.equal(
        await result('node', 'main.ts', '[config, settings, all.config]'),
        '[{"ok":true},{"ok":true},{"ok":true}]',
      );
  });

  it('node: a file has its module', async () => {
    write('asks.cjs', 'exports.main = require.main.filename; exports.isMain = require.main === module;');
    const file = join(folder, 'main.js');
    assert.equal(await result('node', 'main.js', 'module.exports = { go() {} }; require.main === module'), 'true');
    assert.equal(
      await result(
        'node',
        'main.js',
        '[this === exports, (() => this)() === exports, (function () { return this })() === globalThis]',
      ),
      '[true,true,true]',
    );
    assert.equal(
      await result('node', 'main.js', 'exports.a = 1; [module.filename, module.id, typeof module.paths]'),
      `["${file}",".","object"]`,
    );
    assert.equal(
      await result('node', 'main.js', "require('./asks.cjs')"),
      JSON.stringify({ main: file, isMain: false }),
    );
    assert.equal(
      await result('node', 'main.js', '[import.meta.main, import.meta.filename, import.meta.dirname]'),
      JSON.stringify([true, file, folder]),
    );
    write('sub.js', '');
    assert.equal(
      await result(
        'node',
        'main.js',
        "['./sub.js', 'fs', 'sleeper'].map((name) => import.meta.resolve(name).split('/').at(-1))",
      ),
      '["sub.js","node:fs","index.js"]',
    );
    for (const load of ['await import(name)', 'import.meta.resolve(name)', 'require(name)'])
      assert.equal(
        await result(
          'node',
          'main.js',
          `let code, name = '@none/none'; try { ${load} } catch (e) { code = e.code } code`,
        ),
        load.startsWith('require') ? 'MODULE_NOT_FOUND' : 'ERR_MODULE_NOT_FOUND',
      );
    assert.equal(
      await result('node', 'main.js', 'if (module.parent === null) return;\nthrow new Error("goes on")'),
      '',
    );
    assert.equal(
      await result(
        'node',
        'main.js',
        'for (const a of [1, 2]) { 7; try { if (a === 2) return (0, [a]); } finally { 8; } }',
      ),
      '[2]',
    );
    assert.equal(await result('node', 'main.js', 'const require = 1, __dirname = 2; [require, __dirname]'), '[1,2]');
    assert.equal(
      await result('node', 'other.js', '[typeof require, __filename]'),
      JSON.stringify(['function', join(folder, 'other.js')]),
    );
  });

  it('node: prints what Node.js prints', async () => {
    const head = (text: string) =>
      text
        .replaceAll(/\(node:\d+\)|\n\(Use `node .*/g, '')
        .replaceAll(/\n\s+at [\s\S]*/g, '')
        .trim();
    for (const code of [
      "console.trace('here', { a: 1 })",
      'console.trace()',
      'console.log(String(new Error("a")), new Error("b").stack.split("\\n")[0])',
      "const e = new TypeError('own'); e.name = 'Mine'; console.error(e.stack.split('\\n')[0])",
      'class Own extends Error { toString() { return "hidden" } } console.error(new Own("shown"))',
      'console.log([function f() {}, class A {}, () => 1, async () => {}])',
      'let five = 5; try { five() } catch (e) { console.log(e.message) }',
      'process.emitWarning("mind", "Own"); setTimeout(() => {}, 5)',
    ]) {
      const { stderr } = await run('node', 'print.cjs', `${code}; await new Promise((done) => setTimeout(done, 20))`);
      assert.equal(head(stderr), head(plain(process.execPath, 'print.cjs', code).stderr), code);
    }
    for (const code of [
      "const assert = require('node:assert');\nassert(1 === 2)",
      "require('node:assert').equal(1, 2)",
      "require('node:assert').deepStrictEqual({ a: 1 }, { a: 2 })",
    ]) {
      const thrown = /^(AssertionError[\s\S]*?)\n {4}at/m.exec(plain(process.execPath, 'assert.cjs', code).stderr)?.[1];
      const { error = '' } = await run('node', 'assert.cjs', code);
      assert.equal(error.replace(/\n {4}at.*$/, '').trim(), thrown?.trim(), code);
    }
    write('typed.mts', 'export const a: number = ;');
    assert.match((await run('node', 'main.ts', "import { a } from './typed.mts'")).stderr, /^SyntaxError/);
  });

  it('python: asyncio.run and its like work, with the page of the session', async () => {
    const main = 'import asyncio\nasync def main():\n    return await page.evaluate("1 + 1")\n';
    for (const [code, expected] of [
      ['if __name__ == "__main__":\n    print(asyncio.run(main()))', '2'],
      ['asyncio.get_event_loop().run_until_complete(main())', '2'],
      ['with asyncio.Runner() as runner:\n    both = [runner.run(main()), runner.run(main())]\nboth', '[2,2]'],
      [
        'loop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\ntry:\n    got = loop.run_until_complete(main())\nfinally:\n    loop.close()\ngot',
        '2',
      ],
      [
        'async def tick():\n    global ticks\n    while True:\n        await asyncio.sleep(0)\n        ticks += 1\nasync def start():\n    asyncio.create_task(tick())\nticks = 0\nwith asyncio.Runner() as runner:\n    runner.run(start())\n    runner.run(asyncio.sleep(0.01))\nkept = ticks\nawait asyncio.sleep(0.01)\n[kept > 0, kept == ticks]',
        '[true,true]',
      ],
      ['async def outer():\n    return asyncio.run(main()) + await main()\nasyncio.run(outer())', '4'],
      ['def plain():\n    return asyncio.run(main())\n[plain(), await main()]', '[2,2]'],
      ['asyncio.run(asyncio.wait_for(main(), 60))', '2'],
      ['async def many():\n    return await asyncio.gather(main(), main())\nasyncio.run(many())', '[2,2]'],
      [
        'async def slow():\n    try:\n        await asyncio.wait_for(asyncio.sleep(60), 0.01)\n    except asyncio.TimeoutError:\n        return "late"\nasyncio.run(slow())',
        'late',
      ],
      [
        'async def leave():\n    asyncio.create_task(forever())\nasync def forever():\n    while True:\n        await asyncio.sleep(0.001)\nasyncio.run(leave())\nlen([task for task in asyncio.all_tasks() if "forever" in repr(task)])',
        '0',
      ],
      [
        'async def stop():\n    others = asyncio.all_tasks() - {asyncio.current_task()}\n    for task in others:\n        task.cancel()\n    return len(others)\nasync def stops():\n    asyncio.create_task(asyncio.sleep(60))\n    return await stop()\n[asyncio.run(stop()), asyncio.run(stops()), await stop(), await main()]',
        '[0,1,0,2]',
      ],
      [
        'left = []\nasync def leave():\n    left.append(asyncio.create_task(asyncio.sleep(60)))\nasyncio.run(leave())\nleft[0].cancelled()',
        'True',
      ],
      [
        'import contextvars\nvalue = contextvars.ContextVar("value", default=0)\nasync def change(to):\n    value.set(to or value.get())\n    await asyncio.sleep(0)\n    return value.get()\nasyncio.run(change(1))\nwith asyncio.Runner() as runner:\n    kept = [runner.run(change(2)), runner.run(change(0))]\n[*kept, value.get()]',
        '[2,2,0]',
      ],
      [
        'import threading\ngot = []\nthread = threading.Thread(target=lambda: got.append(asyncio.run(asyncio.sleep(0, 5))))\nthread.start()\nthread.join()\ngot',
        '[5]',
      ],
    ] as const)
      assert.equal(await result('python', 'main.py', main + code), expected, code);
    const { error, stderr } = await run('python', 'main.py', `${main}asyncio.run(5)`);
    assert.match(error ?? '', /^ValueError: a coroutine was expected, got 5\n {2}File "snippet\.py", line 4$/);
    assert.doesNotMatch(stderr, /webdata_runner|never awaited/);
  });

  it("python: what code prints about itself names the file's lines, and nothing else", async () => {
    const file = join(folder, 'cells.py');
    const trace = (code: string) => run('python', 'cells.py', code, 10);
    assert.equal(
      (
        await trace('# %% two\ntry:\n    1/0\nexcept Exception:\n    import traceback; traceback.print_exc()')
      ).stderr.replace(/\n +[~^]+/, ''),
      `Traceback (most recent call last):\n  File "${file}", line 13, in <module>\n    1/0\nZeroDivisionError: division by zero\n`,
    );
    assert.equal(
      (await trace('traceback.print_stack()')).stderr,
      `  File "${file}", line 11, in <module>\n    traceback.print_stack()\n`,
    );
    for (const code of ['import warnings\nwarnings.warn("mind")', 'import warnings\nwarnings.warn("mind")'])
      assert.equal((await trace(code)).stderr, `${file}:12: UserWarning: mind\n  warnings.warn("mind")\n`);
    assert.equal(
      (
        await trace(
          'import logging, sys\nlogging.basicConfig(format="%(filename)s:%(lineno)d %(message)s", stream=sys.stdout)\nlogging.warning("mind", stack_info=True)',
        )
      ).stdout
        .split('\n')
        .slice(0, 3)
        .join('|'),
      `cells.py:13 mind|Stack (most recent call last):|  File "${file}", line 13, in <module>`,
    );
    assert.equal(
      (await trace('import inspect\ndef f():\n    return [inspect.stack()[1].lineno, len(inspect.stack())]\nf()'))
        .result,
      '[14,2]',
    );
    assert.equal(
      (await trace('inspect.getsource(f)')).result,
      'def f():\n    return [inspect.stack()[1].lineno, len(inspect.stack())]\n',
    );
    assert.equal(
      (await trace('await asyncio.sleep(0) if "asyncio" in globals() else None\ninspect.currentframe().f_back')).result,
      '',
    );
    await trace('def fails():\n    raise KeyError("k")');
    const { error } = await run('python', 'cells.py', 'x = 1\nfails()', 30);
    assert.equal(error, `KeyError: 'k'\n  File "snippet.py", line 2\n  File "${file}", line 12, in fails`);
    assert.equal((await trace('x = 1\nif x\n    2')).error, `SyntaxError: expected ':'\n  File "snippet.py", line 2`);
  });

  it('bash: a file is the main script', async function () {
    if (process.platform === 'win32') this.skip();
    mkdirSync(join(folder, 'lib'));
    write(
      'lib/helper.sh',
      'echo "${BASH_SOURCE[*]} $LINENO"; [[ "${BASH_SOURCE[0]}" == "$0" ]] && echo no\nhelp() { echo "${FUNCNAME[*]} ${BASH_SOURCE[*]}"; }\n',
    );
    for (const code of [
      'main() { echo "in main"; }\nif [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main "$@"; fi',
      'HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\necho "$HERE $(basename "$0") ${BASH_SOURCE} ${#BASH_SOURCE[@]}"',
      'set -u\necho "${BASH_SOURCE[0]} $#"\nset +u',
      'source "$(dirname "${BASH_SOURCE[0]}")/lib/helper.sh"\nhelp\ncd lib; . ./helper.sh; cd ..',
      'f() {\n  echo "${FUNCNAME[*]} ${BASH_LINENO[*]} $LINENO"\n  caller 0; caller\n}\nf\necho "${FUNCNAME[0]-none} $LINENO"',
      'g() { h; }\nh() { local i=0; while caller $i; do i=$((i + 1)); done; }\ng\n(g)\necho "$(g)"',
      'trap \'echo "line $LINENO"\' ERR\nfalse\ntrap - ERR',
      "trap 'echo \"it'\\''s $?\"' EXIT\necho first\n(exit 3)",
      'set -e\ntrap "echo left; false || echo goes on" EXIT\necho first\nset +e',
      'no_such_command\n[ 1 -eq x ]\necho "${none?is not set}"',
      '(return 0 2>/dev/null) && echo sourced || echo run',
    ]) {
      const expected = plain('bash', 'main.sh', code);
      const outcome = await run('bash', 'main.sh', code);
      assert.deepEqual([outcome.stdout, outcome.stderr], [expected.stdout, expected.stderr], code);
    }
    assert.equal((await run('bash', 'main.sh', 'trap "echo last" EXIT\nbreak')).stdout, 'last\n');
    assert.equal((await run('bash', 'main.sh', 'trap -p EXIT; type -t exit')).stdout, 'builtin\n');
    const posix = await run('bash', 'main.sh', 'set -o posix\ntrap "echo last" EXIT');
    const none = await run('bash', 'main.sh', 'type -t exit');
    assert.deepEqual([posix.stdout, posix.stderr], ['last\n', '']);
    assert.deepEqual([none.stdout, none.stderr], ['builtin\n', '']);
    assert.equal((await run('bash', 'main.sh', 'set +o posix')).stderr, '');
    const left = await run('bash', 'main.sh', 'trap "echo last; exit" EXIT\n(exit 3)');
    assert.deepEqual([left.stdout, left.exitCode], ['last\n', 3]);
    const late = await run('bash', 'main.sh', 'echo $LINENO\nno_such_command', 20);
    assert.deepEqual(
      [late.stdout, late.stderr],
      ['21\n', `${join(folder, 'main.sh')}: line 22: no_such_command: command not found\n`],
    );
    assert.equal((await run('bash', 'main.sh', 'env | grep ^BASH_')).stdout, '');
  });
});
