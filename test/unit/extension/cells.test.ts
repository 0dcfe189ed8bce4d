import assert from 'node:assert/strict';
import { cellAt, cellName, findCells } from '../../../src/extension/runs/editor/cells.ts';

const lines = ['import x', '// %% open', 'a', '', '  # %%', 'b', '//%%', '// 50%% off'];

describe('cells', () => {
  it('start at marker lines of both kinds and end before the next one', () => {
    assert.deepEqual(
      findCells(lines).map(({ startLine, endLine, title }) => [startLine, endLine, title]),
      [
        [1, 3, 'open'],
        [4, 5, ''],
        [6, 7, ''],
      ],
    );
  });

  it('are found by any of their lines, marker included', () => {
    assert.deepEqual(
      [1, 3, 4, 7].map((line) => cellAt(lines, line)?.startLine),
      [1, 1, 4, 6],
    );
  });

  it('leave the lines above the first marker to a cell of their own', () => {
    assert.deepEqual(cellAt(lines, 0), { startLine: 0, endLine: 0, title: '', index: -1 });
  });

  it('do not exist in a file without markers', () => {
    assert.equal(cellAt(['const url = "a%%b";', '// 100 %%'], 0), undefined);
  });

  it('are called by their title, else by their number', () => {
    assert.deepEqual(findCells(lines).map(cellName), ['cell open', 'cell 2', 'cell 3']);
  });
});
