import assert from 'node:assert/strict';
import { converted } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const items = (item: (number: number) => string) => [1, 2, 3, 4].map(item).join('');
const paths = (page: string) =>
  converted(`<nav><a href="/">Home</a></nav><main><h1>Boats</h1>${page}</main>`, { listed: true }).listed?.map(
    (url) => new URL(url).pathname,
  );

describe('what a page lists', () => {
  const lists = {
    cards: `<ul>${items((n) => `<li><a href="/i/${n}"><img src="/${n}.png"></a><h3><a href="/i/${n}">Boat ${n}</a></h3><p>€ ${n}</p><button>Buy</button></li>`)}</ul>`,
    'posts with authors and sections': items(
      (n) =>
        `<article><a href="/in/boats">In Boats</a><h2><a href="/i/${n}">Post ${n}</a></h2><p>${sentence}</p><a href="/by/ann">Ann the author</a></article>`,
    ),
    'rows of a table': `<table>${items((n) => `<tr><td><a href="/i/${n}">Boat number ${n}</a></td><td>${n} m</td></tr>`)}</table>`,
    'links with pictures in boxes': `<div><div>${items((n) => `<a href="/i/${n}"><img src="/${n}.png"><h4>Boat ${n}</h4></a>`)}</div></div>`,
  };
  for (const [what, list] of Object.entries(lists))
    it(`is what its items are about: ${what}`, () => assert.deepEqual(paths(list), ['/i/1', '/i/2', '/i/3', '/i/4']));

  it('has items that also link to a place on the page, or one whose address has a parameter of it', () => {
    for (const href of ['/?lang=en&amp;p=1#comments', '/shop?cat=5&amp;add=1#cart', '/shop?cat=5#top', '#buy']) {
      const list = items((n) => `<li><h3><a href="/i/${n}">Boat ${n}</a></h3> <a href="${href}">Go</a></li>`);
      for (const url of ['https://site.test/shop?cat=5', 'https://site.test/?lang=en&cat=3']) {
        const { listed } = converted(`<main><h1>Boats</h1><ul>${list}</ul></main>`, { listed: true, url });
        assert.equal(listed?.length, 4, href);
      }
    }
  });

  it('is a thousand items of a page at most', () => {
    const list = Array.from({ length: 1_100 }, (_, n) => `<li><a href="/i/${n}">Boat ${n}</a></li>`).join('');
    assert.equal(paths(`<ul>${list}</ul>`)?.length, 1_000);
  });

  it('is nothing if it is mostly a text', () => {
    const list = `<ul>${items((n) => `<li><a href="/i/${n}">Boat ${n}</a></li>`)}</ul>`;
    assert.deepEqual(paths(`<p>${sentence.repeat(6)}</p>${list}<p>${sentence.repeat(6)}</p>`), []);
  });
});
