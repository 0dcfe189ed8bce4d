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

  const list = '<ul><li>KEPT one cup of flour</li><li>two eggs</li></ul>';
  const boxes: Record<string, string> = {
    'a list': `<div>${list}</div>`,
    'a list in nested boxes': `<div class="group"><div class="inner">${list}</div></div>`,
    'a list with its label': `<section><strong>KEPT You need:</strong>${list}</section>`,
    'a list below a heading in boxes': `<div><div><h2>KEPT Ingredients</h2></div><div>${list}</div></div>`,
    terms: '<div><dl><dt>Serves</dt><dd>KEPT 4</dd></dl></div>',
    'a quote': '<div><blockquote>KEPT slowly, then eat.</blockquote></div>',
    'a figure': '<div><figure><img src="/a.jpg"><figcaption>KEPT soup.</figcaption></figure></div>',
    'a price': '<div class="price">KEPT $20.00</div>',
    'opening hours': '<div>KEPT Open Mon-Fri <b>9:00-17:00</b></div>',
    'hours of half a day': '<div>KEPT September 10, 12pm- 1pm</div>',
    'a number to call': '<div>KEPT Harbour office: <a href="tel:+441234567890">+44 1234 567890</a></div>',
  };
  for (const [what, box] of Object.entries(boxes))
    it(`are content in a box after the last paragraph: ${what}`, () => {
      const text = markdown(`${nav}<main><article><h1>The harbour</h1>${paragraphs}${box}</article></main>`);
      assert.equal(text.match(/KEPT/g)?.length, box.match(/KEPT/g)?.length);
    });

  const beside: Record<string, string> = {
    'who wrote a text when': '<div><span class="author">DROPPED</span> <time>12 May 2025</time></div>',
    'when a text was written': '<div class="post-date">DROPPED 12 May 2025, 9:37 pm</div>',
    'a link with a price': '<div><i></i></div><a href="/buy">DROPPED for $12</a>',
    ...Object.fromEntries(
      ['1,693 views', '5 min read', '3.02 / 5', 'Page 1 of 8', 'Join 40,000 readers', '\u00a9 2025 Boats'].map(
        (line) => [line, `<div>DROPPED ${line}</div>`],
      ),
    ),
    counts: '<div><dl><dt>DROPPED members</dt><dd>12</dd><dt>DROPPED posts</dt><dd>7</dd></dl></div>',
    'a list of one thing': '<div><ul><li>DROPPED You must be logged in to reply.</li></ul></div>',
    'a menu of numbers to call':
      '<div><ul><li>Harbour <a href="tel:12">DROPPED 12</a></li><li>Boats <a href="tel:12">DROPPED 12</a></li></ul></div>',
    'a number of shares': '<div>12</div>',
    'a line without numbers': '<div>DROPPED in Fishing</div>',
    'a list of pictures to click': '<div>DROPPED <ul><li><img src="/like.png"> 7 DROPPED</li></ul></div>',
    'numbers that lead elsewhere': '<div>DROPPED <a href="/7">7 comments</a></div>',
  };
  for (const [what, box] of Object.entries(beside))
    it(`are no content after the last paragraph: ${what}`, () => {
      const text = markdown(`${nav}<main><article><h1>The harbour</h1>${paragraphs}${box}</article></main>`);
      assert.doesNotMatch(text, /DROPPED|12/);
    });

  it('are content: links and bold words in a line of text that is no paragraph', () => {
    const line = 'Boats for hire are <a href="/miller">offered by Miller</a> for <b>ten a day</b> at most';
    const text = markdown(`${nav}<main><article><h1>The harbour</h1>${line}${paragraphs}</article></main>`);
    assert.match(text, /Boats for hire are \[offered by Miller\]\(.*?\) for \*\*ten a day\*\* at most\n/);
  });

  it('are content: what several dates have in common', () => {
    const dates = repeat(
      (n) => `<div><span class="date">June ${n}</span><h3>Feast ${n}</h3>${paragraph('KEPT.')}</div>`,
    );
    assert.equal(markdown(`${nav}<main><h1>Feasts</h1>${dates}</main>`).match(/KEPT/g)?.length, 4);
  });

  const large = {
    'a table': [
      `<table><thead><tr><th>Code</th><th>Meaning</th></tr></thead><tbody>${repeat((n) => `<tr><td>E${n}</td><td>${sentence.repeat(9)}</td></tr>`)}</tbody></table>`,
      /\| Code \| Meaning \|\n\|[-| ]+\|\n\| E1 \|/,
    ],
    'a quote': [`<blockquote>${repeat((n) => paragraph(`${n}.`).repeat(3))}</blockquote>`, /^> 1\\?\. The/m],
    terms: [`<dl>${repeat((n) => `<dt>E${n}</dt><dd>${sentence.repeat(5)}</dd>`)}</dl>`, /\*\*E1\*\*/],
  } as const;
  for (const [what, [part, kept]] of Object.entries(large))
    it(`are content: the text around ${what} that holds most of a page`, () => {
      const text = markdown(
        `${nav}<main><article><h1>Errors</h1>${paragraph('First.')}${part}<h2>Use</h2>${paragraph('Last.')}</article></main>`,
      );
      assert.match(text, /^# Errors\n\nFirst\.[\s\S]*## Use\n\nLast\./);
      assert.match(text, kept);
    });

  for (const count of [1, 2, 4])
    it(`are content: ${count} short posts above longer teasers of other threads`, () => {
      const posts = Array.from(
        { length: count },
        (_, n) => `<li class="post"><a class="username">Bo</a> <time>2 May</time><p>KEPT ${n}.</p></li>`,
      );
      const teasers = [1, 2, 3].map(
        (n) => `<li><h3><a href="/topic/${n}">Boat ${n} of the bay</a></h3><div>${sentence.repeat(2)}</div></li>`,
      );
      const text = markdown(
        `${nav}<main><h1>Which boat?</h1><ul>${posts.join('')}</ul><div><h2>Suggested</h2><ul>${teasers.join('')}</ul></div></main>`,
      );
      assert.equal(text.match(/KEPT/g)?.length, count);
    });

  it('are content: the first question of a list whose buttons open the answers', () => {
    const items = repeat((index) => `<button>Question ${index}</button><div hidden>${paragraph('An answer.')}</div>`);
    assert.match(markdown(`${nav}<main><h1>Questions</h1>${items}</main>`), /Question 1\n[\s\S]*Question 4\n/);
  });

  it('are no content: what follows the last teaser of a list with pictures', () => {
    const list = `<ul><li><img src="/1.png">${paragraph('A teaser.')}</li><li><a href="/2"><img src="/2.png">DROPPED</a></li></ul>`;
    assert.doesNotMatch(markdown(`${nav}<article><h1>Bay</h1>${paragraphs}${list}</article>`), /DROPPED/);
  });

  it('are no content: the heading of share buttons alone', () => {
    const section = '<section><h2>DROPPED</h2><div class="share"><a href="/s">Share</a></div></section>';
    const next = `<section><h2>Tides</h2>${paragraphs}</section>`;
    assert.doesNotMatch(markdown(`${nav}<article><h1>Bay</h1>${paragraphs}${section}${next}</article>`), /DROPPED/);
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
