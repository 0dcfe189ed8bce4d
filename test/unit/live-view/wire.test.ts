import assert from 'node:assert/strict';
import { fromViewer, isInput } from '../../../src/contract/sessions/live-view.ts';
import { frameHeaderBytes, readFrame, writeFrameHeader } from '../../../src/contract/sessions/live-view-wire.ts';

describe('a frame on the wire', () => {
  const frame = { seq: 4_294_967_295, at: 1_795_226_772_891.5, width: 1280, height: 633 };
  const bytes = () => {
    const made = new Uint8Array(frameHeaderBytes + 3);
    writeFrameHeader(made, frame);
    made.set([1, 2, 3], frameHeaderBytes);
    return made;
  };

  it('is decoded as it was encoded', () => {
    assert.deepEqual(readFrame(bytes()), { ...frame, jpeg: new Uint8Array([1, 2, 3]) });
  });

  it('is read from the middle of a buffer too', () => {
    const large = new Uint8Array(100);
    large.set(bytes(), 7);
    assert.equal(readFrame(large.subarray(7, 7 + frameHeaderBytes + 3))?.seq, frame.seq);
  });

  it('is rejected if it is truncated, empty or of another version', () => {
    assert.equal(readFrame(bytes().subarray(0, frameHeaderBytes)), undefined);
    assert.equal(readFrame(new Uint8Array(0)), undefined);
    const other = bytes();
    other[0] = 9;
    assert.equal(readFrame(other), undefined);
  });
});

describe('messages from viewers', () => {
  const mouse = { type: 'mouse', action: 'down', x: 1, y: 2, button: 'left', buttons: 1, clicks: 1, modifiers: 0 };
  const good = [
    { type: 'ack', seq: 0 },
    { type: 'watch', on: false },
    { type: 'show-tab', tab: 'X' },
    mouse,
    { ...mouse, x: -5.5 },
    { type: 'text', text: '\ud800' },
  ];
  for (const message of good) {
    it(`accepts ${JSON.stringify(message)}`, () => assert.ok(fromViewer.safeParse(message).success));
  }
  const bad: unknown[] = [
    null,
    [],
    'ack',
    {},
    { type: 'Page.navigate', url: 'file:///' },
    { type: 'cdp', method: 'Browser.close' },
    { type: '__proto__' },
    { type: 'ack', seq: -1 },
    { type: 'ack', seq: 1.5 },
    { type: 'ack', seq: 1, more: true },
    { ...mouse, x: null },
    { ...mouse, x: '1' },
    { ...mouse, x: JSON.parse('1e400') },
    { ...mouse, x: 1e9 },
    { ...mouse, button: 'other' },
    { ...mouse, modifiers: 99 },
    { ...mouse, action: 'drag', file: '/etc/passwd' },
    { type: 'key', action: 'down', key: '', code: '', keyCode: 0, location: 0, repeat: false, modifiers: 0 },
    { type: 'key', action: 'char', key: 'a', code: '', keyCode: 0, location: 0, repeat: false, modifiers: 0 },
    { type: 'text', text: 'x'.repeat(8_001) },
    { type: 'viewport', size: { width: 0, height: 100 } },
    { type: 'viewport', size: { width: 1e5, height: 100 } },
    { type: 'viewport' },
    { type: 'history', to: 'home' },
  ];
  for (const message of bad) {
    it(`rejects ${JSON.stringify(message)?.slice(0, 80)}`, () => assert.ok(!fromViewer.safeParse(message).success));
  }

  it('distinguishes input from messages that only watch', () => {
    const acts = (message: unknown) => isInput(fromViewer.parse(message));
    assert.equal(acts({ type: 'ack', seq: 1 }), false);
    assert.equal(acts({ type: 'watch', on: true }), false);
    assert.equal(acts({ type: 'show-tab', tab: 'x' }), false);
    assert.equal(acts({ type: 'viewport', size: null }), false);
    for (const message of [mouse, { type: 'navigate', url: 'x' }, { type: 'copy', cut: false }]) {
      assert.equal(acts(message), true, JSON.stringify(message));
    }
  });
});
