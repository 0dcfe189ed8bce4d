import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parametersByRules } from '../../../../src/service/web/crawl/parameters/by-rules.ts';
import { patternsOf } from '../../../../src/service/web/crawl/parameters/sections.ts';
import { unitsOf } from '../../../../src/service/web/crawl/parameters/sentences.ts';
import { siteOf } from '../../../../src/service/web/crawl/parameters/site.ts';
import { tokensOf } from '../../../../src/service/web/crawl/parameters/tokens.ts';
import { denials, things, wishes } from '../../../fixtures/crawl-denials.ts';
import {
  contexts,
  denied,
  deniedLines,
  denyingLabels,
  options,
  otherContexts,
  runOn,
  unknownContexts,
  wanted,
  wantedLines,
  wantingLabels,
} from '../../../fixtures/crawl-negations.ts';
import { site as shop, sentences as withNegations } from '../../../fixtures/crawl-sentences.ts';
import { asWritten, sites as writtenOf } from '../../../fixtures/crawl-sentences-as-written.ts';
import { blind } from '../../../fixtures/crawl-sentences-blind.ts';
import { heldOut } from '../../../fixtures/crawl-sentences-held-out.ts';
import { newSites, ofNewSites } from '../../../fixtures/crawl-sentences-of-new-sites.ts';
import { ofOtherSites, otherSites } from '../../../fixtures/crawl-sentences-of-other-sites.ts';
import { ofSites, sites } from '../../../fixtures/crawl-sentences-of-sites.ts';
import { ofUsers, sitesOfUsers } from '../../../fixtures/crawl-sentences-of-users.ts';

const site = [
  'https://site.test/',
  'https://site.test/blog/one',
  'https://site.test/guides/a',
  'https://site.test/docs/intro',
  'https://site.test/docs/api/x',
  'https://site.test/admin/login',
  'https://site.test/products/1',
  'https://site.test/case-studies/a',
  'https://site.test/en/home',
  'https://site.test/archive/2024/x',
  'https://site.test/members/joe',
];
const start = new URL('https://site.test/');

const blog = '^/blog(/|$)';
const docs = '^/docs(/|$)';
const guides = '^/guides(/|$)';
const admin = '^/admin(/|$)';

