import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const text = `<div><div>${Array.from({ length: 9 }, (_, index) => `<p>Paragraph ${index}. ${sentence.repeat(3)}</p>`).join('')}</div></div>`;
const called = '<title>How the harbour fell asleep - Harbour News</title>';
const title = '<h1>How the harbour fell asleep</h1>';
const logo = '<header><h1>Harbour News</h1></header>';

describe('the title of a text', () => {
  const places: Record<string, string> = {
    'in a list of what leads to the page': `<ol class="breadcrumbs"><li><a href="/">Home</a></li><li>${title}</li></ol>`,
    'in a menu': `<nav><a href="/">Home</a>${title}</nav>`,
    'in the header of the site': `<header><a href="/">Home</a>${title}</header>`,
    'below the name of the site': `${logo}<div class="head">${title}</div>`,
  };
  for (const [where, place] of Object.entries(places))
    it(`is found ${where}`, () => {
      const read = markdown(`${called}<body>${place}${text}<footer><h1>Partners</h1></footer></body>`);
      assert.match(read, /^# How the harbour fell asleep\n\nParagraph 0\./);
      assert.doesNotMatch(read, /Home|News|Partners/);
    });

  it('is kept in a box with a byline that leads elsewhere, above a single paragraph', () => {
    const byline = '<section><h4><a href="/by/bo">Bo</a></h4><time>5 May</time></section>';
    const paragraph = `<p>Paragraph 0. ${sentence.repeat(4)}</p>`;
    const declared = '<script type="application/ld+json">{"@type":"Article"}</script>';
    const read = markdown(
      `${called}${declared}<nav><a href="/">Home</a></nav><main><header><div><a href="/t">Boats</a></div>${title}${byline}</header><section>${paragraph}</section></main>`,
    );
    assert.match(read, /^# How the harbour fell asleep\n\nParagraph 0\./);
  });

  it('is the one that the page is called, not that of another text', () => {
    const other = '<section><h1>Storm in the bay</h1></section>';
    const read = markdown(
      `${called}<body>${title}<div class="x">Boats</div>${text.replace('</p>', `</p>${other}`)}</body>`,
    );
    assert.match(read, /^# How the harbour fell asleep\n\nParagraph 0\.[\s\S]*# Storm in the bay/);
  });

  it('is kept with its column, also if that follows the text', () => {
    const read = markdown(
      `${called}<nav><a href="/">Home</a></nav><div>${text}<div>${title}<span>5 May, £ 12</span></div></div>`,
    );
    assert.match(read, /^Paragraph 0\.[\s\S]*# How the harbour fell asleep\n\n5 May, £ 12/);
  });

  it('is not kept with a column that leads elsewhere', () => {
    const tags = '<p><a href="/tag/quiet">Quiet mornings</a> <a href="/tag/boats">Boats and ships</a></p>';
    const read = markdown(`${called}<nav><a href="/">Home</a></nav><div>${text}<div>${title}${tags}</div></div>`);
    assert.doesNotMatch(read, /Boats and ships/);
  });

  it('is found above a main part with teasers, with its lead', () => {
    const lead = `<p>These tools are what we use. ${sentence}</p>`;
    const teasers = [1, 2, 3].map(
      (n) => `<h2><a href="https://t${n}.test/">Tool ${n}</a></h2><p>${sentence.repeat(3)}</p>`,
    );
    const read = markdown(`<div><h1>Ten tools</h1>${lead}</div><main>${teasers.join('')}</main>`);
    assert.match(read, /^# Ten tools\n\nThese tools [^\n]*\n\n## \[Tool 1\]/);
    const home = markdown(`<div><h1><a href="/">Harbour News</a></h1></div><main>${teasers.join('')}</main>`);
    assert.match(home, /^## \[Tool 1\]/);
  });

  const brand = 'Johnson Partners Consulting';
  const logos: Record<string, string> = {
    'in the header': `<header><h1><a href="/">${brand}</a></h1></header>`,
    'in a link': `<div><a href="https://site.test/"><h1>${brand}</h1></a></div>`,
  };
  for (const [where, logo] of Object.entries(logos))
    it(`is not the logo ${where}`, () => {
      const read = markdown(`<title>Contact - ${brand}</title>${logo}<main><h1>Contact</h1>${text}</main>`);
      assert.match(read, /^# Contact\n\nParagraph 0\./);
    });

  it('is what leads to the page itself, or to a post by its number', () => {
    for (const [url, href] of [
      ['https://site.test/', '/'],
      ['https://site.test/asleep', '/?p=5'],
    ]) {
      const linked = title.replace('How', `<a href="${href}">How`).replace('</h1>', '</a></h1>');
      const read = markdown(`${called}<nav><a href="/">Home</a></nav><div>${linked}</div>${text}`, { url });
      assert.match(read, /^# \[How the harbour fell asleep\]/);
    }
  });

  it('is not taken for a logo since relative addresses lead to the home page', () => {
    const lead = '<p>Nobody can say why the boats no longer leave, least of all those who own them.</p>';
    for (const heading of [
      '<h1><a href="/a/1/b">How the harbour fell asleep</a></h1>',
      '<h1><a name="top">How the harbour fell asleep</a></h1>',
      '<h1><img src="/t.png" alt="How the harbour fell asleep"></h1>',
    ]) {
      const head = `<header><div>${heading}</div>${lead}</header>`;
      const read = markdown(`<head><base href="/">${called}</head><article>${head}${text}</article>`);
      assert.match(read, /^# [^\n]*How the harbour fell asleep[^\n]*\n\nNobody can say/);
    }
  });

  for (const url of ['https://site.test/index.html', 'https://site.test/?utm=1', 'http://site.test/'])
    it(`is the name of the site on its home page at ${url}`, () => {
      const name = '<header><h1><a href="https://site.test/">Harbour News</a></h1></header>';
      const read = markdown(`<title>Harbour News</title>${name}<main>${text}</main>`, { url });
      assert.match(read, /^# \[Harbour News\]/);
    });

  it('is not a heading below the text', () => {
    const read = markdown(`<nav><a href="/">Home</a></nav>${text}<div><h1>Partners</h1><a href="/p">One</a></div>`);
    assert.match(read, /^Paragraph 0\./);
    assert.doesNotMatch(read, /Partners/);
  });
});

describe('the lead of a text', () => {
  const words = 'Nobody can say why the boats no longer leave, least of all those who own them';
  const leads: Record<string, string> = {
    'a paragraph': `<p>${words}.</p>`,
    'a line that ends without a full stop': `<p>${words}</p>`,
    'a heading': `<h2>${words}</h2>`,
    'in a box': `<div class="intro"><div><p>${words}.</p></div></div>`,
  };
  const titles: Record<string, string> = {
    'below its title': `<div>${title}</div>`,
    'below a menu with its title': `<div class="breadcrumbs"><a href="/">Home</a>${title}</div>`,
  };
  for (const [what, lead] of Object.entries(leads))
    for (const [where, above] of Object.entries(titles))
      it(`is kept: ${what} ${where}`, () => {
        const read = markdown(`${called}<body>${logo}${above}<div>${lead}<span>5 May</span></div>${text}</body>`);
        assert.match(read, new RegExp(`^# How the harbour fell asleep\n\n(## )?${words}\\.?\n\nParagraph 0\\.`));
      });

  for (const lead of [
    'A soup that two friends cooked by the sea',
    'A soup that two friends cooked for a village by the sea in May',
  ])
    it(`is kept: a short heading, "${lead}"`, () => {
      const byline = '<div><a href="/a">Ann</a> <time>5 May</time></div>';
      const read = markdown(
        `${called}<nav><a href="/">Home</a></nav><div>${title}<h3>${lead}</h3><div class="share"></div>${byline}</div>${text}`,
      );
      assert.match(read, new RegExp(`^# How the harbour fell asleep\n\n### ${lead}\n\nParagraph 0\\.`));
    });

  const noLeads = [
    'Share: How the harbour fell asleep',
    '<a href="/x">Storm in the bay of the boats</a>',
    'News',
    'How the harbour fell asleep',
    'Fill in the form that is below:',
  ];
  for (const heading of noLeads)
    it(`is no heading such as "${heading}"`, () => {
      const read = markdown(`${called}<nav><a href="/">Home</a></nav><div>${title}<h3>${heading}</h3></div>${text}`);
      assert.match(read, /^# How the harbour fell asleep\n\nParagraph 0\./);
    });

  it('is another h1, below that with the name of the site', () => {
    const heading = 'How the harbour fell asleep, and why nobody woke it up for so many years';
    const read = markdown(`<nav><a href="/">Home</a></nav><h1>Harbour News</h1><div><h1>${heading}</h1></div>${text}`);
    assert.match(read, new RegExp(`# ${heading}\n\nParagraph 0\\.`));
  });

  it('is not the caption of a picture', () => {
    for (const picture of [
      `<figure><img src="/x.png"><figcaption>DROPPED ${words}.</figcaption></figure>`,
      `<div><div><img src="/x.png"></div><div class="c">DROPPED ${words}.</div></div>`,
    ]) {
      const read = markdown(`${called}<body>${logo}${title}<div><p>${words}.</p>${picture}</div>${text}</body>`);
      assert.match(read, new RegExp(`^# How the harbour fell asleep\n\n${words}\\.\n\nParagraph 0\\.`));
      assert.doesNotMatch(read, /DROPPED/);
    }
  });
});
