import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { assertMarkdown, markdownOf, rendered } from './convert.ts';

const nbsp = '\u00a0';

describe('the Markdown of text', () => {
  assertMarkdown({
    'has words apart that blocks keep apart': [
      ['<div>Price</div><span>10</span>', 'Price\n\n10'],
      ['<ul><li><div>Price</div><span>10</span></li></ul>', '- Price\n\n  10'],
      ['<a href="/a"><div>News</div><time>5 March</time></a>', '[News 5 March](https://site.test/a)'],
      [
        '<a href="/a"><p>One</p></a><a href="/b"><p>Two</p></a>',
        '[One](https://site.test/a)\n\n[Two](https://site.test/b)',
      ],
      ['<h2><div>Bridge</div><div>opens</div></h2>', '## Bridge opens'],
      ['<p>a<span style="display: block">b</span>c</p>', 'a\n\nb\n\nc'],
      [
        '<button aria-expanded="true">Show all details</button><button aria-expanded="true">Hide all details</button>',
        'Show all details Hide all details',
      ],
      [
        '<ul><li><a href="/a"><div>News</div><h3>Bridge</h3><time>5 March</time></a></li></ul>',
        '- News\n\n  ### [Bridge](https://site.test/a)\n\n  5 March',
      ],
    ],
    'collapses white space over the borders of elements': [
      [
        '<p>Hello<span> </span>world, <b>First</b><b> </b><b>Last</b>, one<b> two </b>three</p>',
        'Hello world, **First** **Last**, one **two** three',
      ],
      ['<p> a <i> b </i> c<a href="/x"> </a>d </p>', 'a *b* cd'.replace('cd', 'c d')],
      ['<p>a<b><i> </i></b>b<code> </code></p>', 'a b` `'],
      ['<p>a\n\t<!-- x -->\n b<br> c</p>', 'a b  \nc'],
      [`<p><b>a&nbsp;</b>b <i>&nbsp;</i>c</p>`, `**a**${nbsp}b ${nbsp}c`],
      ['<p>one <a href="/x">two </a>three</p>', 'one [two](https://site.test/x) three'],
    ],
    'has the marks that an element gives its text by its own style, not those that it takes': [
      [
        '<b style="font-weight:normal"><p>One <span style="color: red; font-weight: 700">two</span></p><p>three</p></b>',
        'One **two**\n\nthree',
      ],
      ['<p>a <em style="font-style: normal">b</em> <span style="font-weight: 400">c</span></p>', 'a b c'],
      [
        '<p><font style="font-style:italic;font-weight:bold">a</font> <span style="text-decoration: line-through">b</span></p>',
        '**_a_** ~~b~~',
      ],
      [
        '<p><b style="font-weight: var(--b)">a</b> <span style="font-weight: 400; font-weight: 700">b</span></p>',
        '**a** **b**',
      ],
      ['<p><span style="font-weight: bold">a <b>b</b></span> <b style="font-weight: bold">c</b></p>', '**a b** **c**'],
    ],
    'opens and closes marks only where they are read as such': [
      ['<p>un<b>believ</b>able <b>"so"</b>x a<i>b</i>c</p>', 'un**believ**able <strong>"so"</strong>x a*b*c'],
      ['<p>你<b>「好」</b>吗 <b>好</b>吗</p>', '你<strong>「好」</strong>吗 **好**吗'],
      ['<p><b><i>both</i></b> <i><b>both</b></i> <i>x <b>y</b></i></p>', '**_both_** _**both**_ _x **y**_'],
      ['<p><b>a</b><b>b</b><i>c</i><i>d</i></p>', '**ab**_cd_'],
      ['<p><b><strong>once</strong></b> <b></b><i> </i><del>old</del></p>', '**once** ~~old~~'],
      ['<b><p>one</p><p>two</p></b>', '**one**\n\n**two**'],
      ['<p><b>a<br>b</b></p>', '**a  \nb**'],
      [
        '<p>H<sub>2</sub>O <kbd>C</kbd> <mark>m</mark> <q>said</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>',
        'H<sub>2</sub>O `C` <mark>m</mark> "said" 漢(kan)',
      ],
      ['<p>שלום <b>עולם</b></p>', 'שלום **עולם**'],
    ],
    'escapes what would mean something at its place, and nothing else': [
      [
        '<p>snake_case a * b 2 * 3 [1] C:\\dir #tag -5 3.14 a|b ~5 x! AT&amp;T 1 &lt; 2 &lt;3 &amp; &amp;foo;</p>',
        'snake_case a * b 2 * 3 [1] C:\\dir #tag -5 3.14 a|b ~5 x! AT&T 1 < 2 <3 & &foo;',
      ],
      ['<p>Price* only</p><p>a `tick</p><p>one_</p>', 'Price* only\n\na `tick\n\none_'],
      ['<p>*a* _b_ `c` ~d~ **kwargs __init__</p>', '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\*\\*kwargs \\_\\_init\\_\\_'],
      [
        '<p>[t](u) ![i](u) [r][s] [^1] wow!<a href="/x">l</a></p>',
        '[t\\](u) ![i\\](u) [r\\][s] \\[^1] wow\\![l](https://site.test/x)',
      ],
      [
        '<p>&lt;b> &lt;/b> &lt;!-- &lt;http://x.test> &amp;lt; &amp;#38; \\*</p>',
        '\\<b> \\</b> \\<!-- \\<http://x.test> \\&lt; \\&#38; \\\\*',
      ],
      [
        '<p># a</p><p>- a</p><p>+ a</p><p>* a</p><p>&gt; a</p><p>1. a</p><p>2024) a</p>',
        '\\# a\n\n\\- a\n\n\\+ a\n\n\\* a\n\n\\> a\n\n1\\. a\n\n2024\\) a',
      ],
      [
        '<p>***</p><p>- - -</p><p>```js</p><p>~~~</p><p>[ ] a</p><p>[a]: b</p>',
        '\\***\n\n\\- - -\n\n\\```js\n\n\\~~~\n\n\\[ ] a\n\n\\[a]: b',
      ],
      ['<p>a<br>===<br>---<br>| - | - |</p><p>===</p>', 'a  \n\\===  \n\\---  \n\\| - | - |\n\n==='],
      ['<h2>C#</h2><h2>a ##</h2><h2># b</h2>', '## C#\n\n## a \\##\n\n## # b'],
      ['<p>-<b>x</b> 1.<b>x</b></p>', '-**x** 1.**x**'],
      ['<p>[<b>a</b>]: b</p><p>[a<br>b]: c</p><p>[a] <b>b</b>: c</p>', '\\[**a**]: b\n\n\\[a  \nb]: c\n\n[a] **b**: c'],
    ],
    'has links and images whose parts can be anything': [
      [
        '<p><a href="/a_(b)">x</a> <a href="/a(b">y</a></p>',
        '[x](https://site.test/a_(b)) [y](https://site.test/a\\(b)',
      ],
      [
        '<p><a href="http://[ /x" title="say &quot;hi&quot; &amp;amp; \\*">t</a></p>',
        '[t](http://[%20/x "say \\"hi\\" \\&amp; \\\\*")',
      ],
      [
        '<p><a href="/x">[1] a]</a> <a href="/x"><img src="/i.png" alt="a [b]\n*c*"></a></p>',
        '[\\[1\\] a\\]](https://site.test/x) [![a \\[b\\] \\*c\\*](https://site.test/i.png)](https://site.test/x)',
      ],
      [
        '<p><a href="/x"><span></span></a><a href="/x" class="icon"></a><a>none</a> <a href="javascript:x()">js</a></p>',
        'none js',
      ],
      [
        '<h2><a href="/x">Head</a></h2><p><a href="/x"><b>bold</b> text</a></p>',
        '## [Head](https://site.test/x)\n\n[**bold** text](https://site.test/x)',
      ],
    ],
    'has no address of what only the page itself has': [
      ['<p><a href="data:text/csv,a">table</a> <a href="blob:https://site.test/1">file</a></p>', 'table file'],
    ],
    'breaks lines where the page does': [
      ['<p>a<br>b</p><p><br>c<br></p>', 'a  \nb\n\nc'],
      ['<p>a<br><br>b<br><br><br>c</p>', 'a\n\nb\n\nc'],
      ['<h2>a<br>b</h2><ul><li>a<br>b</li></ul><blockquote>a<br>b</blockquote>', '## a b\n\n- a  \n  b\n\n> a  \n> b'],
    ],
    'breaks lines where the text of an element does, if its style keeps them': [
      ['<p style="white-space: pre-line">\na\n\nb <b>c\nd</b></p><p>e\nf</p>', 'a\n\nb **c  \nd**\n\ne f'],
      ['<div style="white-space:pre-wrap">a\nb <span style="white-space: normal">c\nd</span></div>', 'a  \nb c d'],
      ['<ul style="white-space: pre-line"><li><input type="checkbox">\n\na</li></ul>', '- [ ] a'],
      ['<p style="white-space: pre-line">a\n<b style="white-space: inherit">b\nc</b></p>', 'a  \n**b  \nc**'],
      ['<div style="white-space: pre-line">\n  <p>a</p>\n  <ul>\n<li>b</li>\n</ul></div>', 'a\n\n- b'],
      ['<code style="display: block; white-space: pre">a\n  b</code>', '```\na\n  b\n```'],
    ],
    'has lists with their numbers and nesting': [
      ['<ol><li>one<ol start="10"><li>ten</li></ol></li></ol>', '1. one\n\n   10. ten'],
      ['<ol><li value="7">a</li><li>b</li><li value="3">c</li></ol>', '7. a\n8. b\n3. c'],
      ['<ol start="9"><li>a<ul><li>x</li></ul></li><li>b<ul><li>y</li></ul></li></ol>', '9. a\n   - x\n10. b\n    - y'],
      ['<ol reversed><li>a</li><li>b</li></ol>', '2. a\n1. b'],
      ['<ul><li>a</li><li>b</li><ul><li>c</li></ul><li>d</li></ul>', '- a\n- b\n  - c\n- d'],
      ['<ul><ul><li>a</li></ul></ul>', '- a'],
      [
        '<ul><a href="/x"><li>a</li></a><a href="/y"><li>b</li></a></ul>',
        '- [a](https://site.test/x)\n- [b](https://site.test/y)',
      ],
      ['<ul><li><p>a</p></li><li><p>b</p><p>c</p></li></ul>', '- a\n\n- b\n\n  c'],
      ['<ul><li>a</li></ul><ul><li>b</li></ul><ol><li>c</li></ol><ol><li>d</li></ol>', '- a\n\n* b\n\n1. c\n\n1) d'],
      ['<ul><li>a</li><li><button>x</button></li><li>b</li></ul>', '- a\n- b'],
      [
        '<ul><li><input type="checkbox" checked> a</li><li><label><input type="checkbox"> b</label></li></ul>',
        '- [x] a\n- [ ] b',
      ],
      [
        '<ul><li>a<blockquote>q</blockquote></li><li><pre>x\n\ny</pre></li></ul>',
        '- a\n  > q\n- ```\n  x\n\n  y\n  ```',
      ],
      ['<ul><li>a<ul><li></li><li>b</li></ul></li></ul>', '- a\n\n  -\n  - b'],
      ['<dl><dt>Term</dt><dd>One<ul><li>x</li></ul></dd></dl>', '**Term**\n\nOne\n\n- x'],
      ['<ul><li><hr></li></ul><p>a</p><hr>', '- ___\n\na\n\n---'],
    ],
    'has the checkbox of a task before its text, whatever this is in': [
      [
        '<ul><li><input type=checkbox checked><p>a</p><p>b</p></li><li><input type=checkbox><p>c</p></li></ul>',
        '- [x] a\n\n  b\n\n- [ ] c',
      ],
      ['<ul><li><div><input type=checkbox></div><div>a</div></li><li>b</li></ul>', '- [ ] a\n- b'],
      ['<ul><li><input type=checkbox><h4>a</h4><p>b</p></li></ul>', '- #### a\n\n  b'],
      ['<ul><li><input type=checkbox><ul><li>a</li></ul></li></ul>', '- - a'],
      ['<ul><li><label>a</label><input type=checkbox><div>b</div></li></ul>', '- a\n\n  b'],
      ['<ul><li>a <input type=checkbox><blockquote>b</blockquote></li></ul>', '- a\n  > b'],
      ['<ul><li><input type=checkbox><pre>a</pre>b</li></ul>', '- ```\n  a\n  ```\n  b'],
      [
        '<ul><li><a href="/a"><dl><dt>2024</dt><dd>News</dd></dl></a></li></ul>',
        '- [**2024** News](https://site.test/a)',
      ],
    ],
    'has nothing that browsers without a player would show': [
      ['<p>a</p><video src="/m.mp4">No video. <a href="/m.mp4">Download</a></video><audio>No sound.</audio>', 'a'],
    ],
    'has quotes with what is in them': [
      [
        '<blockquote><p>a</p><blockquote>b</blockquote><ul><li>c</li></ul><pre>d\n\ne</pre></blockquote><p>f</p>',
        '> a\n>\n> > b\n>\n> - c\n>\n> ```\n> d\n>\n> e\n> ```\n\nf',
      ],
      [
        '<details><summary><h3>More <i>still</i></h3></summary>Text</details><b><h4>Bold</h4></b>',
        '### More *still*\n\nText\n\n#### **Bold**',
      ],
      [
        '<details><summary>More</summary>Text</details><figure><img src="/i.png" alt="i"><figcaption>Cap</figcaption></figure>',
        '**More**\n\nText\n\n![i](https://site.test/i.png)\n\n*Cap*',
      ],
    ],
  });

  it('keeps a part of a page builder, whatever it is called', () => {
    const widget = '<div class="so-panel widget"><h2>Our story</h2><p>It began in the spring.</p></div>';
    const text = markdownOf(`</main><p>Some text of the page, long enough to be text.</p>${widget}`);
    assert.match(text, /## Our story\n\nIt began in the spring\./);
  });

  it('is read as the same text, whatever is in it', () => {
    const piece = fc.constantFrom(
      ...'a,b1, ,*,_,`,~,\\,[,],(,),<,>,&,!,#,-,+,=,|,.,"'.split(','),
      ...[
        '&amp;',
        '1.',
        '**',
        '  ',
        nbsp,
        'é',
        '「',
        '<b>',
        '</b>',
        '<i>',
        '</i>',
        '<br>',
        '<code>',
        '</code>',
        '<a href="/x">',
        '</a>',
      ],
    );
    const textIn = (html: string) =>
      html
        .replace(/<br[^>]*>/g, ' ')
        .replace(/<[/\w][^>]*>/g, '')
        .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? '')
        .replace(/\s+/g, '')
        .trim();
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const html = pieces.join('').replace(/<(?![/]?(?:b|i|br|code|a href="\/x"|a)>)/g, '&lt;');
        const plain = textIn(html.replace(/&(?!lt;|amp;)/g, '&amp;'));
        assert.equal(textIn(rendered(`<p>x ${html}</p>`)), `x${plain}`, html);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});
