import assert from 'node:assert/strict';
import { modifierBits } from '../../../src/contract/sessions/live-view-wire.ts';
import { modifiersOf, textPieces } from '../../../src/webviews/live-view/viewer/keyboard.ts';

const { alt, ctrl, meta, shift } = modifierBits;
const held = (...names: string[]) => ({
  altKey: names.includes('alt'),
  ctrlKey: names.includes('ctrl'),
  metaKey: names.includes('meta'),
  shiftKey: names.includes('shift'),
});

describe('modifiers', () => {
  it('are bits', () => {
    assert.equal(modifiersOf(held()), 0);
    assert.equal(modifiersOf(held('alt', 'shift')), alt | shift);
  });

  it('map to the same shortcut on the other system', () => {
    assert.equal(modifiersOf(held('meta'), true, false), ctrl);
    assert.equal(modifiersOf(held('ctrl'), false, true), meta);
    assert.equal(modifiersOf(held('meta'), true, true), meta);
    assert.equal(modifiersOf(held('ctrl', 'alt'), false, true), ctrl | alt, 'AltGr');
  });
});

describe('pasted text', () => {
  it('is split into pieces that each fit into a message, without splitting a character', () => {
    const text = '🙂'.repeat(10_000);
    const pieces = textPieces(text);
    assert.equal(pieces.join(''), text);
    for (const piece of pieces) {
      assert.ok(piece.length <= 8_000);
      assert.ok(piece.isWellFormed());
    }
    assert.deepEqual(textPieces(''), []);
  });

  it('is truncated at an unrealistic length', () => {
    assert.equal(textPieces('x'.repeat(3_000_000)).join('').length, 1_000_000);
  });
});
