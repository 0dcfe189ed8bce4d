import assert from 'node:assert/strict';
import type { ViewerInput } from '../../../src/contract/sessions/live-view.ts';
import { keyEvent } from '../../../src/service/browsers/live-view/input/keys.ts';

type KeyInput = Extract<ViewerInput, { type: 'key' }>;
const key = (name: string, more: Partial<KeyInput> = {}): KeyInput => ({
  type: 'key',
  action: 'down',
  key: name,
  code: '',
  keyCode: 0,
  location: 0,
  repeat: false,
  modifiers: 0,
  ...more,
});
const alt = 1;
const ctrl = 2;
const meta = 4;
const shift = 8;

describe('keys sent to Chrome', () => {
  const table: [string, KeyInput, Record<string, unknown>][] = [
    ['a letter makes its text', key('a'), { type: 'keyDown', text: 'a' }],
    ['a letter with Shift', key('A', { modifiers: shift }), { type: 'keyDown', text: 'A', modifiers: shift }],
    ['an emoji is one character', key('🙂'), { type: 'keyDown', text: '🙂' }],
    ['Enter makes a carriage return', key('Enter'), { type: 'keyDown', text: '\r' }],
    ['an arrow makes no text', key('ArrowLeft'), { type: 'rawKeyDown', text: undefined }],
    ['Tab makes no text', key('Tab'), { type: 'rawKeyDown', text: undefined }],
    ['Ctrl and a letter make no text', key('a', { modifiers: ctrl }), { type: 'rawKeyDown', text: undefined }],
    ['Command and a letter make no text', key('a', { modifiers: meta }), { type: 'rawKeyDown', text: undefined }],
    ['Alt and an ASCII letter make no text', key('f', { modifiers: alt }), { type: 'rawKeyDown', text: undefined }],
    ['Option and a letter of its own make it', key('å', { modifiers: alt }), { type: 'keyDown', text: 'å' }],
    ['AltGr makes its sign, held by nothing', key('@', { modifiers: ctrl | alt }), { text: '@', modifiers: 0 }],
    ['AltGr and €', key('€', { modifiers: ctrl | alt }), { text: '€', modifiers: 0 }],
    ['Ctrl+Alt and a letter stay a shortcut', key('t', { modifiers: ctrl | alt }), { text: undefined, modifiers: 3 }],
    ['a release has no text', key('a', { action: 'up' }), { type: 'keyUp', text: undefined }],
    ['the number pad', key('1', { location: 3 }), { isKeypad: true, location: 3 }],
    ['a repeated key', key('x', { repeat: true }), { autoRepeat: true }],
  ];
  for (const [name, input, expected] of table) {
    it(name, () => {
      const event: Record<string, unknown> = { ...keyEvent(input, false) };
      for (const [field, value] of Object.entries(expected)) assert.equal(event[field], value, field);
      assert.equal(event.commands, undefined);
    });
  }

  it('have the editing commands of a Mac', () => {
    const commands = (input: KeyInput) => keyEvent(input, true).commands;
    assert.deepEqual(commands(key('a', { modifiers: meta })), ['selectAll']);
    assert.deepEqual(commands(key('Z', { modifiers: meta | shift })), ['redo']);
    assert.deepEqual(commands(key('ArrowLeft', { modifiers: alt | shift })), ['moveWordLeftAndModifySelection']);
    assert.deepEqual(commands(key('Backspace', { modifiers: alt })), ['deleteWordBackward']);
    assert.equal(commands(key('a')), undefined);
    assert.equal(commands(key('a', { modifiers: meta, action: 'up' })), undefined);
  });
});
