import assert from 'node:assert/strict';
import {
  type ConvertedPage,
  type ConvertOptions,
  convertPage,
} from '../../../src/service/web/scrape/convert/convert-page.ts';
import { convert as convertTask } from '../../../src/service/web/scrape/convert/tasks.ts';

const usual: ConvertOptions = {
  url: 'https://site.test/docs/page?q=1',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: false,
};
const convert = (html: string, options: Partial<ConvertOptions> = {}): ConvertedPage =>
  convertPage(html, { ...usual, ...options });
const markdown = (html: string, options: Partial<ConvertOptions> = {}) => convert(html, options).markdown ?? '';
const html = (source: string, options: Partial<ConvertOptions> = {}) =>
  convert(source, { markdown: false, html: true, ...options }).html ?? '';

describe('main content', () => {
  const boilerplate: Record<string, string> = {
    'a nav': '<nav>DROPPED</nav>',
    'a header': '<header><b>DROPPED</b></header>',
    'a footer': '<footer>DROPPED</footer>',
    'an aside': '<aside>DROPPED</aside>',
    'a role': '<div role="navigation">DROPPED</div>',
    'a banner role': '<div role="banner">DROPPED</div>',
    'a class': '<div class="x sidebar y">DROPPED</div>',
    'a class in capitals': '<div class="SideBar">DROPPED</div>',
    'an id': '<div id="cookie-banner">DROPPED</div>',
    'a hidden element': '<p hidden>DROPPED</p>',
    'an element without display': '<p style="color: red; display : none">DROPPED</p>',
    'a form control':
      '<button>DROPPED</button><clipboard-copy>DROPPED</clipboard-copy><select><option>DROPPED</option></select>',
    'a script':
      '<script>DROPPED</script><style>DROPPED</style><template>DROPPED</template><noscript>DROPPED</noscript>',
    'a picture of vectors': '<svg><title>DROPPED</title><text>DROPPED</text></svg>',
  };
  const kept = '<h1>Kept heading</h1><p>Kept words that are the content of this page, and no more.</p>';
  for (const [what, piece] of Object.entries(boilerplate)) {
    it(`omits ${what}`, () => {
      for (const page of [
        `${piece}<main>${kept}</main>`,
        `<body>${piece}<div>${kept}</div></body>`,
        `<div>${kept}</div>${piece}`,
      ]) {
        const text = markdown(page);
        assert.match(text, /# Kept heading\n\nKept words/);
        assert.doesNotMatch(text, /DROPPED/, page);
      }
    });
  }

  it('keeps boilerplate-like parts inside the content', () => {
    const text = markdown(`<main><article><header><h1>Title</h1></header><aside class="note">A note.</aside>
      <div class="header">Part one</div><blockquote>Said<footer>by whom</footer></blockquote></article></main>`);
    for (const words of ['# Title', 'A note.', 'Part one', 'by whom']) assert.ok(text.includes(words), words);
  });

  it('is the whole page on request', () => {
    const text = markdown('<nav>menu</nav><main>words</main><footer>end</footer>', { onlyMainContent: false });
    assert.match(text, /menu[\s\S]*words[\s\S]*end/);
  });

  it('is only the main element if it has most of the text', () => {
    const text = markdown(`<div>${'<p>Stray promotion.</p>'}</div><main>${kept.repeat(3)}</main>`);
    assert.doesNotMatch(text, /Stray/);
  });

  it('is the page if the rules would leave almost nothing', () => {
    const text = markdown(
      `<div class="sidebar"><h1>All</h1>${'<p>The page is one big sidebar.</p>'.repeat(20)}</div><p>x</p>`,
    );
    assert.match(text, /one big sidebar/);
  });

  it('is the part with most of the text beside links, whatever its name says', () => {
    const rows = Array.from({ length: 12 }, (_, at) => `<tr><td>Ferry ${at}</td><td>from quay ${at} at noon</td></tr>`);
    const foot = (times: number) =>
      `<div>${'<p>The harbour office answers letters on weekdays only. </p>'.repeat(times)}</div>`;
    const links = '<div><a href="/a">One</a> <a href="/b">Two</a></div>';
    for (const name of ['top', 'page-header', 'widgets', 'sidebar'])
      for (const page of [
        `${links}<div class="${name}"><h1>Ferries</h1><table>${rows.join('')}</table></div>${foot(1)}`,
        `${links}<div class="${name}"><h1>Ferries</h1><table>${rows.join('')}</table></div>${foot(5)}`,
        `${links}<h1>Ferries</h1><div id="${name}"><ul>${rows.map((row) => `<li>${row}</li>`).join('')}</ul></div>${foot(1)}`,
      ])
        assert.match(markdown(page), /# Ferries\n\n[\s\S]*Ferry 0[\s\S]*Ferry 11/);
    const side = `<div class="sidebar">${'<li>Open at nine</li>'.repeat(4)}</div>`;
    assert.doesNotMatch(markdown(`${side}<h1>Ferries</h1><table>${rows.join('')}</table>`), /nine/);
  });

  it('has what only shares a name with boilerplate: signatures of functions, words in a line, and a menu of dishes', () => {
    const keptText = markdown(`<main>${kept}</main>`);
    const cases: [page: string, expected: string][] = [
      [
        '<h4>add<span class="signature">(a, b)</span><span class="type-signature"> → {number}</span></h4>',
        '#### add(a, b) → {number}',
      ],
      ['<div class="member-signature"><b>int</b> get()</div>', '**int** get()'],
      ['<pre class="tsd-signature">run(): void</pre>', '```\nrun(): void\n```'],
      ['<p>The <span class="sidebar">sidebar</span> has <span class="menu">File</span>.</p>', 'The sidebar has File.'],
      ['<div class="menu"><h3>Soup</h3><p>With bread, 4.50</p></div>', '### Soup\n\nWith bread, 4.50'],
    ];
    for (const [page, expected] of cases)
      assert.equal(markdown(`<main>${page}${kept}</main>`), `${expected}\n\n${keptText}`, page);
    for (const page of [
      '<div class="signature">Ann, captain</div>',
      '<div class="post-signature">Ann</div>',
      '<div class="mobile-menu"><h3>Menu</h3><a href="/a">About</a></div>',
      '<span class="sr-only">Menu</span>',
    ])
      assert.equal(markdown(`<main>${page}${kept}</main>`), keptText, page);
  });

  it('has the title that a banner or a head with such a name has, beside few links', () => {
    for (const name of ['hero-banner', 'page-header', 'promo'])
      assert.match(
        markdown(
          `<section class="${name}"><h1>Ship faster</h1><p>For boats. <a href="/try">Try</a></p></section><p>It is free.`,
        ),
        /^# Ship faster\n\nFor boats\. \[Try\]\(\S+\)\n\nIt is free\.$/,
      );
    const logo = '<div class="site-header"><h1><a href="/">Site</a></h1><a href="/a">About</a></div>';
    assert.equal(markdown(`${logo}<p>It is free.`), 'It is free.');
  });

  it('has no links to edit the sections of a wiki', () => {
    const edit = '<span class="mw-editsection">[<a href="/w?action=edit">edit</a>]</span>';
    const text = 'Tea was drunk in the hills long ago, as the books of the time say, before it came to the coast.';
    for (const heading of [`<h2>Past${edit}</h2>`, `<div class="mw-heading"><h2>Past</h2>${edit}</div>`])
      assert.equal(
        markdown(`<main><h1>Tea</h1><p>A drink. ${text}</p>${heading}<p>${text}</main>`),
        `# Tea\n\nA drink. ${text}\n\n## Past\n\n${text}`,
      );
  });

  it('is the article of a page without structure', () => {
    const sentence = 'The harbour was quiet that morning, and the boats, all of them, lay still in the grey water. ';
    const page = `<html><body><div><div><a href="/1">One</a> <a href="/2">Two</a> <a href="/3">Three</a> | <a href="/5">Five</a></div>
      <div><h1>The harbour</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(8)}</div><div><a href="/4">Imprint</a></div></div></body></html>`;
    const text = markdown(page);
    assert.match(text, /^# The harbour\n/);
    assert.match(text, /The harbour was quiet/);
    assert.doesNotMatch(text, /Imprint/);
  });

  it('is the article of a page without structure that is written carelessly', () => {
    const text = 'The harbour was quiet, and the boats, all of them, lay still: 3 < 4 & so on. ';
    const page = `<base href="/base/"><body><div><a href=1>One</a> <a href=2>Two</a> <a href=3>Three</a> | <a href=4>Four</a></div>
      <div><h1>Quiet &amp; grey</h1>${`<P data-x="<i>">${text.repeat(4)}<img src=boat.png alt='A "boat"'><br>`.repeat(8)}
      <p>Read <a href="more?a=1&amp;b=2">more</a><o:p></o:p></div><div><a href=5>Imprint</a></div>`;
    const found = convert(page);
    assert.match(found.markdown ?? '', /^# Quiet & grey\n\nThe harbour was quiet, .*: 3 < 4 & so on\./);
    assert.match(found.markdown ?? '', /!\[A "boat"\]\(https:\/\/site\.test\/base\/boat\.png\)/);
    assert.doesNotMatch(found.markdown ?? '', /Imprint/);
    assert.deepEqual(found.contentLinks, ['https://site.test/base/more?a=1&b=2']);
  });

  it('is the whole page if it has neither structure nor menus', () => {
    const page = `<div><div><p>First part.</p></div>${`<div><p>${'Words of a page. '.repeat(30)}</p></div>`.repeat(6)}<div>Last <a href="/x">part</a>.</div></div>`;
    assert.match(markdown(page), /^First part\.[\s\S]*Last \[part\]/);
  });

  it('keeps short pages unchanged', () => assert.equal(markdown('<h1>Hi</h1><p>there'), '# Hi\n\nthere'));

  it('keeps included tags, and drops excluded ones', () => {
    const page =
      '<nav id="n">menu</nav><div class="a b"><p data-x="1">one</p><p>two</p></div><section><p>three</p></section>';
    const cases: [Partial<ConvertOptions>, string][] = [
      [{ includeTags: ['.a'] }, 'one\n\ntwo'],
      [{ includeTags: ['div.a.b', 'section'] }, 'one\n\ntwo\n\nthree'],
      [{ includeTags: ['nav'] }, 'menu'],
      [{ includeTags: ['#n, section'] }, 'menu\n\nthree'],
      [{ includeTags: ['[data-x="1"]'] }, 'one'],
      [{ includeTags: ['div > p:nth-child(2)'] }, 'two'],
      [{ excludeTags: ['nav', '.a'] }, 'three'],
      [{ includeTags: ['.a'], excludeTags: ['.a p:first-child'] }, 'two'],
      [{ includeTags: ['.none'] }, ''],
    ];
    for (const [options, expected] of cases) assert.equal(markdown(page, options), expected, JSON.stringify(options));
  });

  it('reports an invalid selector', () => {
    for (const options of [{ includeTags: ['p[['] }, { excludeTags: ['a', ':nonsense('] }])
      assert.throws(() => markdown('<p>x', options), { name: 'InvalidSelector' });
  });
});

describe('markdown', () => {
  it('has tables, fenced code with its language, nested lists and absolute links', () => {
    const text = markdown(`<main><h2>Parts</h2>
      <table><thead><tr><th>Name</th><th align="right">Size</th></tr></thead><tbody><tr><td>a|b</td><td>1</td></tr></tbody></table>
      <pre><code class="language-ts">const a = 1;\n\n  if (a &lt; 2) run();\n</code></pre>
      <ol><li>one<ul><li>inner<ol><li>deep</li></ol></li></ul></li></ol>
      <p><a href="../other?x=1&amp;y=2#part">a link</a> <img src="/i.png" alt="a picture"></p></main>`);
    assert.ok(text.includes('## Parts'));
    assert.ok(text.includes('| Name | Size |\n| --- | ---: |\n| a\\|b | 1 |'), text);
    assert.ok(text.includes('```ts\nconst a = 1;\n\n  if (a < 2) run();\n```'), text);
    assert.match(text, /1\. one\n +- inner\n +1\. deep/);
    assert.ok(text.includes('[a link](https://site.test/other?x=1&y=2#part)'), text);
    assert.ok(text.includes('![a picture](https://site.test/i.png)'), text);
  });

  const languages: Record<string, string> = {
    '<pre><code class="lang-js">x</code></pre>': 'js',
    '<pre class="language-rust"><code>x</code></pre>': 'rust',
    '<div class="highlight highlight-source-python"><pre>x</pre></div>': 'python',
    '<div class="highlight-go notranslate"><div class="highlight"><pre>x</pre></div></div>': 'go',
    '<pre><code class="hljs yaml">x</code></pre>': 'yaml',
    '<pre class="brush: java; toolbar: false">x</pre>': 'java',
    '<pre data-lang="sql"><code>x</code></pre>': 'sql',
    '<pre><code class="hljs plaintext">x</code></pre>': '',
    '<pre><code>x</code></pre>': '',
  };
  for (const [source, language] of Object.entries(languages)) {
    it(`names the language of ${source}`, () =>
      assert.equal(markdown(`<main>${source}</main>`), `\`\`\`${language}\nx\n\`\`\``));
  }

  it("uses text for elements that markdown doesn't have", () => {
    assert.equal(markdown('<main><dl><dt>Term</dt><dd>Meaning</dd></dl></main>'), '**Term**\n\nMeaning');
    assert.equal(markdown('<main><details><summary>More</summary><p>Text</p></details></main>'), '**More**\n\nText');
    assert.equal(markdown('<main><a href="/x"><h3>Card</h3></a></main>'), '### [Card](https://site.test/x)');
  });

  it('drops empty links, heading anchors and line numbers', () => {
    assert.equal(
      markdown('<main><h2>One<a class="headerlink" href="#one">¶</a></h2><a href="/x"><span></span></a></main>'),
      '## One',
    );
    assert.equal(
      markdown('<main><table><tr><td class="gutter"><pre>1</pre></td></tr></table><pre>x</pre></main>').includes('1'),
      false,
    );
  });

  it('keeps lazy-loaded images, and drops embedded ones', () => {
    const page = `<main>words <img src="data:image/gif;base64,R0lG" data-src="/late.png" alt="late">
      <img srcset="/s.png 1x, /l.png 2x" alt="sets"><img src="data:image/png;base64,AAAA" alt="inline"></main>`;
    const result = convert(page);
    assert.match(result.markdown ?? '', /!\[late\]\(https:\/\/site\.test\/late\.png\)/);
    assert.match(result.markdown ?? '', /!\[sets\]\(https:\/\/site\.test\/l\.png\)/);
    assert.doesNotMatch(result.markdown ?? '', /base64/);
    assert.match(markdown(page, { removeBase64Images: false }), /!\[inline\]\(data:image\/png;base64,AAAA\)/);
    assert.deepEqual(result.images, ['https://site.test/late.png', 'https://site.test/l.png']);
  });

  it('has the text of table cells outside a table', () => {
    assert.equal(markdown('<th>Name</th><td>Price</td>'), 'Name\n\nPrice');
    const table = '<table><tr><th>Name</th></tr><tr><td>Kettle</td></tr></table>';
    assert.equal(markdown(table, { includeTags: ['th', 'td'] }), 'Name\n\nKettle');
  });

  it('treats elements, metadata and entities that are named like object members as unknown', () => {
    const page =
      '<meta name="constructor" content="x"><main><constructor>Words</constructor> &constructor; <toString>more</toString></main>';
    const { markdown: text, metadata } = convert(page);
    assert.equal(text, 'Words &constructor; more');
    assert.deepEqual(
      Object.values(metadata).filter((value) => typeof value === 'function'),
      [],
    );
    assert.equal(
      Object.keys(metadata).some((name) => name.includes('native code')),
      false,
    );
  });

  it('escapes injected markup as text (CRW-12)', () => {
    const text = markdown(
      '<main><p>&lt;script&gt;alert(1)&lt;/script&gt; ![x](http://evil.test)</p><p># no heading</p></main>',
    );
    assert.doesNotMatch(text, /^<script>/m);
    assert.doesNotMatch(text, /^# no/m);
    assert.doesNotMatch(text, /^!\[x\]/m);
  });
});

describe('attributes', () => {
  const collect = async (source: string, ...attributes: { selector: string; attribute: string }[]) => {
    const options = { url: 'https://site.test/', onlyMainContent: true, onlyCleanContent: false };
    const result = await convertTask({
      kind: 'html',
      body: Buffer.from(source),
      contentType: 'text/html',
      raw: false,
      maxPages: 0,
      attributes,
      lists: { links: false, contentLinks: false, images: false },
      options: { ...options, removeBase64Images: true, markdown: false, html: false },
    });
    return result.attributes?.map(({ values }) => values);
  };

  it('are collected from the whole page, in order and unchanged', async () => {
    const page = '<nav data-id="n &amp; m"></nav><main><a data-id="1" href="/x">x</a><a>y</a><p DATA-ID="2"></main>';
    assert.deepEqual(
      await collect(
        page,
        { selector: '[data-id]', attribute: 'data-id' },
        { selector: 'main > a', attribute: 'HREF' },
        { selector: 'video', attribute: 'src' },
      ),
      [['n & m', '1', '2'], ['/x'], []],
    );
  });

  it('need a valid selector', async () => {
    await assert.rejects(collect('<p>', { selector: 'p[', attribute: 'id' }), /"p\[" isn't a valid CSS selector/);
  });
});

describe('links and metadata', () => {
  it('come from the whole page for crawls, and from the content for the document', () => {
    const result =
      convert(`<nav><a href="/nav">n</a></nav><main><a href="a#1">a</a><a href="a#2">a</a><a href="https://other.test/">o</a>
      <a href="mailto:x@y.z">m</a><a href="javascript:x()">j</a><a href="http://[">bad</a><a href="//cdn.test/x">c</a></main>`);
    assert.deepEqual(result.links, [
      'https://site.test/nav',
      'https://site.test/docs/a',
      'https://other.test/',
      'https://cdn.test/x',
    ]);
    // Crawls fetch a page once; the document has the links as they are.
    assert.deepEqual(result.contentLinks, [
      'https://site.test/docs/a#1',
      'https://site.test/docs/a#2',
      'https://other.test/',
      'https://cdn.test/x',
    ]);
  });

  it('are those of SVG images, too, by either name', () => {
    const links = (svg: string) => convert(svg).links;
    const map = '<svg><a xlink:href="/docs/x"><path d="M0 0"/></a><a href="/docs/y"><text>East</text></a></svg>';
    assert.deepEqual(links(map), ['https://site.test/docs/x', 'https://site.test/docs/y']);
    assert.deepEqual(links('<a xlink:href="/docs/x">No link</a>'), []);
  });

  it("don't run anything where they are followed (EXT-33)", () => {
    for (const scheme of ['javascript', 'vbscript', 'command', 'COMMAND'])
      assert.doesNotMatch(convert(`<main><p><a href="${scheme}:x">Download</a></p></main>`).markdown ?? '', /:x/);
  });

  it("respect a base URL, unless it isn't a web address", () => {
    assert.deepEqual(convert('<base href="/b/"><base href="/c/"><a href="x">x</a>').links, ['https://site.test/b/x']);
    assert.deepEqual(convert('<base href="javascript:alert(1)"><a href="x">x</a>').links, ['https://site.test/docs/x']);
    assert.deepEqual(convert('<base href="http://["><a href="x">x</a>').links, ['https://site.test/docs/x']);
  });

  it('respect no base URL in what is no part of the page, but one after that', () => {
    for (const around of ['template', 'noscript', 'svg', 'math', 'iframe', 'textarea', 'xmp'])
      for (const place of ['head', 'div'])
        for (const [after, folder] of [
          ['', 'docs'],
          ['<base href="/yes/">', 'yes'],
        ])
          assert.deepEqual(
            convert(`<${place}><${around}><base href="/no/"></base></${around}>${after}</${place}><a href="x">x</a>`)
              .links,
            [`https://site.test/${folder}/x`],
            `${place} ${around} ${after}`,
          );
    const framed = `<iframe srcdoc='<base href="/no/">'></iframe><!--<base href="/no/">--><a href="x">x</a>`;
    assert.deepEqual(convert(framed).links, ['https://site.test/docs/x']);
    const second = '<base href="data:,x"><base href="/c/"><a href="x">x</a>';
    assert.deepEqual(convert(second).links, ['https://site.test/docs/x']);
    assert.deepEqual(convert(second.replace('href="data:,x"', 'target="_top"')).links, ['https://site.test/c/x']);
  });

  it('have the metadata of the page', () => {
    const { metadata } =
      convert(`<html lang="de"><head><title> A &amp; B\n </title><meta name="description" content="Says &quot;it&quot;">
      <meta property="og:title" content="OG"><meta name="statusCode" content="999"><link rel="icon" href="/f.ico"></head>
      <body><svg><title>No title</title></svg></body></html>`);
    assert.equal(metadata.title, 'A & B');
    assert.equal(metadata.description, 'Says "it"');
    assert.equal(metadata.language, 'de');
    assert.equal(metadata.ogTitle, 'OG');
    assert.equal(metadata.favicon, 'https://site.test/f.ico');
    assert.equal('statusCode' in metadata, false);
  });

  it('have a list where the page gives a name several values', () => {
    const metas = [
      ['og:locale:alternate', 'de_DE'],
      ['og:locale:alternate', 'fr_FR'],
      ['article:tag', 'a'],
      ['article:tag', 'b'],
      ['og:title', 'First'],
      ['og:title', 'Second'],
      ['description', 'One'],
      ['description', 'Two'],
    ];
    const { metadata } = convert(metas.map(([name, value]) => `<meta property="${name}" content="${value}">`).join(''));
    assert.deepEqual(metadata.ogLocaleAlternate, ['de_DE', 'fr_FR']);
    assert.deepEqual([metadata['article:tag'], metadata.articleTag], [['a', 'b'], 'a']);
    assert.deepEqual([metadata['og:title'], metadata.ogTitle], [['First', 'Second'], 'First']);
    assert.equal(metadata.description, 'One');
  });

  it('have the target of a refresh', () => {
    assert.equal(convert('<meta http-equiv="refresh" content="0; URL=\'/next\'">').refresh, 'https://site.test/next');
    assert.equal(convert('<meta http-equiv="refresh" content="600; url=/next">').refresh, undefined);
    assert.equal(convert('<meta http-equiv="refresh" content="0;url=javascript:x()">').refresh, undefined);
  });

  it('say what the content needs from a browser', () => {
    const words = 'Here are enough words to read, so that nobody has to wait for a script. '.repeat(4);
    const needs: [page: string, need: string][] = [
      ['', 'no scripts'],
      ['<h1>Short, without scripts</h1>', 'no scripts'],
      ['<script type="application/ld+json">{}</script><script type="text/template"><p></p></script>', 'no scripts'],
      ['<script type="speculationrules">{}</script><script>  </script>', 'no scripts'],
      ['<noscript><script src="/app.js"></script><iframe src="/x"></iframe></noscript>', 'no scripts'],
      [
        '<img src="a.png" onerror="hide()"><link href="a.css" onload="this.media=1"><a onclick="f()">a</a>',
        'no scripts',
      ],
      // Clicks that print, lead elsewhere, show what is there or call what no script defines.
      ['<a onclick="window.print()">Print</a><a onclick="history.back()">Back</a>', 'no scripts'],
      [`<tr onclick="location.href='/o/1'"><td>Order</td></tr><p onclick="window.open('/p')">P</p>`, 'no scripts'],
      [`<button onclick="this.nextElementSibling.hidden = false">Open</button><p hidden>Words</p>`, 'no scripts'],
      [`<a onclick="ga('send', 'click')">a</a><form onsubmit="return check()"></form>`, 'no scripts'],
      [`<button onclick="return confirm('Delete it?')">Delete</button><a onclick="this.blur()">a</a>`, 'no scripts'],
      [`<img onclick="this.classList.toggle('wide')"><input onclick="this.select()">`, 'no scripts'],
      [`<noscript><a onclick="list.innerHTML = ''">a</a></noscript>`, 'no scripts'],
      [`<button onclick="list.innerHTML += '<li>New</li>'">Load more</button>`, 'scripts'],
      [`<button onclick="list.insertAdjacentHTML('beforeend', '<li>New</li>')">Mehr anzeigen</button>`, 'scripts'],
      [`<button onclick="fetch('/rest').then(show)">Read on</button>`, 'scripts'],
      ['<script async src="https://www.googletagmanager.com/gtag/js?id=1"></script>', 'no content scripts'],
      ['<script>window.dataLayer = window.dataLayer || []; gtag("config", "G-1");</script>', 'no content scripts'],
      ['<script src="/stats/matomo.js"></script><script>_paq.push(["trackPageView"])</script>', 'no content scripts'],
      ['<script>window.__STATE__ = {"items": [1, 2]};</script><script>var a=["x"]</script>', 'no scripts'],
      ['<script>list.innerHTML = ["x"]</script>', 'scripts'],
      ['<script>window.items = [1]; render(items)</script>', 'scripts'],
      ['<script>document.documentElement.className = "js"</script>', 'no content scripts'],
      ['<script>gtag("event"); list.innerHTML = items.join("")</script>', 'scripts'],
      [`<div id="root">${words}</div><script src="/app.js"></script>`, 'scripts'],
      [`<main>${words}</main><script>list.append("more")</script>`, 'scripts'],
      ['<app-root></app-root><script type="module" src="x"></script>', 'scripts'],
      ['<body onload="fill()">', 'scripts'],
      ['<my-card><template shadowrootmode="open"><p>Words</p></template></my-card>', 'scripts'],
      ['<iframe src="/part"></iframe>', 'frames'],
      ['<iframe srcdoc="<p>Words</p>"></iframe>', 'frames'],
      ['<frameset><frame src="/menu"><frame src="/text"></frameset>', 'frames'],
      ['<iframe src="https://www.googletagmanager.com/ns.html" height="0" width="0"></iframe>', 'no scripts'],
    ];
    for (const [page, need] of needs) assert.equal(convert(page).need, need, page);
  });

  it('have the first button that loads more', () => {
    const buttonOf = (page: string) => convert(page).moreButton;
    assert.deepEqual(buttonOf('<button class="btn more">Load\n more</button>'), {
      text: 'Load more',
      selector: 'button.btn.more',
    });
    assert.deepEqual(buttonOf('<a id="next" role="button" href="#"><span>Mehr</span> anzeigen</a>'), {
      text: 'Mehr anzeigen',
      selector: '#next',
    });
    assert.equal(buttonOf('<button>Show older news</button>')?.text, 'Show older news');
    assert.equal(buttonOf('<button>Load the next 20</button>')?.text, 'Load the next 20');
    assert.equal(buttonOf('<button>Show more versions</button>')?.text, 'Show more versions');
    assert.deepEqual(buttonOf('<input type="button" value="加载更多">'), { text: '加载更多', selector: 'input' });
    const others = [
      '<a href="/page/2">Load more</a>',
      '<button aria-expanded="false">Show more</button>',
      '<button hidden>Load more</button><button disabled>Load more</button>',
      '<button>Read the story</button><p>Load more</p>',
      '<button>Show older versions</button><button>Show 20</button><button>Show next 7 days</button>',
      '<template><button>Load more</button></template>',
    ];
    for (const page of others) assert.equal(buttonOf(page), undefined, page);
  });
});

describe('html', () => {
  it('has the content with its attributes, absolute URLs and no scripts', () => {
    const text =
      html(`<nav>menu</nav><main class="m" onclick="x()"><p id="p" style="color:red"><a href="/x" onmouseover="y()">x</a>
      <a href="javascript:alert(1)">j</a><img src=i.png></p><script>alert(1)</script></main>`);
    assert.match(text, /^<main class="m">/);
    assert.match(text, /<p id="p" style="color:red"><a href="https:\/\/site\.test\/x">x<\/a>/);
    assert.match(text, /<img src="https:\/\/site\.test\/docs\/i\.png"/);
    assert.doesNotMatch(text, /script|onclick|onmouseover|menu/);
  });
  it('is made from the same page as the markdown', () => {
    const both = convert('<main><p class="x">a</p></main>', { markdown: true, html: true });
    assert.equal(both.markdown, 'a');
    assert.equal(both.html, '<main><p class="x">a</p></main>');
  });
});

describe('a login', () => {
  const form = '<form><label>Name <input name="user"></label> <input type="PASSWORD"> <button>Sign in</button></form>';
  const menus = `<table><tr>${'<td><a href="/faq">FAQ</a></td>'.repeat(6)}</tr></table>`;
  const menu = Array.from('abcdefg', (name) => `<a href="/${name}">Page ${name}</a>`).join(' ');
  const prose = `<p>${'All kettles are made by hand in our own workshop. '.repeat(20)}</p>`;
  const pages: [what: string, isLogin: boolean, page: string][] = [
    ['a form alone', true, form],
    [
      'a form below a heading',
      true,
      `<header>Shop</header><main><h1>Sign in</h1>${form}</main><footer>Imprint</footer>`,
    ],
    ['a form without an element of its own', true, '<div><h1>Welcome</h1><input type=password></div>'],
    [
      'a form beside a sentence',
      true,
      `<main><p>Please sign in to see your orders, or ask us for help.</p>${form}</main>`,
    ],
    ['a form below menus in a table', true, `${menus}<main><h1>Sign in</h1>${form}</main>`],
    ['a page that is called so, below menus', true, `<title>Your account</title>${menus}${form}`],
    [
      'a request to log in, below menus',
      true,
      `${menus}<table><tr><td>You are not logged in. ${form}</td></tr></table>`,
    ],
    ['a form in another language', true, `<main><h1>Bejelentkezés</h1>${form}<a href="/pw">Elfelejtetted?</a></main>`],
    [
      'a protected text',
      true,
      `<header>${menus}</header><main><h1>Notes</h1><form>Password: <input type=password></form></main>`,
    ],
    [
      'a form with help, ways to sign in and links below it',
      true,
      `<h1>Portal</h1>${form}<h2>New here?</h2><p>Ask us.</p><div>${menu}</div>`,
    ],
    ['a page that is called so, above links', true, `<title>Log in - Club</title>${form}<div>${menu}</div>`],
    [
      'a request to log in, below a form and menus',
      true,
      `${form}${menus}<table><tr><td>You are not logged in. ${form}</td></tr></table>`,
    ],
    ['a line of text below a form and menus', false, `${form}${menus}<table><tr><td>user3: 12 posts</td></tr></table>`],
    [
      'a text in the one form of a site',
      false,
      `<form>${menus}<input type=password><button>Go</button><div><h1>Kilns</h1><p>They cool for a day.</p></div></form>`,
    ],
    [
      'a text about accounts, below a form and menus',
      false,
      `<title>Account help</title><h1><a href="/">Club</a></h1>${form}${menus}<h2>Account help</h2><p>Ask us.</p>`,
    ],
    [
      'a short text below a form and menus',
      false,
      `${form}${menus}<main><h1>Kilns</h1><p>They cool for a day.</p></main>`,
    ],
    [
      'a list below a form and menus',
      false,
      `<table><tr><td>${form}</td></tr></table>${menus}<h1>Forums</h1><a href="/f">Kilns</a>`,
    ],
    ['a form beside much text', false, `<main>${prose}${form}</main>`],
    ['a form in the header', false, `<header>${form}</header><main><h1>Gone</h1></main>`],
    ['a form in a dialog', false, `<main><h1>Gone</h1></main><dialog>${form}</dialog>`],
    ['a hidden form', false, `<main><h1>Gone</h1><div hidden>${form}</div></main>`],
    ['a form without a password', false, '<main><h1>Sign in</h1><form><input type="email"></form></main>'],
    ['words alone', false, '<main><h1>Sign in</h1><p>Enter your password.</p></main>'],
  ];
  it('is one in any language, below a menu outside of navigation', () => {
    const names = `Log ind|Logg inn|Logga in|Kirjaudu sisään|Přihlášení|Bejelentkezés|Giriş yap|Iniciar sessão|Área de socios|
      Area riservata|Espace membres|Mitgliederbereich|Members only|Zaloguj się|Σύνδεση|Увійти|Autentificare|会員|로그인|用户登录`;
    for (const name of names.split(/\|\s*/))
      for (const above of [`<div>${menu}</div>`, `<table><tr><td>${menu}</td></tr></table>`]) {
        const page = `<title>${name} – Club</title>${above}<div><h1>${name}</h1>${form}</div>`;
        assert.equal(convert(page, { url: 'https://site.test/members' }).isLogin, true, name);
      }
  });
  for (const [what, isLogin, page] of pages)
    it(`is ${isLogin ? '' : 'not '}${what}`, () => {
      for (const onlyMainContent of [true, false]) assert.equal(convert(page, { onlyMainContent }).isLogin, isLogin);
    });
});
