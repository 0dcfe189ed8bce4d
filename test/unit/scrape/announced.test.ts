import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const paragraph = (words: string) => `<p>${words} ${sentence.repeat(3)}</p>`;
const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => paragraph(`Paragraph ${from + index}.`)).join('');
const around = (middle: string, head = '') =>
  markdown(
    `${head}<nav><a href="/">Home</a></nav><main><h1>The harbour</h1>${paragraphs(0, 4)}${middle}${paragraphs(4, 8)}</main>`,
  );

describe('lines between the paragraphs of a text', () => {
  const title = 'Why no boat has left the bay since May';
  const dropped: Record<string, string> = {
    'a link below a label': `<p>Read also: <a href="/other">${title}</a></p>`,
    'a link below a label in another language': `<p><strong>Lesen Sie hier:</strong> <a href="https://site.test/o">${title}</a></p>`,
    'a link below a label, after a hard space': `<p>VEA TAMBIÉN:&nbsp;<a href="/other">${title}</a></p>`,
    'a bold link in brackets': `<p>[<b>Related: <a href="/other">${title}</a></b>]</p>`,
    'nothing but a link to another page of the site': `<p><strong><a href="/other">${title}</a></strong></p>`,
  };
  for (const [what, line] of Object.entries(dropped))
    it(`are left out: ${what}`, () => {
      const text = around(line);
      assert.doesNotMatch(text, /Why no boat/);
      assert.match(text, /Paragraph 3\.[\s\S]*Paragraph 4\./);
    });

  const kept: Record<string, string> = {
    'a source elsewhere': `<p><a href="https://other.test/x">${title}</a></p>`,
    'a sentence with a link': `<p>Nobody could tell us <a href="/other">${title.toLowerCase()}</a> so far</p>`,
    'a source in brackets': `<p>(via <a href="/other">${title}</a>)</p>`,
    'a source before a colon': `<p>Re. “<a href="/other">${title}</a>”, page 8:</p>`,
    'an item of a list': `<ul><li><p>Read also: <a href="/other">${title}</a></p></li><li>Oars</li></ul>`,
    'a linked picture': `<p><a href="/other"><img src="/x.png" alt="${title}"></a></p>`,
  };
  for (const [what, line] of Object.entries(kept))
    it(`stay: ${what}`, () => assert.match(around(line), /why no boat/i));

  it('are left out of a copy of a page if they lead to the site that it is from', () => {
    const line = `<p>Read also: <a href="https://harbour.test/other">${title}</a></p>`;
    assert.match(around(line), /Why no boat/);
    assert.doesNotMatch(around(line, '<link rel="canonical" href="https://harbour.test/page">'), /Why no boat/);
  });
});

