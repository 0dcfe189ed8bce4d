import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sectionOf } from '../../../../src/contract/addresses.ts';
import { pathBelow } from '../../../../src/service/web/crawl/map/lists.ts';
import { scopeOf } from '../../../../src/service/web/crawl/scope/scope.ts';
import { isPartOfList } from '../../../../src/service/web/crawl/scope/shapes.ts';
import {
  identityOf,
  isFile,
  isPartOfPages,
  isTrap,
  type PageUrl,
  parseLink,
  readLink,
  withoutTrackers,
  withoutVisit,
} from '../../../../src/service/web/crawl/scope/urls.ts';

const similar = { ignoreQueryParameters: false, deduplicateSimilarURLs: true };
const exact = { ignoreQueryParameters: false, deduplicateSimilarURLs: false };
const identity = (url: string, how = similar) => identityOf(new URL(url), how);

describe('URLs of a crawl', () => {
  it('are http and https without user names and fragments', () => {
    for (const fragment of ['#y', '#', '#!', '#/', '#!/'])
      assert.equal(parseLink(`https://a.test/x${fragment}`)?.href, 'https://a.test/x', fragment);
    for (const link of ['ftp://a.test/', 'javascript:x', 'mailto:a@b.c', 'http://u:p@a.test/', 'http://[', '', '/x'])
      assert.equal(parseLink(link), undefined, link);
    assert.equal(parseLink(`https://a.test/${'x'.repeat(5000)}`), undefined);
  });

  it('are those of parts of lists if they differ from the list only in which part they show', () => {
    const isPart = (query: string) => isPartOfList(new URL(`https://a.test/list?${query}`));
    for (const query of ['page=2', 'Page=0', 'pg=3', 'page[number]=2', 'page%5Bnumber%5D=2', 'offset=20&limit=10'])
      assert.ok(isPart(query), query);
    for (const query of [
      'start=50',
      'cursor=eyJpZCI6MX0',
      'currentPage=2',
      'page=2&utm_source=x',
      'seite=4',
      'pageNo=3',
    ])
      assert.ok(isPart(query), query);
    for (const query of ['', 'id=2', 'p=123', 'page_id=5', 'page=about', 'page=', 'page=2&color=red', 'color=red'])
      assert.equal(isPart(query), false, query);
    for (const query of [
      'limit=10',
      'homepage=1',
      'start=2026-01-01',
      'q=page&id=2',
      'stage=2',
      'after=',
      'postpage=1',
    ])
      assert.equal(isPart(query), false, query);
  });

  it('are the same without session ids, whatever separates those from other parameters', () => {
    const id = '0123456789abcdef0123456789abcdef';
    for (const query of [
      `PHPSESSID=${id};board=1.0`,
      `board=1.0;PHPSESSID=${id}`,
      `sid=${id};board=1.0`,
      `PHPSESSID=${id}&board=1.0`,
    ])
      assert.equal(identity(`https://a.test/?${query}`), 'a.test?board=1.0', query);
    assert.notEqual(identity('https://a.test/?q=a;b'), identity('https://a.test/?q=a'));
  });

  it('keep a fragment that is a route of an application, which is a page of its own', () => {
    const routes = ['#/help', '#!/help', '#!help', '#/help?tab=2', '#/a/b#c'].map(
      (route) => `https://a.test/x?q=1&utm_id=2${route}`,
    );
    for (const url of routes) {
      assert.equal(parseLink(url)?.href, url);
      assert.equal(withoutTrackers(new URL(url)), url.replace('&utm_id=2', ''));
      assert.equal(withoutVisit(new URL(url)), url.replace('&utm_id=2', ''));
    }
    for (const how of [similar, exact]) {
      const identities = new Set([...routes, 'https://a.test/x?q=1&utm_id=2'].map((url) => identity(url, how)));
      assert.equal(identities.size, routes.length + 1);
    }
  });

  it('are parsed without exceptions', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseLink(text)));
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (link) => {
        const url = parseLink(link);
        if (url) for (const how of [similar, exact]) assert.equal(typeof identityOf(url, how), 'string');
      }),
    );
  });

  it('have the same parts if they come from a converted page', () => {
    const parts = (url: ReturnType<typeof readLink>) =>
      url && [url.href, url.origin, url.hostname, url.port, url.pathname, url.search, url.hash];
    const links = [
      'http://a.test',
      'https://a.test:8443/b/c.html?d=e://f&g=@h',
      'http://[::1]/x',
      'http://[2001:db8::1]:81/x?y',
      'https://a.test/?',
      'https://a.test/b#/c?d',
      'https://a.test/b?c#/d?e',
      'https://a.test/?#!x',
      'https://ä.test/ö?ü',
      'http://u:p@a.test/',
      'http://u@a.test/x',
      `https://a.test/${'x'.repeat(5000)}`,
    ];
    const check = (link: string) => {
      const { href = '' } = parseLink(link) ?? URL.parse(link) ?? {};
      assert.deepEqual(parts(readLink(href)), parts(parseLink(href)), href);
    };
    links.forEach(check);
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), check), { numRuns: 30 });
  });

  it('are the same page if they differ only in insignificant parts', () => {
    const groups = [
      ['http://a.test', 'https://a.test/', 'https://www.a.test/index.html', 'https://a.test/default.aspx'],
      ['https://a.test/x', 'http://a.test/x/', 'https://www.a.test/x/index.php', 'https://a.test/x;jsessionid=1A2B'],
      ['https://a.test/x?a=1&b=2', 'https://a.test/x?b=2&a=1&utm_source=y', 'https://a.test/x/?a=1&b=2&PHPSESSID=z'],
      ...[
        'zenid=1',
        'osCsid=a',
        'JSESSIONID=b',
        'ASP.NET_SessionId=c',
        'sid=5f2a9c1e7b3d4f60',
        'sessid=5f2a9c1e7b3d4f60',
      ].map((id, at) => [
        `https://a.test/s${at}`,
        `https://a.test/s${at}?${id}`,
        `https://a.test/s${at};jsessionid=${id}`,
      ]),
      ['https://a.test/%7Ex/%c3%a9', 'https://a.test/~x/%C3%A9'],
      ['https://a.test/y?q=%7e%c3%a9', 'https://a.test/y?q=~%C3%A9'],
    ];
    for (const group of groups) assert.equal(new Set(group.map((url) => identity(url))).size, 1, group.join(' '));
    assert.equal(new Set(groups.flat().map((url) => identity(url))).size, groups.length);
    for (const group of groups) {
      const hrefs = new Set(group.map((url) => new URL(url).href));
      assert.equal(new Set(group.map((url) => identity(url, exact))).size, hrefs.size);
    }
  });

  it('are read without trackers, and reported without sessions', () => {
    const cases = [
      ['https://a.test/x?utm_source=y&a=%7e1&UTM_Medium=z', 'https://a.test/x?a=%7e1'],
      ['https://a.test/?fbclid=1', 'https://a.test/'],
      ['https://a.test/x?a=1&&gclid=2&b', 'https://a.test/x?a=1&&b'],
      ['https://a.test/x?utm=1&ref=home', 'https://a.test/x?utm=1&ref=home'],
      ['https://a.test/x?a=1', 'https://a.test/x?a=1'],
      ['https://a.test/x', 'https://a.test/x'],
    ];
    for (const [url = '', clean] of cases) {
      assert.equal(withoutTrackers(new URL(url)), clean);
      assert.equal(withoutVisit(new URL(url)), clean);
      assert.equal(withoutTrackers(readLink(url) as PageUrl), clean);
    }
    const sessions = [
      ['https://a.test/x;jsessionid=1A2B?a=1', 'https://a.test/x?a=1'],
      ['https://a.test/(S(abc123))/x', 'https://a.test/x'],
      ['https://a.test/x?PHPSESSID=0123456789ab&a=1', 'https://a.test/x?a=1'],
      ['https://a.test/x?osCsid=z&a=1', 'https://a.test/x?a=1'],
      ['https://a.test/x?sid=5f2a9c1e7b3d4f60&a=1', 'https://a.test/x?a=1'],
      // The id of an article rather than of a session.
      ['https://a.test/article?sid=42', 'https://a.test/article?sid=42'],
    ];
    for (const [url = '', shown] of sessions) {
      assert.equal(withoutTrackers(new URL(url)), url);
      assert.equal(withoutVisit(new URL(url)), shown);
    }
  });

  it('are different pages otherwise', () => {
    const urls = [
      'https://a.test/X',
      'https://a.test/x',
      'https://b.a.test/x',
      'https://a.test:8080/x',
      'https://a.test/x?a=1',
      'https://a.test/x?a=2',
      'https://a.test/x?sid=42',
      'https://a.test/x?sid=43',
      'https://a.test/x?sessid=12',
      'https://a.test/x?sessid=13',
      'https://a.test/x?session=1715805487423001kMxJ',
      'https://a.test/x?session=1715805487423002kMxJ',
      'https://a.test/x?session=2026-opening-keynote',
      'https://a.test/x?session=2026-closing-keynote',
      'https://a.test/x%2Fy',
      'https://a.test/x/y',
    ];
    assert.equal(new Set(urls.map((url) => identity(url))).size, urls.length);
    const bare = { ...similar, ignoreQueryParameters: true };
    assert.equal(identity('https://a.test/x?a=1', bare), identity('https://a.test/x?a=2', bare));
  });

  it('are traps if they repeat segments or are too deep (CRW-03)', () => {
    for (const path of [
      '/a/a/a',
      '/a/b/a/b/a/b',
      '/1/1/1',
      `/${Array.from({ length: 21 }, (_, n) => `s${n}`).join('/')}`,
      `/a${'/'.repeat(21)}b`,
    ])
      assert.ok(isTrap(path), path);
    for (const path of ['/', '/a/a/b', '/2024/1/2024/1/x/1', '/docs/en/v1/docs', '/a//b//c/'])
      assert.ok(!isTrap(path), path);
  });

  it('are recognized as files by their extensions', () => {
    for (const path of ['/a.png', '/b.JPG', '/c.woff2']) assert.ok(isPartOfPages(path), path);
    for (const path of ['/d.tar.gz', '/e.mp4', '/f.bin']) assert.ok(isFile(path), path);
    // What can be read as text may be a page that is named after something.
    for (const path of [
      '/',
      '/a',
      '/a.html',
      '/a.pdf',
      '/png',
      '/wiki/File:Map.png',
      '/wiki/Datei%3AFilm.mp4',
      '/a.png/b',
      '/wiki/Node.js',
      '/tags/web.map',
      '/a.json',
    ])
      assert.ok(!isPartOfPages(path) && !isFile(path), path);
  });

  it('are read in a time that grows with their length (TRN-06)', () => {
    assert.ok(!isFile(`/${':'.repeat(300_000)}.mp4`));
    const slashes = `/x${'/'.repeat(300_000)}p`;
    assert.equal(sectionOf(slashes), `${slashes}/`);
    assert.equal(pathBelow(`https://a.test${slashes}//`, ''), slashes);
  });

  it('belong to the section of the start URL', () => {
    assert.equal(sectionOf('/docs'), '/docs/');
    assert.equal(sectionOf('/docs/index.html'), '/docs/');
    assert.equal(sectionOf('/'), '/');
  });
});

