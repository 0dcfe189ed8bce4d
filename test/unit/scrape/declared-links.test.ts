import assert from 'node:assert/strict';
import { readLinkHeader, targetOfClick } from '../../../src/service/web/scrape/convert/notes/declared-links.ts';

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
      ['location=`/$' + '{id}`', undefined],
      ["location.href='/o?id='+id", undefined],
      ["if (location == '/x') go()", undefined],
      ["alert('location.href=1')", undefined],
      ["location.href=''", undefined],
      ['toggle(3)', undefined],
      ["'".repeat(3000), undefined],
    ];
    for (const [script, target] of targets) assert.equal(targetOfClick(script), target, script.slice(0, 60));
  });
});
