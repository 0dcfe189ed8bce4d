import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertMarkdown, rendered } from './convert.ts';

/** Contents of lists, quotes, headings and code in each other; `W` is a word. */
const { blocks } = fc.letrec<{ blocks: string; block: string; item: string }>((tie) => ({
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3, depthIdentifier: 'nested' }).map((all) => all.join('')),
  block: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'nested' },
    fc.constantFrom('<p>W</p>', '<h3>W</h3>', '<hr>', '<pre>W\n\n W</pre>'),
    fc
      .tuple(fc.constantFrom('ul', 'ol'), fc.array(tie('item'), { minLength: 1, maxLength: 3 }))
      .map(([list, items]) => `<${list}>${items.map((item) => `<li>${item}</li>`).join('')}</${list}>`),
    fc
      .tuple(fc.constantFrom('blockquote', 'div'), tie('blocks'))
      .map(([box, content]) => `<${box}>${content}</${box}>`),
  ),
  item: fc.oneof(
    fc.constantFrom('W', '<h4>W</h4>W'),
    tie('block').map((block) => `W${block}`),
    tie('blocks'),
  ),
}));

/** Each word with the elements that it is in. */
function placesIn(html: string): string[] {
  const open: string[] = [];
  return [...html.matchAll(/<(\/?)(\w+)[^>]*>|w\d+/g)].flatMap(([text, end, name = '']) => {
    if (text.startsWith('w')) return `${text} in ${open.join(' ')}`;
    if (/^([uo]l|li|blockquote|h\d|pre)$/.test(name)) end === '' ? open.push(name) : open.pop();
    return [];
  });
}

describe('the Markdown of parts in parts', () => {
  it('has each word where it is', () => {
    fc.assert(
      fc.property(blocks, (content) => {
        let count = 0;
        const html = content.replaceAll('W', () => `w${count++}`);
        assert.deepEqual(placesIn(rendered(html)), placesIn(html), html);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  assertMarkdown({
    'has headings in items and cells': [
      [
        '<ul><li><a href="/x"><h3>T</h3><p>x</p></a></li><li><h3>U</h3></li></ul>',
        '- ### [T](https://site.test/x)\n\n  x\n- ### U',
      ],
      [
        '<table><tr><th><h3>A</h3></th><th>B</th></tr><tr><td><h4>T</h4></td><td><ul><li><h4>U</h4></li><li>v</li></ul></td></tr></table>',
        '| **A** | B |\n| --- | --- |\n| **T** | - **U**<br>- v |',
      ],
    ],
    'has the form of what a link is around, and the link in each part': [
      [
        '<a href="/t"><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></a>',
        `| [A](https://site.test/t) | [B](https://site.test/t) |\n| --- | --- |\n| [1](https://site.test/t) | [2](https://site.test/t) |`,
      ],
      [
        '<a href="/l"><ul><li>one</li><li>two</li></ul></a>',
        '- [one](https://site.test/l)\n- [two](https://site.test/l)',
      ],
      [
        '<a href="/c"><pre>a\n  b</pre></a><p>c</p>',
        '```\na\n  b\n```\n\n[https://site.test/c](https://site.test/c)\n\nc',
      ],
      ['<a href="/c">Code<pre>a</pre></a>', '[Code](https://site.test/c)\n\n```\na\n```'],
      [
        '<a href="/l"><div>Harbour</div><ul><li>3 rooms</li><li>2 baths</li></ul></a>',
        '[Harbour 3 rooms 2 baths](https://site.test/l)',
      ],
      ['<a href="/b"><table><tr><td>Buy</td></tr></table></a>', '[Buy](https://site.test/b)'],
    ],
    'has tables in items and quotes': [
      [
        '<ul><li>a<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></li><li>b</li></ul>',
        '- a\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |\n- b',
      ],
      [
        '<blockquote><table><tr><th>A</th><th>B</th></tr><tr><td><ul><li>x</li></ul></td><td>y</td></tr></table></blockquote>',
        '> | A | B |\n> | --- | --- |\n> | - x | y |',
      ],
    ],
  });
});
