import assert from 'node:assert/strict';
import { createStandIns } from '../../../../src/service/web/crawl/run/stand-ins.ts';

const at = (path: string) => new URL(path, 'https://site.test');

/** Returns which page each of `paths` is expected to stand in for once the given ones were read. */
function expected(read: [path: string, original: string | undefined][], ...paths: string[]) {
  const standIns = createStandIns();
  for (const [path, original] of read) standIns.learn(at(path), original === undefined ? undefined : at(original));
  return paths.map((path) => standIns.originalOf(at(path))?.href.replace('https://site.test', ''));
}

const hats = (count: number, list = '/sale/red'): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`${list}/hat/${index}`, `/hat/${index}`]);

describe('pages that stand in for others', () => {
  it('are told by their paths once three of their kind have named their pages', () => {
    assert.deepEqual(expected(hats(2), '/sale/blue/hat/7'), [undefined]);
    assert.deepEqual(expected(hats(3), '/sale/blue/hat/7', '/sale/blue/hat/7?size=s', '/sale/blue/hat/7/'), [
      '/hat/7',
      '/hat/7',
      '/hat/7/',
    ]);
    const three = (pairOf: (number: number) => [string, string]) => [1, 2, 3].map(pairOf);
    const inside = three((number) => [`/en/sale/hat/${number}`, `/en/hat/${number}`]);
    const below = three((number) => [`/news/${number}/amp`, `/news/${number}`]);
    const byQuery = three((number) => [`/old/view?id=${number}`, `/view?id=${number}`]);
    assert.deepEqual(expected(inside, '/en/sale/hat/9', '/de/sale/hat/9'), ['/en/hat/9', undefined]);
    assert.deepEqual(expected(below, '/news/9/amp', '/news/9/print'), ['/news/9', '/news/9']);
    assert.deepEqual(expected(byQuery, '/old/view?id=9'), ['/view?id=9']);
  });

  it('are no pages of other kinds, and none once they have named others', () => {
    assert.deepEqual(expected(hats(5), '/sale/red/scarf/7', '/sale/hat/7', '/shop/red/hat/7'), [
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(expected([...hats(5), ['/sale/red/hat/x', undefined]], '/sale/red/hat/7'), [undefined]);
    assert.deepEqual(expected([...hats(5), ['/sale/red/hat/x', '/cap/x']], '/sale/red/hat/7'), [undefined]);
    assert.deepEqual(expected([...hats(12), ['/sale/red/hat/x', undefined]], '/sale/red/hat/7'), ['/hat/7']);
  });

  it('are no parts of a list, which all name the list as their own', () => {
    const parts = [2, 3, 4, 5, 6].map((number): [string, string] => [`/shop/page/${number}`, '/shop']);
    const queries = [2, 3, 4, 5, 6].map((number): [string, string] => [`/shop?page=${number}`, '/shop']);
    assert.deepEqual(expected([...parts, ...queries], '/shop/page/7', '/shop?page=7'), [undefined, undefined]);
  });
});
