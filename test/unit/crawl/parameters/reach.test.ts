import assert from 'node:assert/strict';
import { silentLog } from '../../../../src/service/platform/log.ts';
import { previewParameters } from '../../../../src/service/web/crawl/parameters/parameters.ts';
import { reaching } from '../../../../src/service/web/crawl/parameters/reach.ts';
import { createSweeps } from '../../../../src/service/web/crawl/site/sweeps.ts';
import { sweepPartsOf, type TestPages } from '../../../harness/test-pages.ts';

const page = (...links: string[]) => ({ links, length: 100 });
const pages: TestPages = {
  '/': page('/v1/quickstart', '/v2/quickstart', '/blog/a', '/about'),
  '/v1/quickstart': page('/v1/install'),
  '/v1/install': page(),
  '/v2/quickstart': page('/v2/install', '/v2/guides/a'),
  '/v2/install': page(),
  '/v2/guides/a': page(),
  '/blog/a': page(),
  '/about': page(),
  '/docs/': { links: [], length: 0, redirectsTo: '/v2/' },
  '/v2/': page('/v2/quickstart'),
};

describe('the scope of a crawl from a sentence', () => {
  async function previewOf(path: string, prompt: string) {
    const sweeps = createSweeps(sweepPartsOf(pages));
    const request = {
      url: new URL(path, 'https://site.test'),
      prompt,
      team: 'a',
      signal: new AbortController().signal,
    };
    const models = { find: () => undefined } as never;
    const { parameters, sources } = await previewParameters(request, { sweeps, models, log: silentLog });
    sweeps.close();
    return {
      includes: parameters.includePaths,
      entire: parameters.crawlEntireDomain,
      words: sources.crawlEntireDomain,
    };
  }
  const v2 = '^/v2(/|$)';
  const blog = '^/blog(/|$)';

  for (const [path, sentence, includes, words] of [
    ['/v2/quickstart', 'only the v2 pages', [v2], ['v2 pages']],
    ['/v2/quickstart', 'everything under /v2, at most 50 pages', [v2], undefined],
    ['/about', 'the blog', [blog], ['blog']],
    ['/v2/', 'only the v2 pages and the blog', [v2, blog], ['v2 pages', 'blog']],
  ] as const)
    it(`is widened to what is above or beside the start: "${sentence}" from ${path}`, async () => {
      const preview = await previewOf(path, sentence);
      assert.deepEqual([preview.includes, preview.entire], [includes, true]);
      if (words) assert.deepEqual(preview.words, words);
    });

  for (const [path, sentence] of [
    ['/', 'only the v2 pages'],
    ['/v2/', 'only the v2 pages'],
    ['/v2', 'only the v2 pages'],
    ['/v2/index.html', 'only the v2 pages'],
    ['/v2/', 'the guides'],
    ['/v2/', 'skip the blog'],
    ['/v2/', 'only PDFs'],
    ['/docs/', 'only the v2 pages'],
  ] as const)
    it(`stays as it is if the start reaches everything: "${sentence}" from ${path}`, async () => {
      assert.equal((await previewOf(path, sentence)).entire, undefined);
    });

  it('stays as a sentence says', async () => {
    const { includes, entire } = await previewOf('/v2/quickstart', 'only the v2 pages. Stay under the start URL.');
    assert.deepEqual([includes, entire], [[v2], false]);
  });

  it('is as sure as the patterns that need it, and obeys no guess', () => {
    const from = (includePaths: string[], guessed: ('includePaths' | 'crawlEntireDomain')[], entire?: boolean) => {
      const parameters = { includePaths, ...(entire !== undefined && { crawlEntireDomain: entire }) };
      const derived = reaching({ parameters, sources: {}, guessed }, [new URL('https://site.test/v2/a')]);
      return [derived.parameters.crawlEntireDomain, derived.guessed];
    };
    assert.deepEqual(from(['^/v2/'], []), [true, []]);
    assert.deepEqual(from(['^/b\\.c(/|$)'], ['includePaths']), [true, ['includePaths', 'crawlEntireDomain']]);
    assert.deepEqual(from(['^/v2/.*'], ['crawlEntireDomain'], false), [true, []]);
    assert.deepEqual(from(['^/v2/'], [], false), [false, []]);
    assert.deepEqual(from(['^/v2/a/?$', '^/v2/a/b.*', '\\.pdf$', '^.*x', '^(?:a|b)'], []), [undefined, []]);
  });
});
