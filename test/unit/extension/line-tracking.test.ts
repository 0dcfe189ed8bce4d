import assert from 'node:assert/strict';
import { type LineChange, trackLine } from '../../../src/extension/runs/editor/line-tracking.ts';

const change = (startLine: number, startCharacter: number, endLine: number, text: string): LineChange => ({
  startLine,
  startCharacter,
  endLine,
  text,
});

describe('a line that is followed through edits', () => {
  it('stays when something below it changes', () => assert.equal(trackLine(3, 10, change(4, 0, 6, 'x')), 3));
  it('moves with lines put in above it', () => assert.equal(trackLine(3, 10, change(1, 2, 1, 'a\nb\r\nc')), 5));
  it('moves with lines taken away above it', () => assert.equal(trackLine(3, 10, change(0, 0, 2, '')), 1));
  it('moves when a line is put in right before it', () => assert.equal(trackLine(3, 10, change(3, 0, 3, 'new\n')), 4));
  it('stays when a line break is typed behind it', () => assert.equal(trackLine(3, 10, change(3, 10, 3, '\n  ')), 3));
  it('is gone when a character of it changes', () => assert.equal(trackLine(3, 10, change(3, 4, 3, 'x')), undefined));
  it('is gone when text is typed behind it', () => assert.equal(trackLine(3, 10, change(3, 10, 3, ';')), undefined));
  it('is gone when it is broken in two', () => assert.equal(trackLine(3, 10, change(3, 5, 3, '\n')), undefined));
  it('is gone when it is deleted with others', () => assert.equal(trackLine(3, 10, change(2, 0, 4, '')), undefined));
});
