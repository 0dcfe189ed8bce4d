import assert from 'node:assert/strict';
import { ReceivedBytes } from '../../../src/contract/received-bytes.ts';
import { noise } from '../../harness/noise.ts';

describe('received bytes', () => {
  it('are whole, however they arrive', () => {
    const sent = noise(100_000);
    for (const size of [1, 7, 99_999, 100_000]) {
      const received = new ReceivedBytes();
      for (let at = 0; at < sent.length; at += size) received.push(sent.subarray(at, at + size));
      assert.equal(received.length, sent.length);
      assert.ok(received.whole().equals(sent), `${size} bytes at a time`);
    }
  });

  it('keep few of the pieces that they arrive in', () => {
    const received = new ReceivedBytes();
    const piece = Buffer.of(1);
    for (let count = 0; count < 100_000; count++) received.push(piece.subarray());
    // What is kept of the pieces themselves changes with them.
    piece[0] = 2;
    const kept = received.whole().filter((byte) => byte === 2).length;
    assert.ok(kept < 2000, `${kept} pieces are kept`);
  });

  it('TRN-16: are copied in short turns if they are many', async () => {
    const piece = noise(50_000);
    const received = new ReceivedBytes();
    for (let count = 0; count < 1100; count++) received.push(piece);
    let turns = 0;
    const whole = await received.wholeInTurns(async () => void turns++);
    assert.ok(whole.equals(received.whole()));
    assert.ok(turns >= 10, `${turns} turns`);
  });
});
