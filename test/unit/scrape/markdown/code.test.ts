import assert from 'node:assert/strict';
import { assertMarkdown, markdownOf } from './convert.ts';

const fenced = (language: string, ...lines: string[]) => [`\`\`\`${language}`, ...lines, '```'].join('\n');
const py = fenced('python', 'import os', 'import re');
const number = (class_: string, text: string) => `<span class="${class_}">${text}</span>`;

describe('the Markdown of code', () => {
  /** How sites number the lines of two lines of Python. */
  const numbered: Record<string, string> = {
    'rouge and Jekyll': `<figure class="highlight"><pre><code class="language-python"><table class="rouge-table"><tr><td class="gutter"><pre class="lineno">1\n2\n</pre></td><td class="code"><pre><b>import</b> os\n<b>import</b> re\n</pre></td></tr></table></code></pre></figure>`,
    'Pygments and Sphinx': `<div class="highlight-python"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><div class="highlight"><pre><span></span><span class="kn">import</span> os\n<span class="kn">import</span> re\n</pre></div></td></tr></table></div>`,
    'Pygments in lines': `<div class="highlight-python"><pre>${number('linenos', '1')}import os\n${number('linenos', '2')}import re\n</pre></div>`,
    Hexo: `<figure class="highlight python"><table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span><br></pre></td><td class="code"><pre><span class="line">import os</span><br><span class="line">import re</span><br></pre></td></tr></table></figure>`,
    Hugo: `<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code>${number('lnt', '1\n')}${number('lnt', '2\n')}</code></pre></td><td class="lntd"><pre class="chroma"><code class="language-python" data-lang="python"><span class="line"><span class="cl">import os\n</span></span><span class="line"><span class="cl">import re</span></span></code></pre></td></tr></table></div></div>`,
    'Hugo in lines': `<div class="highlight"><pre class="chroma"><code data-lang="python"><span class="line">${number('ln', '1')}<span class="cl">import os\n</span></span><span class="line">${number('ln', '2')}<span class="cl">import re\n</span></span></code></pre></div>`,
    gists: `<div class="highlight-source-python"><table><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">import os</td></tr><tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">import re</td></tr></table></div>`,
    'Material for MkDocs': `<div class="language-python highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span></span><span class="normal"><a href="#l1">1</a></span>\n<span class="normal"><a href="#l2">2</a></span></pre></div></td><td class="code"><pre><span></span><code><a id="l1" name="l1"></a>import os\n<a id="l2" name="l2"></a>import re\n</code></pre></td></tr></table></div>`,
    Gitea: `<div class="language-python"><table><tbody><tr><td class="lines-num"><span data-line-number="1"></span></td><td class="lines-code"><code>import os\n</code></td></tr><tr><td class="lines-num"><span data-line-number="2"></span></td><td class="lines-code"><code>import re\n</code></td></tr></tbody></table></div>`,
    'highlight.js': `<pre><code class="hljs python"><table class="hljs-ln"><tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="1"><div class="hljs-ln-n">1</div></td><td class="hljs-ln-line hljs-ln-code">import os</td></tr><tr><td class="hljs-ln-numbers"><div class="hljs-ln-n">2</div></td><td class="hljs-ln-code">import re</td></tr></table></code></pre>`,
    SyntaxHighlighter: `<div class="syntaxhighlighter python"><table><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><div class="container"><div class="line"><code class="python keyword">import</code> <code>os</code></div><div class="line"><code>import</code> <code>re</code></div></div></td></tr></table></div>`,
    'a table without names': `<table><tr><td><pre>7\n8</pre></td><td><pre class="language-python">import os\nimport re</pre></td></tr></table>`,
    Crayon: `<div class="language-python"><table><tr class="crayon-row"><td class="crayon-nums"><div class="crayon-num">1</div><div class="crayon-num">2</div></td><td class="crayon-code"><div class="crayon-line">import os</div><div class="crayon-line">import re</div></td></tr></table></div>`,
    'a table in a pre, without names': `<pre><code class="language-python"><table><tbody><tr><td>7</td><td>import os</td></tr><tr><td>8</td><td>import re</td></tr></tbody></table></code></pre>`,
    'a block of their own': `<div><pre class="lineNumbers">1\n2\n</pre><pre class="language-python">import os\nimport re</pre></div>`,
    Prism: `<pre class="line-numbers language-python"><code>import os\nimport re<span aria-hidden="true" class="line-numbers-rows"><span></span><span></span></span></code></pre>`,
    'React Syntax Highlighter': `<pre class="language-python"><code><span class="react-syntax-highlighter-line-number">1</span><span>import os\n</span><span class="linenumber" style="user-select: none">2</span><span>import re</span></code></pre>`,
  };
  for (const onlyMainContent of [true, false])
    for (const [site, content] of Object.entries(numbered))
      it(`has no numbers of lines of ${site}${onlyMainContent ? '' : ', also of the whole page'}`, () =>
        assert.equal(
          markdownOf(`<p>Before.</p>${content}<h2>After</h2>`, { onlyMainContent }),
          `Before.\n\n${py}\n\n## After`,
        ));

  assertMarkdown({
    'has the lines that elements make': [
      [
        '<pre data-language="js"><code><div class="ec-line"><div class="gutter"><div class="ln">1</div></div><div class="code">a</div></div><div class="ec-line"><div class="code">b</div></div></code></pre>',
        fenced('js', 'a', 'b'),
      ],
      [
        '<pre class="prism-code language-js"><div class="token-line">a</div><div class="token-line"></div><div class="token-line">b</div></pre>',
        fenced('js', 'a', '', 'b'),
      ],
      [
        '<pre class="prettyprint linenums lang-js"><ol class="linenums"><li class="L0">a</li><li class="L1">b</li></ol></pre>',
        fenced('js', 'a', 'b'),
      ],
      [
        '<pre class="shiki"><code><span class="line">a</span>\n<span class="line"></span>\n<span class="line">b</span></code></pre>',
        fenced('', 'a', '', 'b'),
      ],
      ['<pre><code><span class="line">a</span><span class="line">b</span></code></pre>', fenced('', 'a', 'b')],
      [
        '<pre><code>a</code><code>b</code></pre><pre><code>a</code>\n<code>b</code></pre>',
        `${fenced('', 'a', 'b')}\n\n${fenced('', 'a', 'b')}`,
      ],
      ['<pre><p>a</p>\n<p>b</p></pre><pre>a<br>b<br/></pre>', `${fenced('', 'a', 'b')}\n\n${fenced('', 'a', 'b')}`],
      [
        '<pre><code><span class="token-line"><span>a</span><br></span><span class="token-line"><span>b</span><br></span></code></pre>',
        fenced('', 'a', 'b'),
      ],
      [
        '<pre><code><span style="display:block">a</span><span style="display: block">b</span></code></pre>',
        fenced('', 'a', 'b'),
      ],
      [
        '<pre><code style="display: grid"><span data-line="">a</span><span data-line="">b</span></code></pre>',
        fenced('', 'a', 'b'),
      ],
      ['<pre>\n  a\n\tb\n\n\n</pre>', fenced('', '  a', '\tb', '', '')],
      ['<pre>a <img src="/b.png" alt="&amp;b"> c<img aria-hidden="true" alt="d"></pre>', fenced('', 'a &b c')],
      ['<pre>a &lt;b> *c* &amp;amp;</pre>', fenced('', 'a <b> *c* &amp;')],
    ],
    'has no buttons and nothing that cannot be selected': [
      [
        '<pre class="language-js"><a class="copy" role="button" href="#">Copy</a><code>let a = 1</code></pre>',
        fenced('js', 'let a = 1'),
      ],
      [
        '<pre><button>Copy</button>x</pre><pre><div class="copy-btn">Copy</div><code>x</code></pre>',
        `${fenced('', 'x')}\n\n${fenced('', 'x')}`,
      ],
      [
        '<pre><span class="unselectable">$ </span>ls\n<span style="user-select:none">$ </span>cd</pre>',
        fenced('', 'ls', 'cd'),
      ],
      [
        '<pre><clipboard-copy>Copy</clipboard-copy><code>x</code></pre><div><pre>y</pre><div class="toolbar"><span>CSS</span></div></div>',
        `${fenced('', 'x')}\n\n${fenced('', 'y')}`,
      ],
      [
        '<pre><span class="gp">&gt;&gt;&gt; </span>x = 1\n<span class="hljs-number">12</span></pre>',
        fenced('', '>>> x = 1', '12'),
      ],
    ],
    'has what is called like a button, but is code': [
      ['<p>Use <code>a <span class="toolbar">bar</span> b</code>.</p>', 'Use `a bar b`.'],
      ['<p><code>git <span class="copy">copy</span></code></p>', '`git copy`'],
      ['<pre><code>let <span class="copy">copy</span> = 1</code></pre>', fenced('', 'let copy = 1')],
      ['<pre><div class="toolbar">Copy</div><code>x <button>Copy</button></code></pre>', fenced('', 'x ')],
    ],
    'stands below what a pre has beside it': [
      [
        '<pre><div class="box"><div>a.py</div><button>Copy</button><div><code class="language-py">x</code></div></div></pre>',
        `a.py\n\n${fenced('py', 'x')}`,
      ],
      [
        '<pre>$ <code>ls</code></pre><pre><b>$</b> <code>ls</code></pre>',
        `${fenced('', '$ ls')}\n\n${fenced('', '$ ls')}`,
      ],
      [
        '<table><tr><th colspan="2">a.py</th></tr><tr><td class="linenos"><pre>1\n2</pre></td><td><pre>x\ny</pre></td></tr></table>',
        `a.py\n\n${fenced('', 'x', 'y')}`,
      ],
    ],
    'has all its lines, whatever a highlighter calls them': [
      [
        '<pre><code class="language-http">GET / HTTP/1.1\n<span class="token header">Accept: x</span>\n<span class="menu">y</span></code></pre>',
        fenced('http', 'GET / HTTP/1.1', 'Accept: x', 'y'),
      ],
    ],
    'has the language from where sites put it': [
      ['<div class="highlight sh"><pre><code>x</code></pre></div>', fenced('sh', 'x')],
      [
        '<div class="highlight Python3"><pre>x</pre></div><pre class="src c2 col4">x</pre>',
        `${fenced('python3', 'x')}\n\n${fenced('', 'x')}`,
      ],
      ['<pre lang="ts"><code>x</code></pre><pre lang="en">x</pre>', `${fenced('ts', 'x')}\n\n${fenced('', 'x')}`],
      [
        '<pre class="src src-python">x</pre><pre class="sourceCode haskell">x</pre>',
        `${fenced('python', 'x')}\n\n${fenced('haskell', 'x')}`,
      ],
      [
        '<pre class="programlisting java">x</pre><pre class="brush: php; gutter: false">x</pre>',
        `${fenced('java', 'x')}\n\n${fenced('php', 'x')}`,
      ],
      [
        '<figure class="highlight js"><figcaption>a.js</figcaption><pre>x</pre></figure>',
        `*a.js*\n\n${fenced('js', 'x')}`,
      ],
      [
        '<div class="highlight wide"><pre>x</pre></div><pre class="language-plaintext">x</pre>',
        `${fenced('', 'x')}\n\n${fenced('', 'x')}`,
      ],
      [
        '<pre syntax="Python">x</pre><pre class="highlight highlight--go">x</pre><pre data-code-block-lang="kt">x</pre>',
        `${fenced('python', 'x')}\n\n${fenced('go', 'x')}\n\n${fenced('kt', 'x')}`,
      ],
      [
        '<div class="code-wrap"><pre>x</pre></div><div class="code-js"><pre>x</pre></div>',
        `${fenced('', 'x')}\n\n${fenced('js', 'x')}`,
      ],
      ['<div data-lang="rust"><div><pre>x</pre></div></div>', fenced('rust', 'x')],
    ],
    'has fences that what is in them does not close': [
      ['<pre>```\nx\n```</pre><pre>a ``` b</pre>', '````\n```\nx\n```\n````\n\n```\na ``` b\n```'],
      ['<ul><li>a<pre>x\n\n  y</pre></li></ul>', '- a\n  ```\n  x\n\n    y\n  ```'],
    ],
    'is also what older elements hold, in which nothing or little is markup': [
      [
        '<xmp class="language-html"><b>x</b> &amp;\n<p></xmp><p>y</p><listing>a <i>b</i> &lt;\nc</listing>',
        '```html\n<b>x</b> &amp;\n<p>\n```\n\ny\n\n```\na b <\nc\n```',
      ],
      ['<p>x</p><plaintext><b>y</b>', 'x\n\n```\n<b>y</b></main>\n```'],
    ],
    'stands above the address of a link that is around it alone': [
      ['<p>a <a href="/c"><pre>b</pre></a></p>', 'a\n\n```\nb\n```\n\n[https://site.test/c](https://site.test/c)'],
      [
        '<a href="/c"><pre>a</pre><pre>b</pre></a>',
        '```\na\n```\n\n```\nb\n```\n\n[https://site.test/c](https://site.test/c)',
      ],
      ['<a href="/c">a<pre>b</pre></a>', '[a](https://site.test/c)\n\n```\nb\n```'],
    ],
    'in a line is its text': [
      [
        '<p>Call <code><a href="/y">bar()</a></code> or <code>cp <i>from</i> <b>to</b></code></p>',
        'Call [`bar()`](https://site.test/y) or `cp from to`',
      ],
      [
        '<p><code>List&lt;<a href="/i">Item</a>&gt;</code> <a href="/z"><code>z</code></a> <b><code>c</code></b></p>',
        '`List<Item>` [`z`](https://site.test/z) **`c`**',
      ],
      [
        '<p><code>a`b</code> <code>`x`</code> <code>``</code> <code>*a* \\ &lt;b></code></p>',
        '``a`b`` `` `x` `` ``` `` ``` `*a* \\ <b>`',
      ],
      ['<p>a<code> b </code>c <code> d</code> <tt>e</tt> <code>f\n  g</code></p>', 'a`  b  `c `d` `e` `f g`'],
      ['<p><code>GET /a<br>PUT /b</code></p>', '`GET /a`  \n`PUT /b`'],
    ],
  });

  it('has the addresses of links in code among the links', () => {
    assert.ok(markdownOf('<p><code>a <a href="/y">b</a></code></p>').includes('`a b`'));
  });
});
