import assert from 'node:assert/strict';
import { converted } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const text = `<p>${sentence.repeat(4)}</p>`.repeat(4);
const data = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const writing = (page: string) => {
  const { author, publishedTime, modifiedTime } = converted(page).metadata;
  return [author, publishedTime, modifiedTime];
};
const none = [undefined, undefined, undefined];

describe('who wrote a page, and when', () => {
  const article = {
    '@type': 'NewsArticle',
    headline: 'Boats',
    datePublished: '2026-03-01',
    dateModified: '2026-03-02',
  };

  it('is what its structured data says', () => {
    const page = (value: unknown) => `<main><h1>Boats</h1>${text}</main>${data(value)}`;
    const said = ['Ann & Bo', '2026-03-01', '2026-03-02'];
    assert.deepEqual(writing(page({ ...article, author: { '@type': 'Person', name: 'Ann &amp; Bo' } })), said);
    assert.deepEqual(writing(page([{ ...article, author: 'Ann & Bo' }])), said);
    const two = [{ name: 'Ann' }, { name: 'Bo' }, 'https://social.test/cy'];
    assert.deepEqual(writing(page({ ...article, author: two })), ['Ann, Bo', ...said.slice(1)]);
    // The author may be an item of its own, and the page, the site and its publisher others.
    const graph = [
      { '@type': 'WebPage', '@id': '/#page', datePublished: '2026-02-28', author: { name: 'Site' } },
      { ...article, author: { '@id': '/#ann' } },
      { '@type': 'Person', '@id': '/#ann', name: 'Ann & Bo' },
      { '@type': 'Organization', name: 'Harbour News' },
    ];
    assert.deepEqual(writing(page({ '@graph': graph })), said);
    const recipe = { '@type': 'Recipe', author: 'Ann & Bo', datePublished: '2026-03-01', dateModified: '2026-03-02' };
    assert.deepEqual(writing(page([{ '@type': 'WebPage', datePublished: '2026-02-01' }, recipe])), said);
    assert.deepEqual(writing(page({ ...article, author: { '@type': 'Person' } })), [undefined, ...said.slice(1)]);
    const microdata = `<article itemscope itemtype="https://schema.org/BlogPosting"><h1 itemprop="headline">Boats</h1>
      <span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ann & Bo</b></span>
      <time itemprop="datePublished" datetime="2026-03-01">1 March</time><meta itemprop="dateModified" content="2026-03-02">
      ${text}<div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><i itemprop="author">Cy</i></div></article>`;
    assert.deepEqual(writing(microdata), said);
  });

  it('is what its head says before its data, and its data before its byline', () => {
    const head = '<meta name="author" content="Head"><meta property="article:published_time" content="2026-01-01">';
    const byline =
      '<p class="byline">By <a rel="author" href="/ann">Line</a>, <b class="entry-date"><time datetime="2026-01-03"></b></p>';
    const page = (...parts: string[]) => `${parts.join('')}<main><h1>Boats</h1>${byline}${text}</main>`;
    assert.deepEqual(writing(page(head, data({ ...article, author: 'Data' }))), ['Head', '2026-01-01', '2026-03-02']);
    assert.deepEqual(writing(page(data({ ...article, author: 'Data' }))), ['Data', '2026-03-01', '2026-03-02']);
    assert.deepEqual(writing(page()), ['Line', '2026-01-03', undefined]);
  });

  it('is what stands between its title and its text under such names', () => {
    const page = (between: string, below = '') =>
      `<nav>${'<a href="/x">Elsewhere and further</a>'.repeat(20)}</nav><main><h1>Boats</h1>${between}${text}${below}</main>`;
    const said = ['Ann Lind', '2026-03-01T09:00:00Z', undefined];
    const time = '<time datetime="2026-03-01T09:00:00Z">1 March</time>';
    for (const byline of [
      `<div class="x-post-author-name"><a href="/ann" class="x-post-author-name__link">Ann Lind</a></div><div class="x-post-date">${time}</div>`,
      `<span class="posted-on"><a href="/b"><time class="entry-date published" datetime="2026-03-01T09:00:00Z">1 March</time></a></span><span class="byline"> by <span class="author vcard"><a class="url fn n" href="/ann">Ann Lind</a></span></span>`,
      `<p><a class="p-author h-card" href="/ann">Ann&nbsp;Lind</a> <time class="dt-published" datetime="2026-03-01T09:00:00Z">1 March</time></p>`,
      `<div class="post-author">Posted by: Ann Lind</div><div class="article-meta-date">${time}</div>`,
      `<header><div class="node__meta"><span>By <a title="View user profile." href="/user/1">Ann Lind</a>, ${time}</span></div></header>`,
      `<p>von <b>Ann Lind</b> am ${time}</p>`,
      `<div class="post-author">By Ann Lind</div><div class="article-meta-date">${time}</div>`,
    ])
      assert.deepEqual(writing(page(byline)), said, byline);
    for (const name of ['Byron Smith', 'Lingo94'])
      assert.equal(writing(page(`<b class="author">${name}</b>`))[0], name);
    // The time of what the page is about, other texts, and what is about an author.
    const other = `<h2>More</h2><p class="author">Cy</p><div class="post-date">${time}</div>`;
    for (const [between, below] of [
      [`<p class="when">${time}</p>`, ''],
      [other, ''],
      ['', `<p class="author">Cy</p><div class="post-date">${time}</div>`],
      ['<div class="author-bio">Ann writes about boats</div><div class="author">12</div>', ''],
      ['<div><b class="comment-author">Cy</b> <b class="x-review-author-name">Di</b></div>', ''],
      ['<p class="author">Posted on</p>', ''],
      ['<p class="author">BOATS STAFF MARCH 1, 2026 10:43</p>', ''],
      [`<template><p class="author">Cy</p><i class="post-date">${time}</i></template>`, ''],
    ])
      assert.deepEqual(writing(page(between ?? '', below)), none, between);
  });

  it('is read in a time that grows with its length', () => {
    for (const author of ['<'.repeat(200_000), ' '.repeat(200_000)])
      assert.deepEqual(
        writing(`<main><h1>Boats</h1>${text}</main>${data({ ...article, author, name: author })}`)[0],
        undefined,
      );
    writing(`<main>${text}</main><script type="application/ld+json">${' '.repeat(200_000)}x</script>`);
    writing(`<main>${text}</main><script type="application/ld+json">//${' '.repeat(200_000)}x</script>`);
  });

  it('is nothing where the data says several things, or is about something else', () => {
    const page = (value: unknown) => `<main><h1>Boats</h1>${text}</main>${data(value)}`;
    const more = {
      ...article,
      headline: 'Nets',
      author: 'Cy',
      datePublished: '2026-04-01',
      dateModified: '2026-04-02',
    };
    assert.deepEqual(writing(page([{ ...article, author: 'Ann' }, more])), none);
    const review = { '@type': 'Review', author: { name: 'Cy' }, datePublished: '2026-04-01' };
    assert.deepEqual(writing(page([{ '@type': 'Product', name: 'Boat', review }, review])), none);
    assert.deepEqual(writing(page({ '@type': 'ItemList', itemListElement: [{ ...article, author: 'Ann' }] })), none);
    assert.deepEqual(writing(page({ ...article, author: 'A'.repeat(300), datePublished: {}, dateModified: '' })), none);
  });
});
