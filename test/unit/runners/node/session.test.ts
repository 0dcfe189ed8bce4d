import assert from 'node:assert/strict';
import { runInThisContext } from 'node:vm';
import { own } from '../../../../src/service/browsers/runners/node/rewrite/names.ts';
import { parseSnippet } from '../../../../src/service/browsers/runners/node/rewrite/parse.ts';
import { rewrite } from '../../../../src/service/browsers/runners/node/rewrite/rewrite.ts';
import { createScope, type Scope } from '../../../../src/service/browsers/runners/node/scope.ts';

/** Runs snippets one after the other; returns the value of the last one. */
async function run(snippets: readonly string[], scope: Scope = createScope()): Promise<unknown> {
  let value: unknown;
  for (const code of snippets) {
    const start = scope.compile(rewrite(code, parseSnippet(code), scope), 'test.js');
    [value] = (await start()) ?? [];
  }
  return value;
}

/** What code of others sees of a name. */
const seenElsewhere = (name: string) => runInThisContext(`typeof ${name}`) as string;

describe('the names of a session', () => {
  it('are invisible to all other code, and hide nothing from it', async () => {
    const names = ['URL', 'setTimeout', 'fetch', 'Buffer', 'process', 'console', 'Promise', 'Map', 'JSON', 'Object'];
    const before = names.map(seenElsewhere);
    const scope = createScope();
    for (const [index, name] of names.entries()) {
      const declare = [
        `const ${name} = 1`,
        `let ${name} = 1`,
        `var ${name} = 1`,
        `function ${name}() {}`,
        `class ${name} {}`,
      ];
      await run([declare[index % declare.length] ?? '', `${name}; let after${name} = typeof ${name}`], scope);
    }
    scope.bind('setInterval', () => 'imported');
    await run(
      ['const window = 1, { define } = { define: 2 }; if (true) { var document = 3 } function module1() {}'],
      scope,
    );
    assert.deepEqual(names.map(seenElsewhere), before);
    assert.deepEqual(
      ['window', 'define', 'document', 'module1', 'afterURL'].map(seenElsewhere),
      Array(5).fill('undefined'),
    );
    assert.equal(seenElsewhere('setInterval'), 'function');
    assert.equal(await run(['[URL, setInterval, define]'], scope).then(String), '1,imported,2');
  });

  it('are read as they are now, wherever they stand', async () => {
    const scope = createScope();
    const read =
      'const all = () => [n, { n }.n, typeof n, [...[n]][0], ((n) => n)(7), [n].map((each) => each + n)[0]].join()';
    await run(['let n = 1; function self() { return this === undefined || this === globalThis }', read], scope);
    assert.equal(await run(['all()'], scope), '1,1,number,1,7,2');
    assert.equal(await run(['n = 2; n++; all()'], scope), '3,3,number,3,7,6');
    assert.equal(await run(['const n = 4; all()'], scope), '4,4,number,4,7,8');
    assert.equal(await run(['[self(), self?.(), (() => self())(), self``].join()'], scope), 'true,true,true,true');
    assert.equal(await run(['let taken = { n, all }; Object.keys(taken).join()'], scope), 'n,all');
    const failed = run(['late; let late = 1'], scope);
    await assert.rejects(failed, /Cannot access 'late' before initialization/);
  });

  it('are those of the language: functions', async () => {
    for (const [expected, ...snippets] of [
      ['first,cached', "function once() { once = () => 'cached'; return 'first' }\nonce() + ',' + once()"],
      [
        '6765 in 21',
        ...Array(2).fill(`let calls = 0;
        function fib(n) { calls++; return n < 2 ? n : fib(n - 1) + fib(n - 2) }
        const memo = (f, c = new Map()) => (n) => c.has(n) ? c.get(n) : (c.set(n, f(n)), c.get(n));
        fib = memo(fib);
        fib(20) + ' in ' + calls`),
      ],
      [
        'new',
        'function poll() { return next() }; function next() { return "old" }',
        'function next() { return "new" }',
        'poll()',
      ],
      ['later', 'const first = () => second()', 'function second() { return "later" }', 'first()'],
      ['hoisted', 'early(); function early() { return late() }\nfunction late() { return "hoisted" }'],
      ['2', 'function twice() { return 1 }; function twice() { return 2 }; String(twice())'],
      ['1,2', 'function* count() { yield 1; yield 2 }', 'String([...count()])'],
      ['3', 'async function three() { return 3 }', 'String(await three())'],
      ['undefined', "'use strict'; function self() { return this }", 'String(self())'],
      ['true', 'function self() { return this }', 'String(self() === globalThis)'],
      ['named', ...Array(3).fill('function named() { return named.name } named()')],
      ['block', 'if (true) { function inBlock() { return "block" } }', 'inBlock()'],
      [
        'C',
        'class C { static create() { return new C() } }',
        'class C { static create() { return new C() } }',
        'C.create().constructor.name',
      ],
    ] as const)
      assert.equal(await run(snippets), expected, snippets.join('\n---\n'));
  });

  it('can be declared again in any mix', async () => {
    const forms: Record<string, string> = {
      let: 'let a = "let", b = 1; let c',
      const: 'const a = "const"; const { b, ...c } = { b: 1 }',
      var: 'var a = "var", b, c',
      destructuring: 'const [a, { b }] = ["destructuring", { b: 1 }]; let [c = 2] = []',
      'nested var': 'if (true) { var { a, b } = { a: "nested var" } } for (var [c] of [[1]]);',
      class: 'class a { static toString() { return "class" } }; class b {}\n[1, 2].map((x) => x); class c {}',
      function: 'function a() {}; a.toString = () => "function"; function b() {}; function c() {}',
      block: 'if (true) { function a() {} a.toString = () => "block" }; var b; let c',
      using: 'using a = { [Symbol.dispose]() {}, toString: () => "using" }; let b = 1, c',
      'fixed constant': 'const a = "fixed constant", b = 1; try { a = 2 } catch {} var c',
    };
    const users = ['', 'function uses() { return [a, b, c] }'];
    for (const [first, one] of Object.entries(forms)) {
      for (const [second, two] of Object.entries(forms)) {
        for (const between of users)
          assert.equal(await run([one, between, two, 'String(a)']), second, `${first}, ${between}, ${second}`);
      }
    }
  });

  it('keep their value where `var` gives them none', async () => {
    for (const users of ['', 'function uses() { return n }'])
      for (const [expected, first, second] of [
        [2, 'var n = 1', 'var n = n + 1; n'],
        [1, 'let n = 1', 'var n; n'],
        [1, 'var n = n || 1', 'var n = n || 2; n'],
        [1, 'var n = 1', 'if (false) { var n = 2 } n'],
        [1, 'var n = 1', 'for (var n in {}); n'],
        [1, 'var n = 1', 'var { n = n } = {}; n'],
        ['function', 'function n() {}', '"use strict"; var n; typeof n'],
        ['function', 'var n = 1', 'var n; function n() {} typeof n'],
        [undefined, 'var n = 1', '{ let n } (() => { var n; return n })()'],
      ] as const)
        assert.equal(await run([first, users, second]), expected, `${first}, ${users}, ${second}`);
  });

  it('share one variable with the functions that use them', async () => {
    assert.equal(await run(['let n = 0; function inc() { return ++n }', 'inc()', 'n']), 1);
    assert.equal(await run(['let n = 0; function inc() { return ++n }', 'let n = 10', 'inc()', 'n']), 11);
    assert.equal(await run(['const rate = 2; const price = (x) => x * rate', 'const rate = 3', 'price(1)']), 3);
    assert.equal(await run(['let n = 1; var get = () => n', 'n = 5', 'get()']), 5);
    assert.equal(await run(['var get = () => n', 'let { n } = { n: 7 }', 'get()']), 7);
  });

  it('have the errors of the language', async () => {
    await assert.rejects(
      run(['early; let early = 1']),
      /^ReferenceError: Cannot access 'early' before initialization$/,
    );
    await assert.rejects(run(['const fixed = 1; fixed = 2']), /^TypeError: Assignment to constant variable\.$/);
    await assert.rejects(
      run(["'use strict'; function f() { undeclared = 5 } f()"]),
      /^ReferenceError: undeclared is not/,
    );
    await assert.rejects(run(["'use strict'; { undeclared = 5 }"]), /^ReferenceError/);
    await assert.rejects(run(['let failed = await Promise.reject(new Error("no"))']), /no/);
    await assert.rejects(run(['let five = 5', 'five()']), /^TypeError: five is not a function$/);
    assert.equal(await run(['let call', 'call = function () { return this === globalThis }; call()']), true);
    const scope = createScope();
    scope.bind('imported', () => 1);
    await assert.rejects(run(['imported = 2'], scope), /^TypeError: Assignment to constant variable\.$/);
    assert.equal(await run(['imported = 3', 'imported'], scope), 3, 'later code can assign it, as it can a constant');
    const lent = [
      "var show = (text) => escape(text); show('<')",
      "function escape(text) { return '&lt;' }",
      "show('<')",
    ];
    assert.equal(await run(lent, scope), '&lt;', 'code before it sees what is declared later');
    await assert.rejects(run(["let failed = (() => { throw 'no' })()"], scope), /no/);
    await assert.rejects(run(['() => failed', 'failed'], scope), /^ReferenceError/);
    await assert.rejects(
      run(['let whole = 1, part = 2', "let whole = 3, part = (() => { throw 'no' })()"], scope),
      /no/,
    );
    assert.deepEqual(await run(['[whole, part]'], scope), [3, 2], 'what failed keeps its value');
    assert.equal(await run(['const failed = 1; failed'], scope), 1);
    assert.equal(await run(["'use strict'; 1", 'with ({ x: 3 }) x'], scope), 3, 'only the snippet is strict');
  });

  it('read imports anew each time', async () => {
    const scope = createScope();
    const module = { config: 1 };
    await run(['let config = 0; function read() { return config }'], scope);
    scope.bind('config', () => module.config);
    module.config = 2;
    assert.equal(await run(['config'], scope), 2);
    assert.equal(await run(['const config = 3; config'], scope), 3);
  });

  it('are read and assigned by others, as for the session page', async () => {
    const scope = createScope();
    scope.provide('require', 1);
    assert.deepEqual([scope.read('require'), scope.write('page1', 1)], [1, false]);
    await run(['let page1 = 1'], scope);
    assert.deepEqual([scope.write('page1', 2), scope.read('page1'), await run(['page1'], scope)], [true, 2, 2]);
    assert.equal(await run(['const require = 5; require'], scope), 5);
  });

  it('have a value: that of the last expression', async () => {
    for (const [code, expected] of [
      ['1; let a = 2', 1],
      ['"text"', 'text'],
      ['if (true) { "yes" } else { "no" }', 'yes'],
      ['1; if (false) { 2 }', undefined],
      ['1; if (true) { if (false) 2 }', undefined],
      ['for (const x of [1, 2]) x * 2', 4],
      ['1; for (const x of []) x', undefined],
      ['for (const x of [1, 2]) { x; if (x < 2) x * 5 }', undefined],
      ['for (const x of [1, 2]) if (x < 2) x * 5', undefined],
      ['for (const x of [1, 2]) if (x < 2) x\nelse if (x < 3) x * 5', 10],
      ['for (const x of [1, 2]) for (const y of x < 2 ? [9] : []) y', undefined],
      ['if (true) for (const x of [1, 2]) while (false) x\nelse 5', undefined],
      ['let n = 0; do if (n < 1) 7; while (n++ < 1) let m', undefined],
      ['1; outer: for (const x of []) x', undefined],
      ['1; a: b: for (const x of [1, 2]) { for (;;) { x; continue b } }', 2],
      ['for (const x of [1, 2]) a: if (x < 2) x; else break a', undefined],
      ['const f = () => { 3 }; 1; f()', undefined],
      ['try { 5 } finally { 6 }', 5],
      ['try { throw 0 } catch { 7 }', 7],
      ['switch (1) { case 1: "one"; break; default: "other" }', 'one'],
      ['label: { 3; break label }', 3],
      ['(1, 2)', 2],
      ['const f = () => 1\nf.name', 'f'],
      ['(() => 1).name', ''],
      ['g = () => 1\ng.name', 'g'],
      ['export default 3 + 1', 4],
      ['export default 1; 2', 2],
      ['export const b = 5; export { b as c }; b', 5],
      ['export default function () {}\n[1, 2].length', 2],
      ['export default function go() { return 4 }\ngo()', 4],
      ['await Promise.resolve(8)', 8],
      ['', undefined],
      ['// nothing', undefined],
    ] as const)
      assert.deepEqual(await run([code]), expected, code);
    assert.deepEqual(await run(['export default {\n  name: "cfg",\n  retries: 3,\n};']), { name: 'cfg', retries: 3 });
    assert.equal(await run(['export default class {}\nawait (async () => 5)()']), 5);
    for (const code of ['() => 1', 'class {}', 'function () {}', 'async () => {}', 'function* () {}', '(class {})'])
      assert.equal(((await run([`export default ${code}`])) as { name: string }).name, 'default', code);
    assert.equal(await run([`typeof ${own.result}; typeof ${own.declare}`]), 'function');
  });
});
