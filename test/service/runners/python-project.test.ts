import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTools } from '../../../src/service/browsers/runners/install/install.ts';
import { createPythonRunner } from '../../../src/service/browsers/runners/python/python.ts';
import { createPythonEnvironment } from '../../../src/service/browsers/runners/python/python-environment.ts';
import { needs, pythonDirectory, pythonForTests } from '../../harness/runner-tools.ts';
import { useRunner } from '../../harness/runners.ts';

describe('python runner: in a project', () => {
  needs(pythonForTests);
  const fixture = useRunner((options) =>
    createPythonRunner({
      ...options,
      environment: (configured) =>
        configured === undefined
          ? pythonForTests
          : createPythonEnvironment({ tools: createTools(options.marker), directory: pythonDirectory, configured }),
    }),
  );
  let folder: string;
  let file: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata project ')));
    file = join(folder, 'src', 'main.py');
    mkdirSync(dirname(file));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, text: string): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }
  const run = (code: string, more: object = {}) =>
    fixture.run(code, { place: { file, directory: folder, environment: {}, ...more } });
  async function result(code: string, more: object = {}): Promise<string> {
    const { result, error, stderr } = await run(code, more);
    assert.equal(error, undefined, stderr);
    return result;
  }

  it('imports modules beside its file, and runs in the directory', async () => {
    write('src/helper.py', 'def double(price):\n    return price * 2\n');
    assert.equal(await result('import helper\nhelper.double(2)'), '4');
    assert.equal(await result('import os\nos.getcwd()'), folder);
    assert.equal(await result('__file__'), file);
    await result('with open("out.json", "w") as out:\n    out.write("[1]")');
    assert.equal(readFileSync(join(folder, 'out.json'), 'utf8'), '[1]');
  });

  it('reloads changed files and their importers, and keeps the state of all others', async () => {
    write('src/rate.py', 'print("rate")\nrate = 1\n');
    write('src/state.py', 'print("state")\ncount = 0\n');
    write('src/shop/__init__.py', '');
    write(
      'src/shop/total.py',
      'import state\nfrom rate import rate\ndef total():\n    state.count += 1\n    return rate * state.count\n',
    );
    const code = 'from shop.total import total\ntotal()';
    const outcome = async () => {
      const { result, stdout, error } = await run(code);
      return [error ?? result, stdout];
    };
    assert.deepEqual(await outcome(), ['1', 'state\nrate\n']);
    assert.deepEqual(await outcome(), ['2', '']);
    write('src/rate.py', 'print("rate")\nrate = 10\n');
    assert.deepEqual(await outcome(), ['30', 'rate\n']);
    write('src/later.py', 'value = 1\n');
    assert.equal(await result('import later\nlater.value'), '1');
  });

  it('keeps the modules of two folders separate', async () => {
    write('one/same.py', 'name = "one"\n');
    write('two/same.py', 'name = "two"\n');
    const code = 'import same\nsame.name';
    assert.equal(await result(code, { file: join(folder, 'one', 'a.py') }), 'one');
    assert.equal(await result(code, { file: join(folder, 'two', 'a.py') }), 'two');
    assert.equal(await result(code, { file: join(folder, 'one', 'b.py') }), 'one');
  });

  it('names the file and line of an error in a module', async () => {
    const path = write('src/broken.py', 'def pay(card):\n    raise ValueError("no card " + card)\n');
    const { error, stderr } = await run('import broken\n\nbroken.pay("visa")');
    assert.equal(error, `ValueError: no card visa\n  File "snippet.py", line 3\n  File "${path}", line 2, in pay`);
    assert.match(stderr, /File "snippet\.py", line 3.*File ".*broken\.py", line 2, in pay/s);
    const bad = write('src/bad.py', 'x = 1\nlet y\n');
    assert.equal(
      (await run('import bad')).error,
      `SyntaxError: invalid syntax\n  File "snippet.py", line 1\n  File "${bad}", line 2`,
    );
    const needing = write('src/needing.py', '\nimport left_pad\n');
    const missing = (await run('import needing')).error ?? '';
    assert.match(missing, /^ModuleNotFoundError: No module named 'left_pad'\. .*"\/.* -m pip install left_pad"\n/);
    assert.ok(missing.includes(`File "${needing}", line 2`), missing);
    write('src/needing.py', 'fine = 1\n');
    assert.equal(await result('import needing\nneeding.fine'), '1');
  });

  it('sets the environment of the run, and removes variables that are gone', async () => {
    const code = 'import os\nos.environ.get("SHOP", "none")';
    assert.equal(await result(code, { environment: { SHOP: 'tea' } }), 'tea');
    assert.equal(await result(code), 'none');
  });

  it('removes what is gone from the environment before a run that fails, too', async () => {
    const code = 'import os\nos.environ.get("SHOP", "none")';
    assert.equal(await result(code, { environment: { SHOP: 'tea' } }), 'tea');
    assert.match((await run(code, { directory: join(folder, 'missing') })).error ?? '', /No such file/);
    assert.equal(await result(code), 'none');
  });

  it("runs on the project's interpreter, with its packages and our Playwright", async () => {
    const venv = join(folder, '.venv');
    const { interpreter } = await pythonForTests(() => undefined);
    execFileSync(interpreter, ['-m', 'venv', '--without-pip', venv]);
    const [lib = ''] = execFileSync(join(venv, 'bin', 'python'), [
      '-c',
      'import site; print(site.getsitepackages()[0])',
    ])
      .toString()
      .split('\n');
    writeFileSync(join(lib, 'prices.py'), 'tea = 3\n');
    const python = join(venv, 'bin', 'python');
    await result('kept = 1');
    const notices: string[] = [];
    const outcome = await fixture.run('import prices, sys\nawait page.evaluate("1 + 1"), prices.tea, sys.executable', {
      place: { file, directory: folder, environment: {}, python },
      onNotice: (text) => notices.push(text),
    });
    assert.equal(outcome.error, undefined, outcome.stderr);
    assert.equal(outcome.result, `(2, 3, '${python}')`);
    assert.match(notices.join(), /The interpreter is now .*\.venv.* lost/);
    assert.match((await run('kept', { python })).error ?? '', /NameError/);
  });
});
