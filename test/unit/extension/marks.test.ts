import assert from 'node:assert/strict';
import { linesOf } from '../../../src/extension/runs/editor/cells.ts';
import { isReplacedBy, isUnchanged, type Mark, trackChange } from '../../../src/extension/runs/editor/marks.ts';
import { cellSnippets, type Snippet, wholeFile } from '../../../src/extension/runs/editor/snippet.ts';
import type { RunRequest } from '../../../src/extension/runs/run-request.ts';

const text = 'const a = 1;\n\n// %% two\na + 1\n\n// %% three\na + 2\n';
const file = { name: 'a.js', text };

function request(snippet: Snippet | undefined): RunRequest {
  assert.ok(snippet);
  return { snippet, languageId: 'javascript', language: 'node', timeout: 30, document: 'file:///a.js' };
}

function mark(snippet: Snippet | undefined, more: Partial<Mark> = {}): Mark {
  const { snippet: code } = request(snippet);
  return {
    document: 'file:///a.js',
    request: request(code),
    firstLine: code.start.line,
    lastLine: code.lastLine,
    shownLine: code.lastLine,
    shownLineLength: 5,
    state: 'ok',
    stale: false,
    text: '» 2',
    hover: '2',
    ...more,
  };
}

/** Inserts text at a position and returns the new lines of the document. */
function insert(marks: Mark[], line: number, character: number, added: string): string[] {
  const lines = linesOf(text);
  lines[line] = lines[line]?.slice(0, character) + added + lines[line]?.slice(character);
  for (const each of marks)
    trackChange(each, { startLine: line, startCharacter: character, endLine: line, text: added });
  return linesOf(lines.join('\n'));
}

describe('the mark of a cell', () => {
  const cells = cellSnippets(file);

  it('moves with its cell, and stays when another cell changes', () => {
    const all = cells.map((cell) => mark(cell));
    const lines = insert(all, 3, 0, '// more\n');
    assert.deepEqual(
      all.map((each) => [isUnchanged(each, lines), each.shownLine]),
      [
        [true, 0],
        [false, 3],
        [true, 7],
      ],
    );
  });

  it('is stale when any line of its cell changes, and restored by an undo', () => {
    const second = mark(cells[1]);
    assert.equal(isUnchanged(second, insert([second], 2, 9, '!')), false);
    assert.equal(isUnchanged(second, linesOf(text)), true);
  });

  it('survives blank lines at the end of the cell and a line break after its code', () => {
    const second = mark(cells[1]);
    assert.equal(isUnchanged(second, insert([second], 3, 5, '\n')), true);
    assert.equal(second.shownLine, 3);
  });

  it('is removed with the marker of its cell', () => {
    assert.equal(isUnchanged(mark(cells[2]), linesOf(text.replace('// %% three\n', ''))), false);
  });

  it('keeps its error when another cell runs, and is replaced when its own cell or the file runs', () => {
    const failed = mark(cells[1], { state: 'failed', error: { line: 3, character: 0, message: 'no' } });
    assert.equal(isReplacedBy(failed, request(cells[2])), false);
    assert.equal(isReplacedBy(failed, request(cells[1])), true);
    assert.equal(isReplacedBy(failed, request(wholeFile(file))), true);
  });
});

describe('the mark of a file', () => {
  it('ends with the line after which it is shown', () => {
    const whole = mark(wholeFile(file));
    assert.equal(isUnchanged(whole, insert([whole], 3, 0, 'x')), true);
    insert([whole], 6, 2, 'x');
    assert.equal(whole.shownLine, undefined);
  });

  it('is removed with its error when any code of the file runs', () => {
    const failed = mark(wholeFile(file), { state: 'failed', lastLine: 0 });
    assert.equal(isReplacedBy(failed, request(cellSnippets(file)[2])), true);
  });
});
