import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { useRunner } from '../../harness/runners.ts';

describe('node runner: in a project', () => {
  const fixture = useRunner(createNodeRunner);
  let folder: string;
  let file: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata project ')));
    file = join(folder, 'src', 'main.ts');
    write('package.json', '{ "name": "shop" }');
    write('node_modules/prices/package.json', '{ "name": "prices", "version": "1.0.0", "main": "index.js" }');
    write('node_modules/prices/index.js', 'exports.tea = 3;');
    write('src/main.ts', '');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, text: string): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }
  const place = (environment = {}) => ({ file, directory: folder, environment });
  const run = (code: string, environment = {}) => fixture.run(code, { place: place(environment) });
  async function result(code: string): Promise<string> {
    const { result, error, stderr } = await run(code);
    assert.equal(error, undefined, stderr);
    assert.equal(stderr, '');
    return result;
  }

  it('imports and requires files and packages as its file would', async () => {
    write('src/helper.ts', 'export const double = (price: number): number => price * 2;\nexport default "helper";');
    write('src/data.json', '{ "cups": 4 }');
    write('src/old.cjs', 'exports.old = require("prices").tea;');
    assert.equal(
      await result(
        "import name, { double } from './helper.ts';\nimport { tea } from 'prices';\nimport data from './data.json' with { type: 'json' };\n[name, double(tea), data.cups]",
      ),
      '["helper",6,4]',
    );
    assert.equal(await result("(await import('./helper.ts')).double(2)"), '4');
    assert.equal(await result("(await import('./data.json', { with: { type: 'json' } })).default.cups"), '4');
    assert.equal(await result("[require('./old.cjs').old, require('prices').tea, require('./data').cups]"), '[3,3,4]');
    assert.equal(await result("require.resolve('prices').endsWith('index.js')"), 'true');
    assert.equal(await result("import * as all from './old.cjs'; all.old"), '3');
  });

  it('resolves imports without an extension, of index files and of compiled names', async () => {
    write('src/lib/index.ts', "export { one } from './one.js';");
    write('src/lib/one.ts', 'export const one = 1;');
    assert.equal(await result("import { one } from './lib'; one"), '1');
    assert.equal(await result("import { one as same } from './lib/one'; same"), '1');
    assert.equal(await result("require('./lib/one').one"), '1');
  });

  it("runs in its file's place and directory, and writes files there", async () => {
    assert.equal(await result('import.meta.filename'), file);
    assert.equal(await result("import.meta.url === require('url').pathToFileURL(import.meta.filename).href"), 'true');
    assert.equal(
      await result('[__filename === import.meta.filename, __dirname === import.meta.dirname]'),
      '[true,true]',
    );
    assert.equal(await result("const __dirname = 'mine'; __dirname"), 'mine');
    assert.equal(await result('__dirname'), 'mine');
    assert.equal(await result('process.cwd()'), folder);
    assert.equal(await result('process.argv[1]'), file);
    await result("require('fs').writeFileSync('out.json', '[1]')");
    assert.equal(readFileSync(join(folder, 'out.json'), 'utf8'), '[1]');
  });

  it('reloads changed files and their importers, and keeps the state of all others', async () => {
    write('src/state.mjs', 'console.log("state"); export const state = { count: 0 };');
    write('src/rate.mjs', 'console.log("rate"); export const rate = 1;');
    write(
      'src/shop.mjs',
      "import { rate } from './rate.mjs'; import { state } from './state.mjs';\nconsole.log('shop'); export const total = () => rate * ++state.count;",
    );
    const code = "import { total } from './shop.mjs'; total()";
    assert.deepEqual(await outcome(code), ['1', 'rate\nstate\nshop\n']);
    assert.deepEqual(await outcome(code), ['2', '']);
    write('src/rate.mjs', 'console.log("rate"); export const rate = 10;');
    assert.deepEqual(await outcome(code), ['30', 'rate\nshop\n']);
    write('src/rate.mjs', 'console.log("rate"); export const rate = 10;');
    assert.deepEqual(await outcome(code), ['40', ''], 'saved without a change');
  });

  async function outcome(code: string): Promise<[string, string]> {
    const { result, stdout, error, stderr } = await run(code);
    assert.equal(error, undefined, stderr);
    return [result, stdout];
  }

  it('reloads changed CommonJS files, and ES modules loaded by require', async () => {
    write('src/leaf.cjs', 'module.exports = 1;');
    write('src/one.cjs', "exports.one = require('./leaf.cjs');");
    write('src/two.cjs', "exports.two = require('./leaf.cjs');");
    write('src/esm.mjs', "import leaf from './leaf.cjs'; export const esm = leaf;");
    const code = "[require('./one.cjs').one, require('./two.cjs').two, require('./esm.mjs').esm]";
    assert.equal(await result(code), '[1,1,1]');
    for (const value of [2, 3]) {
      write('src/leaf.cjs', `module.exports = ${value};`);
      assert.equal(await result(code), `[${value},${value},${value}]`);
    }
    write('src/esm.mjs', "export const esm = 'new';");
    assert.equal(await result("require('./esm.mjs').esm"), 'new');
  });

  it('names the file and line of an error in a module, and the line of the snippet', async () => {
    const path = write(
      'src/broken.ts',
      '\nexport function pay(card: string): never {\n  throw new TypeError("no card " + card);\n}',
    );
    const { error, stderr } = await run("import { pay } from './broken';\n\npay('visa')");
    assert.equal(
      error,
      `TypeError: no card visa\n    at pay (${path}:3:9)\n    at snippet.js:3:1`
        .replace('at pay', 'at Module.pay')
        .replace('Module.', ''),
    );
    assert.equal(stderr, `${error}\n`);
    write(
      'src/broken.ts',
      '\n\nexport function pay(card: string): never {\n  throw new TypeError("no card " + card);\n}',
    );
    const again = await run("import { pay } from './broken';\npay('visa')");
    assert.match(again.error ?? '', /\/src\/broken\.ts:4:9\)\n {4}at snippet\.js:2:1$/);
  });

  it('reports the position of an import that throws, and runs it again', async () => {
    const path = write('src/throws.mjs', "\nconsole.log('evaluated');\nthrow new Error('no config');");
    for (const code of ["\nimport './throws.mjs'", "\nawait import('./throws.mjs')", "\nrequire('./throws.mjs')"]) {
      const { error, stderr, stdout } = await run(code);
      assert.match(
        error ?? '',
        /^Error: no config\n {4}at .*\/src\/throws\.mjs:3:7\)?\n {4}at (?:async )?snippet\.js:2:\d+$/,
      );
      assert.ok(error?.includes(`${path}:3:7`), error);
      assert.equal(stderr, `${error}\n`);
      assert.equal(stdout, 'evaluated\n', code);
    }
    write('src/throws.mjs', 'export const fine = 1;');
    assert.equal(await result("import { fine } from './throws.mjs'; fine"), '1');
  });

  it('reports the position of a syntax error in a module', async () => {
    for (const [name, text, position] of [
      ['bad.mjs', 'export const a = 1;\nlet b c;', '2:7'],
      ['bad.cjs', 'exports.a = 1;\nlet b c;', '2:7'],
      ['enum.ts', '\nexport enum Size { Small }', '2:8'],
      ['link.mjs', "\nimport { nothing } from './link2.mjs';", '2:10'],
    ] as const) {
      const path = write(`src/${name}`, text);
      write('src/link2.mjs', 'export const something = 1;');
      for (const code of [`\nimport './${name}'`, `\nawait import('./${name}')`]) {
        const { error } = await run(code);
        assert.match(error ?? '', /^SyntaxError\b.*\n {4}at /, `${name}: ${error}`);
        assert.match(error ?? '', /\n {4}at (?:async )?snippet\.js:2:\d+$/, `${name}: ${error}`);
        assert.ok(error?.includes(`\n    at ${path}:${position}\n`), `${name}: ${error}`);
      }
    }
  });

  it('reports which file needs a missing package, and where to install it', async () => {
    const path = write('src/needs.mjs', "import 'left-pad/sub';");
    for (const [code, asking] of [
      ["\nimport 'left-pad'", file],
      ["\nawait import('left-pad')", file],
      ["\nrequire('left-pad')", file],
      ["\nimport './needs.mjs'", path],
    ]) {
      const { error, stderr } = await run(code ?? '');
      const text = `Error: Cannot find package 'left-pad', imported from ${asking}. Run "npm install left-pad" in ${folder}`;
      assert.match(error ?? '', /\n {4}at snippet\.js:2:\d+$/);
      assert.equal(error?.split('\n')[0], text);
      assert.equal(stderr, `${error}\n`);
    }
    const { error } = await run("import './nothing.mjs'");
    assert.equal(error, `Error: Cannot find module './nothing.mjs', imported from ${file}\n    at snippet.js:1:8`);
    write(
      'node_modules/left-pad/package.json',
      '{ "name": "left-pad", "exports": { ".": "./i.js", "./sub": "./i.js" } }',
    );
    write('node_modules/left-pad/i.js', 'exports.pad = 1;');
    assert.equal(await result("import { pad } from 'left-pad'; import './needs.mjs'; pad"), '1');
  });

  it('loads circular imports', async () => {
    write('src/a.mjs', "import { b } from './b.mjs'; export const a = () => 'a'; export const both = () => a() + b();");
    write('src/b.mjs', "import { a } from './a.mjs'; export const b = () => 'b' + a();");
    assert.equal(await result("import { both } from './a.mjs'; both()"), 'aba');
    write('src/b.mjs', "import { a } from './a.mjs'; export const b = () => 'c' + a();");
    assert.equal(await result("import { both } from './a.mjs'; both()"), 'aca');
    write('src/c.cjs', "exports.early = 1; exports.d = require('./d.cjs');");
    write('src/d.cjs', "module.exports = require('./c.cjs').early;");
    assert.equal(await result("require('./c.cjs').d"), '1');
  });

  it('evaluates top-level side effects once while the module is unchanged', async () => {
    write('src/once.mjs', 'globalThis.evaluations = (globalThis.evaluations ?? 0) + 1;');
    for (let times = 0; times < 3; times++) {
      assert.equal(await result("import './once.mjs'; await import('./once.mjs'); evaluations"), '1');
    }
  });

  it('loads a module of 10 MB', async () => {
    write('src/large.mjs', `export const text = '${'x'.repeat(5_000_000)}';\n/* ${'y'.repeat(5_000_000)} */`);
    assert.equal(await result("import { text } from './large.mjs'; text.length"), '5000000');
  });

  it('follows symbolic links to files and packages, and reloads them', async () => {
    const target = write('elsewhere/linked.mjs', 'export const linked = 1;');
    symlinkSync(target, join(folder, 'src', 'link-to.mjs'));
    write('packages/local/package.json', '{ "name": "local", "type": "module", "exports": "./index.ts" }');
    write('packages/local/index.ts', 'export const local: number = 1;');
    symlinkSync(join(folder, 'packages', 'local'), join(folder, 'node_modules', 'local'), 'dir');
    const code = "import { linked } from './link-to.mjs'; import { local } from 'local'; [linked, local]";
    assert.equal(await result(code), '[1,1]');
    write('elsewhere/linked.mjs', 'export const linked = 2;');
    write('packages/local/index.ts', 'export const local: number = 2;');
    assert.equal(await result(code), '[2,2]');
  });

  it('gives project modules the Playwright of the session', async () => {
    write('node_modules/playwright/package.json', '{ "name": "playwright", "main": "index.js" }');
    write('node_modules/playwright/index.js', 'exports.own = true;');
    write(
      'src/pages.ts',
      "import { chromium } from 'playwright';\nexport const name = () => chromium.name() + typeof page;",
    );
    assert.equal(await result("import { name } from './pages.ts'; name()"), 'chromiumobject');
    assert.equal(await result("require('playwright').chromium.name()"), 'chromium');
  });

  it('sets the environment of the run, and removes what is gone from it', async () => {
    const code = '[process.env.SHOP, process.env.TZ].map(String)';
    const { result: before } = await run(code);
    assert.equal((await run(code, { SHOP: 'tea', TZ: 'Asia/Tokyo' })).result, '["tea","Asia/Tokyo"]');
    assert.equal((await run(code)).result, before);
  });

  it('removes what is gone from the environment before a run that fails, too', async () => {
    const code = 'String(process.env.SHOP)';
    assert.equal((await run(code, { SHOP: 'tea' })).result, 'tea');
    const failed = await fixture.run(code, { place: { ...place(), directory: join(folder, 'missing') } });
    assert.match(failed.error ?? '', /ENOENT/);
    assert.equal((await run(code)).result, 'undefined');
  });

  it('returns to a private folder for code without a file', async () => {
    await result('1');
    const { result: directory } = await fixture.run('process.cwd()');
    assert.equal(directory, realpathSync(fixture.options.directory));
    assert.match((await fixture.run("import './helper.ts'")).error ?? '', /^Error: Cannot import '\.\/helper\.ts'/);
    assert.match((await fixture.run("require('./helper.ts')")).error ?? '', /^Error: Cannot import '\.\/helper\.ts'/);
    assert.equal(await result("import { tea as again } from 'prices'; again"), '3');
  });

  it('survives the deletion of its working directory', async () => {
    const directory = join(folder, 'gone');
    mkdirSync(directory);
    const inside = (code: string) => fixture.run(code, { place: { ...place(), directory } });
    assert.equal((await inside('process.cwd()')).result, directory);
    rmSync(directory, { recursive: true });
    mkdirSync(directory);
    assert.equal((await inside('process.cwd()')).result, directory);
    assert.equal(await result('process.cwd()'), folder);
  });
});
