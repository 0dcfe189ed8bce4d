import assert from 'node:assert/strict';
import { converted, markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const paragraph = (words: string) => `<p>${words} ${sentence.repeat(3)}</p>`;
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, index) => paragraph(`Paragraph ${index}.`)).join('');
const cards = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `<div><a href="/c${index}"><img src="/c${index}.png"><h4>CARD ${index}</h4></a></div>`,
  ).join('');
const nav = '<nav><a href="/">Home</a></nav>';
const data = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

describe('the content of a text', () => {
  const boilerplate: Record<string, string> = {
    'cards that lead elsewhere': `<div>${cards(4)}</div>`,
    'a block of links':
      '<div><a href="/1">DROPPED one</a> <a href="/2">DROPPED two</a> <a href="/3">DROPPED three</a></div>',
    'a section whose heading announces related things':
      '<div><h3>Related stories</h3><div><a href="/x">DROPPED</a> by somebody on a day</div></div>',
    'what stands behind the last paragraph': '<div>DROPPED in Fishing</div>',
    'a form that asks who its reader is': `<form>${paragraph('DROPPED news by mail.')}<input type="email"></form>`,
    'the comments of readers': `<ol><li class="comment even" id="comment-7">${paragraph('DROPPED opinion.')}</li></ol>`,
  };
  for (const [what, piece] of Object.entries(boilerplate)) {
    it(`has no ${what}`, () => {
      const text = markdown(`<body>${nav}<div><div><h1>The harbour</h1>${paragraphs(6)}${piece}</div></div></body>`);
      assert.match(text, /^# The harbour\n[\s\S]*Paragraph 0\.[\s\S]*Paragraph 5\./);
      assert.doesNotMatch(text, /DROPPED|CARD/);
    });
  }

  const boxed = {
    'code in a box, with its labels': '<div class="tabs"><b>KEPT sh</b><pre>KEPT --level 7</pre></div>',
    'a table of data in a box': '<div class="scroll"><table><tr><th>KEPT</th><td>7</td></tr></table></div>',
    'what a reader unfolds': '<details><summary>More</summary><p>KEPT detail 7</p></details>',
    'what a button unfolds':
      '<div><h3><button aria-expanded="false" aria-controls="a">More</button></h3><div id="a" hidden><p>KEPT detail 7</p></div></div>',
    'code beside what leads elsewhere':
      '<div><pre>KEPT 7 of the harbour</pre><div>Written on the third of May in <a href="/1">Fishing</a></div></div>',
  };
  for (const [what, piece] of Object.entries(boxed)) {
    it(`has ${what}, before the first paragraph and behind the last one`, () => {
      const before = markdown(`<body>${nav}<div><div><h1>The harbour</h1>${piece}${paragraphs(6)}</div></div></body>`);
      assert.match(before, /KEPT[\s\S]*Paragraph 0\./);
      const behind = markdown(`<body>${nav}<div><div><h1>The harbour</h1>${paragraphs(6)}${piece}</div></div></body>`);
      assert.match(behind, /Paragraph 5\.[\s\S]*KEPT/);
      assert.match(behind, /7/);
    });
  }

  const facts = {
    'a box of another name': '<fact-box><p>KEPT 1899.</p></fact-box>',
    'a box of terms': '<div class="facts"><div><dl><dt>KEPT</dt><dd>1899</dd></dl></div></div>',
    'a box of items with its heading': '<section><h2>In short</h2><ul><li>KEPT 1899</li></ul></section>',
  };
  for (const [what, piece] of Object.entries(facts)) {
    it(`has the facts in ${what} between its title and its text, but not what leads elsewhere there`, () => {
      const others = '<div><p>DROPPED to read:</p><a href="/1">One</a></div><div>DROPPED by Ana</div>';
      const text = markdown(
        `<body>${nav}<div><div><h1>The harbour</h1>${piece}${others}${paragraphs(6)}</div></div></body>`,
      );
      assert.match(text, /^# The harbour\n[\s\S]*KEPT[\s\S]*1899[\s\S]*Paragraph 0\./);
      assert.doesNotMatch(text, /DROPPED/);
    });
  }

  const works = '<div><p>KEPT oil</p><p>KEPT etching</p></div>';
  const shortSections = {
    'in a box below a heading': `<h2>Works</h2>${works}`,
    'in several boxes below a heading':
      '<h2>Works</h2><div>KEPT oil</div><p class="x">KEPT etching</p><div>KEPT print</div>',
    'in a section with its heading': `<section><h2><a href="#works">Works</a></h2>${works}</section>`,
    'as a number to call': '<h2>Works</h2><div><a href="tel:123">KEPT 123</a></div>',
  };
  for (const [what, section] of Object.entries(shortSections)) {
    for (const [where, text] of Object.entries({
      'before its only paragraph': `${section}${paragraphs(1)}`,
      'behind its only paragraph': `${paragraphs(1)}${section}`,
      'behind the element of its paragraphs': `<div>${paragraphs(5)}</div>${section}`,
      'behind most of its paragraphs': `<div>${paragraphs(5)}</div><h2>Life</h2>${paragraphs(2)}${section}`,
    })) {
      if (what.startsWith('in a section') && /element|most/.test(where)) continue;
      it(`has what is ${what} ${where}`, () => {
        const page = `<body>${nav}<main><h1>Ana</h1>${text}<h2>Comments</h2><div>DROPPED</div></main></body>`;
        const kept = markdown(page);
        assert.match(kept, /## (\[)?Works/);
        assert.equal(kept.match(/KEPT/g)?.length, section.match(/KEPT/g)?.length);
        assert.doesNotMatch(kept, /DROPPED|Comments/);
      });
    }
  }

  it('has a sentence that stands alone in a box behind it, as from a frame, and no labels there', () => {
    const frame = '<div><main><p>KEPT: ring at the door.</p></main></div>';
    const label = '<div><p>DROPPED label</p></div><div><b>DROPPED too.</b></div>';
    const text = markdown(`<body>${nav}<div><h1>Visit</h1>${paragraphs(1)}${frame}${label}</div></body>`);
    assert.match(text, /KEPT: ring at the door\./);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('has no headings of what is left out behind it, whatever is kept below', () => {
    const others = '<h3>About the author</h3><div>DROPPED</div><h3>Share</h3><div>DROPPED</div>';
    const text = markdown(
      `<body>${nav}<main><h1>Ana</h1>${paragraphs(1)}${others}<h3>Works</h3>${works}</main></body>`,
    );
    assert.match(text, /### Works\n\nKEPT oil/);
    assert.doesNotMatch(text, /author|Share|DROPPED/);
  });

  it('has the line between its title and a list that is all the rest of it', () => {
    const items = Array.from({ length: 3 }, (_, index) => `<li>Item ${index}. ${sentence}</li>`).join('');
    const text = markdown(
      `<body>${nav}<div><h1>Plan</h1><p>KEPT 7</p><ol>${items}</ol><a href="./">back</a></div></body>`,
    );
    assert.match(text, /# Plan\n\nKEPT 7\n\n1\. Item 0\./);
  });

  it('has its title, also from outside', () => {
    const text = markdown(
      `${nav}<div><h1>The harbour</h1><span>By somebody</span></div><div><div>${paragraphs(6)}</div></div>`,
    );
    assert.match(text, /^# The harbour\n\nParagraph 0\./);
  });

  it('has its title where that is no first heading, and the only one is the name of the site in its header', () => {
    const head = '<title>Why no boat leaves the bay - The harbour</title>';
    const title = `<div><h3>Why no boat leaves the bay</h3><div>${paragraph('What it is about.')}</div></div>`;
    const text = `<div>${paragraphs(4)}<h2>Why no boat leaves</h2>${paragraphs(4)}</div>`;
    const page = (above: string) => markdown(`${head}${nav}<header><h1>Boats</h1></header><div>${above}${text}</div>`);
    assert.match(page(title), /^### Why no boat leaves the bay\n\nWhat it is about\.[\s\S]*Paragraph 0\./);
    // A section of the text isn't its title, and a first heading is, whatever the page is called.
    assert.match(page(''), /^Paragraph 0\./);
    assert.match(page(`<h2>The harbour</h2><div><h1>No way out</h1></div>`), /^# No way out\n\nParagraph 0\./);
  });

  it('has the lead below its title', () => {
    const lead = paragraph('What it is about.');
    const text = markdown(
      `${nav}<div><h1>The harbour</h1><div>${lead}</div></div><div><div>${paragraphs(9)}</div></div>`,
    );
    assert.match(text, /^# The harbour\n\nWhat it is about\.[\s\S]*Paragraph 0\./);
  });

  it('has the headings in boxes above its first paragraph, without what is beside them', () => {
    const head = '<div class="title-wrapper"><div><h2>How it began</h2></div><span>DROPPED by Bo</span></div>';
    const half = `<div>${paragraphs(3)}</div>`;
    const text = markdown(`${nav}<div><div>${head}${half}${half}</div></div>`);
    assert.match(text, /^## How it began\n\nParagraph 0\./);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('is all of a page without other parts', () => {
    const text = markdown(`<div><div><p>First part.</p></div>${paragraphs(6)}<div>Filed in Fishing</div></div>`);
    assert.match(text, /^First part\.[\s\S]*Filed in Fishing$/);
  });

  it('has the links, lists and headings in it', () => {
    const inner = `<h2>More about boats</h2><ul><li>Nets and <a href="/ropes">ropes</a> of all kinds</li><li>Oars</li></ul>`;
    const text = markdown(`${nav}<div>${paragraphs(3)}${inner}${paragraphs(3)}</div>`);
    assert.match(
      text,
      /## More about boats\n\n- Nets and \[ropes\]\(https:\/\/site\.test\/ropes\) of all kinds\n- Oars/,
    );
  });

  it('has all cells of a table, all items of a list and all lines of code, also those that are links', () => {
    const row = (name: string) => `<tr><td><a href="/${name}">${name}</a></td><td>${name} costs ten a month</td></tr>`;
    const table = `<table><tr><td>Boat</td><td>Price</td></tr>${['Hafen', 'Bucht'].map(row).join('')}</table>`;
    const list = '<ul><li><a href="/rope">The rope of the boat</a></li><li>an anchor without a link</li></ul>';
    const notes =
      '<ol><li><sup><a href="#1">^</a></sup><div><p><a href="/sails">About sails</a></p></div></li><li>The <cite><a href="/keel">keel</a></cite> of a boat, which holds it upright</li></ol>';
    const code = '<pre><a href="#x">anchor</a> = <a href="#y">drop</a></pre>';
    const text = markdown(
      `${nav}<div><h1>The harbour</h1>${paragraphs(3)}${table}${list}${notes}${code}${paragraphs(4)}</div><div>${cards(3)}</div>`,
    );
    assert.match(
      text,
      /\| Boat \| Price \|\n.*\n\| \[Hafen\]\(.*?\) \| Hafen costs.*\n\| \[Bucht\]\(.*?\) \| Bucht costs/,
    );
    assert.match(text, /- \[The rope of the boat\].*\n- an anchor without a link/);
    assert.match(text, /\[About sails\].*\n\n?2\. The .*keel.* of a boat/);
    assert.match(text, /```\nanchor = drop\n```/);
  });

  it('has its short sections, whose headings lead nowhere, and headings that are links to themselves', () => {
    const section = (name: string) =>
      `<section id="${name}"><h2><a class="heading-anchor" href="#${name}">The ${name} of a boat</a></h2><p>It is ${sentence} <a href="/1">One</a> <a href="/2">two</a>.</p></section>`;
    const text = markdown(
      `${nav}<main><h1>The harbour</h1>${paragraphs(6)}${['mast', 'oar', 'keel'].map(section).join('')}</main>`,
    );
    for (const name of ['mast', 'oar', 'keel']) assert.match(text, new RegExp(`## .*The ${name} of a boat`));
  });

  it('has the heading in the header of a section, and none of a list or section that is empty', () => {
    const section = `<section><header><h2>KEPT nets</h2></header>${paragraphs(2)}</section>`;
    const empty = '<section><h2>DROPPED news</h2><ul></ul></section><h2>DROPPED more</h2><ul> </ul>';
    const text = markdown(
      `${nav}<header>DROPPED site</header><div><h1>The harbour</h1>${paragraphs(6)}${section}${empty}</div>`,
    );
    assert.match(text, /## KEPT nets/);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('has headings that are links to themselves in what a reader unfolds', () => {
    const part = `<details><summary><h2><a href="#mast">The mast of a boat</a></h2></summary>${paragraphs(2)}</details>`;
    const text = markdown(`${nav}<main><h1>The harbour</h1>${paragraphs(6)}${part}${paragraphs(2)}</main>`);
    assert.match(text, /## \[The mast of a boat\]/);
  });

  it('has sections whose ids are names of boilerplate only because their headings are', () => {
    const section = (name: string) => `<section id="${name}"><h2>${name}</h2>${paragraph(`About ${name}.`)}</section>`;
    const text = markdown(`<main><h1>Reference</h1>${paragraphs(4)}${section('cookies')}${section('menu')}</main>`);
    assert.match(text, /About cookies\.[\s\S]*About menu\./);
  });

  it('has lists of languages that have a heading of their own', () => {
    const words = ['Hafen', 'port', 'puerto'].map((word) => `<li><a href="/${word}">${word}</a></li>`);
    const section = `<h2>Translations</h2><ul class="translations">${words.join('')}</ul>`;
    const text = markdown(`<main><h1>Harbour</h1><p>A harbour is a place on the coast.</p>${section}</main>`);
    assert.match(text, /## Translations\n\n- \[Hafen\].*\n- \[port\].*\n- \[puerto\]/);
  });

  it('has what its header says about it', () => {
    for (const line of [
      '<p>By <a href="/ada">KEPT Low</a> and <a href="/bo">Bo Hill</a>, 5 March</p>',
      '<ul><li>KEPT: the port has <a href="/x">a new quay</a>.</li><li>It is <a href="/y">the largest</a> of all.</li></ul>',
    ])
      assert.match(markdown(`<main><header><h1>The harbour</h1>${line}</header>${paragraphs(3)}</main>`), /KEPT/, line);
    const linked = `<article><header><h1><a href="/page">KEPT title</a></h1></header>${paragraphs(3)}</article>`;
    assert.match(markdown(linked), /^# \[KEPT title\]/);
  });

  it('has the picture beside its title, if it leads nowhere and is no icon', () => {
    const cover = '<div class="thumb"><img src="/cover.jpg"></div>';
    const title = '<h1>Harbour</h1>';
    const body = `<div class="entry">${paragraphs(4)}</div>`;
    for (const other of [
      '<img src="/DROPPED.jpg" width="48">',
      '<img src="/DROPPED.jpg" style="width: 1px; height: 1px">',
      '<a href="/x"><img src="/DROPPED.jpg"></a>',
      '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="DROPPED">',
      '<img src="/DROPPED/lazy_placeholder.gif">',
      '<img src="/DROPPED.png" alt="CO- logo">',
      '<img src="/DROPPED/logo.png?v=2">',
      '<img src="/DROPPED/print.gif">',
      '<div class="author"><img src="/DROPPED.jpg"></div>',
      '<div class="avatar"><img src="/DROPPED.jpg"></div>',
      '<div><img class="site-logo" src="/DROPPED.jpg"></div>',
    ])
      for (const head of [
        `<header>${other}${cover}${title}</header>`,
        `<header>${title}${other}${cover}</header>`,
        `<header>${title}${other}</header>${cover}`,
      ]) {
        const text = markdown(`<body>${nav}<main><article>${head}${body}</article></main></body>`);
        assert.equal(text.match(/cover\.jpg/g)?.length, 1);
        assert.match(text, /# Harbour[\s\S]*Paragraph 0/);
        assert.doesNotMatch(text, /DROPPED/);
      }
    const inText = `<header>${title}${cover}</header><div class="entry"><p><img src="/cover.jpg"></p>${paragraphs(4)}</div>`;
    const text = markdown(`<body>${nav}<main><article>${inText}</article></main></body>`);
    assert.equal(text.match(/cover\.jpg/g)?.length, 1);
  });

  it('has short quotes in asides of posts', () => {
    const quote = '<aside class="quote"><div class="title">Ann:</div><blockquote><p>Line 7.</p></blockquote></aside>';
    const posts = [1, 2, 3].map((at) => {
      const own = `<p>It works here as well since the last update of March, number ${at}.</p>`;
      return `<article id="post_${at}"><time>Nov ${at}</time>${at === 2 ? quote : ''}${own}</article>`;
    });
    assert.match(markdown(`<main><h1>A</h1>${posts.join('')}</main>`), /Ann:\n\n> Line 7\./);
  });

  it('has quotes and notes in asides', () => {
    const aside = `<aside class="quote"><blockquote>${paragraph('As quoted.')}</blockquote></aside>`;
    const text = markdown(`${nav}<main><h1>The harbour</h1>${paragraphs(5)}${aside}${paragraphs(2)}</main>`);
    assert.match(text, /> As quoted\./);
  });

  it('has hidden parts that a button opens, and no others', () => {
    const answer = (id: string, words: string) =>
      `<div style="display: none"><div id="${id}">${paragraph(words)}</div></div>`;
    const text = markdown(
      `<main><h1>Questions</h1>${paragraphs(4)}<button aria-controls="a1" aria-expanded="false">How long?</button>${answer('a1', 'As long as wanted.')}${answer('a2', 'DROPPED')}</main>`,
    );
    assert.match(text, /As long as wanted\./);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('ends with the table below its last heading', () => {
    const table = '<h2>Sizes</h2><table><tr><th>Boat</th><th>Size</th></tr><tr><td>Anna</td><td>5 m</td></tr></table>';
    const text = markdown(
      `${nav}<div><div>${paragraphs(6)}${table}<h2>DROPPED</h2><div><a href="/1">DROPPED</a></div></div></div>`,
    );
    assert.match(text, /## Sizes\n\n\| Boat \| Size \|[\s\S]*\| Anna \| 5 m \|$/);
  });

  it('is not reduced where it would lose most of its paragraphs', () => {
    const part = (index: number) =>
      `<div><h4>Part ${index}</h4><a href="/${index}">More</a>${paragraph(`Words ${index}.`)}</div>`;
    const text = markdown(`${nav}<div>${[0, 1, 2, 3, 4].map(part).join('')}</div>`);
    for (const index of [0, 1, 2, 3, 4]) assert.ok(text.includes(`Words ${index}.`), text);
  });
});

describe('the content of other pages', () => {
  it('has the cards of a list', () =>
    assert.match(markdown(`<main><h1>All boats</h1>${cards(6)}</main>`), /CARD 0[\s\S]*CARD 5/));

  it('has no menus, even without telling names', () => {
    const menu = ['Red', 'Green', 'Blue', 'White', 'Black']
      .map((name) => `<li><a href="/${name}">${name}</a></li>`)
      .join('');
    const text = markdown(`<main><div class="x7"><ul>${menu}</ul></div><h1>All boats</h1>${cards(12)}</main>`);
    assert.match(text, /CARD 11/);
    assert.doesNotMatch(text, /Green/);
  });

  it('has the posts of a thread in order, with author and time', () => {
    const post = (index: number) =>
      `<div class="row"><div class="author">Anna ${index}</div><time>May ${index}</time>${paragraph(`Post ${index}.`)}</div>`;
    const text = markdown(`<body><h1>Which boat?</h1><div>${[1, 2, 3, 4].map(post).join('')}</div></body>`);
    assert.match(text, /Anna 1\s+May 1\s+Post 1\.[\s\S]*Anna 4\s+May 4\s+Post 4\./);
  });

  it('has the comments of a page that declares itself a discussion', () => {
    const comments = `<div id="comments">${paragraph('First answer.')}${paragraph('Second answer.')}</div>`;
    const text = markdown(
      `${data({ '@type': 'DiscussionForumPosting' })}<main>${paragraph('A question.')}${comments}</main>`,
    );
    assert.match(text, /A question\.[\s\S]*Second answer\./);
  });

  it('is never empty where there is text', () => {
    for (const page of [
      `<body><![CDATA[ x ><div>${paragraphs(2)}</div></body>`,
      `<body><div class="app"></div><noscript>${paragraphs(3)}</noscript></body>`,
      `<div class="sidebar">${paragraphs(3)}</div>`,
      `<div style="display:none">${paragraphs(3)}</div>`,
      '<header><p>Paragraph 1.</p></header>',
    ])
      for (const onlyCleanContent of [true, false])
        assert.match(markdown(page, { onlyCleanContent }), /Paragraph 1\./, page);
  });

  it('has no text for browsers without scripts if there is other text', () => {
    const page = `<main>${paragraphs(3)}</main><noscript><p>DROPPED ${sentence}</p></noscript>`;
    for (const onlyMainContent of [true, false]) assert.doesNotMatch(markdown(page, { onlyMainContent }), /DROPPED/);
  });

  it('has the headings that buttons open', () => {
    const text = markdown('<main><h3><button>Is it late?</button></h3><p>Yes.</p><button>Send</button></main>');
    assert.equal(text, '### Is it late?\n\nYes.');
  });

  it('has no buttons that do something, however much they say', () => {
    const text = markdown('<main><p>Boats.</p><button>Tell me once it is in stock again</button></main>');
    assert.equal(text, 'Boats.');
  });
});

describe('what is beside the content', () => {
  const long = `<div>${paragraph('DROPPED terms.').repeat(9)}</div>`;
  const pages: Record<string, string> = {
    'a footer with terms longer than the text': `<main><h1>Boats</h1>${paragraphs(2)}</main><footer>${long}</footer>`,
    'a footer by its name': `<main><h1>Boats</h1>${paragraphs(2)}</main><div class="footer-group"><h1>DROPPED</h1>${long}</div>`,
    'a footer below a title without main': `<div><h1>Boats</h1>${paragraphs(2)}</div><footer>${long}</footer>`,
    'an aside beside the main region': `<div role="main"><h1>Boats</h1>${paragraphs(2)}</div><aside>${long}</aside>`,
  };
  for (const [what, page] of Object.entries(pages))
    it(`has no ${what}`, () => {
      const text = markdown(page);
      assert.match(text, /Paragraph 1\./);
      assert.doesNotMatch(text, /DROPPED/);
    });

  it('is not what the page declares as its main region, whatever its name', () => {
    const before = `<div>${paragraph('Another page.').repeat(5)}</div>`;
    assert.match(markdown(`${before}<div role="main" class="has-sidebar">${paragraphs(3)}</div>`), /Paragraph 2\./);
  });

  it('stays out of a page whose text is short', () => {
    const links = Array.from({ length: 40 }, (_, index) => `<a href="/d${index}">DROPPED ${index}</a>`).join(' ');
    for (const name of ['nav', 'header', 'footer', 'aside']) {
      const text = markdown(`<${name}>${links}</${name}><div><h2>Kettle</h2><p>12 EUR</p></div>`);
      assert.equal(text, '## Kettle\n\n12 EUR', name);
    }
  });

  it('stays out of a page whose content has a misleading name or is hidden', () => {
    for (const attributes of ['class="sidebar"', 'style="display:none"', 'class="promo"']) {
      const page = `<header>DROPPED</header><div ${attributes}><p>${'KEPT. '.repeat(40)}</p></div><footer>DROPPED</footer>`;
      const text = markdown(page);
      assert.match(text, /KEPT/, attributes);
      assert.doesNotMatch(text, /DROPPED/, attributes);
    }
  });
});

describe('the kind of a page', () => {
  const review = (index: number) =>
    `<div class="row"><div class="author">Anna ${index}</div><time>May ${index}</time>${paragraph(`Opinion ${index}.`)}</div>`;
  const declared = (type: string) => data({ '@type': type, name: 'Boat' });

  it('is a product where customers wrote more than its description', () => {
    const reviews = `<div id="reviews">${[1, 2, 3, 4].map(review).join('')}</div>`;
    const others = `<div>${cards(4)}</div>`;
    for (const head of [declared('Product'), '<meta property="og:type" content="og:product">']) {
      const text = markdown(`${head}<main><h1>Boat</h1>${paragraphs(2)}${others}${reviews}</main>`);
      assert.match(text, /Paragraph 1\./);
      assert.doesNotMatch(text, /CARD/);
    }
  });

  it('is what it has, whatever a shop calls all of its pages', () => {
    const text = markdown(`<meta property="og:type" content="product"><main><h1>Boats</h1>${cards(40)}</main>`);
    assert.match(text, /CARD 0[\s\S]*CARD 39/);
  });

  it('is a list though its readers wrote more about it', () => {
    const comments = `<div class="comments">${paragraph('DROPPED opinion.').repeat(5)}</div>`;
    const text = markdown(`${nav}<main><h1>Best boats</h1><div>${cards(40)}</div></main>${comments}`);
    assert.match(text, /CARD 0[\s\S]*CARD 39/);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('is a text if almost all of its paragraphs are in an element of text, however many links are beside that', () => {
    const boats = (linked: boolean) => `<div>${linked ? '<a href="/b">A boat</a>' : 'A boat'}</div>`.repeat(400);
    const others = `<div class="others">${cards(30)}</div><div><h2>KEPT</h2>${boats(true)}</div>`;
    const piece = '<div>DROPPED in Fishing</div>';
    const text = markdown(`${nav}<main><div><h1>The harbour</h1>${paragraphs(6)}${piece}</div>${others}</main>`);
    assert.match(text, /^# The harbour\n[\s\S]*Paragraph 5\./);
    assert.doesNotMatch(text, /DROPPED|CARD|KEPT/);
    const timetable = `<div><h1>Boats</h1><h2>KEPT</h2>${boats(false)}</div>`;
    assert.match(markdown(`<main>${timetable}<div>${paragraphs(6)}</div></main>`), /KEPT[\s\S]*Paragraph 5\./);
  });

  it('is a thread where it has almost nothing but comments, also in a page that says it is an article', () => {
    const comments = `<ol class="comments">${paragraph('First answer.')}${paragraph('Second answer.')}</ol>`;
    for (const type of ['article', 'website']) {
      const head = `<meta property="og:type" content="${type}">`;
      const text = markdown(
        `${head}<header><a href="/">DROPPED</a></header><div><a href="/x">A link</a></div>${comments}`,
      );
      assert.match(text, /First answer\.[\s\S]*Second answer\./, type);
      assert.doesNotMatch(text, /DROPPED/, type);
    }
  });

  it('keeps the comments of a further part of it, which has little else of its own', () => {
    const comments = `<section class="comments">${paragraph('KEPT eleventh answer.')}</section>`;
    const body = `<body>${nav}<article><h1>The harbour</h1>${paragraphs(6)}${comments}</article></body>`;
    for (const [url, isKept] of [
      ['https://site.test/post?page=1', true],
      ['https://site.test/post/comment-page-2/', true],
      ['https://site.test/post?page=0', false],
      ['https://site.test/post?p=7', false],
      ['https://site.test/post/page-of-2', false],
    ] as const)
      assert.equal(/KEPT/.test(markdown(body, { url })), isKept, url);
  });
});

describe('boxes that are alike', () => {
  const boxes = (head: (at: number) => string, tag = 'mat-card') =>
    `<body>${nav}<main><h1>Routes</h1><div>${[0, 1, 2, 3].map((at) => `<${tag} class="route"><div>${head(at)}</div>${paragraph(`Route ${at}.`)}</${tag}>`).join('')}</div></main></body>`;

  it('keep the links that they begin with, as their titles, the first one too', () => {
    for (const tag of ['mat-card', 'div']) {
      const text = markdown(boxes((at) => `<div><a href="/r${at}">KEPT ${at}</a></div>`, tag));
      assert.match(text, /KEPT 0[\s\S]*Route 0[\s\S]*KEPT 1[\s\S]*Route 1[\s\S]*KEPT 3[\s\S]*Route 3/, tag);
    }
    // Several links are no title.
    const several = markdown(boxes((at) => `<a href="/r${at}">DROPPED</a> <a href="/s${at}">DROPPED</a>`));
    assert.doesNotMatch(several, /DROPPED/);
  });
});

describe('options that only their names tell', () => {
  const option = (role: string, name: string, inner = '') =>
    `<div role="${role}" aria-label="${name}" class="swatch">${inner}</div>`;

  it('are content, as far as they have no text', () => {
    const swatches = `<div role="listbox">${option('option', 'Moss &amp; Sage')}${option('radio', 'Deep Navy', '<i></i>')}</div>`;
    const others = `<div>${option('option', 'DROPPED', 'Red')}${option('button', 'DROPPED')}</div>`;
    const text = markdown(`<main><h1>A bag</h1><p>Color</p>${swatches}${others}</main>`);
    assert.match(text, /Color\n\nMoss & Sage\n\nDeep Navy\n\nRed/);
    assert.doesNotMatch(text, /DROPPED/);
  });
});

describe('a thread', () => {
  it('has replies of a line', () => {
    const reply = (index: number) =>
      `<div class="row"><b class="author">Anna ${index}</b> <time>May ${index}</time><p>Reply ${index}</p></div>`;
    const first = reply(0).replace('<p>', paragraph('Question.'));
    const text = markdown(
      `<body>${nav}<main><h1>Which boat?</h1>${first}${[1, 2, 3].map(reply).join('')}</main></body>`,
    );
    assert.match(text, /May 0[\s\S]*Question\.[\s\S]*Anna 1[\s\S]*Reply 1[\s\S]*May 3[\s\S]*Reply 3/);
  });

  const numbered = (number: number, words: string, link = `/t?p=${number}#p${number}`) =>
    `<div class="post" id="p${number}"><div class="author">Anna ${number}</div><a href="${link}"><time>May ${number}</time></a>${words}</div>`;
  const question = paragraph('Question.').repeat(3);
  const answer = '<p>Reply 8, of a line.</p>';

  it('has the only reply, if both posts have their own number and address', () => {
    const text = markdown(`<main><h1>Which boat?</h1>${numbered(7, question)}${numbered(8, answer)}</main>`);
    assert.match(text, /Anna 7[\s\S]*May 7[\s\S]*Question\.[\s\S]*Anna 8[\s\S]*May 8[\s\S]*Reply 8/);
  });

  it('is no text with two other parts that have only their times', () => {
    for (const links of [
      ['/t/7', '/t/8'],
      ['/t#p8', '/t#p7'],
    ]) {
      const parts = [question, answer].map((words, at) => numbered(7 + at, words, links[at]));
      assert.doesNotMatch(markdown(`<main><h1>Which boat?</h1>${parts.join('')}</main>`), /Reply/);
    }
    const comments = [7, 8].map((number) => numbered(number, paragraph(`DROPPED ${number}.`))).join('');
    const text = markdown(
      `<main><article><h1>Boats</h1>${paragraphs(3)}</article><div id="comments">${comments}</div></main>`,
    );
    assert.doesNotMatch(text, /DROPPED/);
  });

  const post = (index: number) =>
    `<div class="row"><div class="author">Anna ${index}</div><time>May ${index}</time>${paragraph(`Post ${index}.`)}</div>`;
  const posts = `<div>${[1, 2, 3, 4].map(post).join('')}</div>`;
  const links = (count: number, words: string) =>
    Array.from({ length: count }, (_, index) => `<a href="/t${index}">DROPPED ${words} ${index}</a>`).join(' ');
  const parts: Record<string, string> = {
    'the other forums': `<div>${links(12, 'forum')}</div>`,
    'the titles of other threads': `<ul>${links(6, 'which rope is best for a small boat')}</ul>`,
    'related threads below a heading': `<section><h2>Related topics</h2><div>${links(2, 'thread')} by Bo</div></section>`,
  };
  for (const [what, part] of Object.entries(parts))
    it(`has no ${what}`, () => {
      const text = markdown(`<main><h1>Which boat?</h1>${posts}${part}</main>`);
      assert.match(text, /Anna 1\s+May 1\s+Post 1\.[\s\S]*Anna 4\s+May 4\s+Post 4\./);
      assert.doesNotMatch(text, /DROPPED/);
    });
});

describe('what the headings of a page name', () => {
  const links = (count: number) =>
    `<ul>${Array.from({ length: count }, (_, index) => `<li><a href="/kept${index}">KEPT ${index}</a></li>`).join('')}</ul>`;
  const facts = '<ul><li>KEPT 0: 12 EUR</li><li>KEPT 1: 9 EUR</li></ul>';
  const table =
    '<table><tr><th>Kettle</th><th>Price</th></tr><tr><td>KEPT 0</td><td>12</td></tr><tr><td>KEPT 1</td><td>9</td></tr></table>';
  const products = `<ul>${[0, 1, 2, 3]
    .map((number) => `<li><a href="/kept${number}"><h3>KEPT ${number}</h3></a><p>${number} EUR</p></li>`)
    .join('')}</ul>`;
  const pages: Record<string, string> = {
    'a table below a title': `<h1>Latest prices</h1><p>Daily.</p>${table}<h2>Terms</h2>${paragraphs(4)}`,
    'a list below a title': `<h1>Recent changes</h1>${facts}<h2>Older</h2>${facts}`,
    'products below a title': `<h1>Popular kettles</h1><p>Often sold.</p>${products}<h2>Delivery</h2>${paragraphs(4)}`,
    'links below a title': `<h1>Topics</h1>${links(9)}<h2>Delivery</h2>${paragraphs(1)}`,
    'links in the middle of a text': `<h1>Course</h1>${paragraphs(3)}<h2>Lessons</h2>${links(8)}<h2>Fees</h2>${paragraphs(2)}`,
    'links below a heading in a box': `<h1>Course</h1>${paragraphs(3)}<div class="mw-heading"><h2>Lessons</h2></div>${links(8)}`,
    'links that a line introduces': `<h1>Course</h1>${paragraphs(3)}<hr><p>Its lessons are:</p>${links(8)}${paragraphs(2)}`,
    'links at the end of a text': `<h1>Course</h1>${paragraphs(2)}<h2>Lessons</h2>${links(5)}`,
    'facts in a text': `<h1>Release</h1>${paragraphs(2)}<h2>Similar tools</h2>${table}<h2>Use</h2>${paragraphs(2)}`,
    'short lists of a home page': `<h1>Shop</h1><p>Welcome.</p><h2>Featured</h2>${links(3)}<h2>Departments</h2>${links(9)}`,
    'a section that only begins like an announcement': `<h1>Shop</h1><p>Hi.</p><h2>Sharepoint</h2>${links(4)}`,
  };
  for (const [what, page] of Object.entries(pages))
    it(`is content: ${what}`, () => {
      const text = markdown(`${nav}<main>${page}</main><footer>About us</footer>`);
      assert.match(text, /^# \w+/);
      const kept = page.match(/KEPT \d/g) ?? [];
      assert.deepEqual(text.match(/KEPT \d/g), kept, text);
      for (const [, heading = ''] of page.matchAll(/<h2>(.*?)<\/h2>/g)) assert.ok(text.includes(`## ${heading}`), text);
    });

  it('is none if they announce other things', () => {
    const text = markdown(
      `${nav}<main><h1>Course</h1>${paragraphs(3)}<h2>Lessons</h2>${links(5)}<h2>Related courses</h2><ul><li><a href="/x">DROPPED</a></li></ul></main>`,
    );
    assert.match(text, /KEPT 4/);
    assert.doesNotMatch(text, /DROPPED|Related/);
  });
});

describe('the Markdown of a product page', () => {
  it('has the name, price and description that its content lacks', () => {
    const product = data({
      '@type': 'Product',
      name: 'Boat',
      description: 'A small boat.',
      offers: { price: 5, priceCurrency: 'EUR' },
    });
    assert.equal(markdown(`${product}<main><p>Buy now</p></main>`), '# Boat\n\nBuy now\n\n5 EUR\n\nA small boat.');
    const full = '<h1>Boat</h1><p>5 €</p><p>A small boat.</p>';
    assert.equal(markdown(`${product}<main>${full}</main>`), '# Boat\n\n5 €\n\nA small boat.');
  });

  describe('has the options of its variants that its content lacks', () => {
    const boat = (body: string, ...variants: object[]) => {
      const hasVariant = variants.map((each) => ({
        '@type': 'Product',
        name: `Boat, ${Object.values(each)}`,
        ...each,
      }));
      const known = data({ '@type': 'ProductGroup', name: 'Boat', hasVariant });
      return markdown(`${known}${nav}<main><h1>Boat</h1>${body}${paragraphs(2)}</main>`);
    };
    const sizes = [{ size: 'S' }, { size: 'M' }, { size: 'L' }];

    it('as a line for each', () => {
      const text = boat(
        '',
        { size: 'S', color: 'Red' },
        { size: 'M', color: 'Blue' },
        { size: 'M', suggestedAge: '9+' },
      );
      assert.match(text, /\n\nColor: Red, Blue\n\nSize: S, M$/);
      assert.match(boat('', { size: '0,5 l' }, { size: '1,5 l' }), /\n\nSize: 0,5 l; 1,5 l$/);
    });

    it('or their names, if it has nothing else', () => {
      assert.match(boat('', { sku: 1 }, { sku: 2 }), /\n\nBoat, 1; Boat, 2$/);
      const table = '<table><tr><td>Boat, 2</td><td>5 €</td></tr><tr><td>Boat, 1</td><td>6 €</td></tr></table>';
      assert.doesNotMatch(boat(table, { sku: 1 }, { sku: 2 }), /Boat, 1; Boat, 2/);
      assert.doesNotMatch(boat('', { sku: 1 }), /Boat, 1/);
    });

    it('unless it has their values together, in any order', () => {
      const radios = ['S', 'M', 'L'].map((value) => `<label><input type="radio" name="size">${value}</label>`);
      assert.doesNotMatch(boat(radios.join(''), ...sizes), /Size: /);
      assert.doesNotMatch(boat('<ul><li>L</li><li>M</li><li>S</li></ul>', ...sizes), /Size: /);
      assert.match(boat('<ul><li>S</li><li>M</li></ul><p>L.</p>', { size: 'S' }, { size: 'XL' }), /\n\nSize: S, XL$/);
      assert.match(
        boat('<p>Large waves, small boats.</p>', { size: 'Small' }, { size: 'Large' }),
        /\n\nSize: Small, Large$/,
      );
    });

    it('in words', () => {
      const genders = ['Male', 'Female'].map((each) => ({ suggestedGender: `https://schema.org/${each}` }));
      assert.match(boat('', ...genders), /\n\nSuggested gender: Male, Female$/);
      const colors = ['#ff0000', 'Red', '{{ variant.color }}', '–', 'Blue'].map((color) => ({ color }));
      assert.match(boat('', ...colors), /\n\nColor: Red, Blue$/);
    });

    it('with the price of each, if these differ and the page lacks one', () => {
      const priced = (size: string, price: number | string) => ({ size, offers: { price, priceCurrency: 'EUR' } });
      const [small, large, other] = [priced('S', 12.5), priced('L', '22.00'), priced('M', 12.5)];
      assert.match(boat('', small, large), /\n\nSize: S, L\n\nPrices: S 12\.5 EUR, L 22 EUR$/);
      assert.match(boat('<p>From € 12.50</p>', small, large), /\n\nPrices: S 12\.5 EUR, L 22 EUR$/);
      assert.doesNotMatch(boat('<p>€ 12.50 or € 22</p>', small, large), /Prices/);
      assert.match(boat('', small, other), /\n\n12\.5 EUR\n\nSize: S, M$/);
      // What one of them costs isn't known.
      assert.doesNotMatch(boat('', small, large, { size: 'M' }), /Prices/);
      assert.doesNotMatch(boat('', small, priced('S', 22)), /Prices/);
      const named = (name: string, price: number) => ({ name, offers: { price } });
      assert.match(boat('', named('Oak', 5), named('Pine', 6)), /\n\nPrices: Oak 5, Pine 6$/);
    });

    it('as far as a line shows', () => {
      const many = Array.from({ length: 60 }, (_, at) => ({ color: `${10 + at} ${'x'.repeat(37)}` }));
      assert.match(boat('', ...many), /\n\nColor: 10 x+, .*, 34 x+ \(and 35 more\)$/);
    });

    it('but not what lists choose', () => {
      const list = '<label>Country <select><option>Norway</option><option>Peru</option></select></label>';
      assert.doesNotMatch(boat(list, ...sizes), /Norway/);
    });
  });

  it('has the parts of its description that tabs and buttons unfold, and no other hidden parts', () => {
    const tabs = `<div style="display:none">${paragraph('Made of oak.')}</div><div hidden>${paragraph('Lasts for years.')}</div>`;
    const menu = '<div style="display:none">DROPPED <button>Cart</button></div>';
    const text = markdown(
      `${data({ '@type': 'Product', name: 'Boat' })}<main><h1>Boat</h1>${paragraphs(2)}${tabs}${menu}</main>`,
    );
    assert.match(text, /Paragraph 1\.[\s\S]*Made of oak\.[\s\S]*Lasts for years\./);
    assert.doesNotMatch(text, /DROPPED/);
  });

  it('has neither reviews nor related products', () => {
    const product = data({ '@type': 'Product', name: 'Boat' });
    const parts = `<div class="product-reviews">${paragraph('DROPPED')}</div><div><h2>You may also like</h2><div>${cards(3)}</div></div>`;
    const text = markdown(`${product}${nav}<main><h1>Boat</h1>${paragraphs(3)}${parts}</main>`);
    assert.match(text, /Paragraph 2\./);
    assert.doesNotMatch(text, /DROPPED|CARD/);
  });

  it('has a paragraph once that is on the page twice', () => {
    const twice = paragraph('Said twice.').repeat(2);
    const text = markdown(`${data({ '@type': 'Product', name: 'Boat' })}${nav}<main><h1>Boat</h1>${twice}</main>`);
    assert.equal(text.split('Said twice.').length, 2);
  });
});

describe('the warning', () => {
  it('says nothing of a line at the foot of a page whose text is in no paragraphs', () => {
    const posts = [1, 2, 3]
      .map((at) => `<div class="post"><h3>Re: ${at}</h3><div>Use number ${at}.</div></div>`)
      .join('');
    const foot =
      '<div class="footer"><p>Powered by a board. All times are in UTC, and four users are online.</p></div>';
    assert.equal(converted(`<div><h2>Gears</h2>${posts}</div>${foot}`).warning, undefined);
  });

  it('says that most of the text was left out', () => {
    const page = (comments: number) =>
      `${data({ '@type': 'Article' })}<main><h1>Short</h1>${paragraphs(2)}</main><div id="comments">${paragraphs(comments)}</div>`;
    // In the same words however much it is, so that they can be counted.
    for (const comments of [3, 4, 8])
      assert.equal(
        converted(page(comments)).warning,
        "More than half of the text in the page's paragraphs isn't part of its main content. Set onlyMainContent to false to get all of it.",
      );
    assert.equal(converted(page(4), { onlyMainContent: false }).warning, undefined);
    assert.equal(converted(`<main>${paragraphs(4)}</main>`).warning, undefined);
  });

  it('says that drawings have words', () => {
    const said =
      'The page has drawings (SVG), such as charts or diagrams, whose words aren\'t part of its text. The format "screenshot" shows them.';
    const page = (drawing: string, name = 'figure') =>
      converted(`<main><h1>Gears</h1>${paragraphs(3)}<${name}>${drawing}</${name}></main>`).warning;
    const box = (word: string) => `<g><foreignObject><div><p>${word}</p></div></foreignObject></g>`;
    const diagram = `<svg role="img">${['Maker', 'Store', 'Buyer'].map(box).join('')}</svg>`;
    const chart =
      '<svg><text>2024</text><text>Income</text><text><tspan>Costs</tspan> <tspan>Taxes</tspan></text></svg>';
    assert.equal(page(diagram), said);
    assert.equal(page(chart), said);
    for (const name of ['nav', 'header', 'a', 'button']) assert.equal(page(diagram, name), undefined, name);
    for (const other of [
      '<svg><title>Three words here</title><desc>More words</desc><path d="M0 0"/></svg>',
      '<svg><text>Gears</text><text>Gears</text><text>Shop</text><text>17</text></svg>',
      `<template>${diagram}</template><div aria-hidden="true">${diagram}</div>`,
      `<svg aria-hidden="true">${['Maker', 'Store', 'Buyer'].map(box).join('')}</svg>`,
    ])
      assert.equal(page(other), undefined, other);
  });

  it('says that a part for comments or reviews was left out', () => {
    const said =
      "The page has a part for comments or reviews that isn't in its main content. Set onlyMainContent to false to get it.";
    const form = `<form><p>${sentence.repeat(9)}</p><textarea></textarea></form>`;
    const article = (below: string) => `<main><article><h1>Gears</h1>${paragraphs(9)}</article>${below}</main>`;
    const product = (below: string) =>
      `${data({ '@type': 'Product', name: 'Gear' })}<main><h1>Gear</h1>${paragraphs(4)}${below}</main>`;
    const comments = `<div id="comments"><div class="comment-body">${paragraphs(3)}</div>${form}</div>`;
    const reviews = `<div class="reviews"><h2>Reviews</h2>${paragraphs(3)}</div>`;
    assert.equal(converted(article(comments)).warning, said);
    assert.equal(converted(product(reviews)).warning, said);
    assert.equal(converted(article(comments), { onlyMainContent: false }).warning, undefined);
    assert.equal(converted(article(comments), { onlyCleanContent: true }).warning, undefined);
    // One with a time is one, however short.
    const one = '<p><time datetime="2026-03-01">1 March</time> Ann</p><p>Thank you!</p>';
    assert.equal(converted(article(`<div id="comments">${one}${form}</div>`)).warning, said);
    assert.equal(converted(article(`<footer><div id="comments">${one}</div></footer>`)).warning, undefined);
    assert.equal(
      converted(article('<div id="comments"><p>Nobody has said anything yet.</p></div>')).warning,
      undefined,
    );
    // What asks for comments is none.
    assert.equal(converted(article(`<div id="comments"><h2>Comments</h2>${form}</div>`)).warning, undefined);
    assert.equal(
      converted(article(`<div id="comments"><form id="commentform">${form}</form></div>`)).warning,
      undefined,
    );
    const short = `<form>${paragraphs(3)}<select><option>5 stars</option></select></form>`;
    for (const ask of [form, short])
      assert.equal(converted(product(`<div class="reviews"><h2>Reviews</h2>${ask}</div>`)).warning, undefined);
    // A thread has its posts.
    const thread = `${data({ '@type': 'QAPage' })}${article(comments)}`;
    assert.equal(converted(thread).warning, undefined);
  });

  it('says that the site calls the page not free to read', () => {
    const page = (isFree: unknown) =>
      converted(`${data({ '@type': 'NewsArticle', isAccessibleForFree: isFree })}<main>${paragraphs(4)}</main>`);
    for (const isFree of [false, 'False']) assert.match(page(isFree).warning ?? '', /isn't free to read/);
    for (const isFree of [true, 'True', undefined]) assert.equal(page(isFree).warning, undefined);
  });

  it('says nothing of the paragraphs of a dialog over a page that has none', () => {
    const things = Array.from({ length: 40 }, (_, at) => `<li><a href="/t/${at}">Another thing ${at}</a></li>`);
    const list = `<ul>${things.join('')}</ul>`;
    const consent = `<div role="dialog" aria-modal="true">${paragraph('We value your privacy.')}</div>`;
    const { markdown: text = '', warning } = converted(`<main><h1>Things</h1>${list}</main>${consent}`);
    assert.deepEqual([/Another thing/.test(text), /privacy/.test(text), warning], [true, false, undefined]);
  });
});

describe('the product', () => {
  const offer = {
    '@type': 'Offer',
    price: '1,299.50',
    priceCurrency: 'EUR',
    availability: 'https://schema.org/InStock',
  };
  const boat = {
    '@type': 'Product',
    name: 'Boat &amp; oars',
    brand: { name: 'Hafen' },
    category: ['Sport', 'Boats'],
    description: 'A <b>small</b> boat.',
    image: ['/boat.png'],
    sku: 'B-1',
  };
  const product = (...values: object[]) => converted(values.map(data).join(''), { product: true });

  it('has the fields of the structured data', () => {
    const priced = {
      ...boat,
      offers: { ...offer, priceSpecification: { priceType: 'https://schema.org/ListPrice', price: 1500 } },
    };
    assert.deepEqual(product({ '@graph': [{ '@type': 'WebPage' }, priced] }).product, {
      title: 'Boat & oars',
      brand: 'Hafen',
      category: 'Sport > Boats',
      url: 'https://site.test/page',
      description: 'A small boat.',
      variants: [
        {
          sku: 'B-1',
          title: 'Boat & oars',
          price: { amount: 1299.5, currency: 'EUR' },
          sale: { originalPrice: { amount: 1500, currency: 'EUR' } },
          availability: { inStock: true, text: 'InStock' },
          images: [{ url: 'https://site.test/boat.png' }],
        },
      ],
    });
  });

  it('has a variant for each variant of a group', () => {
    const variant = (color: string) => ({ '@type': 'Product', name: `Boat, ${color}`, color, offers: { price: 5 } });
    const found = product({ '@type': 'ProductGroup', name: 'Boat', hasVariant: ['red', 'blue'].map(variant) }).product;
    assert.deepEqual(
      found?.variants.map(({ values, price, availability }) => [values, price, availability]),
      ['red', 'blue'].map((color) => [{ color }, { amount: 5 }, { inStock: false }]),
    );
  });

  it('comes from microdata if the page has no product as JSON-LD', () => {
    const offer = `<span itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="EUR">
      <b itemprop="price">1299.50</b><link itemprop="availability" href="https://schema.org/InStock"></span>`;
    const page = (more: string) =>
      `${more}<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Boat &amp; <i>oars</i></h1>
      <img itemprop="image" src="/boat.png"><img itemprop="image" src="/oars.png">${offer}</div>`;
    const read = (more = '') => converted(page(more), { product: true }).product;
    assert.deepEqual(read(), {
      title: 'Boat & oars',
      url: 'https://site.test/page',
      variants: [
        {
          title: 'Boat & oars',
          price: { amount: 1299.5, currency: 'EUR' },
          availability: { inStock: true, text: 'InStock' },
          images: [{ url: 'https://site.test/boat.png' }, { url: 'https://site.test/oars.png' }],
        },
      ],
    });
    assert.equal(read(data({ '@type': 'Product', name: 'Raft' }))?.title, 'Raft');
  });

  it('is the one with the address of the page, and none if several could be meant', () => {
    const other = { ...boat, name: 'Raft' };
    assert.equal(product(boat, other).product, undefined);
    assert.equal(product(boat, { ...other, url: '/page' }).product?.title, 'Raft');
    assert.match(product(boat, other).warning ?? '', /^No product found/);
    assert.match(product().warning ?? '', /^No product found/);
  });
});

describe('structure', () => {
  it('has the cells of a row below a cell that spans rows in their columns', () => {
    const table = `<table><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">tall</td><td>1</td></tr><tr><td>2</td></tr></table>`;
    assert.match(markdown(`<main>${table}</main>`), /\| tall \| 1 \|\n\| +\| 2 \|/);
  });

  it('has the content of a table that is there for its layout', () => {
    const text = markdown('<main><table><tr><td><h2>Left</h2></td><td><pre>x = 1</pre></td></tr></table></main>');
    assert.equal(text, '## Left\n\n```\nx = 1\n```');
  });

  it('has the headings of cells in their cells', () => {
    const table = '<table><tr><th colspan="2"><h3>Boat</h3></th></tr><tr><td>Length</td><td>5 m</td></tr></table>';
    assert.match(markdown(`<main>${table}</main>`), /\| \*\*Boat\*\* \|.*\n.*\n\| Length \| 5 m \|/);
  });

  it('has the headings of cards as headings with the link, on lines of their own also in lists', () => {
    const card = '<a href="/x"><img src="/x.png" alt="x"><h3>Boat</h3><span>Ten a day</span></a>';
    const link = '### [Boat](https://site.test/x)';
    const image = '![x](https://site.test/x.png)';
    assert.equal(markdown(`<main>${card}</main>`), `${image}\n\n${link}\n\nTen a day`);
    assert.equal(markdown(`<main><ul><li>${card}</li></ul></main>`), `- ${image}\n\n  ${link}\n\n  Ten a day`);
  });

  it('has the lines of code that are broken by elements', () =>
    assert.equal(markdown('<main><pre>one<br>  two</pre></main>'), '```\none\n  two\n```'));

  it('has the real addresses of images that load late', () => {
    const text = markdown('<main>x <img src="/placeholder.gif" data-src="/late.png" alt="late"></main>');
    assert.match(text, /!\[late\]\(https:\/\/site\.test\/late\.png\)/);
  });
});
