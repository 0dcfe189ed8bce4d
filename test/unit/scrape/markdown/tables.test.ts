import assert from 'node:assert/strict';
import { assertMarkdown, markdownOf } from './convert.ts';

const head = '<tr><th>A</th><th>B</th></tr>';
const line = '| A | B |\n| --- | --- |\n';
const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const table = (...rows: string[]) => `<table>${rows.join('')}</table>`;
const prose = (name: string) =>
  `<p>${name} has many words that are prose, and it says a lot of things, one after the other. Really, it does.</p>`;

describe('the Markdown of tables', () => {
  assertMarkdown({
    'keeps cells in their columns beside merged ones': [
      [
        table(
          '<tr><th>Area</th><th>Code</th><th>N</th></tr>',
          '<tr><td rowspan="2">EU</td><td>FR</td><td>1</td></tr>',
          row('DE', '2'),
        ),
        '| Area | Code | N |\n| --- | --- | --- |\n| EU | FR | 1 |\n| | DE | 2 |',
      ],
      [
        table(
          '<tr><th>A</th><th>B</th><th>C</th></tr>',
          '<tr><td colspan="2" rowspan="2">x</td><td>1</td></tr>',
          row('2'),
          row('a'),
        ),
        '| A | B | C |\n| --- | --- | --- |\n| x | | 1 |\n| | | 2 |\n| a | | |',
      ],
      [
        table(row('a', 'b'), '<tr><td>c</td><td rowspan="0">d</td></tr>', row('e')),
        '| a | b |\n| --- | --- |\n| c | d |\n| e | |',
      ],
      [
        '<table><tfoot><tr><td>sum</td><td>3</td></tr></tfoot><thead><tr><th rowspan="9">A</th><th>B</th></tr></thead><tbody><tr><td>a</td><td rowspan="0">1</td></tr><tr><td>b</td></tr></tbody><tbody><tr><td>c</td><td>2</td></tr></tbody></table>',
        `${line}| a | 1 |\n| b | |\n| c | 2 |\n| sum | 3 |`,
      ],
      [table(head, row('1', '2'), '<tr><td colspan="9">foot</td></tr>'), `${line}| 1 | 2 |\n| foot | |`],
      [
        table('<tr><th colspan="2">T</th><th>U</th></tr>', row('1', '2', '3')),
        '| T | | U |\n| --- | --- | --- |\n| 1 | 2 | 3 |',
      ],
    ],
    'has one line for each row, with breaks between the blocks of a cell': [
      [
        table(head, row('<div>Ada Low</div><div>Bo Hill</div>', '<p>x</p>\n<p>y</p>')),
        `${line}| Ada Low<br>Bo Hill | x<br>y |`,
      ],
      [table(head, row('a<br>b', 'c<br><br>d<br>')), `${line}| a<br>b | c<br>d |`],
      [
        table(head, row('<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '<ol start="3"><li>q</li></ol>')),
        `${line}| - a<br>  - b<br>- c | 3. q |`,
      ],
      [table(head, row('<h4>T</h4>text', '<dl><dt>t</dt><dd>d</dd></dl>')), `${line}| **T**<br>text | **t**<br>d |`],
      [
        table('<tr><td>a<td>b</tr><tr>x<td>1</td>y<td>2<tr>z<td>3<td>4'),
        'x y\n\nz\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |',
      ],
      [table(head, row('<blockquote>q</blockquote>r', '<input type="checkbox">')), `${line}| q<br>r | |`],
    ],
    'escapes what would end a cell, in texts, code, addresses and titles': [
      [
        table(
          head,
          row('<a href="/api?t=A|B" title="Home | Site">a | b</a>', '<img src="/a|b.png" alt="p |\nq" title="x\ny">'),
        ),
        `${line}| [a \\| b](https://site.test/api?t=A%7CB "Home \\| Site") | ![p \\| q](https://site.test/a%7Cb.png "x&#10;y") |`,
      ],
      [
        table(head, row('<code>a|b</code>', '<code>GET /a<br>PUT /b</code>')),
        `${line}| \`a\\|b\` | \`GET /a\`<br>\`PUT /b\` |`,
      ],
      [
        table(head, row('<pre>__init__ a[1](b)</pre>', '<pre><code>x\n\n  y</code></pre>')),
        `${line}| \`__init__ a[1](b)\` | \`x\`<br>\`  y\` |`,
      ],
      [table(head, row('\\|', '# x')), `${line}| \\\\\\| | # x |`],
    ],
    'has a header, also where the first row is empty': [
      [table('<tr></tr>', row('a', 'b'), row('c', 'd')), '| a | b |\n| --- | --- |\n| c | d |'],
      [
        table('<thead><tr><th></th><th> </th></tr></thead>', row('a', 'b'), row('', ''), row('c', 'd')),
        '| a | b |\n| --- | --- |\n| c | d |',
      ],
      [table('<tr><th>A</th></tr>', row('1', '2', '3')), '| A | | |\n| --- | --- | --- |\n| 1 | 2 | 3 |'],
      [table('<caption>All</caption>', head, row('1', '2')), `All\n\n${line}| 1 | 2 |`],
      [
        '<table><thead><tr><th align="left">a</th><th style="text-align: right">b</th><th align=center>c</th></tr></thead><tr><td>1<td>2<td>3</table>',
        '| a | b | c |\n| :--- | ---: | :---: |\n| 1 | 2 | 3 |',
      ],
    ],
    'has what a page puts where a table has no place for it': [
      [table('<tr>Words <td>a</td><td>b</td></tr>', row('c', 'd')), 'Words\n\n| a | b |\n| --- | --- |\n| c | d |'],
      ['<table><thead><th>A</th><th>B</th></thead><tr><td>1</td><td>2</td></tr></table>', `${line}| 1 | 2 |`],
      [table(head, '<td>1</td><td>2</td>'), `${line}| 1 | 2 |`],
      [`<table><tbody><form>${head}${row('1', '2')}</form></tbody></table>`, `${line}| 1 | 2 |`],
      [table(head, '<tr><form><input type="hidden"><td>1</td> <td>2</td></form></tr>'), `${line}| 1 | 2 |`],
      [table(head, '<tr><form>Said<td>1</td><td>2</td></form></tr>'), `${line}| Said 1 2 | |`],
      [table(head, '<tr><a href="/x"><td>1</td><td>2</td></a></tr>'), `${line}| [1 2](https://site.test/x) | |`],
      [
        table('Said <p>before</p>', head, row('1', '2'), '<table><tr><td>inner</td></tr></table>'),
        `Said\n\nbefore\n\ninner\n\n${line}| 1 | 2 |`,
      ],
    ],
    'has the text of a small table in a cell': [
      [table(row('Menu', 'Text<table><tr><td>x</td></tr></table>')), '| Menu | Text<br>x |\n| --- | --- |'],
      [table(head, row(table(row('x', 'y'), row('z', 'w')), 'b')), `${line}| x y<br>z w | b |`],
      [
        table(head, row(table(row('<p>x</p><p>y</p>', '<div>z</div>'), row('w', 'v')), '<p>b</p>c')),
        `${line}| x y z<br>w v | b<br>c |`,
      ],
    ],
    'stands in lists and quotes': [
      [`<ul><li>x${table(head, row('1', '2'))}</li></ul>`, '- x\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |'],
      [`<blockquote>${table(head, row('1', '2'))}</blockquote>`, '> | A | B |\n> | --- | --- |\n> | 1 | 2 |'],
    ],
    'is no table where one lays out a page': [
      [
        '<table role="presentation"><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
        'a\n\nb\n\nc\n\nd',
      ],
      [table(row('a'), row('b')), 'a\n\nb'],
      [table(row('<pre>x</pre>', '<h2>y</h2>'), row('1', '2')), '```\nx\n```\n\n## y\n\n1\n\n2'],
    ],
  });

  it('is no table where a cell has several paragraphs and no column has a heading', () => {
    const page = table(row(`<a href="/x">Menu</a>`, prose('One') + prose('Two')), row('Foot', 'y'));
    const text = markdownOf(page, { onlyMainContent: false });
    assert.match(text, /^\[Menu\].*\n\nOne has .*\n\nTwo has .*\n\nFoot\n\ny$/);
  });

  it('does not grow without end by what its cells span', () => {
    const spans = '<tr><td rowspan="100" colspan="100">x</td></tr>'.repeat(5000);
    assert.ok(markdownOf(table(head, spans)).length < 2_000_000);
  });
});
