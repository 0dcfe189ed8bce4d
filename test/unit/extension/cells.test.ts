import assert from 'node:assert/strict';
import { cellAt, cellName, findCells, hasCells } from '../../../src/extension/runs/editor/cells.ts';

const lines = ['import x', '// %% open', 'a', '', '  # %%', 'b', '//%%', '// 50%% off'];

describe('cells', () => {
  it('start at marker lines of both kinds and end before the next one', () => {
    assert.deepEqual(
      findCells(lines.slice(1)).map(({ startLine, endLine, title }) => [startLine, endLine, title]),
      [
        [0, 2, 'open'],
        [3, 4, ''],
        [5, 6, ''],
      ],
    );
  });

  it('include the code before the first marker', () => {
    assert.deepEqual(findCells(lines)[0], { startLine: 0, endLine: 0, title: '', index: 0 });
    assert.equal(cellAt(lines, 0)?.endLine, 0);
  });

  it('have no empty first cell if only comments precede the first marker', () => {
    const file = ['#!/usr/bin/env node', '/* A', ' * B */', '', '// %% open', 'a'];
    assert.deepEqual(
      findCells(file).map(({ startLine, index }) => [startLine, index]),
      [[4, 0]],
    );
    assert.equal(cellAt(file, 1)?.startLine, 4, 'the comments belong to the first cell');
  });

  it('are found by any of their lines, marker included', () => {
    assert.deepEqual(
      [1, 3, 4, 7].map((line) => cellAt(lines, line)?.startLine),
      [1, 1, 4, 6],
    );
  });

  it('do not exist in a file without markers', () => {
    const file = ['const url = "a%%b";', '// 100 %%'];
    assert.equal(cellAt(file, 0), undefined);
    assert.deepEqual([hasCells(file.join('\n')), hasCells('1\r\n# %%'), hasCells('x // %% y')], [false, true, false]);
  });

  it('are named by their title, otherwise by their number', () => {
    assert.deepEqual(findCells(lines).map(cellName), ['cell 1', 'cell open', 'cell 3', 'cell 4']);
  });
});
