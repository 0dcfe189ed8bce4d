import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const paragraph = (words: string) => `<p>${words} ${sentence.repeat(3)}</p>`;
const paragraphs = paragraph('Paragraph.').repeat(4);
const nav = '<nav><a href="/">Home</a></nav>';
const repeat = (build: (index: number) => string) => [1, 2, 3, 4].map(build).join('');

/** What is short, and so counts little in a sum, but is missed by who reads the page. */
describe('small parts of a page', () => {
  const languages = ['en', 'fr', 'de'];
  const links = languages.map((each) => `<a href="/${each}.pdf" hreflang="${each}">KEPT ${each}</a>`);
  const titles = languages.map(
    (each) => `<li><a href="/${each}" hreflang="${each}">KEPT rules for the boats of the bay ${each}</a></li>`,
  );
  const inText: Record<string, string> = {
    'linked pictures without captions': repeat(
      (index) => `<figure><a href="/large${index}"><img src="/${index}.png" alt="KEPT"></a></figure>`,
    ),
    'a linked picture with its title':
      '<p><a href="/photo"><img src="/1.png">KEPT boats in the bay, seen from the north</a></p>',
    'an address of the site': '<p><a href="/tides">https://site.test/KEPT/tides/of/the/year</a></p>',
    'a formula in a box': '<div class="x"><math><mi>KEPT</mi></math></div>',
    'a table of files in several languages': `<table>${['de', 'fr', 'it'].map((each) => `<tr class="lang-${each}"><th>Text ${each}</th><td class="translations">${links.join(' ')}</td></tr>`).join('')}</table>`,
    'titles of a text in several languages': `<ul>${titles.join('')}</ul>`,
    'a heading beside a share button': '<div><h2>KEPT</h2><div class="share"><a href="/s">Share</a></div></div>',
    'a heading in a button': '<div><button><h3>KEPT</h3></button></div>',
  };
  for (const [what, part] of Object.entries(inText))
    it(`are content: ${what}`, () => {
      const text = markdown(`${nav}<article><h1>The harbour</h1>${paragraphs}${part}${paragraphs}</article>`);
      assert.match(text, /KEPT/);
    });

  const atEnd: Record<string, string> = {
    'the last item of a list': `<ol><li>${paragraph('Tie the boat.')}</li><li>KEPT.</li></ol>`,
    'the name of a file of code': '<div><div>KEPT</div><pre>print("the boats of the bay")</pre></div>',
  };
  for (const [what, part] of Object.entries(atEnd))
    it(`are content at the end of a text: ${what}`, () =>
      assert.match(markdown(`${nav}<article><h1>The harbour</h1>${paragraphs}${part}</article>`), /KEPT/));

  it('are content: the first question of a list whose buttons open the answers', () => {
    const items = repeat((index) => `<button>Question ${index}</button><div hidden>${paragraph('An answer.')}</div>`);
    assert.match(markdown(`${nav}<main><h1>Questions</h1>${items}</main>`), /Question 1\n[\s\S]*Question 4\n/);
  });

  it('are no content: what follows the last teaser of a list with pictures', () => {
    const list = `<ul><li><img src="/1.png">${paragraph('A teaser.')}</li><li><a href="/2"><img src="/2.png">DROPPED</a></li></ul>`;
    assert.doesNotMatch(markdown(`${nav}<article><h1>Bay</h1>${paragraphs}${list}</article>`), /DROPPED/);
  });

  it('are content: author and time of each post where nothing declares a thread', () => {
    const post = (index: number) =>
      `<div class="post"><div class="author"><a href="/u/${index}">Bo ${index}</a></div><time>May ${index}</time>${paragraph(`Post ${index}.`)}</div>`;
    const question = `<div class="question"><p class="user">Al</p>${paragraph('A question.')}</div>`;
    const text = markdown(`${nav}<div><h1>Which boat?</h1>${question}${repeat(post)}</div>`);
    for (const index of [1, 2, 3, 4])
      assert.match(text, new RegExp(`Bo ${index}\\]\\([^)]*\\)\n\nMay ${index}\n\nPost ${index}\\.`));
  });

  it('are content: what a thread says about reviews', () => {
    const posts = repeat((index) => `<div class="review">${paragraph(`Post ${index}.`)}</div>`);
    const declared = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>';
    const text = markdown(`${declared}${nav}<main><h1>Boats</h1>${paragraph('First.')}${posts}</main>`);
    assert.match(text, /First\.[\s\S]*Post 1\.[\s\S]*Post 4\./);
  });

  it('are content: the price on a page that says only by its og:type that it is a product', () => {
    const reviews = `<div class="reviews">${paragraph('DROPPED opinion.')}</div>`;
    const text = markdown(
      `<meta property="og:type" content="product">${nav}<main><h1>Cup</h1><div>12.00 €</div>${paragraphs}${reviews}</main>`,
    );
    assert.match(text, /# Cup\n\n12\.00 €\n\nParagraph/);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('are the only article of a page, without what stands beside it', () => {
    const items = repeat((index) => `<dt>${index} May</dt><dd>Market on the square of the harbour</dd>`);
    const text = markdown(
      `${nav}<div><div><h3>DROPPED</h3><div>Sunny</div></div><article><h1>May</h1><dl>${items}</dl></article></div>`,
    );
    assert.match(text, /^# May\n[\s\S]*Market/);
    assert.doesNotMatch(text, /DROPPED/);
  });
});
