import assert from 'node:assert/strict';
import type { LanguageModels } from '../../../../src/service/platform/language-model/language-model.ts';
import { silentLog } from '../../../../src/service/platform/log.ts';
import { previewParameters } from '../../../../src/service/web/crawl/parameters/parameters.ts';
import { createSweeps } from '../../../../src/service/web/crawl/site/sweeps.ts';
import { sweepPartsOf, type TestPages } from '../../../harness/test-pages.ts';

const page = (title: string, ...links: string[]) => ({ title, links, length: 100 });
/** A shop whose sections have names of its own. */
const shop: TestPages = {
  '/': page('Tea & Co', '/c/tea', '/notes', '/about', '/p/one'),
  '/c/tea': page('Tea – Tea & Co', '/p/one', '/p/two'),
  '/p/one': page('One – Tea & Co'),
  '/p/two': page('Two – Tea & Co'),
  '/notes': page('Our Blog – Tea & Co', '/notes/a', '/notes/b'),
  '/notes/a': page('Why we blog – Tea & Co'),
  '/notes/b': page('B – Tea & Co'),
  '/about': page('About – Tea & Co'),
};

describe('paths that a sentence asks for and a site lacks', () => {
  async function previewOf(pages: TestPages, prompt: string, ofModel?: object) {
    const sweeps = createSweeps(sweepPartsOf(pages));
    const text = JSON.stringify(ofModel);
    const model = { name: 'scripted', complete: async () => ({ text }) };
    const models = { find: () => ofModel && model } as unknown as LanguageModels;
    const request = { url: new URL('https://site.test/'), prompt, team: 'a', signal: new AbortController().signal };
    const { parameters, ...rest } = await previewParameters(request, { sweeps, models, log: silentLog });
    sweeps.close();
    const { url: _, ...set } = parameters;
    return { ...rest, set };
  }

  for (const prompt of ['all products', 'only the recipes', 'every recipe, at most 20 pages'])
    it(`stay, as the site may have more than is known, and are said: ${prompt}`, async () => {
      const { set, sources, notFound, notUnderstood } = await previewOf(shop, prompt);
      assert.equal(set.includePaths?.length, 1);
      assert.equal(set.limit, prompt.includes('20') ? 20 : undefined);
      assert.deepEqual(Object.keys(sources).sort(), Object.keys(set).sort());
      assert.deepEqual([notFound.length, notUnderstood], [1, []]);
      assert.match(notFound[0] ?? '', /products|recipe/);
    });

  it('are those of the section that the site calls so in its title', async () => {
    const { set, notFound, sources } = await previewOf(shop, 'all blog posts, but no recipes');
    assert.deepEqual(set, { includePaths: ['^/notes(/|$)'], excludePaths: ['^/recipes(/|$)'] });
    assert.deepEqual([notFound, sources.includePaths], [[], ['all blog posts']]);
    // The name of the site is no name of a section.
    const everywhere = Object.entries(shop).map(([path, one]) => [path, { ...one, title: `${path} – Blog` }]);
    assert.deepEqual((await previewOf(Object.fromEntries(everywhere), 'all blog posts')).notFound, ['all blog posts']);
    // A page of the blog, and the folder of a language, are no such section either.
    const post = { '/': page('Jane', '/2024/hello'), '/2024/hello': page('Hello – Blog – Jane', '/2024/hello/amp') };
    assert.deepEqual((await previewOf(post, 'all blog posts')).notFound, ['all blog posts']);
    const english = { '/': page('Shop', '/en/'), '/en/': page('Shop', '/en/a'), '/en/a': page('A') };
    assert.doesNotMatch(String((await previewOf(english, 'the shop')).set.includePaths), /\/en/);
    // A page alone is no section.
    const alone = { ...shop, '/notes': page('Our Blog') };
    assert.deepEqual((await previewOf(alone, 'the blog posts')).notFound.length, 1);
  });

  it('are found by name if a language model writes them in another way', async () => {
    const store = { ...shop, '/': page('Tea & Co', '/store', '/about'), '/store': page('Store', '/store/1') };
    const one = await previewOf(store, 'all products', { includePaths: ['^/products?(/|$)', '^/about'] });
    assert.deepEqual([one.set.includePaths, one.notFound], [['^/store(/|$)', '^/about'], []]);
    const none = await previewOf(shop, 'all products', { includePaths: ['^/products?'], limit: 9 });
    assert.deepEqual([none.set, none.notFound], [{ includePaths: ['^/products?'], limit: 9 }, ['product']]);
    // A part of another section isn't that section.
    const api = {
      ...store,
      '/': page('Tea & Co', '/api', '/docs'),
      '/api': page('API', '/api/1'),
      '/docs': page('Docs'),
    };
    const part = await previewOf(api, 'the API section of the docs', { includePaths: ['^/docs/api(/|$)'] });
    assert.deepEqual(part.set.includePaths, ['^/docs/api(/|$)']);
  });

  it('stay if the sentence names the path, the site has them, or it is not known', async () => {
    for (const [pages, prompt, includePaths] of [
      [shop, 'only /recipes', ['^/recipes(/|$)']],
      [shop, 'only PDFs', ['\\.pdf$']],
      [shop, 'only the about page', ['^/about(/|$)']],
      [{}, 'only the recipes', ['^/recipes(/|$)']],
    ] as const) {
      const { set, notFound } = await previewOf(pages, prompt);
      assert.deepEqual([set.includePaths, notFound], [includePaths, []], prompt);
    }
  });
});
