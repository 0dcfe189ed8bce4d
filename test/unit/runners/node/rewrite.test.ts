import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inserted, memberOf, own } from '../../../../src/service/browsers/runners/node/rewrite/names.ts';
import { importsOf, parseSnippet } from '../../../../src/service/browsers/runners/node/rewrite/parse.ts';
import { rewrite } from '../../../../src/service/browsers/runners/node/rewrite/rewrite.ts';

/** Rewrites code in a session that has variables which functions use. */
function rewritten(code: string, ...shared: string[]) {
  const known = {
    isVariable: (name: string) => shared.includes(name),
    hasValue: (name: string) => shared.includes(name),
    isShared: (name: string) => shared.includes(name),
    isCalledAsIs: (name: string) => name in globalThis,
  };
  return rewrite(code, parseSnippet(code), known);
}

/** Rewritten code without the marks of what was inserted. */
function shown(code: string, ...shared: string[]): string {
  return rewritten(code, ...shared)
    .code.replaceAll(inserted.start, '')
    .replaceAll(inserted.end, '');
}

const lineBreak = /\r\n|[\n\r\u2028\u2029]/;

describe('rewriting node snippets', () => {
  const bindings = (code: string) =>
    importsOf(parseSnippet(code)).map(({ specifier, bindings }) => [
      specifier,
      ...bindings.map(({ imported, local }) => `${imported}:${local}`),
    ]);

  it('finds static imports in every form', () => {
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
    assert.deepEqual(bindings("export { a } from './a.js'; export * from 'b'"), [['./a.js'], ['b']]);
  });

  it('gives the position of the specifier', () => {
    const imports = importsOf(parseSnippet("import a from 'a'\n  import {\n b } from './b.js'"));
    assert.deepEqual(
      imports.map(({ position }) => position),
      ['snippet.js:1:15', 'snippet.js:3:11'],
    );
  });

  it('knows the column of everything that it moves', () => {
    for (const code of [
      'mark0(mark1, "use strict")',
      "import fs from 'fs'; mark0; const a = mark1\nexport const b = await import('os'); mark2\nmark3",
      'export default { mark0, f: mark1 }; mark2\nmark3',
      'export default (mark0, mark1)\nmark2',
      'export /* default */ default /* mark0 */ mark1\nmark2',
      'export // default\n  default class { a = mark0 }\nmark1',
      'if (mark0) return (mark1, mark2); mark3; return\nmark4',
      'function f() { return mark0 } mark1; class A { b = mark2 } mark3',
      'let d = mark0, e; mark1; var { d: [g = mark2] } = mark3; mark4',
      'd + mark0; f({ d, mark1, g: [A, mark2] }, d.mark3); mark4',
      'if (mark0) { mark1; helper(mark2) } else mark3',
      '#!/bin/node mark0\nmark1; helper(mark2)\nhelper(mark3, helper(mark4))',
    ]) {
      for (const shared of [[], ['f', 'A', 'd', 'g', 'helper']]) {
        const { code: after, columns } = rewritten(code, ...shared);
        const [before, moved] = [code, after].map((text) =>
          text.split('\n').flatMap((line, index) =>
            [...line.matchAll(/mark\d/g)].map((found) => ({
              line: index + 1,
              column: found.index + 1,
              found: found[0],
            })),
          ),
        );
        assert.deepEqual(
          moved?.map(({ line, column, found }) => ({ line, column: columns(line, column), found })),
          before,
          code,
        );
      }
    }
    const { code, columns } = rewritten('  helper (1)', 'helper');
    const open = code.indexOf('(1)');
    assert.equal(
      columns(1, code.indexOf('helper') + 1),
      undefined === columns(1, 1) ? 3 : 0,
      'a call is at its callee',
    );
    assert.equal(columns(1, open + 1), 10);
  });

  it('replaces import() and import.meta with names of the same length, and nothing in strings and comments', () => {
    const { code } = rewritten("import('a'); import.meta.url; 'import(x)' // import(y)\n;[import('z')].x = 1");
    assert.equal(code.match(/import/g)?.length, 2);
    assert.equal(code.split(own.import).length, 4);
    assert.equal(own.import.length, 'import'.length);
  });

  it('leaves declarations as they are, unless functions of earlier code use their variable', () => {
    for (const code of [
      'let a = 1',
      'var a = 1',
      'class a {}',
      'function a() {}',
      'for (var a of b);',
      '{ const a = 1 }',
    ])
      assert.ok(shown(code).includes(code), code);
    assert.ok(shown('const a = 1').includes('let   a = 1'));
    assert.ok(shown('const a = 1; a = 2').includes('const a = 1'), 'an assignment of a constant is an error');
    for (const [code, expected] of [
      ['let a = 1', ';(  a = 1)'],
      ['let a', ';(  a=void 0)'],
      ['var a', ';(  a)'],
      ['const { a, b } = c', ';(    { a, b } = c)'],
      ['for (var a = 0; a < 3; a++);', `for (    a = 0; ${memberOf('a')} < 3; ${memberOf('a')}++);`],
      ['for (var [a, b] of c);', 'for (    [a, b] of c);'],
      ['if (x) var { a } = c', 'if (x) (   { a } = c)'],
      ['if (x) { var { a } = c }', 'if (x) { ;(  { a } = c) }'],
      ['class a {}', ';a=class a {};'],
      ['export class a {}', ';a=class a {};'],
    ] as const)
      assert.ok(shown(code, 'a').includes(expected), shown(code, 'a'));
  });

  it('reads variables of the session as properties, where nothing else can have their name', () => {
    const a = memberOf('a');
    for (const [code, expected] of [
      ['x = a + a.b', `x = ${a} + ${a}.b`],
      ['x = { a, b: a, a: 1 }', `x = { a:${a}, b: ${a}, a: 1 }`],
      ['let f = (x) => typeof a', `let f = (x) => typeof ${a}`],
      ['let x = [a++, a = 1, [a] = b, delete a]', `[${a}++, a = 1, [a] = b, delete a]`],
      ['for (a of a.b) x', `for (${a} of ${a}.b)`],
      ['let f = (a) => a + 1', '(a) => a + 1'],
      ['{ let a = 1; b.c(a) }', 'b.c(a)'],
      ['with (b) a.c', 'a.c'],
      ["eval('var a'); c(a.b)", 'a.b'],
      ['class a { b = a }', '{ b = a }'],
      ['function a() { return a.b }', `function \u0237a/*a*/() { return ${a}.b`],
      ['new a(a); x', `new ${a}(${a})`],
    ] as const)
      assert.ok(shown(code, 'a').includes(expected), shown(code, 'a'));
  });

  it('accepts what a module alone can have beside what a script alone can have', () => {
    assert.match(shown('using a = b; if (a) return 1'), /return \[\(1\)\]/);
  });

  it('throws the error of code that does not parse', () => {
    for (const code of [
      'const',
      'let a; let a',
      'import x from',
      'class {',
      '"',
      '\0const a',
      'export',
      'class A { static { return 1 } }',
    ])
      assert.throws(() => rewritten(code), SyntaxError, code);
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
      'g()\n',
      'let d;',
      ' ',
    );
    fc.assert(
      fc.property(fc.uniqueArray(piece, { maxLength: 6 }), (pieces) => {
        const code = pieces.join('');
        // One line more, for what ends it.
        assert.equal(rewritten(code, 'c', 'b', 'f').code.split(lineBreak).length, code.split(lineBreak).length + 1);
      }),
    );
  });
});
