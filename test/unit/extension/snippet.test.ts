import assert from 'node:assert/strict';
import {
  cellSnippets,
  codeToSend,
  SnippetError,
  selectionOrCell,
  wholeFile,
} from '../../../src/extension/runs/editor/snippet.ts';

const at = (line: number, character = 0) => ({ line, character });

describe('the code to run', () => {
  const file = { name: 'shop.js', text: '// %% open\nconst a = 1;\na\n\n// %% buy\nconst b = 2;\r\nb\n' };

  it('is the file, with the mark after its last line of code', () => {
    const snippet = wholeFile({ name: 'hello.js', text: '1\n2\n\n\n' });
    assert.deepEqual([snippet.title, snippet.lastLine, snippet.text], ['hello.js', 1, '1\n2\n\n\n']);
  });

  it('is the exact selection, even from the middle of a line to the middle of another', () => {
    const snippet = selectionOrCell(file, { start: at(1, 6), end: at(2, 1) });
    assert.deepEqual(snippet, { text: 'a = 1;\na', start: at(1, 6), lastLine: 2, title: 'lines 2–3' });
  });

  it('begins with its first line, as an editor says where that is', () => {
    // The positions of VS Code have their fields on the prototype.
    class Position {
      readonly #at: [line: number, character: number];
      constructor(...place: [line: number, character: number]) {
        this.#at = place;
      }
      get line() {
        return this.#at[0];
      }
      get character() {
        return this.#at[1];
      }
    }
    const snippet = selectionOrCell(file, { start: new Position(1, 0), end: new Position(2, 1) });
    assert.deepEqual(snippet, { text: 'const a = 1;\na', start: at(1), lastLine: 2, title: 'lines 2–3' });
  });

  it('is a selected part of one line', () => {
    const snippet = selectionOrCell(file, { start: at(1, 10), end: at(1, 11) });
    assert.deepEqual([snippet.text, snippet.title], ['1', 'line 2']);
  });

  it('is named after the lines of which something is selected', () => {
    const lines = { name: 'a.js', text: 'one\ntwo\n\nfour\nfive' };
    for (const [start, end, title] of [
      [at(0), at(2), 'lines 1–2'],
      [at(0), at(1), 'line 1'],
      [at(0, 1), at(1), 'line 1'],
      [at(0, 3), at(2), 'line 2'],
      [at(0, 3), at(4, 1), 'lines 2–5'],
      [at(0, 3), at(1), 'line 2'],
      [at(1), at(3, 2), 'lines 2–4'],
      [at(2), at(4), 'lines 3–4'],
      [at(3), at(4, 4), 'lines 4–5'],
    ] as const)
      assert.equal(selectionOrCell(lines, { start, end }).title, title, JSON.stringify([start, end]));
  });

  it('is the cell at the cursor if nothing is selected', () => {
    const snippet = selectionOrCell(file, { start: at(5, 3), end: at(5, 3) });
    assert.deepEqual(snippet, {
      text: '// %% buy\nconst b = 2;\nb\n',
      start: at(4),
      lastLine: 6,
      title: 'cell buy',
      isCell: true,
    });
  });

  it('is the file if there is neither a selection nor a cell', () => {
    const snippet = selectionOrCell({ name: 'a.js', text: '1;\n2' }, { start: at(1), end: at(1) });
    assert.deepEqual([snippet.text, snippet.title], ['1;\n2', 'a.js']);
  });

  it('is each cell of the file in order, including code before the first marker', () => {
    const cells = cellSnippets({ name: 'a.js', text: 'const a = 1;\n// %% use\na' });
    assert.deepEqual(
      cells.map(({ title, text, start }) => [title, text, start.line]),
      [
        ['cell 1', 'const a = 1;', 0],
        ['cell use', '// %% use\na', 1],
      ],
    );
  });
});

describe('code to send', () => {
  it('is unchanged for JavaScript, Python and shell', () => {
    for (const language of ['javascript', 'python', 'shellscript'])
      assert.equal(codeToSend('x: int = 1\n', language), 'x: int = 1\n');
  });

  it('is TypeScript with its types replaced by spaces, so that every position stays', () => {
    const typed = 'interface Row { a: number }\nconst rows: Row[] = await page.$$eval("tr", () => [] as Row[]);\nrows';
    const sent = codeToSend(typed, 'typescript');
    assert.equal(sent.length, typed.length);
    assert.equal(sent.split('\n')[1]?.indexOf('await'), typed.split('\n')[1]?.indexOf('await'));
    assert.doesNotMatch(sent, /Row\[\]|interface/);
  });

  it("reports TypeScript that can't run without its types", () => {
    assert.throws(
      () => codeToSend('let a = 1;\n  enum Colour { Red }\n', 'typescript'),
      (error: unknown) => {
        assert.ok(error instanceof SnippetError);
        assert.match(error.message, /Enums can't run/);
        assert.deepEqual(error.position, { line: 1, character: 2 });
        return true;
      },
    );
  });

  it('reports invalid TypeScript', () => {
    assert.throws(() => codeToSend('let x = 1;\nlet y: number = ;\n', 'typescript'), {
      position: { line: 1, character: 16 },
    });
  });
});
