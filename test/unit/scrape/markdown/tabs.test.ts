import assert from 'node:assert/strict';
import { markdownOf } from './convert.ts';

const code = (language: string, text: string) => `<pre><code class="language-${language}">${text}</code></pre>`;
const [js, py] = [code('js', 'get()'), code('python', 'get_it()')];
const both = '**Node.js**\n\n```js\nget()\n```\n\n**Python**\n\n```python\nget_it()\n```';

describe('the Markdown of tabs', () => {
  const sites: Record<string, string> = {
    ARIA: `<div role="tablist"><button role="tab" id="t1" aria-controls="p1">Node.js</button><button role="tab" id="t2" aria-controls="p2">Python</button></div><div role="tabpanel" id="p1">${js}</div><div role="tabpanel" id="p2" hidden>${py}</div>`,
    'ARIA, where the panels name their labels': `<div role="tablist"><a role="tab" id="t1">Node.js</a><a role="tab" id="t2">Python</a></div><div><div role="tabpanel" aria-labelledby="t2">${py}</div></div><div role="tabpanel" aria-labelledby="t1">${js}</div>`,
    Docusaurus: `<div class="tabs-container"><ul role="tablist" class="tabs"><li role="tab" aria-selected="true">Node.js</li><li role="tab">Python</li></ul><div><div role="tabpanel">${js}</div><div role="tabpanel" hidden>${py}</div></div></div>`,
    Bootstrap: `<ul class="nav nav-tabs"><li><a class="active" data-bs-toggle="tab" href="#js">Node.js</a></li><li><a data-bs-toggle="tab" href="#py">Python</a></li></ul><div class="tab-content"><div class="tab-pane" id="js">${js}</div><div class="tab-pane" id="py">${py}</div></div>`,
    'Material for MkDocs': `<div class="tabbed-set"><input checked id="a" name="s" type="radio"><input id="b" name="s" type="radio"><div class="tabbed-labels"><label for="a">Node.js</label><label for="b">Python</label></div><div class="tabbed-content"><div>${js}</div><div>${py}</div></div></div>`,
    'Sphinx Design': `<div class="sd-tab-set"><input id="a" name="s" type="radio"><label for="a">Node.js</label><div>${js}</div><input id="b" name="s" type="radio"><label for="b">Python</label><div>${py}</div></div>`,
    VitePress: `<div class="vp-code-group"><div class="tabs"><input type="radio" name="g" id="a"><label for="a">Node.js</label><input type="radio" name="g" id="b"><label for="b">Python</label></div><div class="blocks"><div class="language-js active"><button title="Copy"></button>${js}</div><div class="language-py">${py}</div></div></div>`,
    'buttons, of which one is chosen': `<div><div class="bar"><button class="is-small active">Node.js</button><button>Python</button></div><div class="code"><div>${js}</div><div style="display:none">${py}</div></div></div>`,
    'buttons beside their panels': `<div><button aria-pressed="true">Node.js</button><button>Python</button>${js}${py}</div>`,
  };
  for (const onlyMainContent of [true, false])
    for (const [site, content] of Object.entries(sites))
      it(`has the label of each panel, as with ${site}${onlyMainContent ? '' : ', also of the whole page'}`, () => {
        const text = markdownOf(`<p>Before.</p>${content}<h2>After</h2>`, { onlyMainContent });
        if (!site.startsWith('ARIA,')) return assert.equal(text, `Before.\n\n${both}\n\n## After`);
        for (const part of both.split('\n\n**Python')) assert.ok(text.includes(part), text);
      });

  it('has the labels of panels with text, and none twice', () => {
    const panels = '<section role="tabpanel"><h3>Size</h3><p>5 m</p></section><section role="tabpanel">Oak</section>';
    const text = markdownOf(`<div role="tablist"><b role="tab">Size</b><b role="tab">Wood</b></div>${panels}`);
    assert.equal(text, '### Size\n\n5 m\n\n**Wood**\n\nOak');
  });

  it('keeps the headings that unfold parts of a text', () => {
    const part = (id: string, chosen: string) =>
      `<h3><button class="${chosen}" aria-expanded="false" aria-controls="${id}">What is ${id} about?</button></h3><div id="${id}">${js}</div>`;
    assert.match(
      markdownOf(part('one', 'active') + part('two', '')),
      /### What is one about\?\n[\s\S]*### What is two about/,
    );
  });

  it('has no labels at other things', () => {
    for (const [labels, others] of [
      ['<button>Copy</button><button>Wrap</button>', `<div>${js}</div><div>${py}</div>`],
      ['<button class="active">A1</button><button>B1</button>', `<div>${js}</div><div>${py}</div><p>More.</p>`],
      ['<a role="tab" href="/a">A1</a><a role="tab" href="/b">B1</a>', `<div>${js}</div><div>${py}</div>`],
      [
        '<form><input type="radio" id="a"><label for="a">A1</label><input type="radio" id="b"><label for="b">B1</label></form>',
        '<div><div>One.</div><div>Two.</div></div>',
      ],
      [
        '<i role="tab" aria-controls="x">A1</i><i role="tab" aria-controls="y">B1</i>',
        '<div>One.</div><div>Two.</div>',
      ],
      ['<i role="tab">A1</i><i role="tab">B1</i><i role="tab">C1</i>', `<div>${js}</div><div>${py}</div>`],
    ]) {
      const text = markdownOf(`<p>Some text.</p><div>${labels}</div>${others}`);
      assert.doesNotMatch(text, /\*\*(Copy|Wrap|A1|B1|C1)/, text);
    }
  });
});
