import assert from 'node:assert/strict';
import crypto, { createHmac } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { signatureOf, signedWith } from '../../../src/contract/webhooks/webhook-signature.ts';
import { publishedVectors, rfc4231Vectors, wrongForms } from '../../harness/webhook-vectors.ts';

describe('the signature of a webhook delivery', () => {
  it('matches the published vectors', () => {
    for (const { secret, body, hex } of publishedVectors) {
      assert.equal(signatureOf(Buffer.from(body), secret), `sha256=${hex}`, body);
      assert.equal(signedWith(Buffer.from(body), `sha256=${hex}`, [secret]), 0);
    }
  });

  it('is HMAC-SHA256 as in RFC 4231', () => {
    for (const { key, data, hex } of rfc4231Vectors) {
      // Secrets are texts here; the vectors with other bytes in their key check the algorithm alone.
      const secret = key.toString('utf8');
      const ours = Buffer.from(secret).equals(key)
        ? signatureOf(data, secret)
        : `sha256=${createHmac('sha256', key).update(data).digest('hex')}`;
      assert.equal(ours, `sha256=${hex}`);
    }
  });

  const [{ secret, body, hex }] = publishedVectors;
  const bytes = Buffer.from(body);

  it('changes with any single bit of the body, the secret or the digest', () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      assert.equal(signedWith(flipped(bytes, bit), `sha256=${hex}`, [secret]), undefined, `bit ${bit} of the body`);
    }
    for (let index = 0; index < secret.length; index++) {
      const other = `${secret.slice(0, index)}${String.fromCharCode(secret.charCodeAt(index) ^ 1)}${secret.slice(index + 1)}`;
      assert.equal(signedWith(bytes, `sha256=${hex}`, [other]), undefined, other);
    }
    for (let index = 0; index < 64; index++) {
      const digit = (Number.parseInt(hex[index] ?? '', 16) ^ 1).toString(16);
      const other = `${hex.slice(0, index)}${digit}${hex.slice(index + 1)}`;
      assert.equal(signedWith(bytes, `sha256=${other}`, [secret]), undefined, `digit ${index}`);
    }
  });

  it('has one exact form', () => {
    for (const form of wrongForms(hex)) assert.equal(signedWith(bytes, form, [secret]), undefined, form.slice(0, 100));
    assert.equal(signedWith(bytes, undefined, [secret]), undefined);
  });

  it('is valid with either of two secrets, and never with an empty one', () => {
    assert.equal(signedWith(bytes, `sha256=${hex}`, ['new', secret]), 1);
    assert.equal(signedWith(bytes, `sha256=${hex}`, [secret, 'old']), 0);
    assert.equal(signedWith(bytes, `sha256=${hex}`, ['new', 'old']), undefined);
    const forged = `sha256=${createHmac('sha256', '').update(bytes).digest('hex')}`;
    assert.equal(signedWith(bytes, forged, ['']), undefined);
    assert.equal(signedWith(bytes, forged, []), undefined);
  });

  it('is compared in constant time (WHK-12)', () => {
    const compare = mock.method(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    try {
      // Only the last digit differs, or every one: both are compared to their end, with every secret.
      for (const digits of [`${hex.slice(0, 63)}${hex.endsWith('0') ? '1' : '0'}`, hex.replaceAll(/./g, otherDigit)]) {
        compare.mock.resetCalls();
        assert.equal(signedWith(bytes, `sha256=${digits}`, [secret, 'old']), undefined);
        const sizes = compare.mock.calls.map(({ arguments: [one] }) => one.byteLength);
        assert.deepEqual(sizes, [71, 71]);
      }
    } finally {
      compare.mock.restore();
      syncBuiltinESMExports();
    }
  });
});

function otherDigit(digit: string): string {
  return digit === '0' ? '1' : '0';
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
