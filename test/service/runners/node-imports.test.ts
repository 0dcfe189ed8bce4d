import assert from 'node:assert/strict';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { useRunner } from '../../harness/runners.ts';

describe('node runner: imports', () => {
  const { run, result } = useRunner(createNodeRunner);

  it('imports Node modules in every static form', async () => {
    assert.equal(await result("import fs from 'node:fs'\ntypeof fs.readFileSync"), 'function');
    assert.equal(
      await result("import * as all from 'fs'; typeof all.default.readFileSync + typeof all.readFileSync"),
      'functionfunction',
    );
    assert.equal(
      await result(
        "import { readFileSync, writeFileSync as write, default as def } from 'fs'; [readFileSync, write, def].map((it) => typeof it).join()",
      ),
      'function,function,object',
    );
    assert.equal(await result("import path, { sep } from 'path'; path.sep === sep"), 'true');
    assert.equal(await result("import 'node:net'; import { EOL } from 'os'; EOL.length"), '1');
    assert.equal(await result("import sqlite, { DatabaseSync } from 'node:sqlite'; typeof DatabaseSync"), 'function');
    assert.equal(await result('let z = typeof late\nimport late from "url"\nz'), 'object');
  });

  it('keeps imports for later runs, and lets them be imported again', async () => {
    await run("import { join } from 'path'");
    assert.equal(await result("join('a', 'b')"), 'a/b');
    assert.equal(await result("import { basename as join } from 'path'; join('a/b')"), 'b');
  });

  it('imports and requires playwright under both names', async () => {
    assert.equal(
      await result("import { chromium, devices } from 'playwright'; chromium.name() + typeof devices"),
      'chromiumobject',
    );
    assert.equal(await result("import pw from 'playwright-core'; pw.chromium === chromium"), 'true');
    assert.equal(
      await result("require('playwright').chromium === chromium && require('playwright-core').chromium === chromium"),
      'true',
    );
    assert.equal(await result("(await import('playwright')).chromium === chromium"), 'true');
  });

  it('refuses to require what is no name, as Node does', async () => {
    for (const value of ['{}', '5', ''])
      assert.match((await run(`require(${value})`)).error ?? '', /^TypeError.*must be of type string/, value);
  });

  it('imports dynamically', async () => {
    assert.equal(await result("const { readFile } = await import('node:fs/promises'); typeof readFile"), 'function');
    assert.equal(await result("const name = 'o' + 's'; typeof (await import(name)).EOL"), 'string');
    assert.equal(await result("async function load() { return (await import('path')).sep }; load()"), '/');
    assert.equal(await result('load()'), '/');
  });

  it('rejects other imports at their line, before anything runs', async () => {
    for (const [specifier, line] of [
      ['./x.js', 2],
      ['/x.js', 2],
      ['lodash', 2],
      ['https://example.org/x.js', 2],
      ['file:///etc/passwd', 2],
      ['data:text/javascript,1', 2],
      ['node:nothing', 2],
      ['@playwright/test', 2],
    ] as const) {
      const { error, stderr, stdout, exitCode } = await run(
        `console.log("ran"); import fs from 'fs'\nimport x from '${specifier}'`,
      );
      const message = `Error: Cannot import '${specifier}': a snippet can import Node's built-in modules and playwright only`;
      assert.equal(error, `${message}\n    at snippet.js:${line}:15`);
      assert.equal(stderr, `${error}\n`);
      assert.equal(stdout, '');
      assert.equal(exitCode, 1);
    }
    const dynamic = await run("1\n await import('./x.js')");
    assert.match(dynamic.error ?? '', /^Error: Cannot import '\.\/x\.js': [^\n]+\n {4}at snippet\.js:2:8$/);
    assert.match((await run("require('./x.js')")).error ?? '', /Cannot import '\.\/x\.js'.*\n {4}at snippet\.js:1:1$/);
    assert.match((await run("export * from './x.js'")).error ?? '', /\n {4}at snippet\.js:1:15$/);
  });

  it('reports which export is missing', async () => {
    const { error } = await run("\nimport { nope } from 'fs'");
    assert.equal(
      error,
      "SyntaxError: The requested module 'fs' does not provide an export named 'nope'\n    at snippet.js:2:22",
    );
  });

  it('leaves import() inside the page unchanged', async () => {
    const code = "const load = async () => (await import('data:text/javascript,export default 42')).default;";
    assert.equal(await result(`${code}\npage.evaluate(load)`), '42');
    assert.match(await result('String(load)'), /await import\('data:/);
  });

  it('shows the source of a function as it was written, however long it is', async () => {
    await result('let n = 1; const helper = (x) => x + n; const use = () => ({ n, sum: helper(n) }); 0');
    const source = "() => { helper(n); return { n, marks: '\ufeff:\ufeff \u0237n', tag: helper`t` } }";
    assert.equal(await result(`const shown = ${source}; function helper() {}; String(shown)`), source);
    assert.equal(
      await result('function helper(x) { return x - n }; String(helper)'),
      'function helper(x) { return x - n }',
    );
    assert.equal(await result(`const long = () => '\u0131${'a'.repeat(90_000)}'; String(long).length`), '90009');
  });

  it('supports import.meta and export', async () => {
    const url = await result('import.meta.url');
    assert.match(url, /^file:\/\/\/.*\/snippet\.js$/);
    assert.equal(await result('require("url").pathToFileURL(import.meta.filename).href'), url);
    assert.equal(await result('import.meta.dirname === process.cwd()'), 'true');
    assert.equal(await result('export const kept = 1\nexport default kept + 1'), '2');
    assert.equal(await result('export function shared() { return kept }\nexport { shared as other }\nshared()'), '1');
  });

  it('keeps lines and columns next to imports', async () => {
    const { error } = await run("import fs from 'fs'; import { a } from 'os'", {});
    assert.match(error ?? '', /does not provide an export named 'a'/);
    const second = await run("import fs from 'fs'; throw new Error('here')");
    assert.match(second.error ?? '', /at snippet\.js:1:28$/);
    const third = await run("import {\n  EOL,\n} from 'os'; export const v = undefined.x");
    assert.match(third.error ?? '', /at snippet\.js:3:41$/);
  });

  it("reports the real error of code that imports and doesn't parse", async () => {
    for (const code of ["import fs from 'fs'\nlet a b", 'await import("fs")\nlet a b', 'export const c = 1\nlet a b']) {
      assert.match((await run(code)).error ?? '', /^SyntaxError: .*\n {4}at snippet\.js:2:7$/, code);
    }
    assert.match((await run("if (true) { import x from 'fs' }")).error ?? '', /^SyntaxError: /);
  });
});
