import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../scripts/lib/repository.mjs';
import { hasTsserver, TsServer } from '../../harness/tsserver.ts';

/** A file that can't be told from others before it was run: it uses the page only in a function. */
const shop = `const read = async () => await page.$$eval('tr', (all) => all.length);
const rows = await read();
const title: string = await read().then(String);
({ rows, title });
`;

/** The place just after a text in a source, 1-based. */
function behind(source: string, text: string): [line: number, offset: number] {
  const before = source.slice(0, source.indexOf(text) + text.length).split('\n');
  return [before.length, (before.at(-1)?.length ?? 0) + 1];
}

describe('the TypeScript plugin', () => {
  let folder: string;
  let server: TsServer;
  let opened: string[];
  before(function () {
    // The workbench isn't installed on every machine that runs the unit tests.
    if (!hasTsserver) this.skip();
    server = new TsServer();
  });
  after(() => server?.stop());
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata-types-')));
    opened = [];
  });
  afterEach(() => {
    for (const file of opened) server.close(file);
    server.configure([]);
    rmSync(folder, { recursive: true, force: true });
  });

  function write(name: string, text: string): string {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  function open(name: string, text: string): string {
    const file = write(name, text);
    opened.push(file);
    server.open(file, folder);
    return file;
  }

  it('shows no errors in a TypeScript file that was run, unlike before', async () => {
    const file = open('shop.ts', shop);
    assert.match((await server.errors(file)).join('\n'), /Cannot find name 'page'/);
    server.configure([file]);
    assert.deepEqual(await server.errors(file), []);
    assert.deepEqual(await server.suggestions(file), []);
    server.configure([]);
    assert.match((await server.errors(file)).join('\n'), /Cannot find name 'page'/);
  });

  /** They are in one project, which is checked once for all of them. */
  describe('in files of every kind', () => {
    const cells = `// %% open\nawait page.goto('http://localhost/');\ncontext.pages();\nbrowser.version();\n// @ts-check\n`;
    const typing = `const rows = [];\nfor (const row of await page.locator('tr').all()) rows.push(await row.innerText());\nawait page.\n`;
    const first = typing.replace('await page.\n', 'await (page.goto("http://localhost/"));\n// @ts-check\nrows;\n');
    const withCells = ['cells.ts', 'cells.mts', 'cells.cts', 'cells.js', 'cells.mjs', 'cells.cjs'];
    const notRun = ['first.ts', 'first.js', 'first.mjs'];
    let project: string;
    const at = (name: string) => join(project, name);
    before(() => {
      project = realpathSync(mkdtempSync(join(tmpdir(), 'webdata-types-')));
      for (const name of withCells) writeFileSync(at(name), cells);
      for (const name of notRun) {
        writeFileSync(at(name), first);
        writeFileSync(at(`typing-${name}`), typing);
      }
      for (const name of readdirSync(project)) server.open(at(name), project);
    });
    after(() => {
      for (const name of readdirSync(project)) server.close(at(name));
      rmSync(project, { recursive: true, force: true });
    });

    for (const name of withCells) {
      it(`completes and hovers in ${name}, which has cells`, async () => {
        const file = at(name);
        assert.deepEqual(await server.errors(file), []);
        const names = await server.completions(file, ...behind(cells, 'await page.'));
        assert.ok(names.includes('goto') && names.includes('locator'), names.join());
        assert.match((await server.hover(file, ...behind(cells, 'await pa'))).displayString, /^let page: Page$/);
        assert.match(
          (await server.hover(file, ...behind(cells, 'con'))).displayString,
          /^let context: BrowserContext$/,
        );
        assert.match((await server.hover(file, ...behind(cells, 'brow'))).displayString, /^let browser: Browser$/);
        const top = await server.completions(file, 5, 1);
        assert.ok(['page', 'context', 'browser'].every((each) => top.includes(each)));
      });
    }

    for (const name of notRun) {
      it(`completes in ${name} before its first run, as it awaits a page that it doesn't declare`, async () => {
        assert.deepEqual(await server.errors(at(name)), []);
        assert.deepEqual(await server.suggestions(at(name)), []);
        const names = await server.completions(at(`typing-${name}`), ...behind(typing, '\nawait page.'));
        assert.ok(names.includes('goto') && names.includes('locator'), names.join());
      });
    }
  });

  it('type-checks the use of the session', async () => {
    const file = open('wrong.ts', `// %%\nconst title: number = await page.title();\npage.gotoo();\npage = 1;\n`);
    assert.deepEqual(
      (await server.errors(file)).map((error) => error.split(' ').slice(0, 2).join(' ')),
      ['2:7 2322', '3:6 2551', '4:1 2322'],
    );
  });

  it('follows a file that gets a cell, and one that declares page itself', async () => {
    const file = open('draft.ts', `const read = () => page.title();\nawait read();\n`);
    assert.notDeepEqual(await server.errors(file), []);
    server.change(file, 1, 1, '// %% one\n');
    assert.deepEqual(await server.errors(file), []);
    server.change(file, 2, 1, 'const page = { title: () => 1 };\n');
    assert.deepEqual(await server.errors(file), []);
    assert.match((await server.hover(file, 3, 27)).displayString, /title\(\): number|title: \(\) => number/);
  });

  it('knows a snippet that awaits nothing yet by the members of its page', async () => {
    const file = open('unawaited.ts', `const rows = page.locator('tr');\nrows.first();\n`);
    assert.deepEqual(await server.errors(file), []);
    const typing = open('typing.ts', 'page.');
    const names = await server.completions(typing, ...behind('page.', 'page.'));
    assert.ok(names.includes('goto') && names.includes('locator'), names.join());
  });

  it('follows a file while it is typed', async () => {
    const file = open('typed.ts', `const a = 1;\n`);
    server.change(file, 2, 1, 'await page.title();\na;\n');
    assert.deepEqual(await server.errors(file), []);
    assert.match((await server.hover(file, 2, 8)).displayString, /^let page: Page$/);
  });

  for (const [what, text] of [
    [
      'tests of Playwright',
      `declare const test: any;\ntest('a', async ({ page }: any) => { await page.gotoo(); });\nexport {};\n`,
    ],
    [
      'a script that launches its own browser',
      `declare const launch: any;\nconst browser = await launch();\nconst page = await browser.newPage();\nawait page.gotoo();\nexport {};\n`,
    ],
    [
      'a page of something else',
      `declare global { var page: any; }\npage.render('/tea');\npage.url = 1;\nexport {};\n`,
    ],
    ['one that imports its page', `import { page } from './page';\nawait page.gotoo();\n`],
    [
      'an extension of a browser',
      `declare global { const browser: any }\nawait browser.storage.local.get();\nbrowser.gotoo();\nexport {};\n`,
    ],
    ['a router', `declare global { const page: any }\npage('/', () => page.gotoo());\nexport {};\n`],
  ] as const) {
    it(`leaves ${what} unchanged`, async () => {
      write('page.ts', 'export const page: any = 1;\n');
      assert.deepEqual(await server.errors(open('other.ts', text)), []);
    });
  }

  it('separates the names of two snippets', async () => {
    const one = open('one.ts', '// %%\nconst rows = [1];\nfunction read() {}\nrows;\n');
    const two = open('two.ts', `// %%\nconst rows = ['a'];\nfunction read() {}\nrows[0]?.length;\n`);
    assert.deepEqual([await server.errors(one), await server.errors(two)], [[], []]);
  });

  it('leaves other files of the project unchanged', async () => {
    write('tsconfig.json', '{ "compilerOptions": { "module": "ESNext", "moduleResolution": "bundler", "types": [] } }');
    const snippet = open('snippet.ts', '// %%\nawait page.title();\n');
    const script = open('script.ts', 'var page = 1;\nbrowser;\n');
    const other = open('module.ts', 'export {};\ncontext;\n');
    assert.deepEqual(await server.errors(snippet), []);
    assert.deepEqual(
      (await server.errors(script)).map((error) => error.slice(0, 8)),
      ['2:1 2304'],
    );
    assert.match((await server.hover(script, 1, 5)).displayString, /page: number/);
    assert.deepEqual(
      (await server.errors(other)).map((error) => error.slice(0, 8)),
      ['2:1 2304'],
    );
  });

  it('checks imports of the project and of packages as usual', async () => {
    write('helper.ts', 'export const price = (text: string): number => Number(text);\n');
    write('node_modules/tax/package.json', '{ "name": "tax", "version": "1.0.0", "types": "index.d.ts" }');
    write('node_modules/tax/index.d.ts', 'export declare const rate: number;\n');
    const file = open(
      'buy.ts',
      `// %%\nimport { price } from './helper';\nimport { rate } from 'tax';\nimport { no } from './missing';\nprice(rate);\nno;\n`,
    );
    assert.deepEqual(
      (await server.errors(file)).map((error) => error.split(' ').slice(0, 2).join(' ')),
      ['4:20 2307', '5:7 2345'],
    );
  });

  it('knows Node.js and Playwright without installing anything', async () => {
    const text = `// %%
import { readFile } from 'node:fs/promises';
import { devices } from 'playwright';
const { join } = require('node:path');
const name: string = devices['iPhone 15']?.userAgent ?? process.version;
console.log(Buffer.from(name), await readFile(name, 'utf8'), join(name), document.title);
`;
    const file = open('node.ts', text);
    assert.deepEqual(await server.errors(file), []);
    assert.match((await server.hover(file, ...behind(text, 'await readF'))).displayString, /Promise<string>/);
  });

  it('has the same program from request to request, with no types from the folders around the extension', async () => {
    const file = open('same.ts', '// %%\nawait page.title();\n');
    const programs: string[][] = [];
    for (let request = 0; request < 4; request++) {
      await server.hover(file, 2, 8);
      programs.push(await server.fileNames(file));
    }
    for (const program of programs) assert.deepEqual(program, programs[0]);
    assert.ok(programs[0]?.some((name) => name.endsWith('/declarations/node/index.d.ts')));
    assert.deepEqual(
      programs[0]?.filter((name) => name.includes('/@types/')),
      [],
    );
  });

  it("gives page the type of the project's own Playwright", async () => {
    write(
      'node_modules/playwright/package.json',
      '{ "name": "playwright", "version": "1.0.0", "types": "index.d.ts" }',
    );
    const names =
      'export interface Browser {}\nexport interface BrowserContext {}\nexport interface Page { own(): 1 }\n';
    write('node_modules/playwright/index.d.ts', names);
    const file = open(
      'own.ts',
      `// %%\nimport type { Page } from 'playwright';\nconst same: Page = page;\nsame.own();\n`,
    );
    assert.deepEqual(await server.errors(file), []);
  });

  it("prefers the project's own types of Node.js", async () => {
    write(
      'node_modules/@types/node/package.json',
      '{ "name": "@types/node", "version": "1.0.0", "types": "index.d.ts" }',
    );
    write('node_modules/@types/node/index.d.ts', `declare module 'node:fs' { export const own: 1; }\n`);
    const file = open('own.ts', `// %%\n/// <reference types="node" />\nimport { own } from 'node:fs';\nown;\n`);
    const reference = open('reference.ts', `/// <reference types="node" />\n`);
    assert.deepEqual([await server.errors(file), await server.errors(reference)], [[], []]);
  });

  it("shows no errors about a project's module format or missing types", async () => {
    write(
      'tsconfig.json',
      '{ "compilerOptions": { "module": "nodenext", "verbatimModuleSyntax": true, "noUnusedLocals": true, "types": [], "lib": ["ES2024"] } }',
    );
    const file = open(
      'cells.ts',
      `// %%\nimport { readFile } from 'node:fs/promises';\nconst text = await readFile(process.argv[0] ?? '');\nfor await (const each of [text]) console.log(each, fetch, document);\n`,
    );
    assert.deepEqual(await server.errors(file), []);
  });

  it('edits only text that is in the file', async () => {
    const file = open('edit.ts', `// %%\nimport { b } from './b';\nimport { a } from './a';\nconst x=page;\nb;a;x;\n`);
    const edits = await server.request<{ textChanges: { end: { line: number } }[] }[]>('organizeImports', {
      scope: { type: 'file', args: { file } },
    });
    assert.ok(edits.flatMap(({ textChanges }) => textChanges).every(({ end }) => end.line <= 4));
    const rename = await server.request<{ info: { canRename: boolean } }>('rename', { file, line: 4, offset: 10 });
    assert.equal(rename.info.canRename, false);
    const references = await server.request<{ refs: { file: string }[] }>('references', { file, line: 4, offset: 10 });
    assert.ok(references.refs.some((reference) => reference.file === file));
  });

  it('supports a buffer without a file', async () => {
    const file = '^/untitled/ts-nul-authority/Untitled-1';
    server.open(file, folder, { fileContent: '// %%\nawait page.title();\n', scriptKindName: 'TS' });
    assert.deepEqual(await server.errors(file), []);
    const plain = '^/untitled/ts-nul-authority/Untitled-2';
    server.open(plain, folder, { fileContent: 'page.on("close", () => 1);\npage.\n', scriptKindName: 'JS' });
    assert.ok((await server.completions(plain, 2, 6)).includes('goto'));
  });

  it('shows no errors in the examples, run or not', async () => {
    cpSync(join(ROOT, 'examples'), folder, { recursive: true });
    const files = ['hello.js', 'cells.js', 'typed.ts'].map((name) => join(folder, name));
    for (const file of files) server.open(file, folder);
    opened.push(...files);
    for (const run of [[], files]) {
      server.configure(run);
      for (const file of files) assert.deepEqual(await server.errors(file), [], file);
    }
  });
});
