import assert from 'node:assert/strict';
import { errorPosition, toDocumentPosition } from '../../../src/extension/runs/editor/error-position.ts';

describe('the position of an error', () => {
  const cases: [name: string, language: string, error: string, expected: [number, number] | undefined][] = [
    [
      'the innermost frame of the snippet',
      'node',
      'TypeError: x is not a function\n    at inner (snippet.js:3:6)\n    at snippet.js:9:1',
      [2, 5],
    ],
    [
      'a frame below frames of libraries',
      'node',
      'Error: no\n    at f (/srv/node_modules/a/index.mjs.map:4:4)\n    at node:internal/x:1:2\n    at async snippet.js:7:1',
      [6, 0],
    ],
    [
      'the snippet, not a module of the project that has a usual name',
      'node',
      'Error: no\n    at pay (/shop/src/main.ts:9:9)\n    at snippet.js:3:1',
      [2, 0],
    ],
    [
      'the snippet, not a Python module of the project',
      'python',
      'ValueError: no\n  File "snippet.py", line 3\n  File "/shop/main.py", line 9, in pay',
      [2, 0],
    ],
    [
      'the snippet in the folder of a shell script',
      'bash',
      '/shop/src/helper.sh: line 9: no\n/shop/src/snippet.sh: line 2: no-such: command not found',
      [1, 0],
    ],
    ['a frame of another server', 'node', 'Error: no\n    at evalmachine.<anonymous>:12:9', [11, 8]],
    ['an anonymous frame', 'node', 'Error: no\n    at main (<anonymous>:2:3)', [1, 2]],
    ['a frame of a REPL', 'node', 'Uncaught:\nError: no\n    at REPL4:1:7', [0, 6]],
    [
      'the caret of a syntax error',
      'node',
      'snippet.js:2\nlet y = ;\n        ^\n\nSyntaxError: Unexpected token',
      [1, 8],
    ],
    ['no position', 'node', 'Timeout 5000 ms exceeded', undefined],
    ['a position that is not in the snippet', 'node', 'Error: no\n    at /srv/app/lib/server.js:10:5', undefined],
    ['line 0, which does not exist', 'node', 'at snippet.js:0:1', undefined],
    [
      'the last frame of Python',
      'python',
      'Traceback (most recent call last):\n  File "<stdin>", line 5, in <module>\n  File "<stdin>", line 2, in f\n    g(1)\n    ^^^^\nNameError: g',
      [1, 0],
    ],
    ['a line of bash', 'bash', 'bash: line 3: nope: command not found', [2, 0]],
    ['a language without frames', 'ruby', 'snippet.rb:3', undefined],
  ];
  for (const [name, language, error, expected] of cases) {
    it(`is ${name}`, () => {
      const position = errorPosition(language, error);
      assert.deepEqual(position && [position.line, position.character], expected);
    });
  }

  it('is searched for in stderr if the message has none', () => {
    assert.deepEqual(errorPosition('node', 'boom', 'Error: boom\n    at snippet.js:4:2'), { line: 3, character: 1 });
  });

  it('is read from the lines of a shell script itself', () => {
    const source = { file: 'a+b.sh', start: { line: 10, character: 0 } };
    for (const text of ['/shop/src/a+b.sh: line 13: no: command not found', 'x\na+b.sh: eval: line 13: syntax error'])
      assert.deepEqual(errorPosition('bash', text, '', source), { line: 2, character: 0 });
    assert.equal(errorPosition('bash', '/shop/src/other.sh: line 13: no', '', source), undefined);
    assert.equal(errorPosition('bash', '/shop/src/a+b.sh: line 3: an earlier cell', '', source), undefined);
  });

  it('is moved by the start of the cell or selection', () => {
    assert.deepEqual(toDocumentPosition({ line: 0, character: 4 }, { line: 10, character: 6 }), {
      line: 10,
      character: 10,
    });
    assert.deepEqual(toDocumentPosition({ line: 2, character: 4 }, { line: 10, character: 6 }), {
      line: 12,
      character: 4,
    });
  });

  it('is searched fast in a long text without positions (EXT-27)', () => {
    assert.equal(errorPosition('node', 'snippet.j'.repeat(100_000)), undefined);
    assert.equal(errorPosition('python', `File "${'main'.repeat(250_000)}`), undefined);
    assert.deepEqual(errorPosition('python', `File "${'main'.repeat(250_000)}.py", line 2`), { line: 1, character: 0 });
    assert.equal(errorPosition('python', ' '.repeat(500_000)), undefined);
  });
});
