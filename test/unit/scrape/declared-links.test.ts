import assert from 'node:assert/strict';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';
import {
  addressOfChoice,
  namesAddress,
  readLinkHeader,
  targetOfClick,
} from '../../../src/service/web/scrape/convert/notes/declared-links.ts';

describe('links that a page declares', () => {
  const page = 'https://a.test/x/list?p=1';
  const cases: [string, string | undefined, string[], string?][] = [
    ['no header', undefined, []],
    ['a query', '<?p=2>; rel="next"', ['https://a.test/x/list?p=2']],
    [
      'several, one of which has a comma and another one in its title',
      '</a>; rel=next, <b>; rel=prev; title="x, <y>; rel=next"',
      ['https://a.test/a', 'https://a.test/x/b'],
    ],
    [
      'other languages, but no feed',
      '<https://a.test/de>; rel="alternate"; hreflang=de\n</feed>; rel=alternate; type="application/rss+xml"; hreflang=en',
      ['https://a.test/de'],
    ],
    ['an original', '</o>; rel="Canonical", </other>; rel=canonical', [], 'https://a.test/o'],
    ['what is said of another page', '</n>; rel=next; anchor="/z"', []],
    [
      'a place in a page, and a route',
      '</n#top>; rel="start next", <#/2>; rel=next',
      ['https://a.test/n', `${page}#/2`],
    ],
    ['a second rel, which does not count', '</n>; rel="prefetch"; rel=next', []],
    ['no web page', '<javascript:x>; rel=next, <mailto:a@b>; rel=next', []],
    ['escapes and spaces', '</q> ;  REL = "ne\\xt" , </p>;rel=preload', ['https://a.test/q']],
    ['what is no header', '<<<>>;; rel=next, rel=next', []],
  ];
  for (const [name, header, links, canonical] of cases)
    it(`are read from a header with ${name}`, () => {
      assert.deepEqual(readLinkHeader(header, page), { links, ...(canonical !== undefined && { canonical }) });
    });

  it('are read from scripts in attributes, if they are written there as a whole', () => {
    const targets: [string, string | undefined][] = [
      ["location.href='/orders/7'", '/orders/7'],
      ['window.location = "/a?b=1"', '/a?b=1'],
      ["document.location.href = '/x'; return false", '/x'],
      ["window.open('/p.pdf', '_blank')", '/p.pdf'],
      ['location.assign(`/y`)', '/y'],
      ["track('x'); location.href='/after'", '/after'],
      ["go('/trails/1')", '/trails/1'],
      ["event.preventDefault(); goTo('/a')", '/a'],
      ['goToPage("/b?c=1")', '/b?c=1'],
      ["return app.navigateTo('https://site.test/x')", 'https://site.test/x'],
      ["this.$router.push('/d')", '/d'],
      // What isn't said to lead to its address may send, delete or play what it has.
      ["deleteItem('/items/1')", undefined],
      ["like('/posts/1/like')", undefined],
      ["$.post('/cart/add')", undefined],
      ["fetch('/api/vote/1')", undefined],
      ["addToCart('/products/7')", undefined],
      ["play('/sounds/a.mp3')", undefined],
      ["openModal('/parts/7')", undefined],
      ["cargo('/x'); goodbye('/y'); visitor('/z')", undefined],
      ["ga('send', 'event', '/x')", undefined],
      ["if (confirm('Delete?')) go('/items/1/delete')", undefined],
      ["if (confirm('Delete?')) location = '/items/1/delete'", undefined],
      ["Turbo.visit('/logout', { method: 'post' })", undefined],
      ["goPost('/api/x'); go_delete('/x'); visitCount('/api/count')", undefined],
      ["go('/x/'.concat(id))", undefined],
      ["items.push('/x'); copy('/y')", undefined],
      ["go('home')", undefined],
      ["go('/o/' + id)", undefined],
      ['location=`/$' + '{id}`', undefined],
      ["location.href='/o?id='+id", undefined],
      ["if (location == '/x') go()", undefined],
      ["alert('location.href=1')", undefined],
      ["location.href=''", undefined],
      ['toggle(3)', undefined],
      ["'".repeat(3000), undefined],
    ];
    for (const [script, target] of targets) {
      assert.equal(targetOfClick(script), target, script.slice(0, 60));
      // Rows that have none of these are counted: what isn't followed isn't lost in silence.
      assert.equal(namesAddress.test(script), target !== undefined, script.slice(0, 60));
    }
  });

  it('are made of a chosen value as the script of its list says', () => {
    const addresses: [script: string, of: string | undefined][] = [
      ['location = this.value', 'V'],
      ["location='?v='+this.value", '?v=V'],
      ["if (this.value) window.location.href = '/p/' + this.options[this.selectedIndex].value + '.html';", '/p/V.html'],
      ["window.open(this.value, '_blank')", 'V'],
      ["location.assign('/go/' + encodeURIComponent(this.value))", '/go/V'],
      ['this.form.submit()', undefined],
    ];
    for (const [script, expected] of addresses) {
      const address = addressOfChoice(script);
      assert.equal(address && `${address.before}V${address.after}`, expected, script);
    }
  });
});

describe('a document in a frame', () => {
  it('is a link of the page, also if the frame is a viewer that is given its address', () => {
    const site = 'https://site.test';
    const options = { onlyMainContent: true, onlyCleanContent: false, removeBase64Images: true };
    const links = (html: string) =>
      convertPage(html, { url: `${site}/law/`, ...options, markdown: true, html: false }).links;
    const found: [html: string, ...links: string[]][] = [
      ['<object data="act.pdf" type="application/pdf"></object>', '/law/act.pdf'],
      ['<object data="/get?id=1&amp;as=file" type="application/pdf"></object>', '/get?id=1&as=file'],
      ['<embed src="/act.pdf#page=2">', '/act.pdf'],
      ['<iframe src="/act.docx"></iframe>', '/act.docx'],
      ['<iframe src="/js/viewer.html?file=%2Fact.pdf"></iframe>', '/act.pdf'],
      ['<iframe src="/js/viewer.html?file=..%2Fget%2F7"></iframe>', '/get/7'],
      [`<iframe src="https://viewer.test/view?embedded=true&url=${site}/act.pdf"></iframe>`, '/act.pdf'],
      [`<iframe src="/view?title=Annual.pdf&amp;url=${site}/act.pdf"></iframe>`, '/act.pdf'],
      ['<iframe src="/view?left=/a.pdf&amp;right=./b.pdf"></iframe>', '/a.pdf', '/b.pdf'],
      ['<iframe src="/js/viewer.html#file=act.pdf"></iframe>', '/js/act.pdf'],
      // What the browser reads of a frame is in place of it.
      [`<div data-frame="${site}/get?id=1" type="application/pdf"></div>`, '/get?id=1'],
    ];
    for (const [html, ...shown] of found)
      assert.deepEqual(
        links(html),
        shown.map((each) => site + each),
        html,
      );
    for (const html of [
      '<iframe src="/map?file=roads"></iframe>',
      '<iframe src="/search?q=annual.pdf"></iframe>',
      '<object data="/a.svg" type="image/svg+xml"></object>',
      '<embed>',
    ])
      assert.deepEqual(links(html), [], html);
  });
});
