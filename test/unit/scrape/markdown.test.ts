import assert from 'node:assert/strict';
import { BrokenConverter, guard, mdream } from '../../../src/service/web/scrape/convert/markdown.ts';

/** A WebAssembly module with one function that stops in the middle. */
const trap = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0, 10, 5, 1, 3, 0, 0, 0x0b],
]);

describe('the Markdown converter', () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(trap));
  const stop = exports.f as () => void;

  it('converts tables, code and nested lists', () => {
    const html =
      '<h1>x</h1><table><tr><th>a</th></tr><tr><td>b</td></tr></table><pre><code class="language-js">1\n\n\n2</code></pre><ul><li>c<ul><li>d</li></ul></li></ul>';
    assert.equal(mdream.convert(html), '# x\n\n| a |\n| --- |\n| b |\n\n```js\n1\n\n\n2\n```\n\n- c\n  - d');
  });

  it('reports that WebAssembly stopped in the middle, with the reason if it left one', () => {
    assert.throws(
      () => guard(stop, () => 'index out of bounds'),
      (error) => error instanceof BrokenConverter && error.message.endsWith('index out of bounds'),
    );
    assert.throws(() => guard(stop, () => stop() as undefined), BrokenConverter);
    const overflow = (): number => overflow() + 1;
    assert.throws(() => guard(overflow, () => undefined), BrokenConverter);
  });

  it('passes other errors on', () => {
    const fail = () => {
      throw new TypeError('x');
    };
    assert.throws(() => guard(fail, () => undefined), TypeError);
  });
});
