import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { inLargerPieces } from '../../../src/service/platform/http/larger-pieces.ts';

describe('a body in larger pieces', () => {
  /** A body whose pieces arrive in the given turns, as the parser of Node.js reports them: all of a turn before anything else runs. */
  function arriving(turns: readonly string[][]) {
    const source = new Readable({ read: () => undefined });
    const next = (index: number) => {
      for (const piece of turns[index] ?? []) source.push(Buffer.from(piece));
      if (index === turns.length) source.push(null);
      else setTimeout(next, 1, index + 1);
    };
    setTimeout(next, 0, 0);
    return source as IncomingMessage;
  }
  const bytes = (count: number) => Array.from({ length: count }, () => 'x');

  it('has one piece for all that arrived together (TRN-13)', async () => {
    const { body } = inLargerPieces(arriving([bytes(5000), [], bytes(3000)]));
    const lengths: number[] = [];
    for await (const piece of body) lengths.push((piece as Buffer).length);
    assert.ok(lengths.length <= 4, `${lengths.length} pieces`);
    assert.equal(
      lengths.reduce((sum, length) => sum + length, 0),
      8000,
    );
  });

  it('keeps the order, and all of it, for a reader that is slow', async () => {
    const turns = Array.from({ length: 50 }, (_, index) => bytes(3).map((x) => `${x}${index}`.repeat(5000)));
    const { body } = inLargerPieces(arriving(turns));
    let text = '';
    for await (const piece of body) {
      text += piece;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.equal(text, turns.flat().join(''));
  });

  it('leaves the rest to others once it is stopped, and fails as the request does', async () => {
    const stopped = arriving([['a'], ['b'], ['c']]);
    inLargerPieces(stopped).stop();
    let rest = '';
    for await (const piece of stopped) rest += piece;
    assert.equal(rest, 'abc');
    const broken = arriving([['a']]);
    const { body } = inLargerPieces(broken);
    setTimeout(() => broken.destroy(new Error('aborted')), 1);
    await assert.rejects(async () => {
      for await (const _ of body);
    }, /aborted/);
  });
});
