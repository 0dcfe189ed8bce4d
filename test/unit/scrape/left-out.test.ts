import assert from 'node:assert/strict';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';

const sentence = 'The harbor opens at six in the morning, and the first boats come in with what they caught at night. ';
const article = `<article><h1>The harbor</h1>${`<p>${sentence.repeat(3)}</p>`.repeat(4)}</article>`;

function leftOutOf(body: string, options = {}) {
  const given = { url: 'https://harbor.test/', onlyMainContent: true, onlyCleanContent: false, ...options };
  return convertPage(`<title>The harbor</title>${body}`, {
    ...given,
    removeBase64Images: true,
    markdown: true,
    html: false,
  }).leftOut;
}

describe('what the main content of a page leaves out', () => {
  const about = `<aside><h2>About &amp; thanks</h2><p>${sentence}</p></aside>`;
  const long = `<div class="newsletter"><p>${sentence.repeat(2)}</p></div>`;

  it('is named by headings or by how it begins, the longest first, with its share of the text', () => {
    const found = leftOutOf(`${about}${article}${long}<footer>Harbor</footer>`);
    assert.deepEqual(found, { share: 0.21, parts: [`${sentence.slice(0, 59).trim()}…`, 'About & thanks'] });
  });

  it('is nothing where all is content, and where the whole page or parts of it were asked for', () => {
    assert.equal(leftOutOf(article), undefined);
    assert.equal(leftOutOf(about + article, { onlyMainContent: false }), undefined);
    assert.equal(leftOutOf(about + article, { includeTags: ['article'] }), undefined);
  });

  it('is no menu, nothing that the page hides, and no title that is in the content from another place', () => {
    const menu = `<nav>${'<a href="/boats">Boats of the harbor and their owners</a> '.repeat(20)}</nav>`;
    const hidden = `<div hidden><p>${sentence.repeat(5)}</p></div><noscript><p>${sentence}</p></noscript>`;
    const [header, rest] = ['<header><h1>The harbor</h1></header>', article.replace(/<h1>.*?<\/h1>/, '')];
    assert.equal(leftOutOf(menu + hidden + header + rest), undefined);
  });

  it('is a small share beside a list whose items are links', () => {
    const index = Array.from(
      { length: 60 },
      (_, at) => `<li><a href="/boat-${at}">The boat of the harbor ${at}</a></li>`,
    );
    const found = leftOutOf(`<main><h1>Boats</h1><ul>${index.join('')}</ul></main><footer><p>${sentence}</p></footer>`);
    assert.ok((found?.share ?? 1) < 0.1, JSON.stringify(found));
  });

  it('names five parts', () => {
    const parts = Array.from({ length: 9 }, (_, at) => `<aside><h2>Part ${at}</h2><p>${sentence}</p></aside>`);
    assert.equal(leftOutOf(article + parts.join(''))?.parts?.length, 5);
  });
});
