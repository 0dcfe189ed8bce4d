import assert from 'node:assert/strict';
import { placeStreamedParts } from '../../../src/service/web/scrape/convert/page-tree/streamed-parts.ts';

describe('parts of a page that React sends at its end', () => {
  const boundary = (id: string, fallback = 'Wait') =>
    `<!--$?--><template id="B:${id}"></template><p>${fallback}</p><!--/$-->`;
  const part = (id: string, content: string) => `<div hidden id="S:${id}">${content}</div>`;
  const calls = (...all: string[]) => all.map((each) => `<script>$RC=function(b,a){};${each}</script>`).join('');
  const [place, late, called] = [boundary('0'), part('0', 'B'), calls('$RC("B:0","S:0")')];
  const textOf = (page: string) =>
    placeStreamedParts(page)
      .replace(/<script>.*?<\/script>|<!--.*?-->|<[^>]*>/gs, ' ')
      .trim()
      .split(/\s+/)
      .join(' ');

  it('are put where its scripts move them', () => {
    for (const [page, expected] of [
      [`A ${boundary('0')} C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`, 'A B C'],
      [`A ${boundary('0')} C${part('0', 'B')}${calls('$RR("B:0","S:0",[["/a.css","next"]])')}`, 'A B C'],
      // A part within another one, and within what another one replaces.
      [
        `A ${boundary('0')} D${part('0', `B ${boundary('1')}`)}${part('1', 'C')}${calls('$RC("B:1","S:1")', '$RC("B:0","S:0")')}`,
        'A B C D',
      ],
      [`A ${boundary('0', boundary('1'))} C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`, 'A B C'],
      [`A ${boundary('0', `<!--$-->X<!--/$-->`)} C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`, 'A B C'],
      // Segments of a part.
      [
        `A ${boundary('0')} D${part('0', '<template id="P:1"></template><template id="P:2"></template>')}${part('2', 'C')}${part('1', 'B ')}${calls('$RS("S:2","P:2")', '$RS("S:1","P:1")', '$RC("B:0","S:0")')}`,
        'A B C D',
      ],
      [
        `<table><tr><td>A</td></tr>${boundary('x:0')}</table>C<table hidden><tbody id="x:S:0"><tr><td>B</td></tr></tbody></table>${calls('$RC("B:x:0","x:S:0")')}`,
        'A B C',
      ],
    ] as const)
      assert.equal(textOf(page), expected, page);
  });

  it('are moved by scripts that run, not by what is quoted', () => {
    const quoted = '$RC("B:0","S:1")';
    const other = boundary('1') + part('1', 'Other');
    for (const page of [
      `<pre><code>${quoted}</code></pre>`,
      `<!-- ${quoted} --><!-- ${calls(quoted)} -->`,
      `<script type="application/json">${quoted}</script><script src="/a.js">${quoted}</script>`,
      `<script>self.__next_f.push([1,'${quoted}'])</script><script>text = ";${quoted}"</script>`,
      `<template>${calls(quoted)}</template><noscript>${calls(quoted)}</noscript>`,
    ]) {
      assert.equal(placeStreamedParts(place + other + page), place + other + page, page);
      const placed = placeStreamedParts(place + other + page + late + called);
      assert.equal(placed, `<!--$?-->B<!--/$-->${other}${page}${called}`, page);
    }
    // What has the same id where scripts don't find it.
    for (const unseen of ['template', 'noscript'])
      assert.equal(textOf(`<${unseen}><div hidden id="S:0"></div></${unseen}>${place} C${late}${called}`), 'B C');
    // The next app of a page names its parts as the first one does.
    assert.equal(textOf(place + late + called + boundary('0') + part('0', 'C') + called), 'B C');
  });

  it('stay where they are, as the whole page does, if something of it is not as React writes it', () => {
    const other = `${boundary('1')}${part('1', 'C')}${calls('$RC("B:1","S:1")')}`;
    for (const page of [
      `A ${place} C${late}`,
      `A C${late}${called}`,
      `A ${place}${called}`,
      `${late}A ${place} C${called}`,
      // A fallback that has no comment, or another one, directly before it, and one that ends in another element.
      `A <template id="B:0"></template>Wait<!--/$--> C${late}${called}`,
      `A <!--$--><template id="B:0"></template>Wait<!--/$--> C${late}${called}`,
      `A <!--$?-->And <template id="B:0"></template>Wait<!--/$--> C${late}${called}`,
      `A <!--$?--><p id="B:0"></p>Wait<!--/$--> C${late}${called}`,
      `A <!--$?--><template id="B:0"></template>Wait C${late}${called}`,
      `<p>A <!--$?--><template id="B:0"></template>Wait</p><p>Kept<!--/$--> C</p>${late}${called}`,
      // A part that is shown, that nothing ends, that holds its own place, and one that was moved by now.
      `A ${place} C<div id="S:0">B</div>${called}`,
      `A ${place} C<section><div hidden id="S:0">B</section>${called}`,
      `A <div hidden id="S:0">B ${place}</div>${called}`,
      `A ${place} C${late}${called}${called}`,
      `A ${place} C${boundary('2')}${late}${calls('$RC("B:0","S:0")', '$RC("B:2","S:0")')}`,
      // A place of a segment that is shown.
      `A <p id="P:0">Kept</p>${late}${calls('$RS("S:0","P:0")')}`,
    ])
      assert.equal(
        placeStreamedParts(other + page),
        page.includes('$R') ? other + page : `<!--$?-->C<!--/$-->${calls('$RC("B:1","S:1")')}${page}`,
        page,
      );
  });

  it('stay where they are in a page that is too deep to be read, also with them', () => {
    for (const deep of ['<div>'.repeat(2001), '<span>'.repeat(100_000) + '</p>'.repeat(100_000)]) {
      const page = place + late + called + deep;
      assert.equal(placeStreamedParts(page), page);
    }
    const [opened, closed] = ['<div>'.repeat(1500), '</div>'.repeat(1500)];
    const page = opened + place + closed + part('0', opened + boundary('1') + closed) + called;
    const both = page + part('1', 'C') + calls('$RC("B:1","S:1")');
    assert.equal(placeStreamedParts(both), both);
  });

  it('are read in linear time, however often and deep they are nested', () => {
    const ids = Array.from({ length: 900 }, (_, id) => String(id));
    const chain = (count: number) =>
      boundary('0') +
      ids
        .slice(0, count)
        .map((id) => part(id, `w${id} ${boundary(String(Number(id) + 1))}`) + calls(`$RC("B:${id}","S:${id}")`))
        .join('');
    assert.match(textOf(chain(400)), /^w0 w1 w2 .* w399 Wait$/);
    const many = `${ids.map((id) => boundary(id)).join('')}${part('0', 'w'.repeat(1_000_000))}${ids.map((id) => calls(`$RC("B:${id}","S:0")`)).join('')}`;
    assert.equal(placeStreamedParts(many), many);
  });
});
