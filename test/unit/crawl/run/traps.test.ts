import assert from 'node:assert/strict';
import type { TextPage } from '../../../../src/service/web/crawl/run/site-knowledge/changing-words.ts';
import { createEqualUrls } from '../../../../src/service/web/crawl/run/site-knowledge/equal-urls.ts';
import { createPageTexts } from '../../../../src/service/web/crawl/run/site-knowledge/page-texts.ts';
import { createTraps } from '../../../../src/service/web/crawl/run/site-knowledge/traps.ts';
import type { NewPage } from '../../../../src/service/web/crawl/store/frontier.ts';
import { wordingOf } from '../../../../src/service/web/scrape/convert/wording.ts';

const site = 'https://site.test';
const pageAt = (path: string): NewPage => ({ url: site + path, origin: site, identity: path, depth: 1 });

describe('traps', () => {
  /** Follows a chain of pages, each found on the one before, until one isn't followed. Returns how many were read. */
  function follow(pathOf: (number: number) => string, isVain: (number: number) => boolean, most = 300): number {
    const traps = createTraps();
    for (let number = 0; number < most; number++) {
      const [self, next] = [pageAt(pathOf(number)), pageAt(pathOf(number + 1))];
      if (traps.caught(self)) return number;
      const [led] = traps.read(self, isVain(number), [next]);
      if (led?.role === 'trap') return number + 1;
      if (led?.vain) traps.grown(led, led.vain);
    }
    return most;
  }

  it('are pages of one form that say nothing new, in a row', () => {
    for (const pathOf of [
      (number: number) => `/calendar?month=${number}`,
      (number: number) => `/calendar/${2000 + number}/11`,
      (number: number) => `/s${number}x/page`,
    ])
      assert.ok(follow(pathOf, (number) => number > 12) < 40, pathOf(1));
    assert.equal(
      follow(
        (number) => `/archive/${number}`,
        () => false,
      ),
      300,
    );
    assert.equal(
      follow(
        (number) => `/calendar?month=${number}`,
        (number) => number % 15 > 0,
      ),
      300,
    );
  });

  it('are what pages lead to that say just what others do, after a few steps', () => {
    const traps = createTraps();
    let page = pageAt('/real');
    let steps = 0;
    for (let role: string | undefined; role === undefined; steps++) {
      const next = pageAt(`${page.identity}/x`);
      const [led] = traps.repeated(page, `${site}/`, traps.read(page, true, [next]), () => false);
      role = led?.role;
      traps.grown(next, page);
      page = next;
    }
    assert.equal(steps, 4);
    const [known] = traps.repeated(pageAt('/other'), `${site}/`, [pageAt('/y')], () => true);
    assert.equal(known?.role, 'trap');
  });

  it('are no pages that one with something new links to', () => {
    const traps = createTraps();
    const posts = Array.from({ length: 200 }, (_, number) => pageAt(`/post/${number}`));
    assert.equal(traps.read(pageAt('/'), false, posts).filter(({ role }) => role).length, 0);
    for (const post of posts) {
      assert.equal(traps.caught(post), false);
      const copies = ['/print', '?print=1', '?contrast=high'].map((copy) => pageAt(post.identity + copy));
      for (const led of traps.read(post, true, copies)) if (led.vain) traps.grown(led, led.vain);
    }
  });
});

describe('lists with combinations of a query', () => {
  const combination = (number: number) => pageAt(`/shop?view=${number}&page=1`);

  /** Reads combinations that say nothing new, each found on such a page. `isRepeated`: they are equal to other pages. */
  function afterCombinations(isRepeated: boolean) {
    const traps = createTraps();
    for (let number = 0; number < 100; number++) {
      const [self, next] = [combination(number), combination(number + 1)];
      const [led] = traps.read(self, true, [next]);
      if (led?.vain) traps.grown(led, led.vain);
      if (isRepeated) traps.repeated(self, `${site}/shop?page=1`, [next], () => false);
    }
    return traps;
  }

  it('are followed, though their combinations were read first and are a trap', () => {
    for (const isRepeated of [false, true]) {
      const traps = afterCombinations(isRepeated);
      assert.equal(traps.read(combination(200), true, [combination(201)])[0]?.role, 'trap');
      let read = 0;
      for (let page = pageAt('/shop?page=1'); read < 12 && !traps.caught(page); read++) {
        const next = pageAt(`/shop?page=${read + 2}`);
        const led = traps.read(page, true, [next]);
        const [followed] = traps.repeated(page, `${site}/shop?view=7&page=${read + 1}`, led, () => false);
        if (followed?.role) break;
        if (followed?.vain) traps.grown(followed, followed.vain);
        page = next;
      }
      assert.equal(read, 12);
    }
  });
});

