import assert from 'node:assert/strict';
import { placeStreamedParts } from '../../../src/service/web/scrape/convert/page-tree/streamed-parts.ts';

describe('parts of a page that React sends at its end', () => {
  const boundary = (id: string, fallback = 'Wait', begin = '$?') =>
    `<!--${begin}--><template id="B:${id}"></template><p>${fallback}</p><!--/$-->`;
  const part = (id: string, content: string) => `<div hidden id="S:${id}">${content}</div>`;
  const calls = (...all: string[]) => `<script>$RC=function(b,a){};${all.join(';')}</script>`;
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
        `A ${boundary('0')} D${part('1', 'C')}${part('0', `B ${boundary('1')}`)}${calls('$RC("B:1","S:1")', '$RC("B:0","S:0")')}`,
        'A B C D',
      ],
      [`A ${boundary('0', boundary('1'))} C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`, 'A B C'],
      [`A ${boundary('0', `<!--$-->X<!--/$-->`, '$~')} C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`, 'A B C'],
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

  it('stay where they are if no script moves them, or if their place is unknown', () => {
    for (const page of [
      `A ${boundary('0')} C${part('0', 'B')}`,
      `A C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`,
      `A <!--$?--><template id="B:0"></template>Wait C${part('0', 'B')}${calls('$RC("B:0","S:0")')}`,
      `A ${boundary('0')}${calls('$RC("B:0","S:0")')}<p><code>$RC("B:1","S:1")</code>`,
    ])
      assert.equal(placeStreamedParts(page), page);
  });

  it('are read in linear time, however they are nested', () => {
    const count = 20_000;
    const own = part('0', boundary('0')) + calls('$RC("B:0","S:0")');
    assert.equal(textOf(own), '');
    // What is in each other is nowhere, and the first of two with an id counts.
    const ring = part('0', boundary('1')) + part('1', boundary('0')) + boundary('2') + part('2', boundary('0'));
    assert.equal(textOf(ring + calls(...['0', '1', '2'].map((id) => `$RC("B:${id}","S:${id}")`))), 'Wait');
    const ids = Array.from({ length: count }, (_, id) => String(id));
    const all = ids.map((id) => `$RC("B:${id}","S:${id}")`);
    const page = boundary('0') + ids.map((id) => part(id, `w${id} ${boundary(String(Number(id) + 1))}`)).join('');
    assert.match(textOf(page + calls(...all)), /^w0 w1 w2 /);
  });
});
