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

  it('stay and are said if they are excluded', async () => {
    for (const [prompt, missing] of [
      ['everything except the forum', ['forum']],
      ['skip the notes and the forum', ['forum']],
      ['everything except the notes', []],
      ['everything except /forum', []],
    ] as const) {
      const { set, notFound } = await previewOf(shop, prompt);
      assert.deepEqual([set.excludePaths?.length, notFound], [prompt.includes(' and ') ? 2 : 1, missing], prompt);
    }
  });

  it('stay, and are said, if a language model writes them', async () => {
    const parts = { includePaths: ['^/products?', '^/about'], limit: 9 };
    const { set, notFound } = await previewOf(shop, 'all products', parts);
    assert.deepEqual([set, notFound], [parts, ['product']]);
  });

  it('are where pages declare what they are, beside others', async () => {
    const about = (type: string, ...links: string[]) => ({ ...page(type, ...links), subjects: [type] });
    const teas = ['/earl-grey.html', '/oolong.html', '/teas/sencha.html'];
    const magento: TestPages = {
      '/': page('Tea & Co', '/teas.html', '/contact', '/story', '/about.html'),
      '/teas.html': page(
        'Teas',
        ...teas,
        '/teas/green.html',
        '/sendfriend/product/send/id/1',
        '/sendfriend/product/send/id/2',
      ),
      '/teas/green.html': page('Green teas', '/teas/sencha.html'),
      ...Object.fromEntries(teas.map((path) => [path, about('Product', '/teas.html')])),
      '/about.html': about('Organization'),
      '/contact': page('Contact'),
      '/story': about('article'),
      '/login': page('Login'),
      '/sendfriend/product/send/id/1': { ...page('Login'), redirectsTo: '/login' },
      '/sendfriend/product/send/id/2': { ...page('Login'), redirectsTo: '/login' },
    };
    const { set, notFound, notUnderstood } = await previewOf(magento, 'all products');
    const products = [
      '^(?!/(?:about\\.html|teas\\.html)/?$)/[^/]+\\.html/?$',
      '^(?!/(?:teas/green\\.html)/?$)/[^/]+/[^/]+\\.html/?$',
    ];
    assert.deepEqual([set, notFound, notUnderstood], [{ includePaths: products }, [], []]);
    // Where nothing tells them from others, all is crawled.
    const oneScript = Object.fromEntries(
      [1, 2, 3].map((id) => [`/index.php?id=${id}`, id < 3 ? about('Product') : about('Organization')]),
    );
    const queries = { '/': page('Tea & Co', ...Object.keys(oneScript)), ...oneScript };
    const untold = await previewOf(queries, 'all products');
    assert.deepEqual([untold.set, untold.notUnderstood], [{}, ['all products']]);
    // Sites call all their pages articles for others. If some say it in a second way, these are meant.
    const numbers = [1, 2, 3, 4, 5, 6];
    const blog: TestPages = {
      '/': page('Tea notes', '/about', ...numbers.map((n) => `/2024/0${n}/post-${n}`)),
      '/about': about('article'),
      ...Object.fromEntries(
        numbers.map((n) => [
          `/2024/0${n}/post-${n}`,
          { ...page('Post', '/about'), subjects: ['BlogPosting', 'article'] },
        ]),
      ),
    };
    for (const prompt of ['all posts', 'the blog posts', 'all the articles'])
      assert.deepEqual((await previewOf(blog, prompt)).set, { includePaths: ['^/\\d+/\\d+/[^/]+/?$'] }, prompt);
  });

  it('are in all folders with pages like those that declare it, as far as they were not read', async () => {
    const beans = [1, 2, 3, 4, 5, 6, 7].map((n) => `/beans/${n}-bean.html`);
    const about = { subjects: ['Product'], links: [], length: 100 };
    const pages = (others: TestPages) => ({
      '/': page('Tea & Co', ...beans, ...Object.keys(others)),
      ...Object.fromEntries(beans.map((path) => [path, about])),
      ...others,
    });
    const grinders = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`/grinders/${at + 10}-grinder.html`, about]),
    );
    const all = await previewOf(pages(grinders), 'all products');
    assert.deepEqual(all.set.includePaths, ['^/[^/]+/\\d[^/]+\\.html/?$']);
    const alone = await previewOf(pages({}), 'all products');
    assert.deepEqual(alone.set.includePaths, ['^/[^/]+/\\d[^/]+\\.html/?$']);
    // One that was read and says nothing of the kind.
    const own = await previewOf(pages({ '/help/1-how.html': page('How') }), 'all products');
    assert.deepEqual(own.set.includePaths, ['^/beans/\\d[^/]+\\.html/?$']);
  });

  it('are elsewhere than a section that only lists them', async () => {
    const posts = ['/why-we-brew', '/a-good-cup', '/the-kettle'];
    const blog: TestPages = {
      '/': page('Tea & Co', '/blog', '/about'),
      '/blog': page('Blog', ...posts, '/blog/page/2'),
      '/blog/page/2': page('Blog', posts[2] ?? ''),
      ...Object.fromEntries(posts.map((path) => [path, { ...page('Post', '/blog'), subjects: ['BlogPosting'] }])),
      '/about': page('About'),
    };
    const items = { includePaths: ['^(?!/(?:about|blog)/?$)/[^/]+/?$'] };
    for (const prompt of ['all the blog posts', 'the blog', 'every post'])
      assert.deepEqual((await previewOf(blog, prompt)).set, items, prompt);
    const below = Object.fromEntries(
      Object.entries(blog).map(([path, of]) => [path.replace(/^.(?=why|a-|the)/, '/blog/'), of]),
    );
    below['/blog'] = page('Blog', ...posts.map((path) => `/blog${path}`));
    assert.deepEqual((await previewOf(below, 'the blog')).set, { includePaths: ['^/blog(/|$)'] });
  });

  it('are all below the start where a site is as a whole what is asked for', async () => {
    for (const [title, prompt, set, notUnderstood] of [
      ['Tea & Co', 'the whole documentation', {}, []],
      ['Tea & Co', 'the whole forum without the about page', { excludePaths: ['^/about(/|$)'] }, []],
      ['Tea & Co', 'skip the whole forum', { excludePaths: ['^/forum(/|$)'] }, []],
      ['Teapot 2.1 documentation', 'the docs', {}, ['docs']],
      ['Tea & Co', 'the about page, no print versions', { includePaths: ['^/about(/|$)'] }, ['no print versions']],
    ] as const) {
      const preview = await previewOf({ ...shop, '/': { ...page('', '/about'), title } }, prompt);
      assert.deepEqual([preview.set, preview.notUnderstood], [set, notUnderstood], prompt);
    }
  });

  it('are not set if a section has a related name, of which it is not known what it holds', async () => {
    const store = { ...shop, '/': page('Tea & Co', '/store', '/about'), '/store': page('Store', '/store/1') };
    const { set, notFound, notUnderstood } = await previewOf(store, 'all products');
    assert.deepEqual([set, notFound, notUnderstood], [{}, [], ['all products']]);
  });

  it('are not said if the site also has them written in another way, which only lists the same pages', async () => {
    const teas = Array.from('abcdefghijkl', (name) => `/teas/${name}`);
    const pages = {
      '/': page('Tea & Co', '/teas', '/Teas', '/about'),
      ...Object.fromEntries(['/teas', '/Teas'].map((path) => [path, page('Teas', ...teas)])),
      ...Object.fromEntries([...teas, '/about'].map((path) => [path, { ...page(`${path} – Tea & Co`), length: 900 }])),
    };
    const { set, notFound } = await previewOf(pages, 'only the teas');
    assert.deepEqual([set.includePaths, notFound], [['^/teas/.', '^/Teas(/|$)'], []]);
    const { notFound: others } = await previewOf(pages, 'only the teas and the recipes');
    assert.deepEqual(others, ['recipes']);
    const parts = { includePaths: ['^/teas', '^/museum/teas'] };
    const { notFound: other } = await previewOf(pages, 'the teas of the shop and of the museum', parts);
    assert.deepEqual(other, ['museum teas']);
  });

  it('are not those of routes, whose paths are those of sections', async () => {
    const app = { '/': page('App', '/#/guides', '/#/guides/a', '/#/people/1', '/#/about') };
    for (const [prompt, set] of [
      ['only the guides', { includePaths: ['^/guides(/|$)'] }],
      ['only the people', { includePaths: ['^/people(/|$)'] }],
      ['skip the people', { excludePaths: ['^/people(/|$)'] }],
    ] as const) {
      const preview = await previewOf(app, prompt);
      assert.deepEqual([preview.set, preview.notFound, preview.notUnderstood], [set, [], []], prompt);
    }
  });

  it('are not those of a feed, which is no section with the name of what it has', async () => {
    const posts = ['/2024/05/a.html', '/2024/04/b.html'];
    const feed = '/feeds/posts/default';
    const links = [...posts, feed, `${feed}?start-index=26`];
    const languages = ['/en/news/feed', '/fr/nouvelles/feed'];
    const elsewhere = { '/': { ...page('Tea notes', '/a', ...languages), feeds: languages }, '/a': page('A') };
    const blog = {
      '/': { ...page('Tea notes', ...links), feeds: [feed, `${feed}?alt=rss`] },
      ...Object.fromEntries(links.map((path) => [path, page(path)])),
    };
    for (const [pages, prompt, set, notUnderstood] of [
      [blog, 'only the posts', {}, ['only the posts']],
      [blog, 'skip the feeds', { excludePaths: ['^/feeds(/|$)'] }, []],
      [{ ...blog, '/': page('Tea notes', ...links) }, 'only the posts', { includePaths: ['^/feeds/posts(/|$)'] }, []],
      // The posts are beside their feed.
      [
        { '/': { ...page('Tea notes', '/posts/a', '/posts/feed'), feeds: ['/posts/feed'] }, '/posts/a': page('A') },
        'only the posts',
        { includePaths: ['^/posts(/|$)'] },
        [],
      ],
      [
        {
          '/': { ...page('Tea notes', '/posts', '/posts?format=rss'), feeds: ['/posts?format=rss'] },
          '/posts': page('Posts'),
        },
        'only the posts',
        { includePaths: ['^/posts(/|$)'] },
        [],
      ],
      // What is above a feed stays.
      [elsewhere, 'skip the feeds', { excludePaths: ['^/en/news/feed(/|$)', '^/fr/nouvelles/feed(/|$)'] }, []],
      [elsewhere, 'only the news', { includePaths: ['^/en/news(/|$)'] }, []],
      [
        { '/': { ...page('Tea', '/a', '/feed/rss/posts'), feeds: ['/feed/rss/posts'] }, '/a': page('A') },
        'skip the RSS',
        { excludePaths: ['^/feed/rss(/|$)'] },
        [],
      ],
      [
        { '/': { ...page('Tea', '//My%20Blog/feed/', '//a'), feeds: ['//My%20Blog/feed/'] } },
        'only the posts',
        {},
        ['only the posts'],
      ],
    ] as const) {
      const preview = await previewOf(pages as unknown as TestPages, prompt);
      assert.deepEqual([preview.set, preview.notUnderstood], [set, notUnderstood], prompt);
    }
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
