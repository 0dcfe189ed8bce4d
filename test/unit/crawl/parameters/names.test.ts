import assert from 'node:assert/strict';
import { parametersByRules } from '../../../../src/service/web/crawl/parameters/by-rules.ts';
import { tokensOf } from '../../../../src/service/web/crawl/parameters/tokens.ts';

const path = (name: string) => `^/${name}(/|$)`;

/** Reads sentences about a site that has these paths, and compares what they become. */
function check(paths: string, sentences: Record<string, object>, from = '/'): void {
  const start = new URL(from, 'https://site.test');
  const urls = paths.split(' ').map((one) => new URL(one, start).href);
  for (const [sentence, expected] of Object.entries(sentences)) {
    const { parameters, notUnderstood } = parametersByRules(sentence, start, urls);
    assert.deepEqual({ ...parameters, ...(notUnderstood.length > 0 && { notUnderstood }) }, expected, sentence);
  }
}

describe('names of sections in a sentence', () => {
  const report = (...all: string[]) => Object.fromEntries(all.map((one) => [one, { notUnderstood: [one] }]));

  it('are those of a section that is called so, not of one with a related name', () => {
    check('/stores/leeds /p/sofa /companies/a /support/donate /handbook/b /blog/c', {
      ...report('all the products', 'every product in the shop', 'about page', 'help pages', '20 products'),
      'only the stores, not the companies': {
        includePaths: [path('stores')],
        excludePaths: [path('companies')],
      },
      'the blog, the docs and the stores': {
        includePaths: [path('blog'), path('stores')],
        notUnderstood: ['docs'],
      },
      'the stores and the products': { includePaths: [path('stores')], notUnderstood: ['products'] },
      'the blog, including products': { includePaths: [path('blog')], notUnderstood: ['including products'] },
      'crawl the docs and the blog': { includePaths: [path('blog')], notUnderstood: ['crawl the docs'] },
      'docs and the blog': { includePaths: [path('blog')], notUnderstood: ['docs'] },
      ...report('skip the docs and the blog', 'skip the stores and the products', 'only the docs and the blog'),
      'the products and the store locations': { notUnderstood: ['products', 'store locations'] },
    });
    check('/pricing /support/a /docs/b', {
      'pricing plans': { includePaths: [path('pricing')] },
      'pricing and plans': { includePaths: [path('pricing')], notUnderstood: ['plans'] },
      'docs and help': { includePaths: [path('docs')], notUnderstood: ['help'] },
    });
  });

  it('are those of each section that a thing is called by, first of what it is', () => {
    const products = { includePaths: [path('product')] };
    check('/stores/leeds /product/1', {
      'all the products': products,
      'every product in the shop': products,
      'the products in all stores': products,
    });
    check('/shop/tea', { 'all the products in the shop': { includePaths: [path('shop')] } });
    check('/catalog/a /store', { 'the product catalogue': { includePaths: [path('catalog')] } });
    check('/docs/a /manual/b /help/c /support/d', {
      'docs and manual': { includePaths: [path('docs'), path('manual')] },
      'help and support': { includePaths: [path('help'), path('support')] },
    });
  });

  it('are the years of a blog that has its posts in them, and no section of its own', () => {
    const years = (home: string) => String.raw`^${home}(?:19|20)\d\d(/|$)`;
    const posts = '/2026/10/a /2026/10/ /2025/12/b /2025/month /category/tea /author/ann';
    check(posts, {
      'all the blog posts, without category pages': {
        includePaths: [years('/')],
        excludePaths: [path('category')],
      },
      'skip the blog': { excludePaths: [years('/')] },
      'posts from 2025': { includePaths: [path('2025')] },
      'only the docs': { includePaths: [path('docs')] },
      ...report('every article'),
    });
    const blog = { 'only the blog': { includePaths: [path('blog')] } };
    check(`${posts} /blog/c`, blog);
    for (const others of ['/2026/a', '/2026/13/a', '/reports/2026/10/a', '/12026/10/a']) check(others, blog);
    check('2026/10/a', { 'only the blog': { includePaths: [years('/en/')] } }, '/en/');
    const many = [11, 12, 13, 14, 15, 16].map((year) => `/20${year}/03/a`).join(' ');
    check(many, { 'only the blog': { includePaths: ['^/(?:19|20)\\d\\d(/|$)'] } });
  });

  it('are other forms of the same name where no section is called so', () => {
    const [careers, blog] = [{ includePaths: [path('careers')] }, { includePaths: [path('blog')] }];
    check('/careers/a /blog/b /newsroom/c /basket /register /changelog/d', {
      'all the jobs': careers,
      'job openings': careers,
      vacancies: careers,
      'all articles': blog,
      'all posts': blog,
      'press releases': { includePaths: [path('newsroom')] },
      'skip the cart and sign up': { excludePaths: [path('basket'), path('register')] },
      "what's new": { includePaths: [path('changelog')] },
    });
    check('/jobs/a /articles/b', {
      careers: { includePaths: [path('jobs')] },
      'the blog': { includePaths: [path('articles')] },
      'skip all posts': { excludePaths: [path('articles')] },
    });
    check('/jobs/a /careers/b /articles/c /blog/d /baskets/e', {
      'all the jobs': { includePaths: [path('jobs')] },
      'all articles': { includePaths: [path('articles')] },
      'the blog': blog,
      'skip the cart': { excludePaths: [path('cart')] },
    });
  });

  it('are not named by the unit of an amount before its limit', () => {
    const results = { includePaths: [path('results')], limit: 20 };
    check('/results/2024 /events/a /items/b /pages/c', {
      'results limit 20': { limit: 20 },
      'events, items limit: 20': { includePaths: [path('events')], limit: 20 },
      'the results, limit 20': results,
      'only results limit 20': results,
      'results max 20 pages': results,
      'requests delay 2 seconds': { delay: 2, notUnderstood: ['requests'] },
      'pages max depth 3': { includePaths: [path('pages')], maxDepth: 3 },
    });
  });

  it('are versions, however their paths write them', () => {
    check('/docs/v1/a /docs/2.0/b /docs/3.x/api/c /docs/v1/api/d /news/e', {
      'only version v1': { includePaths: [path('docs/v1')] },
      'version 1, not version 2': { includePaths: [path('docs/v1')], excludePaths: [path('docs/2\\.0')] },
      'skip v2': { excludePaths: [path('docs/2\\.0')] },
      'the API in version 3': { includePaths: [path('docs/3\\.x/api')] },
      'docs for version 1': { includePaths: [path('docs/v1')] },
      'docs for versions of the news': { includePaths: [path('docs')], notUnderstood: ['for versions of the news'] },
      'the docs for news': { includePaths: [path('docs')], notUnderstood: ['for news'] },
      'only version 4': { notUnderstood: ['only version 4'] },
      'the docs of version 3.x without news': {
        includePaths: [path('docs/3\\.x')],
        excludePaths: [path('news')],
      },
      'not 3.x': { excludePaths: [path('docs/3\\.x')] },
      'not the 3.x version': { excludePaths: [path('docs/3\\.x')] },
      'not the news version': { notUnderstood: ['not the news version'] },
      'only version 4.x, at most 20 pages': { limit: 20, notUnderstood: ['only version 4.x'] },
    });
    check('/docs/1.4.2/a /docs/1.4.3/b', {
      'only version 1.4.2. At most 20 pages': { includePaths: [path('docs/1\\.4\\.2')], limit: 20 },
    });
    // A date is none.
    for (const date of ['12.05.2024', '1.5.2024'])
      assert.ok(tokensOf(date, 'site.test').every(({ kind }) => kind !== 'word'));
  });

  it('stay wanted beside pages of a kind that is not known, unless these can be what others are said of', () => {
    const sport = { includePaths: [path('sport')] };
    check('/sport/a /news/b', {
      'the sport section, not the AMP pages': { ...sport, notUnderstood: ['not the AMP pages'] },
      'sport without print pages, at most 9 pages': { ...sport, limit: 9, notUnderstood: ['without print pages'] },
      'skip the sport, not the AMP pages': {
        excludePaths: sport.includePaths,
        notUnderstood: ['not the AMP pages'],
      },
      'not the AMP pages, the sport': { notUnderstood: ['not the AMP pages, the sport'] },
      'the sport, not the AMP pages, the news': { notUnderstood: ['sport, not the AMP pages, the news'] },
      'the sport, not the AMP pages or news': { notUnderstood: ['sport, not the AMP pages or news'] },
      'the sport, not only AMP pages': { notUnderstood: ['sport, not only AMP pages'] },
      "don't skip the sport, not the AMP pages": { notUnderstood: ["don't skip the sport, not the AMP pages"] },
    });
  });

  it('are languages, also with a region', () => {
    check('/en-us/api/a /de/api/b /pt_br/guides/c', {
      'the API reference in English, not German': { includePaths: [path('en-us/api')], excludePaths: [path('de')] },
      'only Portuguese': { includePaths: [path('pt_br')] },
    });
  });

  it('are years and months', () => {
    check('/2023/11/a /2024/03/b /2024/05/c /events/2022/d', {
      'only posts from 2024': { includePaths: [path('2024')] },
      'only posts from March 2024': { includePaths: [path('2024/03')] },
      'posts of May 2024, no posts from Nov 2023': {
        includePaths: [path('2024/05')],
        excludePaths: [path('2023/11')],
      },
      'posts from 2022': { notUnderstood: ['posts from 2022'] },
      'the docs from 2024': { notUnderstood: ['docs from 2024'] },
    });
  });

  it('are two where a section is below another one', () => {
    check('/jobs/postings/a /careers/b /user/guide/c /guides/d', {
      'the job postings': { includePaths: [path('jobs/postings')] },
      'skip the user guide': { excludePaths: [path('user/guide')] },
    });
    check('/careers/b /guides/d', {
      'the job postings': { includePaths: [path('careers')] },
      'skip the user guide': { excludePaths: [path('guides')] },
    });
  });

  /** Returns what of a site with these paths a sentence wants the items of, without the list of these. */
  const itemsOf = (paths: string, sentence: string) =>
    parametersByRules(
      sentence,
      new URL('https://site.test'),
      paths.split(' ').map((one) => `https://site.test${one}`),
    ).ofItems;

  it('of kinds of pages are those of items where the section is called so, and of languages those of all pages', () => {
    assert.deepEqual(itemsOf('/careers/a', 'all the jobs'), [path('careers')]);
    assert.deepEqual(itemsOf('/docs/a', 'all jobs in the docs folder'), []);
    assert.deepEqual(itemsOf('/en/a /de/b', 'the English and German pages'), []);
    assert.deepEqual(itemsOf('/tv/a', 'the TV pages'), [path('tv')]);
    assert.deepEqual(itemsOf('/ad-tech/a', 'the ad tech pages'), [path('ad-tech')]);
    for (const all of ['all files in the docs folder', 'every file in /docs', 'all versions of the docs'])
      assert.deepEqual(itemsOf('/docs/a', all), [], all);
  });

  it('of jobs and tasks are never all pages', () => {
    const jobs = { includePaths: [path('careers')] };
    check('/careers/a /blog/b', {
      'all the jobs': jobs,
      'only the jobs': jobs,
      'all jobs, at most 5 pages': { ...jobs, limit: 5 },
    });
    check('/blog/b', {
      'all the jobs': { notUnderstood: ['all the jobs'] },
      'everything, all categories': { crawlEntireDomain: true },
      'all pages of all categories, at most 50': { crawlEntireDomain: true, limit: 50 },
      'all pages in full detail': { crawlEntireDomain: true },
      'the entire site, all versions': { crawlEntireDomain: true, notUnderstood: ['all versions'] },
    });
    check('/tasks/a', {
      'all tasks': { includePaths: [path('tasks')] },
      'all the content': { crawlEntireDomain: true },
    });
  });

  it('are not all pages if “all” is said of what is not known', () => {
    const report = (...all: string[]) => Object.fromEntries(all.map((one) => [one, { notUnderstood: [one] }]));
    check('/next/a /blog/b', {
      ...report('all the items', 'all versions', 'all of the records', 'all the results', 'everything in the series'),
      ...report('all details of all pages', 'all pages of all versions'),
      'skip all items': { notUnderstood: ['all items'] },
      'only all versions': { notUnderstood: ['all versions'] },
      'all items, at most 5': { limit: 5, notUnderstood: ['all items'] },
      'All versions except next': { excludePaths: [path('next')], notUnderstood: ['All versions'] },
      'skip the blog, all versions': { excludePaths: [path('blog')], notUnderstood: ['all versions'] },
      'the blog and all items': { includePaths: [path('blog')], notUnderstood: ['all items'] },
      'the rest of the blog': { includePaths: [path('blog')], notUnderstood: ['the rest of'] },
      'all pages except next': { crawlEntireDomain: true, excludePaths: [path('next')] },
    });
    check('/results/c /categories/d', {
      'all the results': { includePaths: [path('results')] },
      'skip all results': { excludePaths: [path('results')] },
      'all pages in all categories': { includePaths: [path('categories')] },
    });
  });

  it('are not what words beside all pages or an option are for', () => {
    const set = (value: object, ...all: string[]) => Object.fromEntries(all.map((one) => [one, value]));
    check('/blog/b /cart/c', {
      ...set({ crawlEntireDomain: true }, 'all web pages', 'all website pages', 'all site content', 'all page content'),
      ...set({ crawlEntireDomain: true }, 'the content of all pages', 'all the data on this site'),
      ...set({ crawlEntireDomain: true }, 'all sections of the site', 'every page in every section'),
      ...set({ ignoreQueryParameters: true }, 'ignore query parameters in URLs', 'strip query strings on all URLs'),
      ...set({ deduplicateSimilarURLs: true }, 'no duplicates in the results', 'remove duplicates from the results'),
      'ignore robots.txt on all pages': { ignoreRobotsTxt: true },
      'follow external links on all pages': { allowExternalLinks: true },
      'all pages in the sitemap': { sitemap: 'include' },
      'skip all sections except the blog': { includePaths: [path('blog')] },
      'skip the cart, no duplicates in the results, max 100': {
        excludePaths: [path('cart')],
        deduplicateSimilarURLs: true,
        limit: 100,
      },
    });
  });

  it('are lists where a site calls a section so', () => {
    check('/listings/1 /agents/bob', {
      'all listings, skip the agents': { includePaths: [path('listings')], excludePaths: [path('agents')] },
      "crawl the listings, don't follow external links": {
        includePaths: [path('listings')],
        allowExternalLinks: false,
      },
      'no listings': { excludePaths: [path('listings')] },
      'list the agents': { includePaths: [path('agents')] },
      'get me a list of all agents': { includePaths: [path('agents')] },
    });
    check('/product/1 /about', { 'all product listings': { notUnderstood: ['all product listings'] } });
  });

  it('go on in a list with what it says once', () => {
    check('/board/1/a /board/2/b /board/3/c /en/guides/d /de/guides/e /docs/v1/api/f /docs/v2/api/g', {
      'board 1, 2 and 3': { includePaths: [path('board/1'), path('board/2'), path('board/3')] },
      'skip board 1 and 2': { excludePaths: [path('board/1'), path('board/2')] },
      'board 1 and 20 pages': { includePaths: [path('board/1')], limit: 20 },
      'the English and German guides': { includePaths: [path('en/guides'), path('de/guides')] },
      'guides in English and German': { includePaths: [path('en/guides'), path('de/guides')] },
      'API docs for v1 and v2': { includePaths: [path('docs/v1/api'), path('docs/v2/api')] },
      'the blog and the guides in English': { notUnderstood: ['blog and the guides in English'] },
      'API v1 and v2': { includePaths: [path('docs/v1/api'), path('docs/v2/api')] },
    });
  });

  it('are those of what they hold', () => {
    check('/board/1/a /board/2/b /series/rye/c /part/1 /user/d', {
      'all threads of board 2, no user profiles': {
        includePaths: [path('board/2')],
        excludePaths: [path('user')],
      },
      'the whole rye series': { includePaths: [path('series/rye')] },
      'not the whole rye series': { notUnderstood: ['not the whole rye series'] },
      'the first 20 parts, not the imprint': {
        limit: 20,
        includePaths: [path('part')],
        excludePaths: [path('imprint')],
      },
      'all parts': { includePaths: [path('part')] },
    });
    check('/about/a /team/b', {
      'team and about': { includePaths: [path('team'), path('about')] },
      'about and team': { notUnderstood: ['about and team'] },
    });
    check('/politics/a /author/ann/b', {
      'politics news': { includePaths: [path('politics')] },
      'posts by Ann': { includePaths: [path('author/ann')] },
    });
    const own = { 'threads of board 2': { notUnderstood: ['threads of board 2'] } };
    check('/board/2 /board/2/page/2 /thread/a /thread/b', own);
    check('/tag/travel/a /blog/b', { 'posts tagged travel': { includePaths: [path('tag/travel')] } });
  });

  it('leave the rest of a sentence as it is if they are unknown and denied', () => {
    const parts = { includePaths: [path('part')] };
    check('/part/1 /about', {
      'the parts, no widgets': { ...parts, notUnderstood: ['no widgets'] },
      'the parts without images': { ...parts, notUnderstood: ['without images'] },
      'no widgets, no imprint': { excludePaths: [path('imprint')], notUnderstood: ['no widgets'] },
      'only widgets, at most 20 pages': { limit: 20, notUnderstood: ['only widgets'] },
    });
    // Of these, a part can be said of the others, or mean them.
    for (const sentence of [
      'the parts, widgets skipped',
      'the parts, not desired',
      'the parts with images only',
      'the parts, no one needs',
      'the parts no team wants',
      'skip the widgets, the parts',
      'skip the widgets, only the parts',
      'threads only, no team',
      'the parts, not the widgets, the team',
      'only the widgets, the parts',
    ])
      check('/part/1 /team/a', { [sentence]: { notUnderstood: [sentence.replace(/^the /, '')] } });
  });

  it('deny no more than what is said of a section', () => {
    const nothing = (...sentences: string[]) =>
      Object.fromEntries(sentences.map((sentence) => [sentence, { notUnderstood: [sentence] }]));
    check('/products/a /members/b /docs/c /blog/2023/d /2023/e /partners/f /news/g /de/h', {
      ...nothing('no news about products', 'skip product details', 'no news in German', 'skip posts by partners'),
      ...nothing('blog, not from 2023', 'docs, excluded nowadays', 'docs, not nowadays'),
      'skip the news': { excludePaths: [path('news')] },
    });
    check('/members/a /events/b /blog/c', nothing('skip member events', 'skip user pages of the blog'));
    check('/authors/ann/a /blog/b', { 'posts by Ann': { includePaths: [path('authors/ann')] } });
  });

  it('are of versions as deep as others are without one', () => {
    const urls = '/docs/5.x/api/events/a /docs/5.x/guides/plugins/b /docs/4.x/guides/plugins/c /docs/4.x/migration/d';
    check(urls, {
      'the API of version 5, skip events': {
        includePaths: [path('docs/5\\.x/api')],
        excludePaths: [path('docs/5\\.x/api/events')],
      },
      'the plugin guides': {
        includePaths: [path('docs/5\\.x/guides/plugins'), path('docs/4\\.x/guides/plugins')],
      },
      'only the migration guide for 4.x': { includePaths: [path('docs/4\\.x/migration')] },
    });
  });

  it('are reported where more than five sections have them, rather than set for some', () => {
    const staff = (count: number) => Array.from({ length: count }, (_, at) => `/departments/d${at}/staff/a`).join(' ');
    check(staff(6), {
      'no staff pages': { notUnderstood: ['no staff pages'] },
      'the staff, at most 20 pages': { limit: 20, notUnderstood: ['staff'] },
      'staff of d3': { includePaths: [path('departments/d3/staff')] },
    });
    check(staff(2), { 'no staff': { excludePaths: [path('departments/d0/staff'), path('departments/d1/staff')] } });
  });

  it('lose none of their words', () => {
    check('/jobs/a /sign-in/b /meetings/2024/03/minutes/c /bikes/d', {
      'no sign-in, no saved jobs': { notUnderstood: ['no sign-in, no saved jobs'] },
      'used bikes, at most 5 pages': { limit: 5, notUnderstood: ['used bikes'] },
      'meeting minutes': { notUnderstood: ['meeting minutes'] },
      'skipped: the jobs': { excludePaths: [path('jobs')] },
      'excluded jobs, bikes': { excludePaths: [path('jobs'), path('bikes')] },
      'the bikes, skip excluded jobs': { notUnderstood: ['bikes, skip excluded jobs'] },
      'the status of the website': { notUnderstood: ['status of the website'] },
    });
    check('/items/a /members/mary/b', {
      'at most ten items': { limit: 10 },
      'max items 20': { limit: 20 },
      'one item per second': { delay: 1 },
      'skip Marie': { notUnderstood: ['skip Marie'] },
    });
    check('/podcast/a /careers/b', {
      'podcast episodes, limit 10': { includePaths: [path('podcast')], limit: 10 },
      'the first 20 job listings': { includePaths: [path('careers')], limit: 20 },
    });
  });

  it('are said of what is in two sections by no patterns', () => {
    check('/jobs/engineering/a /jobs/remote/b /archive/2020/c', {
      'engineering jobs, but only remote jobs': { notUnderstood: ['engineering jobs, but only remote jobs'] },
      'the jobs, but only engineering': { includePaths: [path('jobs/engineering')] },
      'two levels below the archive': { notUnderstood: ['two levels below the archive'] },
    });
    const docs = {
      'docs, only 3.x': { includePaths: [path('docs/3\\.x')] },
      'two levels below the docs': { maxDepth: 2, includePaths: [path('docs')] },
    };
    check('/docs/3.x/a /docs/2.x/b', docs, '/docs/');
    const [next, second] = [path('docs/next'), path(String.raw`docs/2\.x`)];
    check('/docs/a /docs/next/a /docs/2.x/a /blog/b', {
      'only the current docs, no blog, without the next and 2.x versions': {
        includePaths: [path('docs')],
        excludePaths: [path('blog'), next, second],
        notUnderstood: ['current'],
      },
      'the docs, without the next version': { includePaths: [path('docs')], excludePaths: [next] },
    });
    check('/guides/a /de/b', {
      'guides in English, only German': { notUnderstood: ['guides in English, only German'] },
    });
  });

  it('are denied by each of several negations, but not what is named of them by “nothing else”', () => {
    check('/planning/policy/a /news/b /events/c /essays/d', {
      'planning policy and nothing else from planning': {
        notUnderstood: ['planning policy and nothing else from planning'],
      },
      'neither the news nor the events': { excludePaths: [path('news'), path('events')] },
      'essays, not news, not events': { includePaths: [path('essays')], excludePaths: [path('news'), path('events')] },
      'essays, but neither news nor events': {
        includePaths: [path('essays')],
        excludePaths: [path('news'), path('events')],
      },
      'skip the news, not the events': { notUnderstood: ['skip the news, not the events'] },
    });
  });

  it('are reported if they name no more than where the crawl is', () => {
    check('/news/a', {
      'crawl this page': { notUnderstood: ['crawl this page'] },
      'everything on this domain': { crawlEntireDomain: true },
      'just this page': { limit: 1 },
    });
  });
});