describe('parts of URLs', () => {
  /** Learns from pairs of URLs that lead to the same page. Returns which others are known by then. */
  function known(pairs: [string, string][], others: string[], own: string[] = []): string[] {
    const equal = createEqualUrls();
    for (const url of own) equal.own(site + url);
    for (const other of new Set(pairs.map((pair) => pair[1]))) equal.own(site + other);
    for (const [one, other] of pairs) equal.same(site + one, site + other);
    return others.filter((other) => equal.isKnown(site + other));
  }
  const many = (pair: (number: number) => [string, string], count = 12) =>
    Array.from({ length: count }, (_, n) => pair(n));

  it('are learned to make no difference from pages that say the same', () => {
    assert.deepEqual(
      known(
        many((n) => [`/p${n}?sid=a`, `/p${n}`]),
        ['/p3?sid=z', '/q?sid=z', '/p3?id=1'],
      ),
      ['/p3?sid=z'],
    );
    assert.deepEqual(
      known(
        many((n) => [`/p${n}?sid=a`, `/p${n}?sid=b`]),
        ['/p3?sid=z', '/p3', '/q?sid=z'],
      ),
      ['/p3?sid=z'],
    );
    assert.deepEqual(
      known(
        many((n) => [`/w?v=1&v=${n}`, '/w?v=1']),
        ['/w?v=1&v=2&v=3', '/x?v=2'],
      ),
      ['/w?v=1&v=2&v=3'],
    );
    assert.deepEqual(
      known(
        many((n) => [`/a/b/p${n}/`, `/p${n}/`]),
        ['/c/a/p3/', '/p3/c/', '/q/'],
      ),
      ['/c/a/p3/'],
    );
    assert.deepEqual(
      known(
        many((n) => [`/s/1/p${n}`, `/s/2/p${n}`]),
        ['/s/3/p3', '/t/3/p3', '/s/3/q'],
      ),
      ['/s/3/p3'],
    );
  });

  it('are not learned from a few pages, nor if they do make a difference', () => {
    const pair = (n: number): [string, string] => [`/p${n}?sort=a`, `/p${n}`];
    assert.deepEqual(known(many(pair, 9), ['/p3?sort=z']), []);
    assert.deepEqual(known(many(pair), ['/p3?sort=z'], ['/x', '/x?sort=b']), ['/p3?sort=z']);
    const equal = createEqualUrls();
    for (const [one, other] of many(pair)) equal.same(site + one, site + other);
    equal.own(`${site}/p3?sort=b`);
    assert.equal(equal.isKnown(`${site}/p4?sort=z`), false);
  });

  it('are read now and then all the same', () => {
    const equal = createEqualUrls();
    for (let n = 0; n < 12; n++) equal.same(`${site}/p?sid=${n}`, `${site}/p`);
    const asked = Array.from({ length: 50 }, (_, n) => equal.isKnown(`${site}/p?sid=x${n}`));
    assert.equal(asked.filter((isKnown) => !isKnown).length, 5);
  });
});

