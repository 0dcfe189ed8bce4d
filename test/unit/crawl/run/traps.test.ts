import assert from 'node:assert/strict';
import { createPageTexts } from '../../../../src/service/web/crawl/run/page-texts.ts';
import { createTraps } from '../../../../src/service/web/crawl/run/traps.ts';
import type { NewPage } from '../../../../src/service/web/crawl/store/frontier.ts';
import { wordingOf } from '../../../../src/service/web/scrape/convert/content/wording.ts';

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

  it('are no pages that one with something new links to', () => {
    const traps = createTraps();
    const posts = Array.from({ length: 200 }, (_, number) => pageAt(`/post/${number}`));
    assert.equal(traps.read(pageAt('/'), false, posts).filter(({ role }) => role).length, 0);
    for (const post of posts) {
      assert.equal(traps.caught(post), false);
      const [led] = traps.read(post, true, [pageAt(`${post.identity}/print`)]);
      if (led?.vain) traps.grown(led, led.vain);
    }
  });
});

describe('the texts of pages', () => {
  const scraped = (html: string, url = `${site}/`) => ({
    wording: wordingOf(html, url),
    document: { metadata: { title: 'Title' } },
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
    assert.deepEqual([short(1, 2), short(33, 34), short(33, 34)].map(texts.isVain), [false, false, true]);
    assert.equal(texts.isVain({ wording: undefined }), false);
  });

  it('differ if an image or a number differs', () => {
    const long = 'word '.repeat(60);
    const digest = (html: string) => wordingOf(html, `${site}/17`).digest;
    assert.equal(digest(`<p>${long}</p>`), digest(`<div>${long.replaceAll(' ', '\n')}</div>`));
    assert.notEqual(digest(`<p>${long} 17</p>`), digest(`<p>${long} 18</p>`));
    assert.notEqual(digest(`<p>${long}</p><img src="/a.png">`), digest(`<p>${long}</p><img src="/b.png">`));
  });
});
