import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createOutput, cutText } from '../../../src/service/browsers/runners/output.ts';

describe('output of a run', () => {
  it('is kept byte for byte if it fits', () => {
    const output = createOutput(10);
    assert.equal(output.push(Buffer.from('12345')), '12345');
    assert.equal(output.push(Buffer.from('67890')), '67890');
    assert.equal(output.text, '1234567890');
    assert.equal(output.truncated, false);
  });

  it('is cut at the limit, and the rest is dropped', () => {
    const output = createOutput(4);
    assert.equal(output.push(Buffer.from('12345')), '1234');
    assert.equal(output.push(Buffer.from('6')), '');
    assert.equal(output.text, '1234');
    assert.equal(output.truncated, true);
    assert.equal(output.size, 6);
  });

  it('never has a split character at the limit', () => {
    for (const [limit, expected] of [
      [3, 'aé'],
      [2, 'a'],
      [7, 'aé😀'],
      [6, 'aé'],
    ] as const) {
      const output = createOutput(limit);
      output.push(Buffer.from('aé😀z'));
      assert.equal(output.text, expected, `limit ${limit}`);
      assert.equal(output.truncated, true);
    }
  });

  it('joins a character that arrives in pieces', () => {
    const output = createOutput(100);
    for (const byte of Buffer.from('h😀é')) output.push(Buffer.of(byte));
    assert.equal(output.text, 'h😀é');
  });

  it("keeps a byte order mark, and shows bytes that aren't UTF-8", () => {
    const output = createOutput(100);
    output.push(Buffer.from('\ufeffa'));
    output.push(Buffer.of(0xff, 0x62));
    assert.equal(output.text, '\ufeffa\ufffdb');
  });

  it('counts replacement characters, so that the text stays within the limit', () => {
    const output = createOutput(9);
    output.push(Buffer.alloc(100, 0xff));
    assert.equal(output.text, '\ufffd\ufffd\ufffd');
  });

  it('is cut to its longest beginning that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, limit) => {
        const cut = cutText(text, limit);
        assert.ok(text.startsWith(cut.text));
        assert.equal(Buffer.byteLength(cut.text), cut.bytes);
        assert.ok(cut.bytes <= limit);
        assert.equal(cut.truncated, cut.text !== text);
        const next = [...text.slice(cut.text.length)][0];
        if (next) assert.ok(cut.bytes + Buffer.byteLength(next) > limit);
      }),
    );
  });
});