describe('the texts of pages', () => {
  const scraped = (html: string, url = `${site}/`, links: string[] = []): TextPage => ({
    identity: url,
    url,
    scraped: { wording: wordingOf(html, url), links, document: { metadata: { title: 'Title' } } },
  });

  it('say nothing new if only numbers of their URLs, or the order of their blocks, differ', () => {
    const texts = createPageTexts();
    const month = (number: number) => scraped(`<h1>May ${number}</h1><p>No events.</p>`, `${site}/?m=0${number}`);
    assert.equal(texts.isVain(month(2)), false);
    assert.equal(texts.isVain(month(3)), true);
    assert.equal(texts.isVain(scraped('<p>No <b>events</b>.</p><h1>May 4</h1>', `${site}/?m=4`)), true);
    assert.equal(texts.isVain(scraped('<h1>May 4</h1><p>Concert at the town hall</p>', `${site}/?m=4`)), false);
    assert.equal(texts.isVain(scraped('<p>71</p><p>72</p><p>73</p>', `${site}/?page=7`)), false);
    assert.equal(texts.isVain(scraped('<img src="/1.jpg"><img src="/2.jpg"><img src="/3.jpg">')), false);
    const lines = (number: number) =>
      `${Array.from({ length: 30 }, (_, index) => `<p>Line ${index}</p>`).join('')}Made in ${number} ms`;
    assert.deepEqual(
      [101, 102].map((ms) => texts.isVain(scraped(lines(ms)))),
      [false, true],
    );
    const short = (one: number, other: number) => scraped(`<h1>List</h1><a>p${one}</a><p>p${other}</p>`);
    assert.deepEqual(
      [short(1, 2), short(33, 34), short(33, 34)].map((page) => texts.isVain(page)),
      [false, false, true],
    );
    const page = scraped('');
    assert.equal(texts.isVain({ ...page, scraped: { ...page.scraped, wording: undefined } }), false);
  });

  it('say nothing new if only the names of months and weekdays differ, where the URL has a date', () => {
    const texts = createPageTexts();
    const day = (text: string, path: string) => scraped(`<h1>${text}</h1><p>No events on this day.</p>`, site + path);
    assert.equal(texts.isVain(day('Monday, 2 March 2026', '/2026/03/02')), false);
    assert.equal(texts.isVain(day('Sunday, 24 May 2026', '/2026/05/24')), true);
    assert.equal(texts.isVain(day('Sunday, 24 May 2026', '/about')), false);
    assert.equal(texts.isVain(day('Dienstag, 24. Dezember 2026', '/2026/12/24')), true);
  });

  it('are those of one page if they are equal, also short ones under similar URLs', () => {
    const twinOf = (one: string, other: string, text: string) => {
      const texts = createPageTexts();
      const page = (path: string) =>
        texts.twinOf({ ...scraped(`<p>${text}</p>`), identity: path, url: site + path }, undefined);
      assert.equal(page(one), undefined);
      assert.equal(page(one), undefined);
      return page(other)?.url;
    };
    assert.equal(twinOf('/one', '/other', 'word '.repeat(60)), `${site}/one`);
    assert.equal(twinOf('/login?next=a', '/login?next=b', 'Log in'), `${site}/login?next=a`);
    assert.equal(twinOf('/news/', '/about/news', 'News'), `${site}/news/`);
    assert.equal(twinOf('/one', '/other', 'Soon'), undefined);
    assert.equal(twinOf('/', '/other/', 'Soon'), undefined);
    assert.equal(twinOf('/x?a', '/x?b', ''), undefined);
  });

  it('are those of one page if one is below the other and its title adds nothing, whichever is read first', () => {
    const titled = (path: string, title: string, text = 'word '.repeat(60)) => {
      const page = scraped(`<p>${text}</p>`, site + path);
      return { ...page, scraped: { ...page.scraped, document: { metadata: { title } } } };
    };
    const whole = titled('/job/7/', 'Cook in York');
    const print = titled('/job/7/print?a', 'Cook');
    const others = Array.from({ length: 60 }, (_, index) => titled(`/job/x${index}/y`, `Other ${index}`));
    for (const [one, other] of [
      [whole, print],
      [print, whole],
      [whole, titled('/job/7/apply', 'Apply as a cook in York')],
      [whole, titled('/job/70', 'Cook')],
    ] as const) {
      const texts = createPageTexts();
      for (const page of [...others, one]) assert.equal(texts.twinOf(page, undefined), undefined);
      const isPart = [one, other].includes(print);
      assert.equal(texts.twinOf(other, undefined)?.url, isPart ? one.url : undefined);
    }
  });

  it('are compared with those with the same title, however many have the same text', () => {
    const texts = createPageTexts();
    const page = (path: string, title: string) => {
      const { scraped: read, ...rest } = scraped('<p>Soon</p>', site + path);
      return texts.twinOf({ ...rest, scraped: { ...read, document: { metadata: { title } } } }, undefined)?.url;
    };
    for (let number = 0; number < 60; number++) page(`/p${number}?a`, `Page ${number}`);
    assert.equal(page('/p59?b', 'Page 59'), `${site}/p59?a`);
  });

  it('are those behind a login where the same one is shown at several URLs, also the first', () => {
    const texts = createPageTexts();
    const login = (path: string, text = 'Sign in') => {
      const page = scraped(`<h1>${text}</h1>`, site + path);
      return { ...page, scraped: { ...page.scraped, isLogin: true } };
    };
    const shown = (page: TextPage) => {
      const twin = texts.twinOf(page, undefined);
      return twin && [twin.url, twin.isLogin];
    };
    const paths = ['/account', '/account?next=1', '/orders/1', '/login'];
    assert.deepEqual(
      paths.map((path) => texts.isLoginElsewhere(login(path))),
      [false, false, true, true],
    );
    for (const path of paths) assert.deepEqual(shown(login(path)), [`${site}/account`, true]);
    const other = login('/admin', 'Sign in as an administrator');
    assert.equal(texts.isLoginElsewhere(other), false);
    assert.equal(shown(other), undefined);
    // The same words alone aren't a login.
    assert.equal(shown(scraped('<h1>Sign in</h1>', `${site}/help`)), undefined);
  });

  it('are certainly those of one page if its URLs differ in their query and its links are the same, however short', () => {
    const isCertain = (one: [path: string, ...links: string[]], other: [path: string, ...links: string[]]) => {
      const texts = createPageTexts();
      const [, twin] = [one, other].map(([path, ...links]) => {
        const read = scraped('<p>Post</p>', site + path, [...links.map((link) => site + link), 'https://b.test/']);
        return texts.twinOf(read, undefined);
      });
      return twin?.isCertain;
    };
    assert.equal(isCertain(['/thread/2'], ['/thread/2?page=1']), true);
    assert.equal(isCertain(['/shop?page=1', '/shop', '/shop?page=2'], ['/shop', '/shop?page=2', '/shop']), true);
    // Lists link to themselves in one way or the other.
    assert.equal(isCertain(['/shop', '/shop', '/a'], ['/shop?page=1', '/shop?page=1', '/a']), true);
    assert.equal(isCertain(['/day?d=1', '/day?d=2'], ['/day?d=2', '/day?d=3']), false);
    assert.equal(isCertain(['/list?id=1', '/a'], ['/list?id=2', '/b']), false);
    assert.equal(isCertain(['/list?id=1', '/a'], ['/list?id=2', '/a', '/b']), false);
    assert.equal(isCertain(['/a/news'], ['/b/news']), false);
    assert.equal(isCertain(['/one'], ['/other']), undefined);
  });

  describe('that change from visit to visit', () => {
    /** Returns which of some pages repeat an earlier one, and how many are read again. `text` says what a URL says in a visit. */
    async function repeats(paths: readonly string[], text: (path: string, visit: number) => string) {
      const texts = createPageTexts();
      const again: string[] = [];
      let visit = 0;
      const visited = (path: string) => scraped(text(path, ++visit), site + path);
      const found: string[] = [];
      for (const path of paths) {
        const page = visited(path);
        await texts.compare(page, async (url) => {
          again.push(url);
          return visited(url.slice(site.length)).scraped.wording;
        });
        texts.isVain(page);
        if (texts.twinOf(page, undefined)) found.push(path);
      }
      return { found, again: again.length };
    }
    const long = Array.from({ length: 60 }, (_, index) => `w${'abcdefghij'[index % 10]}${'xyz'[index % 3]}`).join(' ');
    const paths = ['/a?x=1', '/a?x=2', '/a?x=3', '/a?x=4'];

    it('say the same if they differ in nothing else', async () => {
      for (const change of [
        (visit: number) => `<p>Visitor ${997 + visit}</p>`,
        (visit: number) => `<p>It is ${9 + visit}:5${visit}:00 and ${1000 * visit} were here</p>`,
        (visit: number) => `<p>Hello <b>${'abcdefghijklm'[visit]}</b></p>`,
        (visit: number) => `<img src="/ad.png?${visit}">`,
      ])
        assert.deepEqual(await repeats(paths, (_path, visit) => `<p>${long}</p>${change(visit)}`), {
          found: paths.slice(1),
          again: 1,
        });
    });

    it('say something else if a word of their own differs as well, or what changes is what they say', async () => {
      const own = (path: string) => path.at(-1);
      for (const text of [
        (path: string, visit: number) => `<p>${long}</p><p>${own(path)}0 EUR</p><p>Visitor ${997 + visit}</p>`,
        (path: string, visit: number) => `<p>${long} ${'abcdefg'[Number(own(path))]}</p><p>Visitor ${997 + visit}</p>`,
        (path: string) => `<p>${long}</p><p>${own(path)}0 EUR</p>`,
        (path: string, visit: number) =>
          Array.from({ length: 20 }, (_, row) => `<p>${own(path)} ${row * visit}</p>`).join(''),
        (path: string, visit: number) => `<p>${long.repeat(Number(own(path)))}</p><p>Visitor ${997 + visit}</p>`,
      ]) {
        const { found, again } = await repeats(paths, text);
        assert.deepEqual(found, [], text.toString());
        assert.ok(again <= 3, `${again} read again`);
      }
    });

    it('are read again a few times only', async () => {
      const many = Array.from({ length: 200 }, (_, number) => [`/p${number}`, `/p${number}?x=1`]).flat();
      const { found, again } = await repeats(
        many,
        (path) => `<p>${long} ${path.includes('?') ? 'other' : 'text'} ${path.split('?')[0]}</p>`,
      );
      assert.deepEqual(found, []);
      assert.ok(again <= 12, `${again} read again`);
    });
  });

  it('differ if an image or a number differs', () => {
    const long = 'word '.repeat(60);
    const digest = (html: string) => wordingOf(html, `${site}/17`).digest;
    assert.equal(digest(`<p>${long}</p>`), digest(`<div>${long.replaceAll(' ', '\n')}</div>`));
    assert.notEqual(digest(`<p>${long} 17</p>`), digest(`<p>${long} 18</p>`));
    assert.notEqual(digest(`<p>${long}</p><img src="/a.png">`), digest(`<p>${long}</p><img src="/b.png">`));
  });
});
