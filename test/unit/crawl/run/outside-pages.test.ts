import assert from 'node:assert/strict';
import { createOutsidePages, type Patterns } from '../../../../src/service/web/crawl/scope/outside-pages.ts';

const site = 'https://site.test';
const numbered = (folder: string, count: number) => Array.from({ length: count }, (_, index) => `${folder}/${index}`);
const menu = numbered('/en/help', 20);
const ofMap: Patterns = { against: async (urls) => urls.map(() => undefined) };

describe('the pages that a crawl leaves out', () => {
  /** Returns the warning of a crawl whose pages lead to these. */
  async function warningOf(pages: string[][], known: number, role: 'include' | 'section' = 'include', of = ofMap) {
    const outside = createOutsidePages();
    for (const links of pages) await outside.found(links.map((path) => ({ url: site + path, role })));
    return await outside.warning(known, of);
  }
  const counted = async (pages: string[][], known = 4) =>
    / (\d+) pages such as/.exec((await warningOf(pages, known)) ?? '')?.[1];

  it('are counted by kind, as far as the crawl has room for their URLs', async () => {
    for (const [count, expected] of [
      [19_000, '5'],
      [20_000, undefined],
    ] as const)
      assert.equal(await counted([numbered('/menu', count), numbered('/item', 3), numbered('/item', 5)]), expected);
  });

  it('are one kind whatever their titles, ids, places in the list and categories are', async () => {
    const jobs = (from: number, query = '?pos=') =>
      Array.from({ length: 8 }, (_, at) => `/job/${'abcd'[at % 4]}-post/${8000 + from + at}${query}${at}`);
    assert.equal(await counted([[...menu, ...jobs(0)], jobs(8), jobs(16), jobs(0, '?place=')]), '24');
    const dated = (year: number) => numbered(`/${year}/0${year % 10}`, 8);
    assert.equal(await counted([dated(2021), dated(2022)]), '16');
    const shop = ['teapots', 'cups', 'jugs'].map((name) => [
      ...menu,
      ...numbered(`/en/${name}`, 3).map((path) => `${path}/view`),
    ]);
    assert.equal(await counted(shop), '9');
    const topics = (from: number) => Array.from({ length: 5 }, (_, at) => `/topic.php?f=1&t=${from + at}`);
    assert.equal(await counted([['/faq.php', '/team.php', ...topics(0)], topics(5), topics(10)]), '15');
    const deep = (depth: number) => numbered('/a'.repeat(depth), 3);
    assert.equal(await counted([deep(25), deep(26), deep(27)]), '9');
  });

  it('are told apart from the menu of the first page, whichever is read first', async () => {
    const products = (from: number) => numbered('/en/product', from + 3).slice(from);
    const pages = [[...menu, ...products(0)], products(3), products(6)];
    assert.equal(await counted(pages), '9');
    assert.equal(await counted(pages.toReversed()), '9');
    assert.equal(await counted([menu, [], []]), undefined);
    assert.equal(await counted(pages, 9), undefined);
  });

  it('are several kinds where queries name them, such as the brand and the print view of each product', async () => {
    const product = (at: number) => [`/shop.php?brand=${at % 3}`, `/shop.php?product=${at}&print=1`];
    const products = Array.from({ length: 9 }, (_, at) => product(at));
    assert.equal(await counted(products, 9), undefined);
    const brands = [0, 3, 6].map((from) => [0, 1, 2].map((at) => `/shop.php?product=${from + at}`));
    assert.equal(await counted([...brands, ['/shop.php?page=1', '/shop.php?page=2']], 8), '9');
  });

  it('are one page for all visits, whatever ids their links have', async () => {
    const visits = Array.from({ length: 40 }, (_, visit) => `jsessionid=${visit}A1B2C3D4E5F6`);
    assert.equal(await counted(visits.map((id) => ['hours', 'rules'].map((name) => `/lib/${name};${id}`))), undefined);
    const items = visits.map((id, at) => [`/lib/${at % 6}/view;${id}?utm_source=list`]);
    assert.match(
      (await warningOf([menu, ...items], 4)) ?? '',
      /: 6 pages such as https:\/\/site\.test\/lib\/\d\/view\. /,
    );
  });

  it('are not what pages link to beside their content, which may differ from page to page', async () => {
    const outside = createOutsidePages();
    const related = (at: number) => numbered(`/shop/tea-${at}`, 3).map((path) => site + path);
    for (let at = 0; at < 6; at++)
      await outside.found(
        related(at).map((url) => ({ url, role: 'include' })),
        [],
        [`${site}/blog/${at}`],
      );
    assert.equal(await outside.warning(6, ofMap), undefined);
    for (let at = 6; at < 9; at++)
      await outside.found(
        related(at).map((url) => ({ url, role: 'include' })),
        [],
        related(at),
      );
    assert.match((await outside.warning(6, ofMap)) ?? '', /: 9 pages such as /);
    const mixed = createOutsidePages();
    for (let at = 0; at < 3; at++) {
      const links = related(at).map((url) => ({ url, role: 'include' as const }));
      await mixed.found(links, [], [`${site}/blog/${at}`]);
      await mixed.found(links, [], related(at));
    }
    assert.match((await mixed.warning(2, ofMap)) ?? '', /: 9 pages such as /);
  });

  it('are no forms of a forum, but articles on such forms, and pages of a script with a similar name', async () => {
    const forms = [
      'newreply.php?tid=',
      'posting.php?mode=quote&p=',
      'member.php?action=emailuser&uid=',
      'private.php?do=newpm&u=',
    ];
    const pages = ['quote.php?id=', 'word.php?name=edit&id=', 'stocks/quote?id=', 'reply?id=', 'report.php?year='];
    const of = (path: string) => [0, 3, 6].map((from) => [0, 1, 2].map((at) => `/${path}${from + at}`));
    for (const form of forms) assert.equal(await counted(of(form), 8), undefined, form);
    for (const path of pages) assert.equal(await counted(of(path), 8), '9', path);
    const help = [
      ['send-message', 'reset-password', 'sign-in'],
      ['create-user', 'delete-post', 'edit-profile', 'login'],
    ];
    const articles = help.map((names) => names.map((name) => `/help/${name}`));
    assert.equal(await counted([menu, ...articles]), '7');
  });

  it('are named with what the crawl needs to get them, unless it excludes them', async () => {
    const pages = [numbered('/job', 3), numbered('/job', 6), numbered('/job', 9)];
    const way = async (admitted: boolean, role: 'include' | 'section', includePaths?: string[]) => {
      const matches = async () => admitted;
      const patterns = { matches, against: async () => [], includePaths };
      return /To get those, (.*)\.$/.exec((await warningOf(pages, 2, role, patterns)) ?? '')?.[1];
    };
    const pattern = 'add a pattern that matches them to includePaths';
    assert.equal(await way(false, 'include', ['^/list']), pattern);
    assert.equal(await way(true, 'section'), 'start higher up or set crawlEntireDomain');
    assert.equal(await way(false, 'section', ['^/list']), `start higher up or set crawlEntireDomain, and ${pattern}`);
    assert.equal(await way(false, 'section'), undefined);
    assert.match(
      (await warningOf(pages, 2, 'section')) ?? '',
      /^The pages of the map may be .* outside the path of the start URL: 9 pages .*, start higher up\.$/,
    );
  });

  it('are those of its lists, however many other pages the crawl has', async () => {
    const items = (folder: string, from: number, count: number) => numbered(folder, from + count).slice(from);
    const listed = async (pages: string[][], reason: 'include' | 'section' | 'exclude' = 'include') => {
      const outside = createOutsidePages();
      for (const items of pages)
        await outside.found(
          [],
          items.map((path) => site + path),
        );
      return await outside.warning(100, {
        matches: async () => false,
        against: async (urls) => urls.map(({ pathname }) => (pathname.startsWith('/c/') ? undefined : reason)),
        includePaths: ['^/c/'],
      });
    };
    const lists = [[...items('/p', 0, 3), ...items('/c/pots', 0, 2)], items('/p', 3, 2), ['/p/1?ref=list']];
    assert.equal(
      await listed(lists),
      `Lists of the crawl have pages that includePaths doesn't match: 5 pages such as ${site}/p/0. To get those, add a pattern that matches them to includePaths.`,
    );
    assert.match(
      (await listed(lists, 'section')) ?? '',
      /^Lists of the crawl have pages that are outside the path of /,
    );
    assert.equal(await listed(lists, 'exclude'), undefined);
    assert.equal(await listed([[...items('/c/pots', 0, 30), ...items('/author', 0, 5)]]), undefined);
    assert.equal(await listed([['/p/1', '/p/2']]), undefined);
    // A map of 300 pages, of which one lists three posts, isn't one of lists of posts.
    const posts = createOutsidePages();
    await posts.found(
      [],
      numbered('/blog', 3).map((path) => site + path),
    );
    const ofDocs: Patterns = { against: async (urls) => urls.map(() => 'section') };
    assert.equal(await posts.warning(300, ofDocs), undefined);
    assert.match((await posts.warning(12, ofDocs)) ?? '', /^Lists of the map have pages .*: 3 pages such as /);
    assert.equal(await listed(['a1', 'b2', 'c3'].map((visit) => [`/p/1?phpsessid=${visit}`])), undefined);
  });
});
