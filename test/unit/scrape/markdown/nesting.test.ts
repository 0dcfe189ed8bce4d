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
