import assert from 'node:assert/strict';
import { convert } from '../../../src/service/web/scrape/convert/tasks.ts';

const site = 'https://site.test';

/** @param encoding that of a rendered page, whose body is in UTF-8 */
async function linksOf(charset: string, body: string, encoding?: string): Promise<string[]> {
  const { links } = await convert({
    kind: 'html',
    body: Buffer.from(body),
    contentType: `text/html; charset=${charset}`,
    raw: false,
    maxPages: 1,
    lists: { links: true, contentLinks: false, images: false },
    options: {
      url: `${site}/`,
      ...(encoding !== undefined && { encoding }),
      onlyMainContent: false,
      onlyCleanContent: false,
      removeBase64Images: true,
      markdown: false,
      html: false,
    },
  });
  return links;
}

describe('links of a page in another encoding', () => {
  const word = '&#1087;&#1091;&#1090;&#1100;';
  const page = (query: string) =>
    `<link rel="next" href="?n=${query}"><a href="?a=${query}">a</a><map><area href="?m=${query}"></map>
    <svg><a xlink:href="?x=${query}"></a></svg><div><template shadowrootmode="open"><a href="?s=${query}">s</a></template></div>
    <a href="/${query}?b#${query}">b</a>`;
  const urls = (query: string) => ['a', 'm', 'x', 's'].map((name) => `${site}/?${name}=${query}`);
  const last = (query: string) => [`${site}/%D0%BF%D1%83%D1%82%D1%8C?b`, `${site}/?n=${query}`];

  it('have the same queries in that encoding wherever they are, of a fetched as of a rendered page', async () => {
    const query = '%EF%F3%F2%FC';
    assert.deepEqual(await linksOf('windows-1251', page(word)), [...urls(query), ...last(query)]);
    assert.deepEqual(await linksOf('utf-8', page(word), 'windows-1251'), [...urls(query), ...last(query)]);
  });

  it('have characters that it lacks as HTML writes them, and none in UTF-8', async () => {
    const links = async (charset: string, text: string) => linksOf(charset, `<a href="?${text}">a</a>`);
    assert.deepEqual(await links('windows-1252', '&#1087;'), [`${site}/?%26%231087%3B`]);
    assert.deepEqual(await links('shift_jis', '&#12477;'), [`${site}/?%83\\`]);
    assert.deepEqual(await links('big5', '&#21313;'), [`${site}/?%A4Q`]);
    assert.deepEqual(await links('gbk', '&#8364;'), [`${site}/?%80`]);
    for (const charset of ['utf-8', 'utf-16le', 'iso-2022-jp', 'unknown'])
      assert.deepEqual(await linksOf('utf-8', '<a href="?&#1087;">a</a>', charset), [`${site}/?%D0%BF`]);
  });
});
