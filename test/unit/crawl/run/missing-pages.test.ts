import assert from 'node:assert/strict';
import { createMissingPages } from '../../../../src/service/web/crawl/run/page-fetch/missing-pages.ts';
import type { TextPage } from '../../../../src/service/web/crawl/run/site-knowledge/changing-words.ts';
import { wordsIn } from '../../../../src/service/web/scrape/convert/wording.ts';

let compared = 0;

/** A page whose words count how often they are compared. */
function page(url: string, word: number): TextPage {
  const words = Int32Array.of(word << 2, (word + 1) << 2);
  const filter = words.filter.bind(words);
  words.filter = (...args: Parameters<typeof filter>) => {
    compared++;
    return filter(...args);
  };
  const wording = { words, pairs: new Uint32Array(), length: 20, digest: String(word) };
  const document = { metadata: { readBecause: 'noScripts' } };
  return { identity: url, url, scraped: { wording, document, links: [] } } as unknown as TextPage;
}

describe('pages that are missing', () => {
  it('TRN-04: are looked for among a few home pages, however many of them a site has', async () => {
    const pages = createMissingPages(
      'none',
      async () => undefined,
      async () => true,
    );
    const find = async (url: string, word: number, isStart = false) => await pages.find(page(url, word), url, isStart);
    await find('https://site.test/', 1, true);
    for (let query = 2; query < 2_000; query++) await find(`https://site.test/?p=${query}`, query * 10);
    compared = 0;
    assert.deepEqual(await find('https://site.test/page', 5), []);
    assert.ok(compared < 500, `${compared} comparisons`);
  });

  it('are looked for in a folder once a page there says nothing of what its URL names', async () => {
    const asked: string[] = [];
    const ask = async (url: string) => {
      asked.push(url);
      return url.startsWith('https://site.test/docs/')
        ? page(url, 50).scraped
        : { ...page(url, 9).scraped, statusCode: 404 };
    };
    const pages = createMissingPages('none', ask as never, async () => false);
    const find = async (url: string, word: number) => await pages.find(page(url, word), url, false);
    for (const name of ['pens', 'Pens', 'PENS']) {
      const [named = 0] = wordsIn(`https://site.test/${name}`);
      assert.deepEqual(await find('https://site.test/docs/pens', named), []);
    }
    assert.deepEqual(asked, ['https://site.test/none']);
    assert.deepEqual(await find('https://site.test/docs/bowls/', 50), ['https://site.test/docs/bowls/']);
    assert.deepEqual(asked, ['https://site.test/none', 'https://site.test/docs/none']);
    assert.deepEqual(await find('https://site.test/docs/spindles', 60), []);
  });

  it('are found where the site only adds a slash to the URL that it is asked for, but not where that leads to a page', async () => {
    for (const [to, isMissing] of [
      ['https://site.test/teas/none/', true],
      ['https://www.site.test/teas/none', true],
      ['https://site.test/teas/all/', false],
    ] as const) {
      const ask = async (url: string) =>
        url.includes('/teas/')
          ? { ...page(url, 50).scraped, finalUrl: to }
          : { ...page(url, 9).scraped, statusCode: 404 };
      const pages = createMissingPages('none', ask as never, async () => false);
      const url = 'https://site.test/teas/gone/';
      assert.deepEqual(await pages.find(page(url, 50), url, false), isMissing ? [url] : []);
    }
  });

  it('are not the page of a folder that shows it for any URL below', async () => {
    const ask = async (url: string) => page(url, url.startsWith('https://site.test/app/') ? 50 : 9).scraped;
    const pages = createMissingPages('none', ask as never, async () => false);
    const app = 'https://site.test/app/';
    const [spindles, bowls] = [`${app}spindles`, `${app}bowls`];
    assert.deepEqual(await pages.find(page(app, 50), app, false), []);
    assert.deepEqual(await pages.find(page(spindles, 60), spindles, false), []);
    assert.equal(pages.isMissing(page(app, 50), app, false), false);
    assert.equal(pages.isMissing(page(bowls, 50), bowls, false), true);
  });

  it('are found by the values of a query at the root of a site, but not where it shows its home page for any', async () => {
    for (const isHome of [false, true]) {
      const ask = async (url: string) => page(url, 50).scraped;
      const pages = createMissingPages('none', ask as never, async () => true);
      const find = async ({ url, scraped }: TextPage, isStart = false) =>
        await pages.find({ url, scraped } as TextPage, url, isStart);
      const long = page('https://site.test/?p=1', 30);
      Object.assign(long.scraped.wording ?? {}, { length: 2_000 });
      assert.deepEqual(await find(page('https://site.test/', isHome ? 50 : 10), true), []);
      assert.deepEqual(await find(long), []);
      const [seven, eight, nine] = [7, 8, 9].map((number) => page(`https://site.test/?p=${number}`, 50)) as [
        TextPage,
        TextPage,
        TextPage,
      ];
      assert.deepEqual([await find(seven), await find(eight)], [[], []]);
      assert.deepEqual(await find(nine), isHome ? [] : [nine.url, seven.url, eight.url]);
      assert.deepEqual(await find(page('https://site.test/?lang=de', 70)), []);
    }
  });

  it('are not those of which a request failed', async () => {
    const ask = async (url: string) => page(url, 50).scraped;
    const pages = createMissingPages('none', ask as never, async () => false);
    const { scraped, ...rest } = page('https://site.test/lens', 50);
    const broken = { ...rest, scraped: { ...scraped, failedParts: { failed: [] } } } as unknown as TextPage;
    assert.deepEqual(await pages.find(broken, rest.url, false), []);
  });
});