/** What a sentence becomes; nothing but what it speaks of. */
const sentences: Record<string, object> = {
  'only the blog and the guides': { includePaths: [blog, guides] },
  'Only crawl the blog and the guides, nothing under /admin': { includePaths: [blog, guides], excludePaths: [admin] },
  'nothing under /admin': { excludePaths: [admin] },
  'I only want the blog and the guides, no more than thirty pages.': { includePaths: [blog, guides], limit: 30 },
  'crawl everything except the blog': { crawlEntireDomain: true, excludePaths: [blog] },
  'Everything but the products': { crawlEntireDomain: true, excludePaths: ['^/products(/|$)'] },
  'Crawl the whole site but skip the archive and /admin': {
    crawlEntireDomain: true,
    excludePaths: ['^/archive(/|$)', admin],
  },
  'The archive should be skipped': { excludePaths: ['^/archive(/|$)'] },
  'do not go outside /docs': { includePaths: [docs] },
  'exclude the blog, the docs and anything under /legal/': { excludePaths: [blog, docs, '^/legal(/|$)'] },
  'crawl the API section of the docs': { includePaths: ['^/docs/api(/|$)'] },
  'Crawl the documentation but leave out the API reference': {
    includePaths: [docs],
    excludePaths: ['^/docs/api(/|$)'],
  },
  'all articles under /en/news but not /en/news/archive': {
    includePaths: ['^/en/news(/|$)'],
    excludePaths: ['^/en/news/archive(/|$)'],
  },
  'case studies only': { includePaths: ['^/case-studies(/|$)'] },
  'the forum': { includePaths: ['^/forum(/|$)'] },
  'only the English pages': { includePaths: ['^/en(/|$)'] },
  'Skip PDFs': { excludePaths: ['\\.pdf$'] },
  'skip /private/* and /tmp': { excludePaths: ['^/private(/|$)', '^/tmp(/|$)'] },
  'Get me the first 20 blog posts': { limit: 20, includePaths: [blog] },
  'crawl 1,000 pages': { limit: 1000 },
  '2k pages max': { limit: 2000 },
  'a dozen pages': { limit: 12 },
  'up to a hundred pages': { limit: 100 },
  'Stop after two hundred and fifty pages': { limit: 250 },
  '150 products': { limit: 150, includePaths: ['^/products(/|$)'] },
  'only this page': { limit: 1 },
  'limit 25': { limit: 25 },
  'two levels deep': { maxDepth: 2 },
  'at a depth of two': { maxDepth: 2 },
  'depth of at most four': { maxDepth: 4 },
  'go three clicks deep': { maxDiscoveryDepth: 3 },
  'no more than 3 clicks away from the homepage': { maxDiscoveryDepth: 3 },
  'limit the depth to 2': { maxDepth: 2 },
  "don't go deeper than three clicks from the home page": { maxDiscoveryDepth: 3 },
  'crawl pages linked from the start page only': { maxDiscoveryDepth: 1 },
  'wait half a second between requests': { delay: 0.5 },
  'with a delay of 500ms': { delay: 0.5 },
  '5 second delay': { delay: 5 },
  'no delay': { delay: 0 },
  'one request per second': { delay: 1 },
  '30 pages per minute': { delay: 2 },
  'fetch at most one page every five seconds': { delay: 5 },
  'do not crawl faster than one page per second': { delay: 1 },
  'include subdomains': { allowSubdomains: true },
  "don't include subdomains": { allowSubdomains: false },
  'allow subdomains but not external links': { allowSubdomains: true, allowExternalLinks: false },
  'the site including subdomains': { allowSubdomains: true },
  'only the docs including the API': { includePaths: [docs, '^/docs/api(/|$)'] },
  'skip the blog including the guides': { excludePaths: [blog, guides] },
  'only site.test/blog and https://www.site.test/docs': { includePaths: [blog, docs] },
  'crawl https://site.test, but not http://site.test:80/blog': { excludePaths: [blog] },
  'the blog articles under "https://site.test/blog"': { includePaths: [blog] },
  'all the user guides': { includePaths: [guides] },
  'only https://site.test/docs. Skip the blog.': { includePaths: [docs], excludePaths: [blog] },
  'only https://site.test/~joe/Übung': { includePaths: ['^/~joe/Übung(/|$)'] },
  'skip /site.test/blog': { excludePaths: ['^/site\\.test/blog(/|$)'] },
  'pages whose URL starts with /docs': { includePaths: [docs] },
  'everything three levels deep from the start page': { crawlEntireDomain: true, maxDepth: 3 },
  'I am only interested in the blog': { includePaths: [blog] },
  'links to other websites are ok': { allowExternalLinks: true },
  'Never leave the domain': { allowExternalLinks: false },
  "no blog, no guides, don't leave the site": { allowExternalLinks: false, excludePaths: [blog, guides] },
  'stay on the same domain': { allowExternalLinks: false },
  'the entire site': { crawlEntireDomain: true },
  'stay under the start url': { crawlEntireDomain: false },
  'use the sitemap only': { sitemap: 'only' },
  "don't use the sitemap": { sitemap: 'skip' },
  'Use sitemap: include': { sitemap: 'include' },
  'ignore query parameters': { ignoreQueryParameters: true },
  "don't ignore query parameters": { ignoreQueryParameters: false },
  'treat URLs with different query parameters as the same page': { ignoreQueryParameters: true },
  'Ignore url parameters and the sitemap': { ignoreQueryParameters: true, sitemap: 'skip' },
  'Crawl the docs and ignore robots.txt': { includePaths: [docs], ignoreRobotsTxt: true },
  'respect robots.txt': { ignoreRobotsTxt: false },
  "don't obey robots.txt": { ignoreRobotsTxt: true },
  'dedupe similar pages': { deduplicateSimilarURLs: true },
  'keep similar pages': { deduplicateSimilarURLs: false },
  "don't dedupe": { deduplicateSimilarURLs: false },
  'The blog should be skipped and the docs should be crawled': { includePaths: [docs], excludePaths: [blog] },
  'crawl the docs, the blog should be left out': { includePaths: [docs], excludePaths: [blog] },
  'The blog, the guides and /admin must not be visited': { excludePaths: [blog, guides, admin] },
  'crawl everything but the blog': { crawlEntireDomain: true, excludePaths: [blog] },
  'nothing under /admin should be crawled': { excludePaths: [admin] },
  'the archive has to be avoided but the blog may be read': {
    includePaths: [blog],
    excludePaths: ['^/archive(/|$)'],
  },
  "I'm not interested in the blog, only the docs": { includePaths: [docs], excludePaths: [blog] },
  'I do not care about the blog': { excludePaths: [blog] },
  'The blog is of no interest': { excludePaths: [blog] },
  'leave out whatever is under /admin': { excludePaths: [admin] },
  'at most thirty pages should be fetched': { limit: 30 },
  'robots.txt should be ignored': { ignoreRobotsTxt: true },
  'robots.txt must not be ignored': { ignoreRobotsTxt: false },
  'robots.txt does not matter': { ignoreRobotsTxt: true },
  'crawl without ignoring robots.txt': { ignoreRobotsTxt: false },
  'the sitemap can be ignored': { sitemap: 'skip' },
  'the sitemap should not be ignored': { sitemap: 'include' },
  'query parameters should be ignored': { ignoreQueryParameters: true },
  'query parameters must not be dropped': { ignoreQueryParameters: false },
  "subdomains shouldn't be followed": { allowSubdomains: false },
  'external links should be followed': { allowExternalLinks: true },
  'external links must not be followed': { allowExternalLinks: false },
  'crawl the site without following external links': { allowExternalLinks: false },
  'similar pages should not be skipped': { deduplicateSimilarURLs: false },
  "don't go deeper than 3 levels or follow subdomains": { maxDepth: 3, allowSubdomains: false },
  "don't crawl the blog or don't follow subdomains": { allowSubdomains: false, excludePaths: [blog] },
  "don't crawl the blog or no external links": { allowExternalLinks: false, excludePaths: [blog] },
  'skip the blog, list the docs': { includePaths: [docs], excludePaths: [blog] },
  'the docs only, at most 20 pages': { includePaths: [docs], limit: 20 },
  'the guides and the docs, not the blog, /admin or the archive': {
    includePaths: [guides, docs],
    excludePaths: [blog, admin, '^/archive(/|$)'],
  },
  'crawl the docs instead of the blog': { includePaths: [docs], excludePaths: [blog] },
  'the docs regardless of robots.txt': { includePaths: [docs], ignoreRobotsTxt: true },
  'three pages a minute': { delay: 20 },
  'one and a half seconds between requests': { delay: 1.5 },
  'I want only the docs and blog, but nothing under /admin, up to twenty pages, two levels deep, one second between requests, ignore robots.txt':
    {
      includePaths: [docs, blog],
      excludePaths: [admin],
      limit: 20,
      maxDepth: 2,
      delay: 1,
      ignoreRobotsTxt: true,
    },
};

function readingOf(sentence: string, from: URL, urls: readonly string[]) {
  const { parameters, notUnderstood } = parametersByRules(sentence, from, urls);
  return { parameters, notUnderstood };
}

function sectionsIn(patterns: readonly string[], use: string): Record<string, string> {
  return Object.fromEntries(patterns.map((pattern) => [pattern.slice(2, -'(/|$)'.length), use]));
}