describe('headings of what is left out', () => {
  const links = '<div><a href="/1">DROPPED one</a> <a href="/2">DROPPED two</a> <a href="/3">DROPPED three</a></div>';
  const cards = [1, 2, 3]
    .map((number) => `<div><a href="/${number}"><img src="/${number}.png"><h4>DROPPED ${number}</h4></a></div>`)
    .join('');
  const sections: Record<string, string> = {
    'of links': `<h3>DROPPED zum Thema</h3>${links}`,
    'of links, in a box': `<div><header><h3>DROPPED zum Thema</h3></header>${links}</div>`,
    'of cards': `<h2>DROPPED aussi</h2>${cards}`,
    'of links below another one': `<h2>DROPPED</h2><h3>DROPPED aussi</h3>${links}`,
  };
  for (const [what, section] of Object.entries(sections))
    it(`are left out with it: ${what}`, () => {
      const text = around(`${section}<h2>Boats</h2>`);
      assert.doesNotMatch(text, /DROPPED/);
      assert.match(text, /## Boats\n\nParagraph 4\./);
    });

  it('stay if anything below them does', () => {
    for (const section of [
      `<h2>KEPT</h2>${links}<p>As said before.</p>`,
      `<h2>KEPT</h2>${links}<h3>Oars</h3>${paragraph('About oars.')}`,
      '<h2>KEPT</h2><h3>Oars</h3><img src="/oars.png">',
      `<h2>KEPT</h2><div style="display:none">${paragraph('Unfolded.')}</div>`,
    ])
      assert.match(around(section), /## KEPT/, section);
  });
});

describe('paragraphs that are on a page twice', () => {
  it('stay in a text, with lists that say the same of several things', () => {
    const recipe = (name: string) =>
      `<h2>${name}</h2>${paragraphs(0, 4)}<h3>Ingredients</h3><ul><li>${paragraph('FLOUR.')}</li></ul><div>${paragraph('SERVE.')}</div>`;
    const text = markdown(`<h1>Two recipes</h1>${recipe('Pancakes')}${recipe('Waffles')}`);
    assert.equal(text.split('FLOUR').length, 3, text);
    assert.equal(text.split('SERVE').length, 3, text);
  });

  it('are kept once on a page with several parts', () => {
    const part = (words: string) => `<section><h2>${words}</h2><div>${paragraph('Said twice.')}</div></section>`;
    const names = Array.from({ length: 80 }, (_, index) => `<div>Boat number ${index}</div>`).join('');
    const page = (...headings: string[]) =>
      markdown(`<main><h1>Boats</h1>${headings.map(part).join('')}${names}</main>`);
    assert.equal(page('Oars', 'Oars').split('Said twice.').length, 2);
    // Of things with other names, it says something else.
    assert.equal(page('Oars', 'Sails').split('Said twice.').length, 3);
  });

  const product = (body: string) =>
    markdown(`<script type="application/ld+json">{"@type":"Product","name":"Boat"}</script><main>${body}</main>`);
  const bar = '<div><span>The small boat of the harbour</span> <b>12 EUR</b></div>';

  it('are kept once with all that is beside them, such as the name and price of a product', () => {
    const text = product(`<h1>Boat</h1><div>${bar}</div>${paragraphs(0, 3)}<section>${bar}</section><p>In stock</p>`);
    assert.match(text, /The small boat of the harbour[\s\S]*Paragraph 2\.[\s\S]*In stock/);
    assert.equal(text.split('The small boat').length, 2, text);
  });

  const things: Record<string, (name: string) => string> = {
    headings: (name) => `<h3>KEPT: how it is built and what it is for</h3><p>${name}</p>`,
    code: (name) => `${name}<pre>KEPT.sail({ to: "the other harbour" })</pre>`,
    'cells of a table': (name) =>
      `<table><tr><th>${name}</th><th>Wood</th></tr><tr><td>7</td><td>KEPT from the north coast</td></tr></table>`,
    'links in sentences': (name) =>
      `<p>${name} is told of in <a href="/x">KEPT letters of the harbour</a>, and by all who have sailed in it since.</p>`,
  };
  for (const [what, thing] of Object.entries(things))
    it(`stay if they are ${what}, which say the same of several things`, () => {
      const text = product(`<h1>Boat</h1><div>${thing('One')}</div>${paragraphs(0, 2)}<div>${thing('Two')}</div>`);
      assert.equal(text.split('KEPT').length, 3, text);
    });

  it('stay if they are of things in a list that lead to different pages', () => {
    const collection = '<script type="application/ld+json">{"@type":"CollectionPage"}</script>';
    const facts = `<div><span>KEPT: in the harbour, with oars and sails, for two people and some days at most</span></div>`;
    const item = (name: string, at: number) => `<div><h3><a href="/boat/${at}">${name}</a></h3>${facts}</div>`;
    const items = (names: string[]) => markdown(`${collection}<main><h1>Boats</h1>${names.map(item).join('')}</main>`);
    assert.equal(items(['Boat', 'Boat', 'Boat']).split('KEPT').length, 4);
    assert.equal(items(['Small boat', 'Wide boat', 'Long boat']).split('KEPT').length, 4);
    const twice = markdown(`${collection}<main><h1>Boats</h1>${item('Boat', 1).repeat(2)}</main>`);
    assert.equal(twice.split('KEPT').length, 2);
  });

  it('stay in lists, which can say the same of several things', () => {
    const field = (name: string) => `<li><code>${name}</code><div>${paragraph('Said twice.')}</div></li>`;
    const names = Array.from({ length: 80 }, (_, index) => `<div>Boat number ${index}</div>`).join('');
    const text = markdown(`<main><h1>Boats</h1><ul>${field('id')}${field('parent')}</ul>${names}</main>`);
    assert.equal(text.split('Said twice.').length, 3, text);
  });
});

describe('a page that declares itself a collection', () => {
  it('is a list, whatever text it has', () => {
    const goods = Array.from(
      { length: 5 },
      (_, index) =>
        `<div><a href="/g${index}"><img src="/g${index}.png"><h4>Boat ${index}</h4></a><p>${index} EUR</p></div>`,
    ).join('');
    const body = `<main><h1>Boats</h1><div>${goods}</div><div><h2>How to choose</h2>${paragraphs(0, 8)}</div></main>`;
    for (const head of [
      '<script type="application/ld+json">{"@type":"CollectionPage","name":"Boats"}</script>',
      '<script type="application/ld+json">{"@type":"ItemList"}</script>',
      '<meta property="og:type" content="product.group">',
    ])
      assert.match(markdown(head + body), /Boat 0[\s\S]*4 EUR[\s\S]*Paragraph 7\./, head);
    assert.doesNotMatch(markdown(body), /Boat 0/);
  });
});
