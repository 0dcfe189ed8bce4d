import assert from 'node:assert/strict';
import { silentLog } from '../../../../src/service/platform/log.ts';
import { previewParameters } from '../../../../src/service/web/crawl/parameters/parameters.ts';
import { createSweeps } from '../../../../src/service/web/crawl/site/sweeps.ts';
import { sweepPartsOf, type TestPages } from '../../../harness/test-pages.ts';

const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from);
const menu = ['/', '/about', '/imprint'];
const post = (...links: string[]) => ({ links: [...menu, ...links], length: 3000 });
/** A list with some characters for each link. */
const list = (links: string[], each = 40) => ({ links: [...menu, ...links], length: links.length * each });

const sidebar = [...range(4).map((n) => `/blog/n${n}`), '/blog/category/a', '/blog/category/b'];

const two = (n: number) => String(n).padStart(2, '0');
/** Posts below their months, most of which have one, with recent ones and all months beside each page. */
const dated = range(30).map((n) => `/${n <= 15 ? 2023 : 2024}/${two((((n - 1) % 15) % 12) + 1)}/post-${n}`);
const monthOf = (path: string) => path.split('/').slice(0, 3).join('/');
const besides = [...dated.slice(-5), ...new Set(dated.map(monthOf))];

/** News below their months, two a month, the newest first. */
const news = range(24).map((n) => `/news/2025/${two(13 - Math.ceil(n / 2))}/item-${n}`);
const newsMonths = range(12).map((n) => `/news/2025/${two(13 - n)}`);