describe('scope of a crawl', () => {
  const admitted = (start: string, options: object, ...links: string[]) => {
    const scope = scopeOf(new URL(start), options);
    return links.filter((link) => scope.admits(new URL(link)));
  };

  it('is everything under the path of the start URL, and nothing beside it', () => {
    assert.deepEqual(
      admitted(
        'https://a.test/blog',
        {},
        'https://a.test/blog',
        'https://a.test/blog/x',
        'https://a.test/blogger',
        'https://a.test/',
      ),
      ['https://a.test/blog', 'https://a.test/blog/x'],
    );
    assert.deepEqual(admitted('https://a.test/blog', { crawlEntireDomain: true }, 'https://a.test/x'), [
      'https://a.test/x',
    ]);
  });

  it('is the host, with or without www, and others only on request', () => {
    const links = [
      'https://www.a.test/x',
      'http://a.test/x',
      'https://b.a.test/x',
      'https://xa.test/x',
      'https://a.test:81/x',
    ];
    assert.deepEqual(admitted('https://a.test/', {}, ...links), links.slice(0, 2));
    assert.deepEqual(admitted('https://www.a.test/', { allowSubdomains: true }, ...links), links.slice(0, 3));
    assert.deepEqual(admitted('https://a.test/', { allowExternalLinks: true }, ...links), links);
    assert.deepEqual(admitted('http://10.0.0.1/', { allowSubdomains: true }, 'http://x.10.0.0.1.test/'), []);
  });

  it('is limited to maxDepth below the start', () => {
    const links = ['https://a.test/d/1', 'https://a.test/d/1/2', 'https://a.test/d/1/2/3'];
    assert.deepEqual(admitted('https://a.test/d', { maxDepth: 2 }, ...links), links.slice(0, 2));
    assert.deepEqual(admitted('https://a.test/d', { maxDepth: 0 }, 'https://a.test/d/', ...links), [
      'https://a.test/d/',
    ]);
  });
});
