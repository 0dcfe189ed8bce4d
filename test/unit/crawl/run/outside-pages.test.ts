import assert from 'node:assert/strict';
import { createOutsidePages } from '../../../../src/service/web/crawl/run/outside-pages.ts';

describe('the pages that a crawl leaves out', () => {
  const pagesOf = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const url = `https://site.test/${kind}/${index}`;
      return { url, origin: 'https://site.test', identity: url, depth: 1, role: 'include' as const };
    });
  const kinds = Array.from({ length: 20 }, (_, index) => `kind-${'abcdefghijklmnopqrst'[index]}`);

  it('are counted by kind, as far as the crawl has room for their URLs', async () => {
    for (const [each, counts] of [
      [900, true],
      [1000, false],
    ] as const) {
      const outside = createOutsidePages();
      for (const kind of kinds) await outside.found(pagesOf(kind, each));
      for (const count of [3, 5]) await outside.found(pagesOf('item', count));
      assert.equal(outside.warning(4)?.includes('5 pages such as https://site.test/item/0'), counts || undefined);
    }
  });
});