describe('crawl parameters by rules', () => {
  for (const [sentence, expected] of Object.entries(sentences)) {
    it(sentence, () => assert.deepEqual(readingOf(sentence, start, site), { parameters: expected, notUnderstood: [] }));
  }

  for (const [sentence, [parameters, ...notUnderstood]] of Object.entries(withNegations)) {
    it(sentence, () => {
      const derived = readingOf(sentence, new URL('https://shop.test/'), shop);
      assert.deepEqual(derived, { parameters, notUnderstood });
    });
  }

  for (const sentence of [
    'leave the blog out',
    'use user agent MyBot/1.0',
    'User-Agent: ExampleBot',
    'use the user agent "My Crawler"',
    'follow the rules for Googlebot',
    'similar pages should not be merged',
    'PDFs in the docs',
    'not all of the docs',
    'Do not crawl all of the docs',
    'not every product',
    'not both the docs and the blog',
    'docs, but not all',
    'docs/blog',
    'crawl the pages',
    'Exclude anything with "draft" in the url',
    'everything but the blog should be crawled',
    'pages that should be skipped are /admin and /blog',
    'weekly crawl of the docs',
    'external links, ignored the blog',
    "don't go deeper than two clicks and skip the blog",
    'crawl https://other.test/docs',
    'skip https://other.test/blog',
    'member guides',
    'not all of this site',
    'query parameters including the blog',
    'everything excluding the blog including the docs',
    'only the start page',
    'only pages below the start page',
    'only https://site.test/docs?limit=100',
    'skip https://site.test/blog?page=2',
    'only "https://site.test/docs, https://site.test/blog"',
    'skip site.test:8080/blog',
    "don't crawl more than 5 pages except the blog",
    'all but five pages',
    'blog may be skipped, but the docs not',
  ]) {
    it(`say that they don't understand "${sentence}"`, () =>
      assert.deepEqual(readingOf(sentence, start, site), { parameters: {}, notUnderstood: [sentence] }));
  }

  for (const sentence of [
    '',
    'Hello',
    'tell me a joke',
    'What is the weather like today?',
    '!!!',
    'please crawl this site',
  ]) {
    it(`finds nothing in "${sentence}"`, () =>
      assert.deepEqual(parametersByRules(sentence, start, site).parameters, {}));
  }

  const heldOutSets = { 'first set': Object.entries(heldOut), 'second set': blind };
  for (const [name, ordinary] of Object.entries(heldOutSets))
    it(`understand at least 85 % of ordinary sentences in full, report the others, and set nothing wrong (${name})`, () => {
      const inFull: string[] = [];
      for (const [sentence, expected, hasMore] of ordinary) {
        const { parameters, notUnderstood } = readingOf(sentence, new URL('https://shop.test/'), shop);
        const known: Record<string, unknown> = { ...expected };
        for (const [name, value] of Object.entries(parameters)) assert.deepEqual(value, known[name], sentence);
        const isInFull = isDeepStrictEqual(parameters, expected);
        if (isInFull) inFull.push(sentence);
        if (!isInFull || hasMore) assert.ok(notUnderstood.length > 0, sentence);
      }
      assert.ok(inFull.length >= 0.85 * ordinary.length, `${inFull.length} of ${ordinary.length}`);
    });

  const otherSets = {
    'six sites': [sites, ofSites],
    'five new sites': [newSites, ofNewSites],
    'three other sites': [otherSites, ofOtherSites],
  } as const;
  for (const [set, [from, all]] of Object.entries(otherSets))
    it(`understand at least 85 % of ordinary sentences about other kinds of sites, and set nothing wrong (${set})`, () => {
      let inFull = 0;
      for (const [name, sentence, expected, hasMore] of all) {
        const about = from[name] as (typeof sites)[string];
        const { parameters, notUnderstood } = readingOf(sentence, new URL(about.start), about.urls);
        const known: Record<string, unknown> = { ...expected };
        for (const [option, value] of Object.entries(parameters))
          for (const one of [value].flat()) assert.ok([known[option]].flat().includes(one), sentence);
        const isInFull = isDeepStrictEqual(parameters, expected);
        if (isInFull) inFull++;
        if (!isInFull || hasMore) assert.ok(notUnderstood.length > 0, sentence);
      }
      assert.ok(inFull >= 0.85 * all.length, `${inFull} of ${all.length}`);
    });

  const written = {
    'as people write them': [writtenOf, asWritten],
    'as developers type them': [sitesOfUsers, ofUsers],
  };
  for (const [set, [from, all]] of Object.entries(written) as [string, [typeof writtenOf, typeof asWritten]][])
    it(`understand at least 85 % of sentences ${set}, report the others, and set nothing wrong`, () => {
      let inFull = 0;
      for (const { site: name, sentence, parameters: expected, hasMore } of all) {
        const about = from[name] as (typeof writtenOf)[string];
        const { parameters, notUnderstood } = readingOf(sentence, new URL(about.start), about.urls);
        for (const [option, value] of Object.entries(parameters))
          for (const one of [value].flat()) assert.ok([expected[option]].flat().includes(one), sentence);
        const isInFull = isDeepStrictEqual(parameters, expected);
        if (isInFull) inFull++;
        if (!isInFull || hasMore) assert.ok(notUnderstood.length > 0, sentence);
      }
      assert.ok(inFull >= 0.85 * all.length, `${inFull} of ${all.length}`);
    });

  it('never set the opposite of what is said among other things', () => {
    const readings = [
      { all: [...denials, ...denied], isWanted: false },
      { all: [...wishes, ...wanted], isWanted: true },
    ];
    for (const { all, isWanted } of readings)
      for (const one of all)
        for (const context of [...otherContexts, ...unknownContexts])
          for (const [thing, name] of [things[0], things[3]]) {
            const sentence = context.replace('@', () => one.replace('X', thing));
            const { parameters } = parametersByRules(sentence, new URL('https://shop.test/'), shop);
            const { includePaths = [], excludePaths = [], [name]: option } = parameters as Record<string, string[]>;
            const opposite = isWanted ? excludePaths : includePaths;
            assert.ok(!opposite.some((pattern) => pattern.includes(name)), sentence);
            assert.notEqual(option, !isWanted, sentence);
          }
  });

  it('reads what is asked for, not the place that is another name of it', () => {
    const pages = ['/', '/product/1', '/product/2', '/shop', '/blog/a', '/docs/b'].map(
      (path) => `https://site.test${path}`,
    );
    const { parameters, notUnderstood } = parametersByRules(
      'all the products in the shop, not the blog or docs',
      start,
      pages,
    );
    assert.deepEqual(parameters, { includePaths: ['^/product(/|$)'], excludePaths: [blog, docs] });
    assert.deepEqual(notUnderstood, []);
  });

  it('never set the opposite of what a sentence says', () => {
    for (const [isDenied, all] of [
      [true, denials],
      [false, wishes],
    ] as const)
      for (const one of all)
        for (const [thing, name] of things) {
          const sentence = one.replace('X', thing);
          const { parameters } = parametersByRules(sentence, new URL('https://shop.test/'), shop);
          const { includePaths = [], excludePaths = [], [name]: option } = parameters as Record<string, string[]>;
          const opposite = isDenied ? includePaths : excludePaths;
          assert.ok(!opposite.some((pattern) => pattern.includes(name)), sentence);
          assert.notEqual(option, isDenied, sentence);
        }
  });

  it('never invert an option or a section, with any negation on either side of it', () => {
    const readings = [
      { all: denied, isWanted: false },
      { all: wanted, isWanted: true },
    ];
    for (const { all, isWanted } of readings)
      for (const one of all)
        for (const context of contexts)
          for (const [thing, name, value, opposite] of options) {
            const sentence = context.replace('@', () => one.replace('X', thing));
            const { parameters, notUnderstood } = readingOf(sentence, new URL('https://shop.test/'), shop);
            const { includePaths = [], excludePaths = [], ...others } = parameters;
            const found = { ...others, ...sectionsIn(includePaths, 'include'), ...sectionsIn(excludePaths, 'exclude') };
            const read = (found as Record<string, unknown>)[name];
            assert.notEqual(read, isWanted ? opposite : value, sentence);
            assert.ok(read !== undefined || notUnderstood.length > 0, sentence);
          }
  });

  it('never read a line of a list against what is said before the list', () => {
    const readings = [
      { labels: denyingLabels, lines: deniedLines, isWanted: false },
      { labels: wantingLabels, lines: wantedLines, isWanted: true },
    ];
    for (const { labels, lines, isWanted } of readings)
      for (const label of labels)
        for (const line of lines)
          for (const before of ['', 'The help.\n', 'Crawl the help\n\n'])
            for (const [thing, name] of [things[0], things[4]]) {
              const sentence = `${before}${label}\n${line.replaceAll('X', thing)}`;
              const { parameters, notUnderstood } = readingOf(sentence, new URL('https://shop.test/'), shop);
              const { includePaths = [], excludePaths = [], [name]: option } = parameters as Record<string, string[]>;
              const opposite = isWanted ? excludePaths : includePaths;
              assert.ok(!opposite.some((pattern) => pattern.includes(name)), sentence);
              assert.notEqual(option, !isWanted, sentence);
              const said = JSON.stringify([includePaths, excludePaths, notUnderstood]);
              assert.ok(option !== undefined || said.includes(thing.replace('the ', '')), sentence);
            }
  });

  it('lose no line before a list', () => {
    const read = (sentence: string) => {
      const { parameters, notUnderstood } = readingOf(sentence, start, site);
      return { ...parameters, notUnderstood };
    };
    assert.deepEqual(read('skip the blog\n- docs'), { excludePaths: [blog], notUnderstood: ['docs'] });
    assert.deepEqual(read('Only the docs:\n- 20 pages'), { includePaths: [docs], notUnderstood: ['20 pages'] });
    assert.deepEqual(read('Skip:\n- /blog.\n- /docs.'), { excludePaths: [blog, docs], notUnderstood: [] });
    assert.deepEqual(read('the docs\nSkip:'), { notUnderstood: ['docs', 'Skip'] });
    assert.deepEqual(read('Skip:\n\n- /blog'), { notUnderstood: ['Skip', '/blog'] });
  });

  for (const [sentence, name, value] of runOn)
    it(`not read more into "${sentence}" than it says (${name})`, () => {
      const { parameters, notUnderstood } = readingOf(sentence, new URL('https://shop.test/'), shop);
      const read = (parameters as Record<string, unknown>)[name];
      assert.notEqual(read, value);
      assert.ok(read !== undefined || notUnderstood.length > 0);
    });

  it('report what is said with a comma as it is, whatever comes before it', () => {
    for (const sentence of ['everything except the blog, with screenshots', "don't crawl the blog, with screenshots"]) {
      const { parameters, notUnderstood } = readingOf(sentence, start, site);
      assert.deepEqual([Object(parameters).excludePaths, notUnderstood], [[blog], ['with screenshots']], sentence);
    }
  });

  it('read an amount after a colon, whatever the words before it say', () => {
    const gentle = readingOf('be gentle: one request every three seconds', start, site);
    assert.deepEqual(gentle, { parameters: { delay: 3 }, notUnderstood: ['be gentle'] });
    assert.deepEqual(readingOf('skip the docs: no: the blog', start, site).parameters, {});
    assert.deepEqual(readingOf('follow links. No thanks.', start, site).notUnderstood, ['follow links', 'No thanks']);
  });

  it('report words of sections that they do not find', () => {
    for (const sentence of ['the category pages up to three levels deep', 'only the folder', "I don't want files"]) {
      const { parameters, notUnderstood } = readingOf(sentence, start, site);
      assert.deepEqual([Object.keys(parameters).includes('includePaths'), notUnderstood.length], [false, 1], sentence);
    }
    const found = readingOf('the category pages, two levels deep', start, ['https://site.test/category/x']);
    assert.deepEqual(found.parameters, { maxDepth: 2, includePaths: ['^/category(/|$)'] });
  });

  it('read lists of lines with the heads before them', () => {
    const lists = 'Only crawl:\n1. /docs\n2. /guides\nDo not crawl:\n1. /blog\n2. /admin';
    const pages = 'Pages to be crawled:\n- /docs\n- /guides\nPages not to be crawled:\n- /blog\n- /admin';
    for (const sentence of [lists, pages]) {
      const { parameters } = readingOf(sentence, start, site);
      assert.deepEqual(parameters, { includePaths: [docs, guides], excludePaths: [blog, admin] });
    }
    const verbs = readingOf("Don't:\n- visit the blog\n- follow external links\n- ignore robots.txt", start, site);
    assert.deepEqual(verbs, {
      parameters: { allowExternalLinks: false, ignoreRobotsTxt: false, excludePaths: [blog] },
      notUnderstood: [],
    });
  });

  it('set nothing for a thing with a sign that can deny it', () => {
    for (const sentence of ['!blog', '-blog', 'docs, -blog', '+docs !blog', '\u274C /blog', '\u{1F6AB} the blog']) {
      const { includePaths = [] } = parametersByRules(sentence, start, site).parameters;
      assert.ok(!includePaths.includes(blog), sentence);
    }
  });

  it('exclude nothing that is an exception from a setting', () => {
    for (const sentence of ['obey robots.txt except for the blog', 'follow external links except on the blog'])
      assert.deepEqual(readingOf(sentence, start, site), { parameters: {}, notUnderstood: [sentence] });
    const whole = readingOf('crawl the whole domain apart from the blog', start, site).parameters;
    assert.deepEqual(whole, { crawlEntireDomain: true, excludePaths: [blog] });
    assert.deepEqual(readingOf('this site except the blog', start, site).parameters, { excludePaths: [blog] });
  });

  it('name the words behind each setting, with its verb', () => {
    const { sources } = parametersByRules('robots.txt can be disregarded, never follow external links', start, site);
    assert.deepEqual(sources, {
      ignoreRobotsTxt: ['robots.txt can be disregarded'],
      allowExternalLinks: ['never follow external links'],
    });
  });

  it('lose no word, in whatever order words stand', () => {
    const words =
      'not|skip|crawl|only|except|but|and|or|,|.|the docs|external links|subdomains|everything|at most 50 pages|should be|is|with|from|in|too|please|posts|including|without|dedupe|section|as'.split(
        '|',
      );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...words), { maxLength: 6 }),
        fc.array(fc.constantFrom(...words), { maxLength: 6 }),
        (before, after) => {
          const sentence = [...before, 'zzz', ...after].join(' ');
          const { sources, notUnderstood } = parametersByRules(sentence, start, site);
          assert.ok(
            notUnderstood.some((part) => part.includes('zzz')),
            sentence,
          );
          const said = JSON.stringify([sources, notUnderstood]);
          for (const thing of ['docs', 'external links', 'subdomains', '50 pages', 'dedupe'])
            assert.ok(!sentence.includes(thing) || said.includes(thing), sentence);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('set neither of two wishes that contradict each other, and report both', () => {
    assert.deepEqual(readingOf('at most 50 pages, follow subdomains. No subdomains. Limit: 60', start, site), {
      parameters: {},
      notUnderstood: ['at most 50 pages', 'Limit: 60', 'follow subdomains', 'No subdomains'],
    });
  });

  it('not look for a section that is the site itself', () => {
    const forum = readingOf('crawl the forum, max 5 pages', new URL('https://forum.site.test/'), [
      'https://forum.site.test/t/1',
    ]);
    assert.deepEqual(forum, { parameters: { limit: 5 }, notUnderstood: ['crawl the forum'] });
  });

  it('set nothing on the ground of words that they do not know, wherever these stand', () => {
    const unknown = ['zzz the docs', 'the docs zzz', 'zzz anything in /docs', 'external links zzz', 'zzz the sitemap'];
    for (const sentence of [...unknown, 'the docs are zzz', 'the docs and the blog are zzz', 'zzz: /docs']) {
      const { parameters, notUnderstood } = parametersByRules(sentence, start, site);
      assert.deepEqual([parameters, notUnderstood.length > 0], [{}, true], sentence);
    }
  });

  it('report the rest of a text that is longer than a sentence can be', () => {
    const { parameters, notUnderstood } = parametersByRules(`10 pages. ${'zzz. '.repeat(600)}only /docs`, start, site);
    assert.deepEqual([parameters, notUnderstood.at(-1)?.endsWith('only /docs')], [{ limit: 10 }, true]);
  });

  it('include nothing that is denied, wherever the denial stands', () => {
    const denials = (name: string) => [
      `${name} not really`,
      `${name}? no thanks`,
      `${name}: not interested`,
      `${name} (none)`,
      `${name}? Not needed.`,
      `zero pages from ${name}`,
      `${name} excluded`,
      `${name} aren't`,
      `get rid of ${name}`,
      `exclusions: ${name}`,
      `${name}: skip`,
      `${name}: false`,
      `crawl ${name} never`,
      `crawl ${name}, not really`,
    ];
    for (const sentence of denials('the docs')) {
      const { includePaths } = parametersByRules(sentence, start, site).parameters;
      assert.equal(includePaths, undefined, sentence);
    }
    for (const sentence of denials('external links'))
      assert.notEqual(parametersByRules(sentence, start, site).parameters.allowExternalLinks, true, sentence);
  });

  it('look for sections below the start first, and guess paths of common sections that the site lacks', () => {
    const below = parametersByRules('only the api', new URL('https://site.test/docs'), site).parameters;
    assert.deepEqual(below, { includePaths: ['^/docs/api(/|$)'] });
    const madeUp = parametersByRules('only the recipes', new URL('https://site.test/food'), []).parameters;
    assert.deepEqual(madeUp, { includePaths: ['^/food/recipes(/|$)'] });
  });

  it('set nothing for a name of two sections', () => {
    const two = ['https://site.test/changelog/1', 'https://site.test/releases/2'];
    const { parameters, notUnderstood } = parametersByRules('skip the release notes', start, two);
    assert.deepEqual([parameters, notUnderstood], [{}, ['skip the release notes']]);
  });

  it('deny nothing of which a sentence limits the number, or denies a part only', () => {
    const all = [
      "don't crawl more than 10 pages of the blog",
      "don't fetch more than 10 blog posts",
      'never go deeper than 3 levels in the docs',
      "don't visit more than 20 pages below /docs",
      "don't crawl more than 50 pages of the whole site",
      'skip the latest blog posts',
      'skip some of the docs',
      'skip: the latest blog posts',
      'skip the docs and the latest blog posts',
      'recent blog posts should be ignored',
      "don't crawl the blog first",
      'skip parts of the docs',
      'skip half of the docs',
      "don't start with the blog",
      "don't crawl the docs completely",
      "don't simply crawl the blog",
      "don't always crawl the blog",
      'always skip the blog',
      'docs minus guides plus blog',
      'no docs then blog',
      'zero blog posts',
      '0 blog posts',
    ];
    for (const sentence of all) {
      const { parameters, notUnderstood } = parametersByRules(sentence, start, site);
      assert.deepEqual([parameters, notUnderstood], [{}, [sentence]]);
    }
    const below = readingOf('Skip:\n- the latest blog posts', start, site);
    assert.deepEqual(below, { parameters: {}, notUnderstood: ['latest blog posts'] });
    for (const sentence of ['skip the docs completely', "don't crawl any part of the docs"])
      assert.deepEqual(parametersByRules(sentence, start, site).parameters, { excludePaths: [docs] });
    const both = readingOf('skip the docs, get the latest blog posts', start, site);
    assert.deepEqual(both, { parameters: { excludePaths: [docs], includePaths: [blog] }, notUnderstood: ['latest'] });
  });

  it('take no year for a limit', () => {
    for (const [sentence, words] of [
      ['blog posts up to 2024', 'up to 2024'],
      ['the blog, top 2024', 'top 2024'],
      ['the blog within 2023', 'within 2023'],
      ['blog posts, but do not go beyond 2020', 'do not go beyond 2020'],
    ] as const)
      assert.deepEqual(readingOf(sentence, start, site), {
        parameters: { includePaths: [blog] },
        notUnderstood: [words],
      });
    for (const sentence of [
      'at most 2000',
      'up to 2000 pages',
      'up to 2,000',
      'up to 2000 blog pages',
      'full crawl, max 2000',
    ])
      assert.equal(parametersByRules(sentence, start, site).parameters.limit, 2000, sentence);
  });

  it('take no amount that can be exceeded for a limit', () => {
    for (const sentence of [
      '50 pages or more',
      'blog and more',
      'min 2 pages',
      '3 levels or more',
      '20 pages and up',
      'delay of 2 seconds or more',
    ])
      assert.deepEqual(readingOf(sentence, start, site), { parameters: {}, notUnderstood: [sentence] });
    for (const sentence of ['a full crawl of the blog', 'blog and up to 20 pages'])
      assert.deepEqual(parametersByRules(sentence, start, site).parameters.includePaths, [blog], sentence);
  });

  it('take an amount for a limit that may look like a year if it counts something, or can be no date', () => {
    for (const sentence of ['no more than 2000', 'stop after 2000', 'up to 2000 articles', 'top 2000 guides'])
      assert.equal(parametersByRules(sentence, start, site).parameters.limit, 2000, sentence);
    for (const sentence of [
      'get about 30 articles',
      'under 30 articles',
      'with 30 blog posts',
      'blog and up to 30 pages',
    ])
      assert.equal(parametersByRules(sentence, start, site).parameters.limit, 30, sentence);
  });

  it('are taken back by a sentence after one that names nothing', () => {
    for (const sentence of ['Crawl the blog. Quick. No thanks.', 'The blog. Mainly. Never mind.'])
      assert.deepEqual(parametersByRules(sentence, start, site).parameters, {}, sentence);
  });

  it('take no number of what things are about for a limit', () => {
    for (const sentence of ['guides about 3 products', 'guides from 3 products', 'guides for 3 products'])
      assert.deepEqual(readingOf(sentence, start, site).parameters.limit, undefined, sentence);
  });

  it('set nothing for a part of what is named, and report what narrows it', () => {
    const all = ['only part of the whole site', 'half of the blog', 'most of the docs', 'just half of the site'];
    for (const sentence of [...all, 'complete', 'crawl in full', 'crawl the whole'])
      assert.deepEqual(readingOf(sentence, start, site), { parameters: {}, notUnderstood: [sentence] });
    for (const [sentence, words] of [
      ['the recent blog posts', ['recent']],
      ['start with the blog', ['start with']],
      ['the whole blog', []],
      ['the blog in full', []],
    ] as const)
      assert.deepEqual(readingOf(sentence, start, site), {
        parameters: { includePaths: [blog] },
        notUnderstood: words,
      });
  });

  it('take no language for all that is in it where a sentence names other things', () => {
    const urls = ['/guides/a', '/api/b', '/de/c', '/en/d'].map((path) => new URL(path, start).href);
    for (const sentence of ['guides in English and German', 'no English or German guides', 'no guides in English'])
      assert.deepEqual(readingOf(sentence, start, urls), { parameters: {}, notUnderstood: [sentence] });
    assert.deepEqual(readingOf('the guides and the API in French and German', start, urls), {
      parameters: { includePaths: [guides, '^/api(/|$)'] },
      notUnderstood: ['in French', 'German'],
    });
    assert.deepEqual(readingOf('the guides, only in German', start, urls), {
      parameters: {},
      notUnderstood: ['guides, only in German'],
    });
    assert.deepEqual(readingOf('German and English', start, urls).parameters.includePaths, ['^/de(/|$)', '^/en(/|$)']);
  });

  it('are those of a version where they ask for its docs and no section is called so', () => {
    const pages = ['en/1.0/a', 'en/2.0/a', 'en/2.0/b', 'de/2.0/a', 'blog/a'].map((path) => `https://site.test/${path}`);
    const version = { includePaths: ['^/en/2\\.0(/|$)', '^/de/2\\.0(/|$)'] };
    for (const sentence of ['the docs of version 2', 'the documentation for version 2', 'docs of version 2.0'])
      assert.deepEqual(readingOf(sentence, start, pages).parameters, version, sentence);
    for (const sentence of ['the guides of version 2', 'docs in English', 'docs of version 9'])
      assert.deepEqual(readingOf(sentence, start, pages).parameters, {}, sentence);
    const docs = [...pages, 'https://site.test/docs/start'];
    assert.deepEqual(readingOf('the docs of version 2', start, docs).parameters, {});
  });

  it('are those of whole sections where they speak of their pages, whatever the further pages of lists are in', () => {
    const paths = ['author/ann', 'author/ann/page/2', 'author/bob/page/2', 'tag/news', 'tag/news/page/3'];
    const pages = paths.map((path) => `https://site.test/${path}`);
    assert.deepEqual(readingOf('everything without the tag and author pages', start, pages).parameters.excludePaths, [
      '^/tag(/|$)',
      '^/author(/|$)',
    ]);
    assert.deepEqual(readingOf('the pages about ann', start, pages).parameters.includePaths, ['^/author/ann(/|$)']);
  });

  it('find what is new by its name', () => {
    const urls = ['https://site.test/whats-new/2024'];
    for (const sentence of ["what's new", 'whats new', 'What’s new'])
      for (const known of [urls, site])
        assert.deepEqual(readingOf(sentence, start, known).parameters, { includePaths: ['^/whats-new(/|$)'] });
  });

  it('look up each name once, however often a text says it', () => {
    const looked: string[] = [];
    const known = siteOf(start, site);
    const { sections } = known;
    const get = (name: string) => {
      looked.push(name);
      return sections.get(name);
    };
    const units = unitsOf(tokensOf('blog '.repeat(290), known.host), known);
    patternsOf(units, { ...known, sections: { ...sections, get } as typeof sections }, []);
    assert.ok(looked.includes('blog'));
    assert.equal(looked.length, new Set(looked).size);
  });

  it('find sections that are called as words that seldom name one', () => {
    const paths = ['jobs/nurse', 'meetings/minutes/may', 'meetings/agendas/may', 'news/a'];
    const pages = paths.map((path) => `https://site.test/${path}`);
    for (const [sentence, ...sections] of [
      ['jobs', '^/jobs(/|$)'],
      ['news and jobs', '^/news(/|$)', '^/jobs(/|$)'],
      ['the meeting minutes', '^/meetings/minutes(/|$)'],
      ['the meetings, 5 minutes between pages', '^/meetings(/|$)'],
      ['the news pages', '^/news(/|$)'],
    ] as const)
      assert.deepEqual(parametersByRules(sentence, start, pages).parameters.includePaths, sections, sentence);
    const { parameters } = parametersByRules('never crawl jobs. Get the news.', start, pages);
    assert.deepEqual(parameters, { excludePaths: ['^/jobs(/|$)'], includePaths: ['^/news(/|$)'] });
    const unknown = readingOf('never crawl jobs', start, ['https://site.test/news/a']);
    assert.deepEqual(unknown, { parameters: {}, notUnderstood: ['never crawl jobs'] });
  });

  it('look for what is left out of a section in it first', () => {
    const both = ['https://site.test/changelog/1', 'https://site.test/docs/changelog/2'];
    const { parameters } = parametersByRules('the docs, but not the changelog', start, both);
    assert.deepEqual(parameters, { includePaths: [docs], excludePaths: ['^/docs/changelog(/|$)'] });
    const beside = parametersByRules('the docs and the changelog', start, both).parameters;
    assert.deepEqual(beside, { includePaths: [docs, '^/changelog(/|$)'] });
  });

  it('return patterns that match the section and everything below it, and nothing else', () => {
    const [pattern = ''] = parametersByRules('only the blog', start, site).parameters.includePaths ?? [];
    const matching = ['/blog', '/blog/', '/blog/x', '/blogger', '/x/blog'].filter((path) =>
      new RegExp(pattern).test(path),
    );
    assert.deepEqual(matching, ['/blog', '/blog/', '/blog/x']);
  });

  it('read names of built-in object members as words', () => {
    for (const name of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty']) {
      assert.doesNotThrow(() => parametersByRules(`only ${name} pages`, start, site), name);
    }
  });

  it('return valid regular expressions for any sentence', () => {
    const words = fc.constantFrom(
      'only',
      'skip',
      'the',
      'blog',
      '/a(b',
      '"x["',
      '*',
      'under',
      'not',
      '5',
      'pages',
      '.',
      'query',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(words, fc.string()), { maxLength: 30 }).map((all) => all.join(' ')),
        (sentence) => {
          const {
            includePaths = [],
            excludePaths = [],
            limit = 1,
          } = parametersByRules(sentence, start, site).parameters;
          for (const pattern of [...includePaths, ...excludePaths]) new RegExp(pattern);
          assert.ok(limit >= 1);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('signs, addresses and pages in a sentence', () => {
  const readOf = (host: string) => (text: string) =>
    parametersByRules(
      text,
      new URL(`https://${host}/`),
      ['/docs/a', '/blog/b', '/de/a', '/ja/b'].map((path) => `https://${host}${path}`),
    );
  const read = readOf('big-site.test');

  it('completes what a list says once from what is nearest', () => {
    const years = ['blog', 'news'].flatMap((name) => [2022, 2023, 2024].map((year) => `/${name}/${year}/a`));
    const paths = [...years, '/2023/issue/4/a', '/2023/issue/5/a', '/2024/issue/4/a'];
    const urls = paths.map((path) => `https://site.test${path}`);
    const setBy = (text: string) => parametersByRules(text, new URL('https://site.test/'), urls).parameters;
    const patterns = (...all: string[]) => all.map((each) => `^/${each}(/|$)`);
    const texts = {
      'news from 2022 and blog from 2023 and 2024': patterns('news/2022', 'blog/2023', 'blog/2024'),
      'news from 2023, blog from 2022 and 2023': patterns('news/2023', 'blog/2022', 'blog/2023'),
      '2023 issue 4 and 5': patterns('2023/issue/4', '2023/issue/5'),
      'issue 4 of 2023 and 2024': patterns('2023/issue/4', '2024/issue/4'),
    };
    for (const [text, includePaths] of Object.entries(texts)) assert.deepEqual(setBy(text), { includePaths }, text);
    const excludePaths = patterns('blog/2022', 'news/2023', 'news/2024');
    assert.deepEqual(setBy('skip blog 2022, news 2023 and 2024'), { excludePaths });
  });

  it('joins what slashes, bars and dots stand between', () => {
    for (const sign of ['/', '|', '·', '•', '…']) {
      assert.deepEqual(read(`docs ${sign} blog`).parameters, { includePaths: [docs, blog] }, sign);
      assert.deepEqual(read(`docs ${sign} blog`).notUnderstood, []);
    }
    assert.deepEqual(read('no docs / blog').parameters, { excludePaths: [docs, blog] });
    assert.deepEqual(read('2 requests / second').parameters, { delay: 0.5 });
    assert.deepEqual(read('5 requests / min').parameters, { delay: 12 });
    assert.deepEqual(read('wait 2 min').parameters, { delay: 120 });
    assert.deepEqual(read('5 mins delay').parameters, { delay: 300 });
    for (const text of ['pages per minute: 10', '10 per minute', 'each min 2 seconds']) {
      const { parameters, notUnderstood } = read(text);
      assert.deepEqual([parameters, notUnderstood], [{}, [text]]);
    }
  });

  it('reads the address of a site with a dash as this site', () => {
    for (const address of ['big-site.test', 'www.big-site.test', 'https://big-site.test/', 'Big-Site.test.'])
      for (const one of [read(`all of ${address}`), readOf('bigsite.test')(`all of ${address.replace('-', '')}`)])
        assert.deepEqual([one.parameters, one.notUnderstood], [{ crawlEntireDomain: true }, []], address);
    for (const text of ['all of docs.big-site.test', 'all of my-big-site.test', 'all of big-site.test.example'])
      assert.deepEqual(read(text).parameters, {}, text);
  });

  it('crawls more than this page if it is not alone', () => {
    assert.deepEqual(read('only this page').parameters, { limit: 1 });
    assert.deepEqual(read('only this page and the docs').parameters, { includePaths: [docs] });
    for (const text of ['the docs, only this page', 'only this page. The docs.'])
      assert.deepEqual(
        [read(text).parameters, read(text).notUnderstood],
        [{ includePaths: [docs] }, ['only this page']],
      );
    for (const text of ['only this page and direct links', 'just this page and what it links to'])
      assert.deepEqual(read(text).parameters, { maxDiscoveryDepth: 1 }, text);
  });

  it('reads neither of the whole site and a section of it if both are wanted', () => {
    for (const text of ['everything including the blog', 'the whole site and the blog', 'everything, the blog'])
      assert.deepEqual([read(text).parameters, read(text).notUnderstood.length], [{}, 2], text);
    for (const text of ['skip everything including the blog', 'skip the docs including subdomains'])
      assert.deepEqual([read(text).parameters, read(text).notUnderstood], [{}, [text]]);
  });

  it('reads “similar” only of pages', () => {
    assert.deepEqual(read('docs and similar').parameters, { includePaths: [docs] });
    assert.deepEqual(read('docs and similar').notUnderstood, ['similar']);
    assert.deepEqual(read('no similar pages').parameters, { deduplicateSimilarURLs: true });
  });

  it('denies what is in a language, but no versions', () => {
    assert.deepEqual(read('skip the German pages').parameters, { excludePaths: ['^/de(/|$)'] });
    for (const text of ['skip the docs versions', 'leave out the German version'])
      assert.deepEqual([read(text).parameters, read(text).notUnderstood], [{}, [text]]);
  });

  it('reads “please” between commas', () => {
    const { parameters } = read('the docs, please, but skip the blog');
    assert.deepEqual(parameters, { includePaths: [docs], excludePaths: [blog] });
  });
});

describe('numbers in a sentence', () => {
  it('are read as digits, and names that contain numbers stay names', () => {
    const read = (text: string) =>
      unitsOf(tokensOf(text, 'site.test'), siteOf(start, [])).map((unit) =>
        unit.is === '1' ? String(unit.value) : (unit.tokens[0]?.text ?? ''),
      );
    for (const [text, ...expected] of [
      ['two hundred and fifty', '250'],
      ['a thousand', 'a', '1000'],
      ['twenty-five pages', '25', 'pages'],
      ['half a dozen', '6'],
      ['3 thousand', '3000'],
      ['1.5k', '1500'],
      ['a couple of pages', 'a', '2', 'of', 'pages'],
      ['/one/two', '/one/two'],
      ['v1.2', 'v1.2'],
      ['someone', 'someone'],
      ['the ones', 'the'],
    ] as const)
      assert.deepEqual(read(text), expected);
  });

  it('count the things that come after them, and are names after one', () => {
    const pages = ['https://site.test/shop/part/19', 'https://site.test/shop/part/20'];
    const read = (text: string) => parametersByRules(text, start, pages);
    for (const text of ['20 parts', 'only 20 parts', 'the first 20 parts'])
      assert.deepEqual(read(text).parameters, { includePaths: ['^/shop/part(/|$)'], limit: 20 }, text);
    for (const text of ['not 20 parts', 'the first 3 sections']) {
      const { parameters, notUnderstood } = read(text);
      assert.deepEqual([parameters, notUnderstood.length], [{}, 1], text);
    }
    assert.deepEqual(read('only part 20').parameters, { includePaths: ['^/shop/part/20(/|$)'] });
  });
});
