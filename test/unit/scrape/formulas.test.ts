import assert from 'node:assert/strict';
import { converted, markdown } from '../../harness/page-markdown.ts';

describe('the formulas of a page', () => {
  const mathml = '<math><msup><mi>y</mi><mn>2</mn></msup></math>';
  const source = '<annotation encoding="application/x-tex">E = m</annotation>';
  const kept: Record<string, readonly [html: string, shown: string]> = {
    'as the TeX that they were made from': [`<math><semantics><mi>E</mi>${source}</semantics></math>`, '$E = m$'],
    'as the TeX that MathML says in words': ['<math alttext="\\alpha">α</math>', '$\\alpha$'],
    'as the TeX of a script': ['<script type="math/tex">a < b & c</script>', '$a < b & c$'],
    'as the TeX of a script, on a line of its own': [
      '<script type="math/tex; mode=display">\\sum x_i</script>',
      '$$\\sum x_i$$',
    ],
    'with fractions': ['<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '1/2'],
    'with fractions of sums': [
      '<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>',
      '(a+b)/2',
    ],
    'with powers': [mathml, 'y^2'],
    'with roots': ['<math><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt></math>', '√(a+b)'],
    'with the limits of sums': [
      '<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi></math>',
      '∑_(i=1)^n i',
    ],
    'without operators that are only read aloud': ['<math><mn>2</mn><mo>&#x2062;</mo><mi>x</mi></math>', '2x'],
    'with the names of functions apart': ['<math><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi></math>', 'sin x'],
    'as their text where they have no parts': ['<math>x</math>', 'x'],
    'once, where KaTeX draws them too': [
      `<span class="katex"><span class="katex-mathml"><math><semantics><mi>E</mi>${source}</semantics></math></span><span class="katex-html" aria-hidden="true">E=m</span></span>`,
      '$E = m$',
    ],
    'once, where MathJax draws them too': [
      `<mjx-container><mjx-math aria-hidden="true"><mjx-mi>y2</mjx-mi></mjx-math><mjx-assistive-mml>${mathml}</mjx-assistive-mml></mjx-container>`,
      'y^2',
    ],
    'once, where MathJax 2 draws them before their script': [
      `<span class="MathJax_Preview"></span><span class="MathJax"><nobr aria-hidden="true">y2</nobr><span>${mathml}</span></span><script type="math/tex">y^2</script>`,
      '$y^2$',
    ],
    'with accents': ['<math><mover><mi>x</mi><mo>˙</mo></mover></math>', 'ẋ'],
    'with what has no bar between it': [
      '<math><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math>',
      '(n; k)',
    ],
    'with rows that are aligned': [
      '<math><mtable columnalign="right left"><mtr><mtd><mi>x</mi></mtd><mtd><mo>=</mo><mn>1</mn></mtd></mtr><mtr><mtd><mi>y</mi></mtd><mtd><mo>=</mo><mn>2</mn></mtd></mtr></mtable></math>',
      'x =1; y =2',
    ],
    'with rows of a matrix': [
      '<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable></math>',
      '1, 2; 3, 4',
    ],
    'as the picture that shows them, if that has their source': [
      `<span><span style="display: none"><math alttext="a^{2}"><mi>a</mi></math></span><img src="/a.svg" aria-hidden="true" alt="a^{2}"></span>`,
      '![a^{2}](https://site.test/a.svg)',
    ],
  };
  for (const onlyMainContent of [true, false]) {
    describe(onlyMainContent ? 'in its main content' : 'as a whole', () => {
      for (const [what, [html, shown]] of Object.entries(kept))
        it(`are kept ${what}`, () =>
          assert.equal(markdown(`<main><p>So ${html} holds.</p></main>`, { onlyMainContent }), `So ${shown} holds.`));
    });
  }

  it('stay apart from the words beside them', () => {
    const drawn = '<mjx-math aria-hidden="true">k</mjx-math>';
    const html = `<mjx-container>${drawn}\n<mjx-assistive-mml>\n<math><mi>\nk\n</mi></math>\n</mjx-assistive-mml></mjx-container>heads`;
    assert.equal(markdown(`<main><p>All ${html}</p></main>`), 'All k heads');
  });

  it('leave what stands beside them', () => {
    const html = `<main><p>So <i aria-hidden="true">*</i>${mathml} holds, <b>always</b>.</p></main>`;
    assert.match(markdown(html, { onlyMainContent: false }), /y\^2 holds, \*\*always\*\*/);
  });

  it('leave what a page hides from those who listen while a dialog is open, and other formulas', () => {
    const hidden = `<div aria-hidden="true"><h1>Boats</h1><p>Sold by the piece.</p></div>`;
    const silent = mathml.replace('<math', '<math aria-hidden="true"');
    const html = `<div>${hidden}<div><div>${mathml}</div></div></div><p><span>${silent} ${silent.replace('y', 'z')}</span></p>`;
    assert.match(markdown(html, { onlyMainContent: false }), /# Boats\n\nSold by the piece\.\n\ny\^2\n\ny\^2 z\^2/);
  });

  it('are no elements of the HTML that a script of TeX seems to have', () => {
    const { html = '' } = converted('<main><p>So <script type="math/tex">a<b onclick="x">c</script>.</p></main>', {
      html: true,
    });
    assert.match(html, /a&lt;b/);
    assert.doesNotMatch(html, /<b|<script/);
  });

  it('keep the columns of a table', () => {
    const cell = '<math><mi>a</mi><mo>|</mo><mi>b</mi></math>';
    const html = `<main><table><tr><th>x</th><th>y</th></tr><tr><td>${cell}</td><td>z</td></tr></table></main>`;
    assert.equal(markdown(html), '| x | y |\n| --- | --- |\n| a\\|b | z |');
  });
});
