import assert from 'node:assert/strict';
import { codeToSend, selectionOrCell, withoutIndentation } from '../../../src/extension/runs/editor/snippet.ts';

/** Removes the indentation of lines, in which `>` stands for four spaces and `|` for a tab. */
const dedented = (...lines: string[]) => {
  const text = (from: string) => from.replaceAll('>', '    ').replaceAll('|', '\t');
  return withoutIndentation(lines.map(text).join('\n'))
    .split('\n')
    .map((line) => line.replaceAll('    ', '>').replaceAll('\t', '|'));
};

describe('the indentation of a Python selection', () => {
  it('is removed from whole lines', () => {
    assert.deepEqual(dedented('>x = 20', '>y = x + 1', '', '>print(y)', ''), [
      'x = 20',
      'y = x + 1',
      '',
      'print(y)',
      '',
    ]);
    assert.deepEqual(dedented('>>x = 20'), ['x = 20']);
    assert.deepEqual(dedented('||if x:', '|||y = 1', '||else:', '|||y = 2'), ['if x:', '|y = 1', 'else:', '|y = 2']);
    assert.deepEqual(dedented('>@cache', '>def f():', '>>return 1', '>f()'), [
      '@cache',
      'def f():',
      '>return 1',
      'f()',
    ]);
  });

  it('is removed from a selection that begins in the indentation or after it', () => {
    const file = { name: 'a.py', text: 'def f(x):\n    if x:\n        y = 1\n    print(y)\n' };
    for (const character of [0, 1, 4]) {
      const { text, start } = selectionOrCell(file, { start: { line: 1, character }, end: { line: 4, character: 0 } });
      assert.deepEqual(
        [codeToSend(text, 'python'), start],
        ['if x:\n    y = 1\nprint(y)\n', { line: 1, character: 0 }],
      );
    }
  });

  it('stays where it has a meaning', () => {
    for (const lines of [
      ['if x:', '>y = 1'],
      ['class A:', '>def f(self):', '>>pass', '', '>def g(self):', '>>pass'],
      ['if x == "#":  # a: b', '>y = 1', '>z = 2'],
      ['def f(a,', '>>b):', '>return a'],
      ['for a in b:', '', '># first', '>c()', 'd()'],
      ['x = """', '>text', '"""'],
      ['x = [', '>1,', ']'],
      ['# note', 'if x:', '>y = 1'],
      ['', '# nothing'],
    ])
      assert.deepEqual(dedented(...lines), lines);
  });

  it('stays in strings of several lines, and is ignored in comments and brackets', () => {
    assert.deepEqual(dedented('>x = """', 'left', '>>right', '>"""', '>y = 1'), [
      'x = """',
      'left',
      '>>right',
      '>"""',
      'y = 1',
    ]);
    assert.deepEqual(dedented(">x = 'a\\", "    b'", '>y = 1'), ["x = 'a\\", ">b'", 'y = 1']);
    assert.deepEqual(dedented('>x = 1', '# less', '  # odd', '>y = 2'), ['x = 1', '# less', '# odd', 'y = 2']);
    assert.deepEqual(dedented('>x = (', '1,', '>>2)', '>y = 1 + \\', '2', '>z = 3'), [
      'x = (',
      '1,',
      '>2)',
      'y = 1 + \\',
      '2',
      'z = 3',
    ]);
    assert.deepEqual(dedented('>x = "#"  # " it', '>y = \'"""\'', '>z = r"\\"', '>w = 1'), [
      'x = "#"  # " it',
      'y = \'"""\'',
      'z = r"\\"',
      'w = 1',
    ]);
  });

  it('is removed from what is sent, and only for Python', () => {
    const file = { name: 'a.py', text: 'def f():\n    x = 20\n    y = x + 1\n    print("y is", y)\n' };
    const lines = selectionOrCell(file, { start: { line: 1, character: 0 }, end: { line: 4, character: 0 } });
    assert.equal(codeToSend(lines.text, 'python'), 'x = 20\ny = x + 1\nprint("y is", y)\n');
    const letters = selectionOrCell(file, { start: { line: 1, character: 4 }, end: { line: 3, character: 20 } });
    assert.equal(codeToSend(letters.text, 'python'), 'x = 20\ny = x + 1\nprint("y is", y)');
    assert.equal(codeToSend(lines.text, 'shellscript'), lines.text);
  });
});
