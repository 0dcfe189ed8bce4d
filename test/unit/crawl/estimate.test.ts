import assert from 'node:assert/strict';
import { createEstimates } from '../../../src/service/web/crawl/estimate.ts';
import { createPathMatcher, type PathMatcher } from '../../../src/service/web/crawl/scope/path-rules.ts';
import { createSweeps } from '../../../src/service/web/crawl/site/sweeps.ts';
import { sweepPartsOf, type TestPages } from '../../harness/test-pages.ts';

const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from);
const menu = ['/', '/about', '/cart', '/c/Teapots', '/c/Cups', '/blog'];
const list = (...links: string[]) => ({ links: [...menu, ...links], length: links.length * 40 });
const text = (...links: string[]) => ({ links: [...menu, ...links], length: 2000 });
const products = (from: number) => range(8, from).map((number) => `/product/${number}`);
const shop: TestPages = {
  '/': list(),
  '/c/Teapots': list(...products(1), '/c/Teapots?page=2'),
  '/c/Teapots?page=2': list(...products(9), '/c/Teapots'),
  '/c/Cups': list(...products(17)),
  ...Object.fromEntries(range(24).map((number) => [`/product/${number}`, text(`/product/${(number % 24) + 1}`)])),
  '/blog': list(...range(6).map((number) => `/blog/${number}`)),
  ...Object.fromEntries(
    range(6).map((number) => [`/blog/${number}`, text(...range(4).map((tag) => `/tag/${number}-${tag}`))]),
  ),
  ...Object.fromEntries(
    range(6).flatMap((number) => range(4).map((tag) => [`/tag/${number}-${tag}`, list(`/blog/${number}`)])),
  ),
  '/about': text(),
  '/cart': text(),
};

describe('the estimate of a crawl', () => {
  let matcher: PathMatcher;
  before(() => {
    matcher = createPathMatcher();
  });
  after(() => matcher.close());

  async function estimateOf(path: string, options: object, disallowed: RegExp = /^$/) {
    const allows = (asked: string) => !disallowed.test(asked);
    const parts = { ...sweepPartsOf(shop), robots: { of: async () => ({ allows, sitemaps: [] }) } as never };
    const sweeps = createSweeps(parts);
    const { signal } = new AbortController();
    const request = { url: new URL(path, 'https://site.test'), options, team: 'a', signal };
    const estimate = await createEstimates({ ...parts, matcher, sweeps })(request);
    sweeps.close();
    return estimate;
  }

  it('says what the pages that match list, if that is left out', async () => {
    const { listed, matches } = await estimateOf('/', { includePaths: ['^/c/Teapots(/|$)'] });
    assert.deepEqual([matches, listed?.reason, listed?.count, listed?.atLeast], [2, 'include', 16, false]);
    assert.deepEqual(
      listed?.examples,
      products(1)
        .slice(0, 3)
        .map((each) => `https://site.test${each}`),
    );
    const ignoring = await estimateOf('/', { includePaths: ['^/c/Teapots(/|$)'], ignoreQueryParameters: true });
    assert.deepEqual([ignoring.matches, ignoring.leftOut.map(({ reason }) => reason)], [1, ['include']]);
    const below = await estimateOf('/c/Cups', {});
    assert.deepEqual([below.listed?.reason, below.listed?.count], ['section', 8]);
  });

  it('says no such thing of pages with a text, of lists with what they list, and of what may not be read', async () => {
    for (const includePaths of [['^/blog(/|$)'], ['^/(c|product)/'], ['^/product/'], ['^/(about|cart)$']])
      assert.equal((await estimateOf('/', { includePaths })).listed, undefined, includePaths.join());
    assert.equal((await estimateOf('/', {})).listed, undefined);
    const teapots = { includePaths: ['^/c/Teapots(/|$)'] };
    assert.equal((await estimateOf('/', teapots, /^\/product\//)).listed, undefined);
  });

  it('offers nothing that robots.txt disallows', async () => {
    const options = { includePaths: ['^/blog'], excludePaths: ['^/c/'] };
    const leftOut = async (more: object) => {
      const left = (await estimateOf('/', { ...options, ...more }, /^\/(cart|c\/Cups)$/)).leftOut;
      return Object.fromEntries(left.map(({ reason, examples }) => [reason, examples.join(' ')]));
    };
    const { include = '', exclude = '', robots } = await leftOut({});
    assert.equal(robots, 'https://site.test/cart https://site.test/c/Cups');
    assert.doesNotMatch(include + exclude, /cart|Cups/);
    assert.match((await leftOut({ ignoreRobotsTxt: true })).include ?? '', /cart/);
  });
});
