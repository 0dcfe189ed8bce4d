import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Declarations } from '../../../../src/service/browsers/runners/node/rewrite/declarations.ts';
import { replacedNames } from '../../../../src/service/browsers/runners/node/rewrite/replaced-names.ts';
import { captureName, rewrite } from '../../../../src/service/browsers/runners/node/rewrite/rewrite.ts';

/** Names known from earlier runs. */
function known(lexical: string[] = [], variable: string[] = []): Declarations {
  return { lexical: new Set(lexical), variable: new Set(variable) };
}

describe('rewriting node snippets', () => {
  const capture = ` instanceof ${captureName}`;
  const bindings = (code: string) =>
    rewrite(code, known()).imports.map(({ specifier, bindings }) => [
      specifier,
      ...bindings.map(({ imported, local }) => `${imported}:${local}`),
    ]);

  it('removes static imports in every form', () => {
    assert.deepEqual(bindings("import 'node:fs'"), [['node:fs']]);
    assert.deepEqual(bindings("import fs from 'fs'"), [['fs', 'default:fs']]);
    assert.deepEqual(bindings('import * as fs from "fs";'), [['fs', '*:fs']]);
    assert.deepEqual(bindings("import { a, b as c, default as d, 'x-y' as e } from 'fs'"), [
      ['fs', 'a:a', 'b:c', 'default:d', 'x-y:e'],
    ]);
    assert.deepEqual(bindings("import fs, { a } from 'fs'; import os, * as all from 'os'"), [
      ['fs', 'default:fs', 'a:a'],
      ['os', 'default:os', '*:all'],
    ]);
    assert.deepEqual(bindings("import fs from 'fs' with { type: 'json' }"), [['fs', 'default:fs']]);
    assert.deepEqual(bindings("let a\nimport {\n  b,\n} from 'fs'"), [['fs', 'b:b']]);
  });

  it('gives the position of the specifier', () => {
    const [first, second] = rewrite("import a from 'a'\n  import {\n b } from './b.js'", known()).imports;
    assert.deepEqual([first?.line, first?.column], [1, 15]);
    assert.deepEqual([second?.line, second?.column], [3, 11]);
  });

  it('keeps every line and column of the rest', () => {
    const code =
      "import fs from 'fs'; const a = 1\nexport const b = await import('os')\nfunction f() { return import.meta.url }; f(b)";
    const { code: after, functions } = rewrite(code, known());
    assert.equal(after.length, (code + capture).length);
    for (const text of ['a = 1', "('os')", 'f(b)']) assert.equal(after.indexOf(text), code.indexOf(text), text);
    assert.equal(functions?.code.split('\n')[2]?.indexOf('return'), code.split('\n')[2]?.indexOf('return'));
  });

  it('replaces import() and import.meta with names of the same length, and nothing in strings and comments', () => {
    const { code } = rewrite("import('a'); import.meta.url; 'import(x)' // import(y)\n;[import('z')].x = 1", known());
    assert.equal(
      code,
      `${replacedNames.import}('a'); ${replacedNames.import}.meta.url; 'import(x)' // import(y)\n;[${replacedNames.import}('z')].x = 1`,
    );
    assert.equal(replacedNames.import.length, 'import'.length);
  });

  it('turns constants into variables, so that they can be redeclared', () => {
    assert.equal(rewrite('const a = 1, { b } = c', known()).code, 'let   a = 1, { b } = c');
    assert.equal(rewrite('{ const a = 1 }; for (const b of c);', known()).code, '{ const a = 1 }; for (const b of c);');
  });

  it('removes export, and returns a default export as a value', () => {
    for (const [code, expected] of [
      ['export const a = 1', ';      let   a = 1'],
      ['export default a + 1', ';              a + 1'],
      ['export default class {}', ';0,            class {}'],
      ['export default class A {}', ';              class A {}'],
      ['let a\nexport { a, a as b }', `let a\n${';'.padEnd('export { a, a as b }'.length)}`],
      ['export default function () {}', ';0,            function () {}'],
    ] as const) {
      assert.equal(rewrite(code, known()).code, expected);
    }
    assert.deepEqual(bindings("export { a } from './a.js'; export * from 'b'"), [['./a.js'], ['b']]);
  });

  it('never joins two lines that the removed text separated', () => {
    const { code } = rewrite("f()\nimport 'fs'\n[1].map(g); let a", known());
    assert.equal(code.replace(/\s/g, ''), 'f();[1].map(g);leta');
  });

  it('hoists functions, the last one of a name', () => {
    const { code, functions } = rewrite(
      'f()\nfunction f() { return 1 }\nasync function* g() {}\nfunction f() { return 2 }',
      known(),
    );
    assert.equal(code.replace(/\s/g, ''), 'f();;;');
    assert.match(functions?.code ?? '', /;let g=\nasync function\* g\(\) {}\s*;let f=\nfunction f\(\) { return 2 }$/);
    assert.equal(functions?.shift, 0);
  });

  it('gives the offset of a hoisted function on the first line', () => {
    assert.equal(rewrite('function f() {}', known()).functions?.shift, ';let f='.length);
    assert.equal(rewrite('    function f() {}', known()).functions?.shift, ';let f='.length - 4);
  });

  it('redeclares a name as its earlier kind, whatever the snippet uses', () => {
    for (const [code, lexical, variable, expected] of [
      ['let a = 1', [], ['a'], 'var a = 1'],
      ['const a = 1', [], ['a'], 'var   a = 1'],
      ['class a {}', [], ['a'], 'var a=class a {}'],
      ['var a = 1', ['a'], [], 'let a = 1'],
      ['for (var a = 0; a < 3; a++);', ['a'], [], 'for (    a = 0; a < 3; a++);'],
      ['for (var [a, b] of c);', ['a'], [], 'for (    [a, b] of c);'],
      ['if (x) var a = 1', ['a'], [], 'if (x)     a = 1'],
      ['if (x) { var a = 1 }', ['a'], [], 'if (x) { ;   a = 1 }'],
      ['let a = 1', ['a'], [], 'let a = 1'],
      ['var a = 1', [], ['a'], 'var a = 1'],
      ['function f() { var a }', ['a'], [], ';                     '],
    ] as const) {
      assert.equal(rewrite(code, known([...lexical], [...variable])).code, expected);
    }
    assert.equal(rewrite('function f() {}', known([], ['f'])).functions?.code, ';var f=function f() {}');
  });

  it('returns the declared names', () => {
    const { declares } = rewrite(
      "import a, { b as c } from 'fs'; let d; const { e, ...f } = d; class g {}; function h() { var no }; var i; { var j; let no2 } [...k] = [];",
      known(),
    );
    assert.deepEqual([...declares.lexical].sort(), ['a', 'c', 'd', 'e', 'f', 'g', 'h']);
    assert.deepEqual([...declares.variable].sort(), ['i', 'j']);
  });

  it('captures the value of a last expression without moving anything', () => {
    for (const code of ['a', 'a.b', 'a()', 'await a', 'new A', 'a + b', 'f(x)[0]', '`t`', 'a?.b', '[1]']) {
      assert.equal(rewrite(code, known()).code, code + capture);
      assert.equal(rewrite(`${code} ; // end`, known()).code, `${code}${capture} ; // end`);
    }
    for (const code of [
      'a = b',
      'a, b',
      'a || b',
      'a ? b : c',
      'a => b',
      'a < b',
      "'use strict'",
      'if (a) b',
      'let a',
      '',
    ]) {
      assert.equal(rewrite(code, known()).code, code);
    }
  });

  it("leaves code unchanged that doesn't parse", () => {
    for (const code of ['const', 'let a; let a', 'import x from', 'class {', '"', '\0const a', 'export', '#!']) {
      assert.equal(rewrite(code, known()).code, code);
    }
  });

  it('supports syntax that only scripts or only modules allow', () => {
    assert.equal(rewrite('const a = 010; with (a) b', known()).code, 'let   a = 010; with (a) b');
    assert.equal(rewrite('using a = b; const c = 1', known()).code, 'using a = b; let   c = 1');
    assert.equal(
      rewrite('#!/usr/bin/env node\nconst a = await 1', known()).code,
      '#!/usr/bin/env node\nlet   a = await 1',
    );
  });

  it('keeps the lines of any snippet', () => {
    const piece = fc.constantFrom(
      "import a from 'fs'\n",
      'const b = 1\r\n',
      'function f() {\n}\n',
      'export default class {\n}\n',
      'var c\u2028',
      'import("x")\n',
      'f();',
      'let d;',
      ' ',
    );
    const lines = (code: string) => code.split(/\r\n|[\n\r\u2028\u2029]/).length;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const code = pieces.join('');
        const after = rewrite(code, known(['c'], ['b', 'f']));
        assert.equal(lines(after.code), lines(code));
        if (after.functions) assert.ok(lines(after.functions.code) <= lines(code));
      }),
    );
  });
});