/** Sites of several kinds, what is asked for, and the paths that are to match. */
const sites: Record<string, { pages: TestPages; ask: string; items: string[]; lists: string[]; kept?: string[] }> = {
  'a blog with dates, tags, months and pages': {
    ask: 'the blog posts',
    pages: {
      '/': list(['/blog/']),
      ...Object.fromEntries(
        range(30).map((n) => [`/blog/2026/0${1 + (n % 6)}/post-${n}`, post(`/blog/tag/t${n % 6}`, '/blog/')]),
      ),
      ...Object.fromEntries(
        range(3).map((n) => [
          n === 1 ? '/blog/' : `/blog/page/${n}`,
          list([
            ...range(10, n * 10 - 9).map((i) => `/blog/2026/0${1 + (i % 6)}/post-${i}`),
            `/blog/page/${n + 1}`,
            '/blog/archive',
          ]),
        ]),
      ),
      ...Object.fromEntries(
        range(6, 0).map((tag) => [
          `/blog/tag/t${tag}`,
          list(range(5, 0).map((i) => `/blog/2026/0${1 + (tag % 6)}/post-${tag + i * 6 || 30}`)),
        ]),
      ),
      '/blog/archive': list(range(6).map((month) => `/blog/archive/2026-0${month}`)),
      ...Object.fromEntries(
        range(6).map((month) => [
          `/blog/archive/2026-0${month}`,
          list(range(5, 0).map((i) => `/blog/2026/0${month}/post-${month - 1 + i * 6 || 30}`)),
        ]),
      ),
    },
    items: ['/blog/2026/01/post-6', '/blog/2025/12/an-old-one'],
    lists: [
      '/blog',
      '/blog/',
      '/blog/page/2',
      '/blog/page/17',
      '/blog/tag/t1',
      '/blog/archive',
      '/blog/archive/2026-01',
    ],
  },
  'a blog by date whose months have a post or two': {
    ask: 'all articles from 2024',
    pages: {
      '/': list([...besides, '/2023', '/2024', ...dated.slice(-10)]),
      ...Object.fromEntries(
        dated.map((path, at) => [path, post(...besides, dated[at - 1] ?? path, dated[at + 1] ?? path)]),
      ),
      ...Object.fromEntries(
        [2023, 2024].map((year) => [
          `/${year}`,
          list([...besides, ...dated.filter((path) => path.includes(`/${year}/`))]),
        ]),
      ),
      ...Object.fromEntries(
        [...Map.groupBy(dated, monthOf)].map(([month, posts]) => [
          month,
          { ...post(...besides, ...posts), length: posts.length * 300 },
        ]),
      ),
    },
    items: ['/2024/03/post-18', '/2024/12/post-27'],
    lists: ['/2024', '/2024/03', '/2024/12/'],
  },
  'a year whose months have items of which most are only on their pages': {
    ask: 'all news of 2025',
    pages: {
      '/': list(['/news', ...news.slice(0, 6)]),
      '/news': list([...newsMonths, '/news/2025']),
      '/news/2025': list([...newsMonths, ...news.slice(0, 6)]),
      ...Object.fromEntries(news.map((path) => [path, post()])),
      ...Object.fromEntries(newsMonths.map((month) => [month, list(news.filter((path) => path.startsWith(month)))])),
    },
    items: news,
    lists: ['/news/2025', '/news/2025/12', '/news/2025/01/'],
  },
  'an auction of which each lot is a number, and most were not read': {
    ask: 'all the lots',
    pages: {
      '/': list(['/lots']),
      '/lots': list(range(110, 1000).map((lot) => `/lots/${lot}`)),
      ...Object.fromEntries(range(110, 1000).map((lot) => [`/lots/${lot}`, post('/lots')])),
    },
    items: ['/lots/1000', '/lots/1109', '/lots/2000'],
    lists: ['/lots'],
  },
  'a flat blog with excerpts, authors, categories and related posts': {
    ask: 'every article',
    pages: {
      '/': list(['/blog']),
      ...Object.fromEntries(
        range(40).map((n) => [
          `/blog/story-${n}`,
          post(
            `/blog/category/c${n % 4}`,
            `/blog/author/a${n % 3}`,
            `/blog/story-${(n % 40) + 1}`,
            `/blog/story-${(n + 6) % 40 || 40}`,
          ),
        ]),
      ),
      ...Object.fromEntries(
        range(4).map((n) => [
          n === 1 ? '/blog' : `/blog/page/${n}`,
          list(
            range(10, n * 10 - 9).flatMap((i) => [
              `/blog/story-${i}`,
              `/blog/category/c${i % 4}`,
              `/blog/page/${(n % 4) + 1}`,
            ]),
            300,
          ),
        ]),
      ),
      ...Object.fromEntries(
        range(4, 0).map((n) => [
          `/blog/category/c${n}`,
          list(
            range(10, 0).map((i) => `/blog/story-${n + i * 4 || 40}`),
            300,
          ),
        ]),
      ),
      ...Object.fromEntries(
        range(3, 0).map((n) => [
          `/blog/author/a${n}`,
          list(
            range(13, 0).map((i) => `/blog/story-${n + i * 3 || 39}`),
            300,
          ),
        ]),
      ),
    },
    items: ['/blog/story-1', '/blog/story-40', '/blog/new'],
    lists: ['/blog', '/blog/page/3', '/blog/category/c1', '/blog/author/a2'],
  },
  'a shop whose lists are beside its products': {
    ask: 'all the products',
    pages: {
      '/': list(['/products']),
      '/products': list(['tools', 'garden', 'kitchen'].map((name) => `/products/${name}`)),
      ...Object.fromEntries(
        ['tools', 'garden', 'kitchen'].map((name, at) => [
          `/products/${name}`,
          list(range(12, at * 12 + 1).map((n) => `/products/lamp-${n}`)),
        ]),
      ),
      ...Object.fromEntries(
        range(36).map((n) => [
          `/products/lamp-${n}`,
          { links: [...menu, `/products/lamp-${(n % 36) + 1}`, `/products/lamp-${((n + 4) % 36) + 1}`], length: 600 },
        ]),
      ),
    },
    items: ['/products/lamp-1', '/products/lamp-36', '/products/lamp-99'],
    lists: ['/products', '/products/', '/products/tools', '/products/garden', '/products/kitchen'],
  },
  'a shop whose products are below its lists': {
    ask: 'all the products',
    pages: {
      '/': list(['/products']),
      '/products': list(['tools', 'garden'].map((name) => `/products/${name}`)),
      ...Object.fromEntries(
        ['tools', 'garden'].map((name) => [
          `/products/${name}`,
          list(range(8).map((n) => `/products/${name}/lamp-${n}`)),
        ]),
      ),
      ...Object.fromEntries(
        ['tools', 'garden'].flatMap((name) =>
          range(8).map((n) => [
            `/products/${name}/lamp-${n}`,
            { links: [`/products/${name}/lamp-${(n % 8) + 1}`], length: 600 },
          ]),
        ),
      ),
    },
    items: ['/products/tools/lamp-1', '/products/garden/lamp-8'],
    lists: ['/products', '/products/tools', '/products/garden'],
  },
  'posts with more tags than tags have posts': {
    ask: 'the blog posts',
    pages: {
      '/': list(['/blog']),
      '/blog': list(range(16).map((n) => `/blog/p/${n}`)),
      ...Object.fromEntries(
        range(16).map((n) => [`/blog/p/${n}`, post(...range(6).map((tag) => `/blog/tag/t${n}-${tag}`))]),
      ),
      ...Object.fromEntries(
        range(16).flatMap((n) => range(6).map((tag) => [`/blog/tag/t${n}-${tag}`, list([`/blog/p/${n}`])])),
      ),
    },
    items: ['/blog/p/1', '/blog/p/12'],
    lists: ['/blog'],
  },
  'docs with an index of what their API has: it is one of them': {
    ask: 'all the docs pages, not the blog',
    pages: {
      '/': list(['/docs/start', '/docs/api', '/blog/hello']),
      '/blog/hello': post(),
      '/docs/api': list(range(8).map((n) => `/docs/api/function-${n}`)),
      ...Object.fromEntries([
        ...range(12).map((n) => [`/docs/topic-${n}`, post('/docs/start')]),
        ...range(8).map((n) => [`/docs/api/function-${n}`, post('/docs/api')]),
        ['/docs/start', post(...range(12).map((n) => `/docs/topic-${n}`))],
      ]),
    },
    items: ['/docs/start', '/docs/topic-1', '/docs/api', '/docs/api/function-1'],
    lists: [],
  },
  'docs whose pages all have the same menu': {
    ask: 'the docs pages',
    pages: Object.fromEntries([
      ['/', list(['/docs/start'])],
      ...range(20).map((n) => [`/docs/topic-${n}`, post('/docs/start', ...range(20).map((i) => `/docs/topic-${i}`))]),
      ['/docs/start', post(...range(20).map((i) => `/docs/topic-${i}`))],
    ]),
    items: ['/docs/start', '/docs/topic-1'],
    lists: [],
  },
  'a blog with a sidebar, and lists told apart by queries': {
    ask: 'all blog articles',
    pages: {
      '/': list(['/blog']),
      ...Object.fromEntries(
        range(24).map((n) => [
          `/blog/n${n}`,
          post(...sidebar, `/blog/n${(n % 24) + 1}`, `/blog/n${n - 1 || 24}`, `/blog?tag=t${n % 4}`),
        ]),
      ),
      ...Object.fromEntries(
        range(3).map((n) => [
          n === 1 ? '/blog' : `/blog?page=${n}`,
          list([...sidebar, ...range(8, n * 8 - 7).map((i) => `/blog/n${i}`), `/blog?page=${(n % 3) + 1}`]),
        ]),
      ),
      ...Object.fromEntries(
        range(4, 0).map((n) => [
          `/blog?tag=t${n}`,
          list([...sidebar, ...range(6, 0).map((i) => `/blog/n${n + i * 4 || 24}`)]),
        ]),
      ),
      '/blog/category/a': list([...sidebar, ...range(9).map((n) => `/blog/n${n}`)]),
      '/blog/category/b': list([...sidebar, ...range(9, 10).map((n) => `/blog/n${n}`)]),
    },
    items: ['/blog/n1', '/blog/n24'],
    lists: ['/blog', '/blog/', '/blog/category/a', '/blog/category/z'],
  },
  'recipes of which the lists are elsewhere': {
    ask: 'every recipe',
    pages: {
      '/': list(['/kitchen']),
      '/kitchen': list(range(20).map((n) => `/recipe/r${n}`)),
      ...Object.fromEntries(range(20).map((n) => [`/recipe/r${n}`, post(`/recipe/r${(n % 20) + 1}`)])),
    },
    items: ['/recipe/r1', '/recipe/r20'],
    lists: [],
  },
  'tags, if they are what is asked for': {
    ask: 'the tag pages',
    pages: {
      '/': list(['/tag/a', '/tag/b']),
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((tag) => [
          `/tag/${tag}`,
          list([...range(9).map((n) => `/p/${tag}${n}`), '/tag/c', '/tag/d']),
        ]),
      ),
    },
    items: ['/tag/a', '/tag/b'],
    lists: [],
  },
};

