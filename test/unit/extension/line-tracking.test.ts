import assert from 'node:assert/strict';
import { type LineChange, trackLine } from '../../../src/extension/runs/editor/line-tracking.ts';

const change = (startLine: number, startCharacter: number, endLine: number, text: string): LineChange => ({
  startLine,
  startCharacter,
  endLine,
  text,
});

describe('a tracked line', () => {
  it('stays on changes below it', () => assert.equal(trackLine(3, 10, change(4, 0, 6, 'x')), 3));
  it('moves with lines inserted above it', () => assert.equal(trackLine(3, 10, change(1, 2, 1, 'a\nb\r\nc')), 5));
  it('moves with lines deleted above it', () => assert.equal(trackLine(3, 10, change(0, 0, 2, '')), 1));
  it('moves when a line is inserted directly before it', () =>
    assert.equal(trackLine(3, 10, change(3, 0, 3, 'new\n')), 4));
  it('stays when a line break is typed after it', () => assert.equal(trackLine(3, 10, change(3, 10, 3, '\n  ')), 3));
  it('is removed when one of its characters changes', () =>
    assert.equal(trackLine(3, 10, change(3, 4, 3, 'x')), undefined));
  it('is removed when text is typed after it', () => assert.equal(trackLine(3, 10, change(3, 10, 3, ';')), undefined));
  it('is removed when it is split', () => assert.equal(trackLine(3, 10, change(3, 5, 3, '\n')), undefined));
  it('is removed when it is deleted with others', () => assert.equal(trackLine(3, 10, change(2, 0, 4, '')), undefined));
});
