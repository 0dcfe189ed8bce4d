import assert from 'node:assert/strict';
import { ago, clock, duration, hostOf, label, shortId } from '../../../../src/extension/ui/text/text.ts';

describe('labels made of server text (EXT-11)', () => {
  it('stay on one line and within their length', () => {
    assert.equal(label('a\nb\r\n\tc'), 'a b c');
    assert.equal([...label('🌍'.repeat(500), 80)].length, 80);
    assert.ok(label('x'.repeat(100_000)).length <= 80);
  });

  it("can't contain icons", () => assert.doesNotMatch(label('$(trash) Delete'), /\$\(/));

  it("can't contain links, which run commands in VS Code's messages and inputs (EXT-25)", () => {
    // VS Code's own expression (linkedText.ts).
    const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
    const texts = [
      '[a](command:x?%5B%5D)',
      '[a](COMMAND:x)',
      '[a]\u200b(command:x)',
      '[a](https://x.test "b")',
      '[a](file:///x)',
    ];
    for (const text of ['', '[[a]', '$('].flatMap((before) => texts.map((each) => `${before} ${each} ${each}`))) {
      assert.doesNotMatch(label(text), link);
      assert.doesNotMatch(label(`${'x'.repeat(2_000)}${text}`), link);
    }
    assert.equal(label('list[0](x), [a] (b), f(a[1])'), 'list[0](x), [a] (b), f(a[1])');
  });

  it('contain no control, bidirectional, zero-width or tag characters', () => {
    assert.equal(label('a\u001b[31m\u202eb\u200bc\u{e0041}d'), 'a [31m b c d');
  });
});

describe('times in words', () => {
  it('are durations', () => {
    assert.deepEqual([118, 999.6, 5000, 59_949, 125_000, Number.NaN, -1].map(duration), [
      '118 ms',
      '1.0 s',
      '5.0 s',
      '59.9 s',
      '2:05 min',
      '—',
      '—',
    ]);
  });
  it('are times left', () => assert.deepEqual([521_000, 3_723_000, -5].map(clock), ['8:41', '1:02:03', '0:00']));
  it('are times ago', () => {
    assert.deepEqual([10_000, 120_000, 7_200_000, 400_000_000].map(ago), [
      'just now',
      '2 min ago',
      '2 h ago',
      '4 days ago',
    ]);
  });
});

describe('names of sessions', () => {
  it('are the first characters of an id, without a shared prefix', () => {
    assert.equal(shortId('3f2a91bc-0000'), '3f2a');
    assert.equal(shortId('bs_91bcdef'), '91bc');
    assert.equal(shortId('\n'), '');
  });
  it('are hosts of web pages only', () => {
    assert.equal(hostOf('https://shop.test:8443/cart?x'), 'shop.test:8443');
    assert.deepEqual(['about:blank', 'data:text/html,x', 'nonsense', null].map(hostOf), [
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
