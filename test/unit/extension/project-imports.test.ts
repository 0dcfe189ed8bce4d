import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { scanImports } from '../../../src/extension/runs/project/import-scanner.ts';
import { findNodeImport, findPythonImport } from '../../../src/extension/runs/project/project-imports.ts';
import '../../harness/fake-vscode.ts';

const { envFilePath } = await import('../../../src/extension/runs/project/place.ts');

const file = join('/', 'shop', 'src', 'main.js');
const files = [
  join('/', 'shop', 'node_modules', 'prices'),
  join('/', 'shop', 'node_modules', '@tea', 'cups'),
  join('/', 'shop', 'src', 'helper.py'),
  join('/', 'shop', 'src', 'shop', '__init__.py'),
];
const exists = (path: string) => files.includes(path);

describe('project imports in JavaScript', () => {
  const find = (code: string) => {
    const found = findNodeImport(scanImports(code), file, exists);
    return found && [found.name, found.position.line, found.position.character];
  };

  it('finds files and installed packages, with positions', () => {
    assert.deepEqual(find("import fs from 'fs';\nimport { a } from './helper.mjs';"), ['./helper.mjs', 1, 18]);
    assert.deepEqual(find("await page.goto('x');\nconst { a } = await import('../a')"), ['../a', 1, 27]);
    assert.deepEqual(find("const a = require('./a')"), ['./a', 0, 18]);
    assert.deepEqual(find("export * from 'C:\\\\shop\\\\a.js'"), ['C:\\shop\\a.js', 0, 14]);
    assert.deepEqual(find("import 'prices/sub'"), ['prices/sub', 0, 7]);
    assert.deepEqual(find("import '@tea/cups'"), ['@tea/cups', 0, 7]);
  });

  it('accepts built-in modules, playwright, packages that only the server may have, and strings', () => {
    for (const code of [
      "import fs from 'node:fs'; import 'path'",
      "import { chromium } from 'playwright'; require('playwright-core')",
      "import _ from 'lodash'",
      "// import './a'\n\"import './a'\"",
      'await page.evaluate(() => document.title); await import(name)',
      "import './a' from nowhere",
    ]) {
      assert.equal(find(code), undefined, code);
    }
  });
});

describe('project imports in Python', () => {
  const find = (code: string) => {
    const found = findPythonImport(code, file, exists);
    return found && [found.name, found.position.line, found.position.character];
  };

  it('finds modules beside the file', () => {
    assert.deepEqual(find('import os\nimport helper'), ['helper', 1, 7]);
    assert.deepEqual(find('import os, helper as h'), ['helper', 0, 11]);
    assert.deepEqual(find('if True:\n    from shop.total import total'), ['shop.total', 1, 9]);
    assert.deepEqual(find('from . import anything'), ['.', 0, 5]);
  });

  it('accepts installed packages and strings', () => {
    for (const code of [
      'import os',
      'from requests import get',
      '"""\nimport helper\n"""',
      "x = '''\nimport helper'''",
    ]) {
      assert.equal(find(code), undefined, code);
    }
  });
});

describe('the path of the env file', () => {
  it('is relative to the workspace folder, and can contain its variable', () => {
    const folder = join('/', 'shop');
    assert.equal(envFilePath(' ', folder, file), undefined);
    const named = ['$', '{workspaceFolder}/.env'].join('');
    assert.equal(envFilePath(named, folder, file), `${folder}/.env`);
    assert.equal(envFilePath('.env', folder, file), join(folder, '.env'));
    assert.equal(envFilePath('.env', undefined, file), join('/', 'shop', 'src', '.env'));
    assert.equal(envFilePath('~/.env', folder, file), `${homedir()}/.env`);
    assert.throws(() => envFilePath(named, undefined, file), /isn't in a workspace folder/);
  });
});