describe('a sentence that asks for items', () => {
  async function previewOf(pages: TestPages, prompt: string) {
    const sweeps = createSweeps(sweepPartsOf(pages));
    const request = { url: new URL('https://site.test/'), prompt, team: 'a', signal: new AbortController().signal };
    return await previewParameters(request, { sweeps, models: { find: () => undefined } as never, log: silentLog });
  }
  for (const [name, { pages, ask, items, lists }] of Object.entries(sites))
    it(`leaves the lists of ${name} out`, async () => {
      const preview = await previewOf(pages, ask);
      const { includePaths = [] } = preview.parameters;
      const isIn = (path: string) => (includePaths ?? []).some((pattern) => new RegExp(pattern).test(path));
      const said = JSON.stringify([includePaths, preview.lists]);
      for (const path of items) assert.ok(isIn(path), `${path} is missing: ${said}`);
      for (const path of lists) assert.ok(!isIn(path), `${path} is a list: ${said}`);
      assert.equal(preview.lists.length > 0, lists.length > 0, said);
    });

  it('says what is left out', async () => {
    const { pages } = sites['a flat blog with excerpts, authors, categories and related posts'] ?? {};
    const { parameters, lists } = await previewOf(pages ?? {}, 'the blog posts');
    assert.deepEqual(parameters.includePaths, ['^/blog/(?!(author|category|page)(/|$)).']);
    assert.deepEqual(lists.map(({ path, pages: count }) => [path, count]).sort(), [
      ['/blog', 1],
      ['/blog/author', 3],
      ['/blog/category', 4],
      ['/blog/page', 4],
    ]);
    assert.ok(lists.every(({ leadsTo }) => leadsTo >= 10));
  });

  it('leaves a section as it is whose only items are those of another one, such as products of collections', async () => {
    const names = ['teapots', 'cups', 'teas'];
    const below = (folder: string) =>
      range(8).map((n) => [`${folder}/products/p${n}`, post(`/products/p${(n % 8) + 1}`)]);
    const shop = Object.fromEntries([
      ['/', list(['/collections'])],
      ['/collections', list(names.map((name) => `/collections/${name}`))],
      ...names.flatMap((name) => below(`/collections/${name}`)),
      ...names.map((name) => [
        `/collections/${name}`,
        list(range(8).map((n) => `/collections/${name}/products/p${n}`)),
      ]),
      ...below(''),
    ]);
    const { parameters, lists, notFound } = await previewOf(shop, 'only the collections');
    assert.deepEqual([parameters.includePaths, lists, notFound], [['^/collections(/|$)'], [], []]);
  });

  it('says of a section that it only lists pages elsewhere, unless lists are asked for', async () => {
    const posts = range(24).map((n) => `/post-${'abcdef'[n % 6]}${n}`);
    const fairs = range(18).map((n) => `/fair-${'abcdef'[n % 6]}${n}`);
    const every = (step: number, from: number) => posts.filter((_, at) => at % step === from);
    const blog = Object.fromEntries([
      ['/', list([...posts.slice(0, 8), '/archive', '/events'])],
      ['/archive', list(['/2024', ...range(12).map((month) => `/2024/${two(month)}`)])],
      ['/2024', list(posts.slice(0, 10))],
      ...posts.map((path, at) => [path, post(`/tag/t${at % 3}`, `/author/a${at % 2}`, posts[(at + 1) % 24] ?? path)]),
      ...range(12).map((month) => [`/2024/${two(month)}`, list(every(12, month - 1))]),
      ...range(3, 0).flatMap((tag) => [
        [`/tag/t${tag}`, list([...every(3, tag).slice(0, 6), `/tag/t${tag}/page/2`])],
        [`/tag/t${tag}/page/2`, list(every(3, tag).slice(6))],
      ]),
      // With the beginning of each post.
      ...range(2, 0).map((name) => [`/author/a${name}`, list(every(2, name), 120)]),
      ['/events', list(['/events/2024/03', '/events/2024/04'])],
      ...['/events/2024/03', '/events/2024/04'].map((path, at) => [path, list(fairs.slice(at * 9, at * 9 + 9))]),
      ...fairs.map((path) => [path, { links: menu, length: 3000 }]),
    ]) as TestPages;
    for (const [ask, path] of [
      ['all articles from 2024', '/2024'],
      ['all posts tagged t1', '/tag/t1'],
      ['posts by a1', '/author/a1'],
      ['events from March 2024', '/events/2024/03'],
    ] as const) {
      const { parameters, notFound } = await previewOf(blog, ask);
      assert.deepEqual([parameters.includePaths, notFound], [[`^${path}(/|$)`], [ask]]);
    }
    for (const ask of ['the tag pages', 'the archive page', 'everything under /tag/t1'])
      assert.deepEqual((await previewOf(blog, ask)).notFound, [], ask);
  });

  it('keeps what is at a date with a part of its own, or says more than the pages it links to are called', async () => {
    const news = Object.fromEntries(range(20).map((n) => [`/news/item-${n}`, { links: menu, length: 1800 }]));
    const some = (n: number, count: number) => range(count).map((each) => `/news/item-${((n * 3 + each) % 20) + 1}`);
    const issues = range(14).map((n) => `/newsletter/2024/${two(n)}`);
    const days = range(14).map((n) => `/comics/2024/03/${two(n)}`);
    const site: TestPages = {
      '/': list(['/newsletter', '/comics', '/news', '/topics/tea', '/faq']),
      '/news': list(Object.keys(news)),
      ...news,
      '/newsletter': list(issues),
      ...Object.fromEntries(issues.map((path, n) => [path, { links: [...menu, ...some(n, 4)], length: 700 }])),
      '/faq': { links: [...menu, ...some(1, 6)], length: 2000 },
      '/topics/tea': { links: [...menu, ...some(1, 6)], length: 700 },
      '/comics': list(days),
      ...Object.fromEntries(
        days.flatMap((path, n) => [
          [path, { links: [...menu, `${path}/the-text-of-${n}`], length: 70 }],
          [`${path}/the-text-of-${n}`, { links: menu, length: 900 }],
        ]),
      ),
    };
    for (const [ask, ...kept] of [
      ['all the newsletters', ...issues],
      ['newsletters from 2024', ...issues],
      ['all pages of the tea topic', '/topics/tea'],
      ['all the FAQs', '/faq'],
      ['all the comics', ...days],
      ['comics from March 2024', ...days],
      ['all comics from 2024', ...days],
    ] as const) {
      const { parameters, notFound } = await previewOf(site, ask);
      const patterns = (parameters.includePaths ?? []).map((pattern) => new RegExp(pattern));
      const lost = kept.filter((path) => !patterns.some((pattern) => pattern.test(path)));
      assert.deepEqual([lost, notFound], [[], []], `${ask}: ${parameters.includePaths}`);
    }
  });

  it('leaves a section as it is that is asked for itself, or named by its path', async () => {
    const { pages = {} } = sites['a blog with dates, tags, months and pages'] ?? {};
    for (const ask of ['the blog', 'everything under /blog', 'the blog section', 'only /blog', 'pages under /blog']) {
      const { parameters, lists } = await previewOf(pages, ask);
      assert.deepEqual([parameters.includePaths, lists], [['^/blog(/|$)'], []], ask);
    }
    const { parameters } = await previewOf(pages, 'everything but the blog posts');
    assert.deepEqual(parameters.excludePaths, ['^/blog(/|$)']);
  });
});
