import assert from 'node:assert/strict';
import { fold, forIndex, wordsOf } from '../../../../src/service/web/crawl/pages/search/words.ts';

describe('words of the search of pages', () => {
  it('are the same with and without accents', () => {
    for (const written of ['Cr\u00e8me', 'Cre\u0300me', 'CREME', `cre\u0300${'\u0301\u0327'.repeat(50)}me`]) {
      assert.equal(fold(written), 'creme');
      assert.deepEqual(
        wordsOf(written).map(({ folded }) => folded),
        ['creme'],
      );
      assert.equal(forIndex(written).toLowerCase(), 'creme');
    }
  });

  it('are read of letters with very many accents (TRN-06)', () => {
    const text = `page${'\u0301\u0327'.repeat(300_000)}`;
    assert.equal(forIndex(text), 'page');
    assert.deepEqual(
      wordsOf(text).map(({ folded }) => folded),
      ['page'],
    );
  });
});
