import assert from 'node:assert/strict';
import { listed, shorten } from '../../../src/contract/shorten.ts';

describe('a quote', () => {
  it('is a whole text if it is short enough, in characters', () => {
    for (const text of ['', 'x', 'x'.repeat(200), '😀'.repeat(200)]) assert.equal(shorten(text), text);
    assert.equal(shorten('abcdef', 6), 'abcdef');
  });

  it('lacks the middle of a longer one, and no half of a character', () => {
    assert.equal(shorten('abcdefg', 6), 'abc…fg');
    assert.equal(shorten('😀😁😂😃😄', 4), '😀😁…😄');
    assert.equal(shorten('a😀😁😂😃b', 5), 'a😀…😃b');
    assert.equal(shorten('😀'.repeat(201)), `${'😀'.repeat(100)}…${'😀'.repeat(99)}`);
    for (const length of [1, 2, 3, 7, 50]) {
      for (const text of ['x'.repeat(1_000_000), '😀'.repeat(500_000), `x${'😀'.repeat(99)}`]) {
        assert.equal([...shorten(text, length)].length, length);
        assert.ok(shorten(text, length).isWellFormed());
      }
    }
  });

  it('of many texts has the first of them, and says how many more there are', () => {
    assert.equal(listed([]), '');
    assert.equal(listed(['a', 'b']), 'a, b');
    assert.equal(listed(['a', 'b', 'c', 'd', 'e', 'f']), 'a, b, c, d, e and 1 more');
    assert.equal(listed(Array(1000).fill('abcdefg'), 2, 6), 'abc…fg, abc…fg and 998 more');
  });
});
